package program

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// naivePoints reads a line token by token. Keys are compared as encoding/json does, and
// every list of points must be good; the last one counts.
func naivePoints(line []byte, dim int) (points []float64, ok bool) {
	if !json.Valid(line) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if start, _ := d.Token(); start != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, _ := d.Token()
		var value any
		if d.Decode(&value) != nil {
			return nil, false
		}
		if strings.EqualFold(key.(string), "points") {
			if points, ok = naiveList(value, dim); !ok {
				return nil, false
			}
		}
	}
	return points, len(points) > 0
}

func naiveList(value any, dim int) (points []float64, ok bool) {
	list, isList := value.([]any)
	if !isList {
		return nil, false
	}
	for _, p := range list {
		point, isList := p.([]any)
		if !isList || len(point) != dim {
			return nil, false
		}
		for _, c := range point {
			text, isNumber := c.(json.Number)
			v, err := strconv.ParseFloat(string(text), 64)
			if !isNumber || err != nil {
				return nil, false
			}
			points = append(points, v)
		}
	}
	return points, true
}

// Whatever an optimiser writes, its points are those that a naive reader finds, or there is
// an error in one line.
func FuzzPoints(f *testing.F) {
	for _, line := range []string{
		`{"points":[[1,2],[3e1,-4.5]]}`, `{"points":[[1,2],[3]]}`, `{"points":[[1,NaN]]}`, `{"points":[[1,-Infinity]]}`, `{"points":[[1,1e999]]}`,
		`{"points":[]}`, `{"points":[[]]}`, `{"points":null}`, `{"points":3}`, `{"points":[1,2]}`, `{"points":[[1,null]]}`, `{"points":[["nan","1"]]}`,
		`{"points":[[1,[2]]]}`, `{"points":[{"a":[1,2]}]}`, `{"points":[[1,{"b":2}]]}`, `{"points":"[[1,2]]"}`, ` { "a" : [ "]" ] , "points" : [ [ 1 , 2 ] ] } `,
		`{"points":[[1,2]],"points":[[3,4]]}`, `{"points":[[1]],"Points":[[3,4]]}`, `{}`, `[]`, `[[1,2]]`, `hello`, `{"points":[[1,2]]`, `{"points":[[01,2]]}`,
		`{"points":[[1,2],]}`, `{"points":[[1e-999,0.1]]}`, `{"points":[[true,"\"]"]]}`, `{"points":[[1,2]],"x":NaN}`, `{"\u0070oints":[[1,2]]}`, `{"point` + "\u017f" + `":[[1,2]]}`,
	} {
		f.Add([]byte(line), 2)
	}
	f.Fuzz(func(t *testing.T, line []byte, dim int) {
		if dim < 1 || dim > 5 {
			return
		}
		want, ok := naivePoints(line, dim)
		if !ok { // NaN in another place is forgiven
			want, ok = naivePoints(quoteNaN(line), dim)
		}
		got, err := readPoints(line, dim)
		if ok != (err == nil) || ok && !slices.Equal(got, want) {
			t.Fatalf("%q: %v, %v; want %v, %v", line, got, err, want, ok)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 1000) {
			t.Errorf("%q", err)
		}
	})
}

// What we write is JSON that reads back to the same numbers.
func FuzzValues(f *testing.F) {
	f.Add(1.5, math.Copysign(0, -1))
	f.Add(1e300, 1e21)
	f.Add(123456789012345678., 5e-324)
	f.Fuzz(func(t *testing.T, a, b float64) {
		text := appendValues(nil, []float64{a, b})
		var v struct{ Values []*float64 }
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil || len(v.Values) != 2 {
			t.Fatalf("%s: %v", text, err)
		}
		for i, want := range []float64{a, b} {
			if got := v.Values[i]; (got == nil) != (want-want != 0) || got != nil && *got != want {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
		}
		if rest, _ := io.ReadAll(d.Buffered()); string(rest) != "\n" || bytes.Count(text, []byte("\n")) != 1 {
			t.Errorf("%q is not one line", text)
		}
		for _, number := range strings.Split(strings.Trim(string(text), "{}[]\":values\n"), ",") {
			if !strings.ContainsAny(number, ".en") {
				t.Errorf("%s looks like an integer", number)
			}
		}
	})
}
