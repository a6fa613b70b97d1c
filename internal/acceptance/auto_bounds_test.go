package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A boundedCase is a mixed problem within bounds, in units of its own for each coordinate.
type boundedCase struct {
	name    string
	f       objective.Objective
	options untwist.Options // Start, Bounds and Seed
}

// mostConditioned is the largest cond(W) of a case.
const mostConditioned = 100

var (
	boundedProblems = []string{"rastrigin", "rastrigin-like", "squared-norm", "styblinski-tang", "levy", "different-powers", "ellipsoid", "rosenbrock-pairs", "ridge-blocks"}
	boundsKinds     = []string{"wide", "one-sided", "tight", "cutting-off"}
)

// newBoundedCase draws case n. Kinds of bounds, with h half the width of the problem's
// domain, which is about 0, and x* its minimiser:
//
//	wide         h to 2h from 0 on every side; the start box is the domain
//	one-sided    every coordinate has one bound, up to h/2 from x*, on a random side; the
//	             start box is that part of the domain, h wide at least
//	tight        0.02h to 0.3h from x*, on both sides
//	cutting-off  0.3h to 1.2h wide about a point up to 0.7h from 0
func newBoundedCase(t *testing.T, n, d int) boundedCase {
	t.Helper()
	r := rng.Seed(n).Stream("bounds")
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	name, mix, kind := pick(boundedProblems), pick([]string{"paper", "orthogonal"}), pick(boundsKinds)
	var p *problem.Problem
	for seed := uint64(n); ; seed += 1_000_000 {
		var err error
		if p, err = problem.New(problem.Spec{Name: name, Dim: d, Mix: mix, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		if mat.Cond(p.Frame().Matrix(), 2) <= mostConditioned {
			break
		}
	}
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
	start, bounds, h := objective.Cube(d, 0, 0), objective.Cube(d, 0, 0), p.Domain().Hi[0]
	unit := make([]float64, d)
	for k, x := range p.Minimiser() {
		unit[k] = math.Pow(10, uniform(-6, 6))
		side := func(lo, hi, startLo, startHi float64) {
			bounds.Lo[k], bounds.Hi[k] = lo*unit[k], hi*unit[k]
			start.Lo[k], start.Hi[k] = startLo*unit[k], startHi*unit[k]
		}
		switch kind {
		case "wide":
			side(-uniform(h, 2*h), uniform(h, 2*h), -h, h)
		case "one-sided":
			b := x + uniform(-h/2, h/2)
			if r.IntN(2) == 0 {
				side(b, math.Inf(1), b, max(h, b+h))
			} else {
				side(math.Inf(-1), b, min(-h, b-h), b)
			}
		case "tight":
			lo, hi := x-uniform(0.02, 0.3)*h, x+uniform(0.02, 0.3)*h
			side(lo, hi, lo, hi)
		case "cutting-off":
			c, w := uniform(-0.7, 0.7)*h, uniform(0.3, 1.2)*h/2
			side(c-w, c+w, c-w, c+w)
		}
	}
	f := objective.Func(d, func(u []float64) float64 {
		if k := bounds.Outside(u); k >= 0 {
			t.Errorf("case %d: asked at %v, outside %v:%v", n, u[k], bounds.Lo[k], bounds.Hi[k])
		}
		x := mat.NewDense(1, d, nil)
		for k := range u {
			x.Set(0, k, u[k]/unit[k])
		}
		v := make([]float64, 1)
		if err := p.Evaluate(ctx, x, v); err != nil {
			t.Error(err)
		}
		return v[0]
	})
	return boundedCase{
		name: fmt.Sprintf("case %d: %s, mix %s, %s", n, name, mix, kind), f: f,
		options: untwist.Options{Start: start, Bounds: bounds, Seed: uint64(n)},
	}
}

// minimize runs a strategy on the case.
func (c boundedCase) minimize(t *testing.T, s strategy.Strategy, seed uint64, budget int) untwist.Result {
	t.Helper()
	o := c.options
	o.Strategy, o.Seed, o.Budget = s, seed, budget
	r, err := untwist.Minimize(ctx, c.f, o)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return r
}

// spread is the median of |f − value| over the start box.
func (c boundedCase) spread(t *testing.T, value float64) float64 {
	t.Helper()
	r := rng.Seed(c.options.Seed).Stream("spread")
	x := mat.NewDense(1001, c.f.Dim(), nil)
	for i := range 1001 {
		c.options.Start.Draw(x.RawRowView(i), r)
	}
	values := make([]float64, 1001)
	if err := c.f.Evaluate(ctx, x, values); err != nil {
		t.Fatal(err)
	}
	for i := range values {
		values[i] = math.Abs(values[i] - value)
	}
	slices.Sort(values)
	return values[500]
}

// Within bounds of all kinds and in any units auto is as good as the best of three runs of
// CMA-ES with ten times the queries that it used, to 1e-6 of f's spread, in 95 of 100
// cases. No query is outside the bounds.
func TestAutoBounds(t *testing.T) {
	cases, d := flags.Count(flags.Few(100, 1)), flags.Usually(6, 3)
	if *flags.Whole {
		d = 20
	}
	d = flags.Dims(d)[0]
	worse := 0
	for _, seed := range flags.Seeds(cases) {
		n := int(seed) + 2
		c := newBoundedCase(t, n, d)
		if !flags.Cell(c.name) {
			continue
		}
		ours := c.minimize(t, nil, uint64(n), 0)
		best := math.Inf(1)
		for k := range uint64(3) {
			best = min(best, c.minimize(t, strategy.CMAES{}, 1000+k, 10*ours.Queries).Value)
		}
		excess := (ours.Value - best) / c.spread(t, min(ours.Value, best))
		t.Logf("%s: %.2g of the spread above CMA-ES after %d queries, %v", c.name, excess, ours.Queries, ours.Status)
		if excess > 1e-6 {
			worse++
		}
	}
	t.Logf("as good in %d of %d cases", cases-worse, cases)
	if 20*worse > cases {
		t.Errorf("worse in %d of %d cases", worse, cases)
	}
}
