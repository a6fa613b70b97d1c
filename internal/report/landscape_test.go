package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// unit is a frame of side 1, for numbers that can be checked.
var unit = draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 1, Y: 1}}}

// area returns the area inside of closed outlines, those that go with the clock
// taken away, and how many there are.
func area(t interface{ Fatalf(string, ...any) }, path vg.Path) (sum float64, loops int) {
	var first, last vg.Point
	for i, c := range path {
		switch c.Type {
		case vg.MoveComp:
			if i > 0 && path[i-1].Type != vg.CloseComp {
				t.Fatalf("outline %d is not closed", loops)
			}
			first = c.Pos
			loops++
		case vg.LineComp:
			sum += float64(last.X*c.Pos.Y-c.Pos.X*last.Y) / 2
		case vg.CloseComp:
			sum += float64(last.X*first.Y-first.X*last.Y) / 2
			continue
		}
		last = c.Pos
	}
	return sum, loops
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
		got, loops := area(t, r.below(unit, c.level))
		if math.Abs(4*got-c.area) > 1e-3 || loops != c.loops {
			t.Errorf("%s: area %g with %d outlines, want %g with %d", name, 4*got, loops, c.area, c.loops)
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
			path := r.below(unit, r.level(k))
			for _, c := range path {
				if p := c.Pos; c.Type != vg.CloseComp && !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
					t.Fatalf("level %d: a corner at %v", k, p)
				}
			}
			got, _ := area(t, path)
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

// The picture is well-formed and small, everything in it is on the paper, and the
// words are there.
func TestLandscapes(t *testing.T) {
	number := regexp.MustCompile(`[ML](-?[0-9.]+) (-?[0-9.]+)`)
	for _, n := range []int{1, 2, 3, 4} {
		path := filepath.Join(t.TempDir(), "a.svg")
		panels := []Landscape{wild("one"), wild("two"), wild("three"), wild("four")}[:n]
		if err := Landscapes(path, panels, []string{"said once", "and twice"}); err != nil {
			t.Fatal(err)
		}
		picture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := xml.NewDecoder(bytes.NewReader(picture)); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if len(picture) > 2<<20 || bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
			t.Errorf("%d panels: %d bytes, or a NaN or Inf", n, len(picture))
		}
		for _, word := range []string{panels[n-1].Title, "said once", "and twice", "minimiser", "x₁", "x₂"} {
			if !strings.Contains(string(picture), ">"+word+"<") {
				t.Errorf("%d panels: %q is not written", n, word)
			}
		}
		_, body, _ := bytes.Cut(picture, []byte("</defs>"))
		_, wide, high := written(t, path)
		corners := number.FindAllSubmatch(body, -1)
		if len(corners) < 1000 {
			t.Fatalf("%d panels: %d corners only: is this how a path is still written?", n, len(corners))
		}
		for _, c := range corners {
			x, _ := strconv.ParseFloat(string(c[1]), 64)
			y, _ := strconv.ParseFloat(string(c[2]), 64)
			if x < 0 || x > wide || y < 0 || y > high {
				t.Fatalf("%d panels: a line goes to %g, %g on paper of %g by %g", n, x, y, wide, high)
			}
		}
	}
}

// By hand, in a window from 0 to 10 on paper of side 1: what is not finite parts a
// path.
func TestStretches(t *testing.T) {
	p := Landscape{Lo: 0, Hi: 10}
	at := func(x [2]float64) vg.Point { return vg.Point{X: vg.Length(p.part(x[0])), Y: vg.Length(p.part(x[1]))} }
	got := stretches([][2]float64{{0, 5}, {10, 20}, {1, math.NaN()}, {math.Inf(1), 1}, {5, 5}}, at)
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 0 || len(got[2]) != 1 {
		t.Fatalf("%v", got)
	}
	if got[0][0] != (vg.Point{X: 0, Y: 0.5}) || got[0][1] != (vg.Point{X: 1, Y: 2}) || got[2][0] != (vg.Point{X: 0.5, Y: 0.5}) {
		t.Errorf("%v", got)
	}
}

func TestLandscapesThatCannotBeDrawn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.svg")
	empty, endless, failing := wild("empty"), wild("endless"), wild("failing")
	empty.Hi = empty.Lo
	endless.Hi = math.Inf(1)
	failing.Value = func(*mat.Dense, []float64) error { return errors.New("no value") }
	for name, err := range map[string]error{
		"no panels":      Landscapes(path, nil, nil),
		"no window":      Landscapes(path, []Landscape{empty}, nil),
		"endless window": Landscapes(path, []Landscape{endless}, nil),
		"no value":       Landscapes(path, []Landscape{wild(""), failing}, nil),
		"no folder":      Landscapes(filepath.Join(dir, "none", "a.svg"), []Landscape{wild("")}, nil),
		"no format":      Landscapes(filepath.Join(dir, "a.xyz"), []Landscape{wild("")}, nil),
	} {
		if err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
	if all, _ := os.ReadDir(dir); len(all) != 0 {
		t.Errorf("%d files are left", len(all))
	}
}
