package program

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
)

// A hearing is a kept program without a process: points were sent, and something is heard.
type hearing struct {
	kept
	queue *queue
	told  map[int]objective.Answer // by query
	twice bool
}

// newHearing has sent n points, the queries 1 … n.
func newHearing(d dialect, n int) *hearing {
	h := &hearing{told: map[int]objective.Answer{}}
	h.kept = kept{base: base{config: &Config{Exec: []string{"sim"}}, folders: &folders{}, experience: &experience{}, dialect: d}}
	h.experience.answered.Store(true)
	h.stderr = newTail(10)
	h.asked = n
	h.queue = &queue{tell: func(i int, a objective.Answer) {
		_, h.twice = h.told[i+1]
		h.told[i+1] = a
	}}
	for i := range n {
		h.sent = append(h.sent, job{index: i, query: i + 1})
	}
	return h
}

// hear hears a text in pieces of some length, until the process would be ended. It returns
// the error that stops the run, and whether the process was ended.
func (h *hearing) hear(t *testing.T, text []byte, piece int) (stop error, ended bool) {
	for len(text) > 0 && len(h.sent) > 0 {
		n := min(max(piece, 1), len(text))
		before := len(h.sent) + len(h.held) + len(h.told)
		if err := h.kept.hear(t.Context(), h.queue, chunk{data: text[:n]}); err != nil {
			return err, true
		}
		text = text[n:]
		if h.twice {
			t.Fatal("a point was answered twice")
		}
		if after := len(h.sent) + len(h.held) + len(h.suspects) + len(h.told); after != before {
			t.Fatalf("%d points were sent, and %d are known", before, after)
		}
		if r := h.replies; len(h.suspects) > 0 || len(r) > 0 && r[len(r)-1].breach != noBreach {
			return nil, true
		}
	}
	if len(h.sent) > 0 {
		return nil, false
	}
	return h.dialect.surplus(append(h.heard, text...)), false
}

// answers are those that were told, and those that are held.
func (h *hearing) answers() map[int]objective.Answer {
	all := maps.Clone(h.told)
	for _, a := range h.held {
		all[a.job.query] = objective.Answer{Value: a.reply.value, Failure: a.reply.failure}
	}
	return all
}

// agrees reports whether an answer is the value, bit for bit, or a failure where the value
// is not finite.
func agrees(a objective.Answer, v float64) bool {
	if v-v != 0 {
		return a.Failure != nil && math.IsInf(a.Value, 1)
	}
	return a.Failure == nil && math.Float64bits(a.Value) == math.Float64bits(v)
}

// naiveNumber reads a number the slow way.
func naiveNumber(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "-nan" || s == "+nan" {
		return math.NaN(), true
	}
	if v, ok := naiveFloat(s); ok {
		return v, true
	}
	if strings.Count(s, "d") == 1 && !strings.Contains(s, "x") {
		return naiveFloat(strings.Replace(s, "d", "e", 1))
	}
	return 0, false
}

func naiveFloat(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil || strings.HasSuffix(err.Error(), strconv.ErrRange.Error())
}

func FuzzLines(f *testing.F) {
	for _, text := range []string{
		"1\n2\n3\n", "1.5D+03\nnan\n-inf\n", "1 2\n3\n", "\n1\n", "1e400\r\n0x1p-2\n", "1\n2\n3\n4\n", "a\n1\n", "1", " 1 \n\n",
		"1.7976931348623157e308\n1d\n", "1_0\n", "-nan\n+NaN\n- nan\n", "\x00\n", "Infinity\n+Inf\nNaN\n",
	} {
		f.Add([]byte(text), uint8(3), uint16(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, points uint8, piece uint16) {
		n := int(points%9) + 1
		h := newHearing(lines{}, n)
		stop, ended := h.hear(t, text, int(piece))
		all := strings.Split(string(text), "\n")
		all = all[:len(all)-1] // without an end
		if bad := slices.IndexFunc(all, func(line string) bool { _, ok := naiveNumber(line); return !ok }); bad > 0 && bad < n {
			if len(h.told) > 0 || len(h.suspects) != n || stop != nil || !ended {
				t.Fatalf("line %d of %q is no number: %d told, %d asked again, %v", bad, text, len(h.told), len(h.suspects), stop)
			}
			return
		}
		answers := h.answers()
		for i, line := range all {
			v, ok := naiveNumber(line)
			a, told := answers[i+1]
			switch {
			case i >= n:
				if stop == nil {
					t.Fatalf("%d lines for %d points, and no complaint", len(all), n)
				}
				return
			case stop != nil && !told:
				if len(all) <= n {
					t.Fatalf("a complaint of %q: %v", text, stop)
				}
				return
			case !told:
				t.Fatalf("line %d of %q was not heard", i, text)
			case !ok:
				if a.Failure == nil || a.Failure.Kind != objective.NoNumber || len(h.told) != i+1 || !ended {
					t.Fatalf("line %d of %q is no number: %+v, %d told", i, text, a, len(h.told))
				}
				return
			case !agrees(a, v):
				t.Fatalf("line %d of %q: %+v, want %v", i, text, a, v)
			}
		}
		if len(answers) != min(len(all), n) || stop != nil || len(h.told) > 0 && len(all) < n {
			t.Fatalf("%d answers, %d told, %d lines, %v", len(answers), len(h.told), len(all), stop)
		}
	})
}

func FuzzBinary(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0, 1, 2, 3, 4, 5, 6, 63}, 3), uint8(3), uint16(5))
	f.Add(bytes.Repeat([]byte{255}, 17), uint8(2), uint16(8))
	f.Fuzz(func(t *testing.T, text []byte, points uint8, piece uint16) {
		n := int(points%9) + 1
		h := newHearing(binaries{}, n)
		stop, _ := h.hear(t, text, int(piece))
		if surplus := len(text) > 8*n; surplus != (stop != nil) {
			t.Fatalf("%d bytes for %d points: %v", len(text), n, stop)
		}
		answers := h.answers()
		if stop == nil && len(answers) != len(text)/8 || len(h.told) > 0 && len(h.told) < n {
			t.Fatalf("%d answers in %d bytes, %d told", len(answers), len(text), len(h.told))
		}
		for query, a := range answers {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(text[8*query-8:])); !agrees(a, v) {
				t.Fatalf("answer %d is %+v, want %v", query, a, v)
			}
		}
	})
}

