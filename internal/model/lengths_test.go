package model

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// By hand: second differences of y⁴ are 12y² + 2t². With places at y = ±1 they change by three tenths of 12 where
// t² = 1.8, whichever step is tried first, and whatever the curvature was taken for at first if that step is too long.
func TestLengthByHand(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return math.Pow(x[0], 4) + math.Pow(x[1], 4) })
	for _, first := range []float64{0.01, 0.3, 1.3, 5, 50} {
		s, err := newSampler(context.Background(), f, Request{Box: objective.Cube(2, -1, 1), Bounds: free(2), Grain: objective.Rounding})
		if err != nil {
			t.Fatal(err)
		}
		frame := along(mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
		by := ruler{s: s, frame: frame}
		for _, y := range []float64{-1, 1} {
			z, err := s.ask(mat.NewDense(1, 2, []float64{y, -y}))
			if err != nil {
				t.Fatal(err)
			}
			p := by.at([]float64{y, -y}, z[0])
			for i := range 2 {
				p.bend[i] = reading{12 / s.unit, 0}
			}
		}
		g := gauge{t: first, hi: math.Inf(1)}
		all := []gauge{g, g}
		for all[0].t > 0 {
			c, _, err := by.changes(all)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				all[i].tell(c[i], 100)
			}
		}
		if got := all[0].length / math.Sqrt(1.8); math.Abs(got-1) > 1e-6 && !(first < 0.01 || first > 2) || got < 0.6 || got > 1.6 {
			t.Errorf("first %v: %v of it", first, got)
		}
	}
}

// free are no bounds.
func free(d int) objective.Box { return objective.Cube(d, math.Inf(-1), math.Inf(1)) }

// Components Σ w_j(1 − cos(k_jy_j)) have the length at which sinc²(k_jt/2) is 0.7, 2.02/k_j, with and without noise, in
// rotated coordinates, and few of them.
func TestLengthsOfRipples(t *testing.T) {
	const d, m = 6, 4
	w := mat.NewDense(m, d, nil)
	rng.Seed(3).Stream("w").Norm(w.RawMatrix().Data)
	k := []float64{20, 30, 40, 60}
	for _, sigma := range []float64{0, 1e-6, 1e-3} {
		random := rng.Seed(5).Stream("noise")
		f := objective.Func(d, func(x []float64) float64 {
			sum := 0.0
			for j := range m {
				y := 0.0
				for i, v := range w.RawRowView(j) {
					y += v * x[i]
				}
				sum += (1 - math.Cos(k[j]*y)) / k[j]
			}
			return sum + sigma*random.NormFloat64()
		})
		grain := objective.Rounding
		if sigma > 0 {
			grain = objective.Grain{Absolute: sigma, Kind: objective.RandomNoise}
		}
		meter := query.NewMeter(f, 1e5)
		got, err := lengths(meter, Request{Box: objective.Cube(d, -1, 1), Bounds: free(d), Grain: grain, Seed: 1}, w)
		if err != nil {
			t.Fatal(err)
		}
		for j, l := range got {
			if ratio := l * k[j] / 2.02; ratio < 0.7 || ratio > 1.4 && (sigma < 1e-3 || ratio > 2.5) {
				t.Errorf("σ = %v: length %d is %v of what it should be", sigma, j, ratio)
			}
		}
		t.Logf("σ = %v: %d queries", sigma, meter.Queries())
	}
}

// lengths are those of components of a frame that is given.
func lengths(f objective.Objective, r Request, w *mat.Dense) ([]float64, error) {
	g, err := NewGiven(context.Background(), f, r, w)
	if err != nil {
		return nil, err
	}
	return g.Lengths()
}
