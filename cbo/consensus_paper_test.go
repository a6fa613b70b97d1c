package cbo

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// everyone returns the members 0, …, n−1.
func everyone(n int) []int {
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	return members
}

func consensusOf(x *mat.Dense, energies []float64, alpha float64) (c, weights []float64) {
	n, d := x.Dims()
	c, weights = make([]float64, d), make([]float64, n)
	consensus(c, weights, x, energies, everyone(n), alpha, make([]float64, n))
	return c, weights
}

// naiveConsensus is equation "con" of section 2.1 as it stands, with the
// least energy subtracted so that it neither overflows nor underflows.
func naiveConsensus(x *mat.Dense, energies []float64, alpha float64) []float64 {
	n, d := x.Dims()
	least := slices.Min(energies)
	c, sum := make([]float64, d), 0.0
	for i := range n {
		w := math.Exp(-alpha * (energies[i] - least))
		sum += w
		for j := range d {
			c[j] += w * x.At(i, j)
		}
	}
	for j := range c {
		c[j] /= sum
	}
	return c
}

// Section 2.1, equation "con", by hand. With E = (0, log 2, +∞) and α = 1 the
// weights are 2/3, 1/3 and 0; with α = 2 they are 4/5, 1/5 and 0.
func TestConsensusByHand(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 0, 3, 6, 100, 100})
	energies := []float64{0, math.Log(2), math.Inf(1)}
	for _, c := range []struct{ alpha, w0, w1, c0, c1 float64 }{
		{1, 2. / 3, 1. / 3, 1, 2},
		{2, 4. / 5, 1. / 5, 0.6, 1.2},
		{0, 1. / 3, 1. / 3, 103. / 3, 106. / 3},
	} {
		got, w := consensusOf(x, energies, c.alpha)
		want := []float64{c.w0, c.w1, c.c0, c.c1}
		for k, v := range []float64{w[0], w[1], got[0], got[1]} {
			if !(math.Abs(v-want[k]) <= 1e-13) {
				t.Errorf("α = %v: weights %v, consensus %v", c.alpha, w, got)
				break
			}
		}
	}
}

// drawEnsemble draws up to 6 particles of up to 4 coordinates.
func drawEnsemble(t *rapid.T) (*mat.Dense, []float64) {
	n, d := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
	x := mat.NewDense(n, d, rapid.SliceOfN(rapid.Float64Range(-100, 100), n*d, n*d).Draw(t, "x"))
	return x, rapid.SliceOfN(rapid.Float64Range(-50, 50), n, n).Draw(t, "E")
}

// rounding is the error that the weights, and with them c, may have because −αE
// and its log-sum-exp are rounded: an error of ulp(αE) in the exponent.
func rounding(energies []float64, alpha, size float64) float64 {
	largest := 1.0
	for _, e := range energies {
		largest = max(largest, math.Abs(alpha*e))
	}
	return 1e-14 * largest * max(1, size)
}

func TestConsensusIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, energies := drawEnsemble(t)
		alpha := math.Pow(10, rapid.Float64Range(-3, 5).Draw(t, "log α"))
		got, _ := consensusOf(x, energies, alpha)
		for j, want := range naiveConsensus(x, energies, alpha) {
			if !(math.Abs(got[j]-want) <= rounding(energies, alpha, 100)) {
				t.Fatalf("α = %g: c_%d = %v, want %v", alpha, j, got[j], want)
			}
		}
	})
}

// A weighted mean stays in the box of the particles.
func TestConsensusStaysInTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, energies := drawEnsemble(t)
		alpha := math.Pow(10, rapid.Float64Range(-3, 5).Draw(t, "log α"))
		c, _ := consensusOf(x, energies, alpha)
		for j := range c {
			column := mat.Col(nil, j, x)
			slack := rounding(energies, alpha, 100)
			if c[j] < slices.Min(column)-slack || c[j] > slices.Max(column)+slack {
				t.Fatalf("c_%d = %v is outside of %v", j, c[j], column)
			}
		}
	})
}

