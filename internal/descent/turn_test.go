package descent

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// In a bowl of condition 1e6 with noise of σ = 1e-6 the median of 15 seeds comes within dσ of the minimum with 50d queries. With
// differences along the axes of x it is 50 times as far.
func TestTurnedSlopes(t *testing.T) {
	const d, sigma = 8, 1e-6
	var gaps []float64
	for seed := range uint64(15) {
		b, random := newBowl(d, 1e6, seed), rng.Seed(seed).Stream("noise")
		f := query.NewMeter(objective.Func(d, func(x []float64) float64 { return b.at(x) + sigma*random.NormFloat64() }), 50*d)
		r, err := Minimize(ctx, f, Config{
			Start: somewhere(d, seed), Value: math.NaN(), Bounds: free(d), Grain: objective.Known(sigma), Known: true, Random: random,
		})
		if err != nil && objective.Cause(err) != objective.ErrBudget {
			t.Fatal(err)
		}
		gaps = append(gaps, b.at(r.Point))
	}
	slices.Sort(gaps)
	if got := gaps[len(gaps)/2]; got > d*sigma {
		t.Errorf("%g above the minimum", got)
	}
}

// The slope of a bowl along the eigenvectors of B is that along the axes.
func TestTurn(t *testing.T) {
	const d = 4
	b := newBowl(d, 100, 1)
	s := &search{ctx: ctx, f: objective.Func(d, b.at), Config: Config{Bounds: free(d), Grain: objective.Known(1e-12), Known: true, Spread: 1}, x: somewhere(d, 2), g: make([]float64, d)}
	s.fx = b.at(s.x)
	for i := range d { // exact pairs
		step, y := make([]float64, d), make([]float64, d)
		step[i] = 1
		for k := range y {
			y[k] = b.h.At(k, i)
		}
		s.keep(Pair{S: step, Y: y})
	}
	s.curve()
	if err := s.measure(s.err()); err != nil || s.turn == nil {
		t.Fatal(err, s.turn)
	}
	got := slices.Clone(s.g)
	s.Grain, s.fx = objective.Rounding, b.at(s.x)
	if err := s.measure(1e-12); err != nil || s.turn != nil {
		t.Fatal(err, s.turn)
	}
	for i, want := range s.g {
		if math.Abs(got[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("%v, along the axes %v", got, s.g)
			break
		}
	}
}
