package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// blemishedGap minimises a problem with 50d queries, within bounds if there are any, and returns the gap of the clean function at
// the point found.
func blemishedGap(t *testing.T, spec problem.Spec, bounds func(p *problem.Problem) objective.Box) float64 {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	o := untwist.Options{Seed: spec.Seed, Budget: 50 * spec.Dim, Start: smallStart(p, spec.Seed)}
	if bounds != nil {
		o.Bounds = bounds(p)
		o.Start = o.Bounds
	}
	r, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	clean := []float64{0}
	if err := p.Clean(ctx, mat.NewDense(1, len(r.Point), slices.Clone(r.Point)), clean); err != nil {
		t.Fatal(err)
	}
	return max(clean[0]-p.Minimum(), 1e-8)
}

// around returns bounds whose faces are at the minimiser along so many axes, and that have it inside along the others.
func around(faces int) func(p *problem.Problem) objective.Box {
	return func(p *problem.Problem) objective.Box {
		x, domain := p.Minimiser(), p.Domain()
		lo, hi := slices.Clone(domain.Lo), slices.Clone(domain.Hi)
		for i := range x {
			lo[i], hi[i] = min(lo[i], x[i]-1), max(hi[i], x[i]+1)
			if i < faces && i%2 == 0 {
				lo[i] = x[i]
			} else if i < faces {
				hi[i] = x[i]
			}
		}
		return objective.Box{Lo: lo, Hi: hi}
	}
}

// Within bounds, under noise, in single precision, where points fail and under maps the median gap on smooth functions with 50d
// queries should be at most three times the clean one, 1e-8 or 10dσ. In 24 of 121 cells it is not yet; the test holds that
// these do not become more than a third.
func TestSmallBlemishes(t *testing.T) {
	const d = 10
	functions := smooth
	if !*flags.Whole {
		functions = flags.Sample([]int{1, 8, 14}, 2)
	}
	failed, all := 0, 0
	for _, k := range functions {
		spec := problem.Spec{Name: fmt.Sprintf("bbob-%d", k), Dim: d}
		if !flags.Problem(spec.Name) {
			continue
		}
		median := func(change func(*problem.Spec), bounds func(p *problem.Problem) objective.Box) float64 {
			var gaps []float64
			for _, seed := range flags.Seeds(flags.Few(15, 5)) {
				s := spec
				s.Seed = seed
				if change != nil {
					change(&s)
				}
				gaps = append(gaps, blemishedGap(t, s, bounds))
			}
			return middle(gaps)
		}
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		clean, spread := median(nil, nil), deviation(t, p)
		check := func(what string, got, sigma float64) {
			all++
			if most := max(3*clean, 1e-8, 10*d*sigma*spread); got > most {
				failed++
				t.Logf("bbob-%d, %s: %.2g, clean %.2g, most %.2g", k, what, got, clean, most)
			}
		}
		for _, sigma := range []float64{1e-8, 1e-6, 1e-4, 1e-2} {
			check(fmt.Sprintf("noise %g", sigma), median(func(s *problem.Spec) { s.Noise = sigma }, nil), sigma)
		}
		check("single precision", median(func(s *problem.Spec) { s.Single = true }, nil), math.Ldexp(1, -24))
		check("failures", median(func(s *problem.Spec) { s.Failing = 0.05 }, nil), 0)
		for _, m := range []string{"log", "sqrt"} {
			check(m, median(func(s *problem.Spec) { s.Map = m }, nil), 0)
		}
		for what, faces := range map[string]int{"inside": 0, "face": 1, "corner": d} {
			check(what, median(nil, around(faces)), 0)
		}
	}
	t.Logf("%d of %d cells are worse", failed, all)
	if failed*3 > all {
		t.Errorf("%d of %d cells are worse", failed, all)
	}
}
