package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

// pairsOf returns Σ (q−p²)² + (p−1)²/10 over pairs (p, q) of components of a random W, after φ, and W.
func pairsOf(d int, phi func(float64) float64) (func(x []float64) float64, *mat.Dense) {
	random := rng.Seed(3).Stream("test")
	w := mat.NewDense(d, d, nil)
	for i := range d {
		random.Norm(w.RawRowView(i))
	}
	return func(x []float64) float64 {
		sum := 0.0
		for i := 0; i < d; i += 2 {
			p, q := kernel.Dot(w.RawRowView(i), x), kernel.Dot(w.RawRowView(i+1), x)
			sum += square(q-square(p)) + square(p-1)/10
		}
		return phi(sum)
	}, w
}

// Eight looks show the blocks of a function without a frame of single components, also under a map that is roughly known,
// which becomes exact.
func TestBlocksOfShortLooks(t *testing.T) {
	const d = 8
	for name, c := range map[string]struct {
		phi func(float64) float64
		of  func(s *sampler) Theta
	}{
		"plain":     {func(v float64) float64 { return v }, func(*sampler) Theta { return Theta{} }},
		"logarithm": {func(v float64) float64 { return math.Log1p(v / 30) }, func(s *sampler) Theta { return Theta{Gamma: -s.unit} }},
	} {
		f, w := pairsOf(d, c.phi)
		s := sampled(t, d, f)
		e := &search{rough: 1, caution: 1, belief: newBelief(s)}
		if err := e.prepare(); err != nil {
			t.Fatal(err)
		}
		if err := e.shortLooks(8, nil, 1); err != nil {
			t.Fatal(err)
		}
		theta := c.of(s)
		now := e.blocking(nil, Theta{Gamma: 1.1 * theta.Gamma, Beta: theta.Beta}, e.looks).divided(whole(d))
		if math.Abs(now.theta.Gamma-theta.Gamma) > 0.01*math.Abs(theta.Gamma) {
			t.Errorf("%s: γ = %v, want %v", name, now.theta.Gamma, theta.Gamma)
		}
		was, again := largest(now.frame.U), now
		for range 100 {
			again = again.at(again.frame, again.theta)
		}
		if is := largest(again.frame.U); !(is > was/2 && is < 2*was) {
			t.Errorf("%s: dividing makes directions of size %.1e as large as %.1e", name, was, is)
		}
		blocks := jointdiag.Blocks(now.c, 1e-2)
		if len(blocks) != d/2 {
			t.Fatalf("%s: %d blocks, want %d", name, len(blocks), d/2)
		}
		y := timesT(w, now.frame.U) // of each direction
		for k := range d {
			of := make([]float64, d/2)
			for i := range d {
				of[i/2] += square(y.At(i, k))
			}
			most, sum := 0.0, 0.0
			for _, v := range of {
				most, sum = max(most, v), sum+v
			}
			if outside := math.Sqrt(1 - most/sum); outside > 0.01 {
				t.Errorf("%s: direction %d is outside of its block by %v", name, k, outside)
			}
		}
	}
}
