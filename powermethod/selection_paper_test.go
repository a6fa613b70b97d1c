package powermethod

import (
	"testing"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// Four limits in two dimensions, by hand. Of more than the rank or the dimension allow,
// Highest keeps those of the highest values y₁⁴ + y₂⁴ in their order, and AllLimits the first.
func TestSelections(t *testing.T) {
	s := Ridges(mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	f := &distinct{d: 2, rows: [][]float64{{0, 1}, {0.6, 0.8}, {0.8, -0.6}, {1, 0}}}
	if got := f.matrix(s, Highest{}); !mat.Equal(got, mat.NewDense(2, 2, []float64{0, 1, 1, 0})) {
		t.Errorf("the highest: %v", mat.Formatted(got))
	}
	if got := f.matrix(s, AllLimits{}); !mat.Equal(got, mat.NewDense(2, 2, []float64{0, 1, 0.6, 0.8})) {
		t.Errorf("all: %v", mat.Formatted(got))
	}
}

// With a span of rank 1, Highest keeps one limit and AllLimits every one. Where each limit
// is one of the w_j, both keep the same, to the bit. The default is Highest.
func TestSelectionsOfASpan(t *testing.T) {
	one := Ridges(mat.NewDense(1, 3, []float64{1, 0, 0}))
	f := &distinct{d: 3, rows: [][]float64{{0.8, 0.6, 0}, {0.6, 0.8, 0}}}
	highest, all := f.matrix(one, Highest{}), f.matrix(one, AllLimits{})
	if highest.RawMatrix().Rows != 1 || all.RawMatrix().Rows != 2 {
		t.Errorf("%v and %v", mat.Formatted(highest), mat.Formatted(all))
	}
	s := Ridges(draw(t, "rastrigin", 6, "orthogonal", 1).Frame().Matrix())
	var found []*mat.Dense
	for _, by := range []Selection{nil, Highest{}, AllLimits{}} {
		w, err := Method{Selection: by}.Directions(ctx, s, rng.Seed(1).Stream("starts"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, w)
	}
	if !mat.Equal(found[0], found[1]) || !mat.Equal(found[0], found[2]) {
		t.Errorf("%v, %v and %v", mat.Formatted(found[0]), mat.Formatted(found[1]), mat.Formatted(found[2]))
	}
}

// Section 4 and Table 1, the squared norm: its one Hessian spans a subspace of rank 1, on
// which 200 steps do not converge, so that many limits differ by more than |⟨v, w⟩| = 0.99
// allows. Highest keeps one of them. AllLimits keeps all, as far as d rows go: W̃ is nearly
// singular then, and componentwise CBO fails, as it does in the paper, although every slice
// passes through the minimiser.
func TestSquaredNormWithAllLimits(t *testing.T) {
	d, seeds, share := 60, uint64(1), 50*150 // of the budget, for each component
	if *flags.Whole {
		d, seeds, share = 100, 10, 50*394
	}
	for seed := range seeds {
		p := draw(t, "squared-norm", d, "paper", seed)
		w := p.Frame().Matrix()
		h := mat.NewDense(d, d, nil)
		h.Mul(w.T(), w)
		s, err := Span([]*mat.Dense{h}, WidestGap{})
		if err != nil {
			t.Fatal(err)
		}
		gaps, kept := map[Selection]float64{}, map[Selection]int{}
		for _, by := range []Selection{AllLimits{}, Highest{}} {
			found, err := Method{Restarts: 8 * d, Selection: by}.Directions(ctx, s, rng.Seed(seed).Stream("starts"))
			if err != nil {
				t.Fatal(err)
			}
			kept[by] = found.RawMatrix().Rows
			all := Complete(found, d, rng.Seed(seed).Stream("fill"))
			gaps[by] = naiveComponentwise(t, p, all, share, seed)
			t.Logf("seed %d, %T: %d limits, condition number %.1e, gap %.1e", seed, by, kept[by], mat.Cond(all, 2), gaps[by])
		}
		if kept[Highest{}] != 1 || !(gaps[Highest{}] <= 0.005) {
			t.Errorf("seed %d: %d are kept of rank 1, gap %g", seed, kept[Highest{}], gaps[Highest{}])
		}
		if !(gaps[AllLimits{}] > 0.005) {
			t.Errorf("seed %d: componentwise CBO succeeds with all limits, gap %g", seed, gaps[AllLimits{}])
		}
	}
}

// naiveComponentwise is componentwise CBO as in section 3.3, component after component,
// in the coordinates of any square W̃, with the pseudo-inverse that numpy has: singular
// values below 1e-15 of the largest are left out. It returns f at W̃†s.
func naiveComponentwise(t *testing.T, p *problem.Problem, w *mat.Dense, share int, seed uint64) float64 {
	t.Helper()
	d := p.Dim()
	inverse := naivePinv(w)
	start := mat.NewDense(50, d, nil)
	stream := rng.Seed(seed).Stream("particles")
	for i := range 50 {
		p.Domain().Draw(start.RawRowView(i), stream)
	}
	var y mat.Dense
	y.Mul(start, w.T())
	best := mat.NewDense(1, d, nil)
	for j := range d {
		u := mat.NewDense(1, d, mat.Col(nil, j, inverse))
		slice := objective.Batch(1, func(s *mat.Dense, values []float64) {
			var x mat.Dense
			x.Mul(s, u)
			if err := p.Evaluate(ctx, &x, values); err != nil {
				t.Error(err)
			}
		})
		r, err := cbo.Run(ctx, slice, cbo.Config{
			Tau: 0.01, Sigma: cbo.Constant(1.1), Alpha: cbo.Geometric{Start: 1, Factor: 1.005, Limit: 1e5}, Seed: seed + uint64(j)<<32,
			Points: mat.NewDense(50, 1, mat.Col(nil, j, &y)), Stop: cbo.Stop{Steps: share / 50, Spread: -1},
		})
		if err != nil {
			t.Fatal(err)
		}
		best.Set(0, j, r.Point[0])
	}
	var x mat.Dense
	x.Mul(best, inverse.T())
	value := make([]float64, 1)
	if err := p.Evaluate(ctx, &x, value); err != nil {
		t.Fatal(err)
	}
	return value[0]
}

// naivePinv is numpy.linalg.pinv.
func naivePinv(w *mat.Dense) *mat.Dense {
	d, _ := w.Dims()
	var svd mat.SVD
	svd.Factorize(w, mat.SVDThin)
	var u, v, out mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	inverse := mat.NewDense(d, d, nil)
	sigma := svd.Values(nil)
	for i, x := range sigma {
		if x > 1e-15*sigma[0] {
			inverse.Set(i, i, 1/x)
		}
	}
	out.Product(&v, inverse, u.T())
	return &out
}
