package chart

import (
	"errors"
	"math"
	"slices"
	"testing"

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

// area returns the area inside of closed outlines, those that go with the clock taken away.
func area(all [][]point) (sum float64) {
	for _, outline := range all {
		for i, p := range outline {
			q := outline[(i+1)%len(outline)]
			sum += (p.x*q.y - q.x*p.y) / 2
		}
	}
	return sum
}

// The areas below a level are those of geometry: a disc, a ring with its hole, a
// half of the window that is closed along its edge, four quarters of discs in the
// corners, all and nothing.
func TestContoursEncloseAreas(t *testing.T) {
	radius := math.Hypot
	for name, c := range map[string]struct {
		f     func(x, y float64) float64
		level float64
		area  float64 // in the window [-1, 1]²
		loops int
	}{
		"disc":    {radius, 0.6, math.Pi * 0.36, 1},
		"ring":    {func(x, y float64) float64 { return math.Abs(radius(x, y) - 0.6) }, 0.1, math.Pi * (0.49 - 0.25), 2},
		"half":    {func(x, _ float64) float64 { return x }, 0.3, 2.6, 1},
		"corners": {func(x, y float64) float64 { return radius(1-math.Abs(x), 1-math.Abs(y)) }, 0.5, math.Pi * 0.25, 4},
		"all":     {func(x, _ float64) float64 { return x }, 5, 4, 1},
		"nothing": {func(x, _ float64) float64 { return x }, -5, 0, 0},
	} {
		r, err := survey(-1, 1, cellsAcross, of(c.f))
		if err != nil {
			t.Fatal(err)
		}
		all := r.below(c.level)
		if got := area(all); math.Abs(4*got-c.area) > 1e-3 || len(all) != c.loops {
			t.Errorf("%s: area %g with %d outlines, want %g with %d", name, 4*got, len(all), c.area, c.loops)
		}
	}
}

// Whatever the values, outlines are closed and inside the window, and their areas
// grow with the level.
func TestContoursOfAnything(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Just(1.))
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(value, 1, 300).Draw(t, "values")
		r, err := survey(0, 1, 12, func(_ *mat.Dense, values []float64) error {
			for i := range values {
				values[i] = some[i*7%len(some)]
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		before := 0.
		for k := range bands {
			all := r.below(r.level(k))
			for _, p := range slices.Concat(all...) {
				if !(p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1) {
					t.Fatalf("level %d: a corner at %v", k, p)
				}
			}
			got := area(all)
			if got < before-1e-9 || got > 1+1e-9 {
				t.Fatalf("level %d: area %g after %g", k, got, before)
			}
			before = got
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
	for _, half := range []float64{2, 12.34, 1e9, 1e-7} {
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
			if len(picture.body) > 2<<20 || len(d.marks) < 1000 || len(d.labels) < 14*n {
				t.Errorf("%d panels: %d bytes, %d marks, %d texts", n, len(picture.body), len(d.marks), len(d.labels))
			}
		}
	}
}

// By hand, in a window from 0 to 10: paths are cut at its edges, and what is not finite parts
// them.
func TestInside(t *testing.T) {
	at := func(v [2]float64) point { return point{v[0], v[1]} }
	window := box{0, 10, 0, 10}
	for want, path := range map[string][][2]float64{
		"M0 5L5 5L5 10":         {{-5, 5}, {5, 5}, {5, 15}},
		"M0 0L10 10":            {{-1, -1}, {11, 11}},
		"M1 1L2 2M5 5L6 6":      {{1, 1}, {2, 2}, {3, math.NaN()}, {math.Inf(1), 1}, {5, 5}, {6, 6}},
		"":                      {{-1, 0}, {-1, 10}, {20, 20}},
		"M5 10L5 5L5 0M0 2L1 2": {{5, 20}, {5, 5}, {5, -9}, {-9, -9}, {-9, 2}, {1, 2}},
	} {
		if got := window.inside(path, at); got != want {
			t.Errorf("%v: %s, want %s", path, got, want)
		}
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