// f and f + c have the same consensus, up to the rounding of α·f.
func TestConsensusIgnoresAConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, energies := drawEnsemble(t)
		alpha := math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "log α"))
		shift := rapid.Float64Range(-1000, 1000).Draw(t, "shift")
		want, _ := consensusOf(x, energies, alpha)
		shifted := make([]float64, len(energies))
		for i := range shifted {
			shifted[i] = energies[i] + shift
		}
		got, _ := consensusOf(x, shifted, alpha)
		for j := range got {
			// energies[i] + shift is itself rounded, by 1e-13 at most.
			if !(math.Abs(got[j]-want[j]) <= rounding(shifted, alpha, 100)+200*alpha*2e-13) {
				t.Fatalf("α = %g, shift %g: c_%d = %v, want %v", alpha, shift, j, got[j], want[j])
			}
		}
	})
}

// α = 0: the mean. α → ∞: the best particle.
func TestConsensusLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, energies := drawEnsemble(t)
		n, _ := x.Dims()
		mean, _ := consensusOf(x, energies, 0)
		for j := range mean {
			want := 0.0
			for i := range n {
				want += x.At(i, j) / float64(n)
			}
			if !(math.Abs(mean[j]-want) <= 1e-12) {
				t.Fatalf("α = 0: c_%d = %v, the mean is %v", j, mean[j], want)
			}
		}
		best := slices.Index(energies, slices.Min(energies))
		for i := range energies {
			if i != best && energies[i] < energies[best]+1 {
				energies[i] = energies[best] + 1 // no ties
			}
		}
		c, _ := consensusOf(x, energies, 1e6)
		for j := range c {
			if !(math.Abs(c[j]-x.At(best, j)) <= rounding(energies, 1e6, 100)) {
				t.Fatalf("α → ∞: c_%d = %v, the best particle is at %v", j, c[j], x.At(best, j))
			}
		}
	})
}

func TestConsensusOfFailures(t *testing.T) {
	inf := math.Inf(1)
	x := mat.NewDense(3, 1, []float64{1, 2, 6})
	for _, c := range []struct {
		energies []float64
		alpha    float64
		want     float64
	}{
		{[]float64{inf, 5, inf}, 100, 2},         // only one has not failed
		{[]float64{inf, inf, inf}, 100, 3},       // all have failed: the mean
		{[]float64{-inf, 5, -inf}, 100, 3.5},     // two share the weight
		{[]float64{1e308, 1e308, 1e308}, 1e5, 3}, // αE overflows for all
		{[]float64{1e307, 2e307, 3e307}, 1e5, 1}, // αE overflows, and yet one is best
		{[]float64{-1e307, -2e307, -3e307}, 1e5, 6},
		{[]float64{inf, 0, inf}, 0, 3},
	} {
		if got, _ := consensusOf(x, c.energies, c.alpha); !(math.Abs(got[0]-c.want) <= 1e-12) {
			t.Errorf("E = %v, α = %v: consensus %v, want %v", c.energies, c.alpha, got[0], c.want)
		}
	}
}

// Section 3.2: with f(y) = g(Wy), W⁻¹c^g(X) = c^f(W⁻¹X). The weights depend on
// values alone, so a linear map of the particles maps their consensus.
func TestConsensusCommutesWithAChangeOfVariables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, energies := drawEnsemble(t)
		n, d := y.Dims()
		w := mat.NewDense(d, d, rapid.SliceOfN(rapid.Float64Range(-3, 3), d*d, d*d).Draw(t, "W"))
		var x mat.Dense
		x.Mul(y, w.T())
		cf, _ := consensusOf(y, energies, 30)
		cg, _ := consensusOf(mat.DenseCopyOf(&x), energies, 30)
		for j := range d {
			want := 0.0
			for k := range d {
				want += w.At(j, k) * cf[k]
			}
			if !(math.Abs(cg[j]-want) <= rounding(energies, 30, 1200)*float64(n)) {
				t.Fatalf("c^g = %v, Wc^f = %v", cg[j], want)
			}
		}
	})
}