// naiveAnswers reads answers with encoding/json alone. It returns what is said of every
// query before the first line that is no good: a number, or something else.
func naiveAnswers(text []byte, n int) (said map[int]any, good bool) {
	said = map[int]any{}
	all := strings.Split(string(text), "\n")
	for _, line := range all[:len(all)-1] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var fields map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if d.Decode(&fields) != nil {
			return said, false
		}
		if _, err := d.Token(); err != io.EOF {
			return said, false
		}
		number, _ := fields["id"].(json.Number)
		id, err := strconv.Atoi(number.String())
		value := fields["value"]
		if e := fields["error"]; e != nil && e != "" && e != false {
			value = nil
		}
		before, twice := said[id]
		if err != nil || id < 1 || id > n || twice && !naiveSame(before, value) {
			return said, false
		}
		said[id] = value
	}
	return said, true
}

// naiveSame reports whether two answers are the same finite number, or both are none.
func naiveSame(a, b any) bool {
	finite := func(v any) (float64, bool) {
		number, _ := v.(json.Number)
		x, ok := naiveFloat(number.String())
		return x, ok && x-x == 0
	}
	x, xOK := finite(a)
	y, yOK := finite(b)
	return xOK == yOK && x == y || !xOK && !yOK
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"id":2,"value":1.5}` + "\n" + `{"id":1,"value":-2e-3,"x":[1,{"id":3}]}` + "\n",
		`{"id":3,"error":"diverged"}` + "\n" + `{"id":1,"value":null}` + "\n" + `{"id":2,"value":"nan"}` + "\n",
		`{"id":1,"value":NaN}` + "\n", `{"id":1,"value":1}{"id":2,"value":2}` + "\n", `{"id":1,"value":1,"id":2}` + "\n\n",
		`{"id":1.0,"value":1}` + "\n", `[1]` + "\n", "null\n", `{"ID":1,"Value":1}` + "\n", `{"id":1,"value":1e999}` + "\n",
		`{"id":1,"value":"1"}` + "\n", `{"id":1,"value":true,"error":0}` + "\n", `{"id":9,"value":1}` + "\n",
		`{"id":1,"value":1}` + "\n" + `{"id":1,"value":1.0}` + "\n" + `{"id":2,"value":3}` + "\n",
		`{"id":1,"value":1}` + "\n" + `{"id":1,"value":2}` + "\n" + `{"id":2,"value":3}` + "\n",
	} {
		f.Add([]byte(text), uint8(3), uint16(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, points uint8, piece uint16) {
		n := int(points%9) + 1
		h := newHearing(newJSONLines(nil), n)
		_, _ = h.hear(t, text, int(piece))
		said, good := naiveAnswers(text, n)
		lenient := bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity"))
		if lenient && !good { // what JSON has not, the naive reader does not read
			return
		}
		for id, a := range h.told {
			v, known := said[id]
			number, isNumber := v.(json.Number)
			switch {
			case !known && a.Failure != nil && n == 1: // the only one is to blame
			case !known:
				t.Fatalf("%q: nothing was said of %d, and we say %+v", text, id, a)
			case !isNumber && a.Failure == nil:
				t.Fatalf("%q: %v was said of %d, and we say %+v", text, v, id, a)
			case isNumber:
				if v, ok := naiveFloat(number.String()); !ok || !agrees(a, v) {
					t.Fatalf("%q: %v was said of %d, and we say %+v", text, number, id, a)
				}
			}
		}
		if good && len(h.told) != len(said) {
			t.Fatalf("%q: %d answers, and we say %d", text, len(said), len(h.told))
		}
	})
}
