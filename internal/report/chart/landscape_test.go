package chart

import (
	"errors"
	"math"
	"strings"
	"testing"

	given "github.com/untwist/untwist/internal/acceptance/flags"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// of makes a function of batches out of one of points.
func of(f func(x, y float64) float64) func(*mat.Dense, []float64) error {
	return func(points *mat.Dense, values []float64) error {
		for i := range values {
			values[i] = f(points.At(i, 0), points.At(i, 1))
		}
		return nil
	}
}

// The area below a level is that of geometry, wherever it is, and colours are those of levels.
func TestSurvey(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x, y float64) float64
		area [bands]float64 // below each level, as a part of the window [-1, 1]²
	}{
		"slope":  {func(_, y float64) float64 { return y }, [bands]float64{1. / 64, 4. / 64, 9. / 64, 16. / 64, 25. / 64, 36. / 64, 49. / 64, 1}},
		"square": {func(x, y float64) float64 { return math.Max(math.Abs(x), math.Abs(y)) }, [bands]float64{1: 1. / 256, 3: 1. / 16, 7: 1}},
		"half":   {func(x, _ float64) float64 { return map[bool]float64{true: math.NaN(), false: 3}[x > 0] }, [bands]float64{7: 0.5}},
	} {
		r, err := survey(-1, 1, of(c.f))
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.area {
			below := 0
			for _, row := range r.colours {
				for _, colour := range row {
					if colour > 0 && colour <= k+1 {
						below++
					}
				}
			}
			if got := float64(below) / (cellsAcross * cellsAcross); want > 0 && math.Abs(got-want) > 0.01 {
				t.Errorf("%s: the area below level %d is %g, want %g", name, k, got, want)
			}
		}
	}
	r, _ := survey(-1, 1, of(func(_, y float64) float64 { return y }))
	if r.colours[0][0] != bands || r.colours[cellsAcross-1][0] != 1 {
		t.Error("what is high is not at the top")
	}
}

// Whatever the values, there is a colour for each.
func TestSurveyOfAnything(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Just(1.))
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(value, 1, 300).Draw(t, "values")
		r, err := survey(0, 1, func(_ *mat.Dense, values []float64) error {
			for i := range values {
				values[i] = some[i*7%len(some)]
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range cellsAcross * cellsAcross {
			k := r.colours[i/cellsAcross][i%cellsAcross]
			if (k == 0) == finite(some[i*7%len(some)]) || k < 0 || k > bands {
				t.Fatalf("%v has the colour %d", some[i*7%len(some)], k)
			}
		}
	})
}

// wild is a panel with paths that leave the window, far and to where no numbers
// are.
func wild(title string) Landscape {
	inf, nan := math.Inf(1), math.NaN()
	return Landscape{
		Title: title, Note: "note & <more>", Letter: "x", Lo: -2, Hi: 2,
		Value: of(func(x, y float64) float64 { return math.Sin(5*x) * math.Cos(5*y) / x }),
		Paths: [][][2]float64{
			{{0, 0}, {1e8, -1e8}, {-1e308, 1e308}, {1, 1}, {1, inf}, {nan, 0}, {1, -1}, {0, -1}},
			{{3, 3}, {3, -3}, {-3, -3}}, {{nan, nan}}, {{1, 1}}, {},
		},
		Consensus: [][2]float64{{0, 0}, {5, 0}, {5, 5}, {0.5, 0.5}},
		Minimiser: [2]float64{1.5, -1.5},
	}
}

// The picture is small, everything in it is on the paper, no texts meet, and the words are
// there, whatever the window.
func TestLandscapes(t *testing.T) {
	for _, half := range given.Sample([]float64{2, 12.34, 1e9, 1e-7}, 2) {
		for _, n := range []int{1, 2, 3, 4} {
			panels := []Landscape{wild("one"), wild("two"), wild("three"), wild("four")}[:n]
			for i := range panels {
				panels[i].Lo, panels[i].Hi = -half, half
			}
			picture, err := Landscapes(panels, []string{"said once", "and twice"})
			if err != nil {
				t.Fatal(err)
			}
			d := inOrder(t, picture)[0]
			wantTexts(t, d, panels[n-1].Title, "said once", "and twice", "minimiser", "x₁", "x₂", "f", "path of the consensus")
			if len(picture.body) > 2<<20 || len(d.marks) < 300 || len(d.labels) < 14*n {
				t.Errorf("%d panels: %d bytes, %d marks, %d texts", n, len(picture.body), len(d.marks), len(d.labels))
			}
		}
	}
}

// By hand: what is not finite parts a path, and what is outside the window is in an element that
// shows only what is inside.
func TestMoves(t *testing.T) {
	c := &canvas{wide: wide}
	p := Landscape{Paths: [][][2]float64{{{1, 1}, {2, 2}, {3, math.NaN()}, {math.Inf(1), 1}, {5, 20}, {6, 6}}}}
	p.moves(c, axis{hi: 10, to: 10}, axis{hi: 10, from: 10})
	if got := c.out.String(); !strings.HasPrefix(got, `<svg x="0" y="0" width="10" height="10" viewBox="0 0 10 10">`) || !strings.Contains(got, `d="M1 9L2 8M5 -10L6 4"`) || !strings.HasSuffix(got, "</svg>") {
		t.Error(got)
	}
}

func TestLandscapesThatCannotBeDrawn(t *testing.T) {
	empty, endless, failing := wild("empty"), wild("endless"), wild("failing")
	empty.Hi = empty.Lo
	endless.Hi = math.Inf(1)
	failing.Value = func(*mat.Dense, []float64) error { return errors.New("no value") }
	for _, panels := range [][]Landscape{nil, {empty}, {endless}, {wild(""), failing}} {
		if _, err := Landscapes(panels, nil); err == nil {
			t.Errorf("%d panels: drawn", len(panels))
		}
	}
}
