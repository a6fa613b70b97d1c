package cmaes

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
)

// Hamano and others, 2022: after the correction no marginal probability is below its margin, and what is above
// stays as it was, up to what the others are given.
func TestMarginOfPaper(t *testing.T) {
	const alpha = 0.02
	for _, m := range []float64{-2, -0.9, -0.3, 0, 0.1, 0.49, 1, 3} {
		for _, sigma := range []float64{1e-6, 0.05, 0.3, 2} {
			l := &lattices{values: [][]float64{{-1, 0, 1}, nil}, a: []float64{1, 1}, alpha: alpha}
			mean := []float64{m, 7}
			l.correct(mean, sigma, []float64{1, 1})
			s := sigma * l.a[0]
			low, up := below((-0.5-mean[0])/s), below((mean[0]-0.5)/s)
			mid := 1 - low - up
			if nearest(l.values[0], mean[0]) == 1 && (low < alpha/2-1e-9 || up < alpha/2-1e-9 || mid < alpha/2-1e-9) {
				t.Errorf("m = %v, σ = %v: probabilities %v, %v, %v", m, sigma, low, mid, up)
			}
			if nearest(l.values[0], mean[0]) != 1 && mid+min(low, up) < alpha-1e-9 {
				t.Errorf("m = %v, σ = %v: others have the probability %v", m, sigma, mid+min(low, up))
			}
			if mean[1] != 7 || l.a[1] != 1 {
				t.Error("a continuous coordinate has moved")
			}
		}
	}
	if q := quantile(0.025); math.Abs(q-1.959964) > 1e-6 {
		t.Errorf("Φ⁻¹(0.975) is %v", q)
	}
}

// A run on lattices ends when the better half of its points has come to one value, though a margin keeps the others apart.
func TestRunOnLatticesEnds(t *testing.T) {
	const n, seeds = 20, 9
	f := objective.Func(n, func(x []float64) float64 {
		sum := 0.
		for i, v := range x {
			sum += float64(1+i*i*i) * (v - 0.5) * (v - 0.5)
		}
		return sum
	})
	ended := 0
	for seed := range uint64(seeds) {
		r, err := Run(t.Context(), f, Config{Lattices: slices.Repeat([][]float64{{-1, -0.5, 0, 0.5, 1}}, n), Seed: seed})
		if err != nil || r.Value != 0 {
			t.Errorf("seed %d: %v, %v", seed, r.Value, err)
		}
		if r.Reason == "tolfun" {
			ended++
		}
	}
	if ended <= seeds/2 { // the others stagnate
		t.Errorf("%d of %d", ended, seeds)
	}
}

// In place of short steps, which change nothing on lattices, a planned run has those of the first and no margin.
func TestNoShortStepsOnLattices(t *testing.T) {
	short := Plan{Regime: "small", Sigma: 0.01, Queries: 7}
	if c, rounds := short.of(Config{Sigma: 2}); c.Sigma != 0.02 || c.Stop.Queries != 7 || rounds {
		t.Errorf("σ = %v, %d queries", c.Sigma, c.Stop.Queries)
	}
	if c, rounds := short.of(Config{Sigma: 2, Lattices: [][]float64{{0, 1}}}); c.Sigma != 2 || c.Stop.Queries != 0 || !rounds {
		t.Errorf("on lattices: σ = %v, %d queries", c.Sigma, c.Stop.Queries)
	}
	l := &lattices{values: [][]float64{{0, 1}}, a: []float64{1}}
	x, m := []float64{0.9}, []float64{7}
	l.correct(m, 1e-9, []float64{1})
	if l.round(x, m); x[0] != 1 || m[0] != 7 || l.a[0] != 1 {
		t.Errorf("x = %v, m = %v, a = %v", x, m, l.a)
	}
}
