package report_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/report"
)

// theMap undoes φ, by values of φ(1 + x² + y²) at the corners of squares.
func theMap(t *testing.T, phi func(v float64) float64) *outer.Map {
	t.Helper()
	f := func(x, y float64) float64 { return phi(1 + x*x + y*y) }
	var corners []outer.Corners
	for k := range 12 {
		x, y := float64(k)/4, float64(k%5)/2
		corners = append(corners, outer.Corners{f(x, y), f(x+1, y), f(x, y+2), f(x+1, y+2)})
	}
	m := outer.Fitted(corners)
	if left := outer.Coupling(m, corners); m == nil || left > 1e-9 {
		t.Fatalf("no map: %v left", left)
	}
	return m
}

// JSON has the map of a frame, with null for the exponent of an exponential, and nothing
// where there is no map. The words say it too.
func TestTheMapOfAFrame(t *testing.T) {
	for want, c := range map[string]struct {
		phi   func(v float64) float64
		words string
	}{
		`{"name":"root","exponent":0.5}`:         {math.Sqrt, "after an outer map, f ≈ root of a sum"},
		`{"name":"exponential","exponent":null}`: {func(v float64) float64 { return math.Exp(v / 9) }, "after an outer map, f ≈ exponential of a sum"},
		`{"name":"power","exponent":0.25}`:       {func(v float64) float64 { return math.Sqrt(math.Sqrt(v)) }, "after an outer map, f ≈ a sum to the power of 0.25"},
		"":                                       {nil, "separable in"},
	} {
		found := result()
		if c.phi != nil {
			found.Structure.Map = theMap(t, c.phi)
		}
		text, err := json.Marshal(report.Run{Result: found})
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Frame struct {
				Map *struct {
					Name     string
					Exponent *float64
				}
			}
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		if m := out.Frame.Map; want == "" && m != nil || want != "" && (m == nil || !strings.Contains(want, m.Name) || (m.Exponent == nil) != strings.Contains(want, "null")) {
			t.Errorf("want %s in %s", want, text)
		} else if m != nil && m.Exponent != nil && !strings.Contains(want, strings.TrimRight(string(must(json.Marshal(math.Round(*m.Exponent*1e6)/1e6))), "0")) {
			t.Errorf("exponent %v, want %s", *m.Exponent, want)
		}
		if words := found.String(); !strings.Contains(words, c.words) || want == "" && strings.Contains(words, "outer map") {
			t.Errorf("%q, want %q", words, c.words)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// A picture of the map is drawn beside the others, and only where there is one.
func TestTheMapIsDrawn(t *testing.T) {
	for _, mapped := range []bool{true, false} {
		found, dir := result(), t.TempDir()
		if mapped {
			found.Structure.Map = theMap(t, math.Log)
		}
		if err := (report.Run{Result: found}).Draw(dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "map.svg"))
		if mapped && (err != nil || !strings.Contains(string(text), "<svg")) {
			t.Errorf("no picture of the map: %v", err)
		}
		if !mapped && err == nil {
			t.Error("a picture of a map that there is not")
		}
	}
}
