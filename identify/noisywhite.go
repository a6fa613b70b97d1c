package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// limited returns the directions of a chain, whitened by its Hessians as far as eigenvalues are
// above noise. With noise of variance s² in its entries, in the mean, the mean of n matrices of
// size d has eigenvalues up to 2s√(d/n). What is kept of the Hessians is their size along
// directions that are above it: the next ones may be flat there by chance.
func limited(g *ground, c hessian.Chain) (hessian.Basis, error) {
	b, err := whitened(c)
	if err != nil {
		return b, err
	}
	d, n := float64(len(b.Lambda)), float64(len(c.Hessians))
	floor := 2 * floats.Norm(entryNoise(g, c), 2) / math.Sqrt(n) * math.Sqrt(d/n)
	factor, size := make([]float64, len(b.Lambda)), mat.NewDense(len(b.Lambda), len(b.Lambda), nil)
	for i, l := range b.Lambda {
		least := steepest * b.Lambda[len(b.Lambda)-1] // as whitening has it
		factor[i] = math.Sqrt(max(l, least) / max(l, least, floor))
		if factor[i] == 1 {
			size.Set(i, i, b.Lambda[len(b.Lambda)/2])
		}
	}
	b = b.Scaled(factor)
	b.Seen = []*mat.Dense{size}
	return b, nil
}

// steepest is how much smaller than the largest eigenvalue one may be that directions are
// whitened by.
const steepest = 1e-9

// entryNoise returns the standard deviation of an entry of each Hessian of a chain. A step away
// f may have another noise: in another decade few digits say ten times less. So it is that of
// three values, in the middle and as far from it as slopes make f over two steps.
func entryNoise(g *ground, c hessian.Chain) []float64 {
	all := make([]float64, len(c.Values))
	for k, v := range c.Values {
		away := 0.0
		if k < len(c.Slopes) {
			away = 2 * c.Step * floats.Norm(c.Slopes[k], 2) / math.Sqrt(float64(len(c.Slopes[k])))
		}
		variance := (square(sigmaOf(g, v)) + square(sigmaOf(g, v-away)) + square(sigmaOf(g, v+away))) / 3
		all[k] = math.Sqrt(variance) / (2 * square(c.Step))
	}
	return all
}
