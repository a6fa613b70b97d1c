package powermethod

import (
	"testing"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// Of more directions than the rank or the dimension allow those of the highest values
// stay, in their order.
func TestSelectionKeepsTheHighest(t *testing.T) {
	s := Ridges(mat.NewDense(2, 2, []float64{1, 0, 0, 1})) // value y₁⁴ + y₂⁴
	f := &selection{d: 2, rows: [][]float64{{0, 1}, {0.6, 0.8}, {0.8, -0.6}, {1, 0}}}
	if got := f.matrix(s); !mat.Equal(got, mat.NewDense(2, 2, []float64{0, 1, 1, 0})) {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// Section 4 and Table 1, the squared norm: its one Hessian spans a subspace of rank 1, on
// which 200 steps do not converge, so that many limits differ by more than |⟨v, w⟩| = 0.99
// allows. Here at most as many count as the rank is. If all counted, as far as d rows go,
// W̃ would be nearly singular, and componentwise CBO would fail, as it does in the paper,
// although every slice passes through the minimiser.
func TestSquaredNormWithAllLimits(t *testing.T) {
	d, seeds, share := 60, uint64(1), 50*150 // of the budget, for each component
	if *whole {
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
		power, err := Method{Restarts: 8 * d}.complete(1)
		if err != nil {
			t.Fatal(err)
		}
		v := rng.Sphere(power.Restarts, d, rng.Seed(seed).Stream("starts"))
		if err := power.ascend(ctx, s, v); err != nil {
			t.Fatal(err)
		}
		found := &selection{d: d}
		found.add(v, s, power.Reject)
		if rows, _ := found.matrix(s).Dims(); rows != 1 {
			t.Errorf("%d are kept of rank 1", rows)
		}
		literal := mat.NewDense(min(len(found.rows), d), d, nil)
		for i := range literal.RawMatrix().Rows {
			literal.SetRow(i, found.rows[i])
		}
		all := Complete(literal, d, rng.Seed(seed).Stream("fill"))
		gap := naiveComponentwise(t, p, all, share, seed)
		t.Logf("seed %d: %d limits, condition number %.1e, gap %.1e", seed, len(found.rows), mat.Cond(all, 2), gap)
		if !(gap > 0.005) {
			t.Errorf("seed %d: componentwise CBO succeeds with all limits, gap %g", seed, gap)
		}
		if gap := naiveComponentwise(t, p, Complete(found.matrix(s), d, rng.Seed(seed).Stream("fill")), share, seed); !(gap <= 0.005) {
			t.Errorf("seed %d: componentwise CBO fails with one limit, gap %g", seed, gap)
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
