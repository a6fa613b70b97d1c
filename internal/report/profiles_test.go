package report

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"
)

func sampled(n int, lo, hi float64, f func(x float64) float64) plotter.XYs {
	points := make(plotter.XYs, n)
	for i := range points {
		x := lo + (hi-lo)*float64(i)/float64(n-1)
		points[i] = plotter.XY{X: x, Y: f(x)}
	}
	return points
}

func square(x float64) float64 { return x * x }

// All of a parabola is seen, wherever its minimum is; of a wall only the foot;
// and points crowded in a well, as a search leaves them, change nothing.
func TestTop(t *testing.T) {
	for _, lo := range []float64{-1, -0.7, -0.4, 0} {
		parabola := sampled(101, lo, 1, square)
		if got := top(parabola); got < 0.999 || got > 1 {
			t.Errorf("the parabola from %g ends at %g", lo, got)
		}
		for k := range 400 {
			x := 1e-4 * float64(k)
			parabola = append(parabola, plotter.XY{X: x, Y: square(x)})
		}
		if got := top(sortedByX(parabola)); got < 0.999 || got > 1 {
			t.Errorf("the parabola from %g with a crowd ends at %g", lo, got)
		}
	}
	wall := sampled(101, 0, 1, func(x float64) float64 { return x + math.Exp(300*(x-0.9)) })
	if got := top(wall); got < 1 || got > 5 {
		t.Errorf("the wall ends at %g", got)
	}
	if got := top(plotter.XYs{{X: 1, Y: 7}}); got != 7 {
		t.Errorf("a point ends at %g", got)
	}
}

func sortedByX(points plotter.XYs) plotter.XYs {
	slices.SortStableFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return points
}

// Of a curve with twenty wells each is kept, however many points there are.
func TestThinningKeepsWells(t *testing.T) {
	for _, n := range []int{200, 201, 1000, 20001} {
		points := sampled(n, -10, 10, func(x float64) float64 { return square(x-0.123) + 50 - 50*math.Cos(2*math.Pi*(x-0.123)) })
		kept := thinned(points)
		if len(kept) > mostPoints || kept[0] != points[0] || kept[len(kept)-1] != points[n-1] {
			t.Errorf("%d of %d are kept, from %v to %v", len(kept), n, kept[0], kept[len(kept)-1])
		}
		if got, want := minima(kept), minima(points); !slices.Equal(got, want) {
			t.Errorf("of %d: wells %v, want %v", n, got, want)
		}
	}
}

// minima are the local minima of a curve.
func minima(p plotter.XYs) (all plotter.XYs) {
	for k := 1; k+1 < len(p); k++ {
		if p[k].Y < p[k-1].Y && p[k].Y < p[k+1].Y {
			all = append(all, p[k])
		}
	}
	return all
}

// Whatever is drawn: few points, ascending, from among those given, with the
// least of them, in a range that is not empty.
func TestLook(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-3, 3), rapid.Just(math.NaN()), rapid.Just(1.))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 600).Draw(t, "n")
		x := rapid.SliceOfN(value, n, n).Draw(t, "x")
		y := rapid.SliceOfN(value, n, n).Draw(t, "y")
		given := pairs(x, y)
		v := look(untwist.Profile{Y: x, Value: y})
		if len(v.points) > mostPoints || (len(v.points) == 0) != (len(given) == 0) {
			t.Fatalf("%d of %d points", len(v.points), len(given))
		}
		if len(given) == 0 {
			return
		}
		for i, p := range v.points {
			if i > 0 && v.points[i-1].X > p.X || !slices.Contains(given, p) {
				t.Errorf("point %d is %v", i, p)
			}
		}
		_, _, least, _ := plotter.XYRange(given)
		if _, _, got, _ := plotter.XYRange(v.points); got != least {
			t.Errorf("the least is %g, want %g", got, least)
		}
		if !(v.x0 < v.x1) || !(v.y0 < v.y1) {
			t.Errorf("from %g to %g, and from %g to %g", v.x0, v.x1, v.y0, v.y1)
		}
	})
}

func TestLayout(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {3, 3, 1}, {4, 4, 1}, {5, 4, 2}, {20, 5, 4}, {99, 10, 10}, {100, 10, 10}} {
		g := layout(make([]view, c[0]), "")
		if g.columns != c[1] || g.rows != c[2] {
			t.Errorf("%d: %d columns and %d rows", c[0], g.columns, g.rows)
		}
	}
}
