package problem

import (
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// mixings draws the mixing matrix W (m×d) of each name.
var mixings = map[string]func(m, d int, r *rng.Stream) *mat.Dense{
	"paper":      paper,
	"orthogonal": orthogonal,
	"banded":     banded,
	"none":       none,
}

// blockMix asks for block rotations in place of the full rotations of a bbob function.
const blockMix = "block"

// Mixes returns what Spec.Mix may be: the names of the mixing matrices, and block, which is
// for the bbob functions alone.
func Mixes() []string { return slices.Sorted(slices.Values(append(matrices(), blockMix))) }

// matrices returns the names of the mixing matrices.
func matrices() []string { return slices.Sorted(maps.Keys(mixings)) }

// paper is the W of section 4: the rows of Q + 5R scaled to length 1, with Q
// orthogonal and R Gaussian. At m = d = 100 its condition number is usually 100
// to 1,000 and occasionally 10,000 or more.
func paper(m, d int, r *rng.Stream) *mat.Dense {
	w := orthogonal(m, d, r)
	gauss := make([]float64, d)
	for j := range m {
		row := w.RawRowView(j)
		r.Norm(gauss)
		kernel.AddScaled(row, 5, gauss)
		kernel.Normalise(row)
	}
	return w
}

// orthogonal has m orthonormal rows with the uniform (Haar) distribution: the
// orthogonal factor of a Gaussian matrix.
func orthogonal(m, d int, r *rng.Stream) *mat.Dense {
	w := mat.NewDense(m, d, nil)
	r.Norm(w.RawMatrix().Data)
	kernel.Orthonormalise(w.RawMatrix())
	return w
}

// banded models thermal crosstalk. It has 1 on the diagonal. Up to three places
// beside it stands 0.4^|i−j| times a factor uniform on [0.7, 1.3]; these entries
// are scaled so that they sum to 0.3 in each row.
func banded(m, d int, r *rng.Stream) *mat.Dense {
	const reach, decay, crosstalk = 3, 0.4, 0.3
	w := mat.NewDense(m, d, nil)
	for i := range m {
		row := w.RawRowView(i)
		sum := 0.0
		for j := max(0, i-reach); j <= min(d-1, i+reach); j++ {
			if j != i {
				row[j] = float64(math.Pow(decay, math.Abs(float64(i-j))) * (0.7 + float64(0.6*r.Float64())))
				sum += row[j]
			}
		}
		if sum > 0 {
			for j := range row {
				row[j] *= crosstalk / sum
			}
		}
		row[i] = 1
	}
	return w
}

// none is the identity: component j is coordinate j.
func none(m, d int, _ *rng.Stream) *mat.Dense {
	w := mat.NewDense(m, d, nil)
	for j := range m {
		w.Set(j, j, 1)
	}
	return w
}
