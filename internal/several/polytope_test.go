package several

import (
	"math"
	"slices"
	"testing"

	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// Every point that a polytope gives keeps to its limits, and none that was drawn is nearer to y than the
// projection.
func TestPolytope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 6).Draw(t, "d")
		number := rapid.Float64Range(-2, 2)
		var limits []strategy.Limit
		add := func(equal bool) {
			l := strategy.Limit{Coefficients: rapid.SliceOfN(number, d, d).Draw(t, "coefficients"), Lo: math.Inf(-1), Hi: rapid.Float64Range(.01, 1).Draw(t, "hi")}
			if equal {
				l.Lo = l.Hi
				l.Coefficients[0] = 2 // 0.005 … 0.5 along the first axis keeps to it
			}
			limits = append(limits, l)
		}
		for range rapid.IntRange(0, 3).Draw(t, "inequalities") {
			add(false)
		}
		if rapid.Bool().Draw(t, "equation") {
			add(true)
		}
		task := strategy.Task{Bounds: objective.Cube(d, -1, 1), Several: &strategy.Several{Limits: limits}}
		p, err := newPolytope(task, d)
		if err != nil {
			t.Skip("no point keeps to all limits")
		}
		kept := func(z []float64) {
			for i, l := range limits {
				sum := 0.
				for k, c := range l.Coefficients {
					sum += c * z[k]
				}
				if sum > l.Hi+1e-9 || sum < l.Lo-1e-9 {
					t.Fatalf("%v is beyond limit %d, %+v: %v", z, i, l, sum)
				}
			}
			if task.Bounds.Outside(z) >= 0 {
				t.Fatalf("%v is out of bounds", z)
			}
		}
		kept(p.outer(p.centre))
		y := p.inner(rapid.SliceOfN(number, d, d).Draw(t, "z"))
		near := p.inside(y)
		kept(p.outer(near))
		distance := func(a []float64) (sum float64) {
			for k := range a {
				sum += (a[k] - y[k]) * (a[k] - y[k])
			}
			return sum
		}
		for range 10 {
			other := p.inside(p.inner(rapid.SliceOfN(number, d, d).Draw(t, "other")))
			for _, share := range []float64{0, .1, .5} {
				between := make([]float64, len(other))
				for k := range other {
					between[k] = near[k] + share*(other[k]-near[k])
				}
				if distance(between) < distance(near)-1e-6 {
					t.Fatalf("%v is nearer to %v than %v", between, y, near)
				}
			}
		}
	})
}

// A point that exceeds limits by next to nothing is moved by next to nothing.
func TestTheWayInsideIsShort(t *testing.T) {
	const d = 8
	limits := []strategy.Limit{{Coefficients: make([]float64, d), Lo: math.Inf(-1), Hi: 1}, {Coefficients: make([]float64, d), Lo: math.Inf(-1), Hi: 0.5}}
	for k := range d {
		limits[0].Coefficients[k], limits[1].Coefficients[k] = 1+float64(k)/7, math.Cos(float64(k))
	}
	p, err := newPolytope(strategy.Task{Bounds: objective.Cube(d, -1, 1), Several: &strategy.Several{Limits: limits}}, d)
	if err != nil {
		t.Fatal(err)
	}
	edge := p.inside(slices.Repeat([]float64{0.9}, d))
	for _, over := range []float64{1e-15, 1e-12, 1e-9, 1e-6, 1e-3} {
		y := slices.Clone(edge)
		floats.AddScaled(y, over, p.rows[0])
		near := p.inside(y)
		if far := floats.Distance(near, y, 2); p.excess(near) > 0 || far > 2*over+1e-11 {
			t.Errorf("%v beyond a limit: moved by %v, and %v beyond it", over, far, p.excess(near))
		}
	}
}
