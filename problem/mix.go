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

// Mixes returns the names of the mixing matrices.
func Mixes() []string { return slices.Sorted(maps.Keys(mixings)) }

// paper is the W of section 4: the rows of Q + 5R scaled to length 1, with Q
// orthogonal and R Gaussian. Its condition number is mostly 100 to 1,000 at
// m = d = 100, now and then 10,000 and more.
func paper(m, d int, r *rng.Stream) *mat.Dense {
	w := orthogonal(m, d, r)
	gauss := make([]float64, d)
	for j := range m {
		row := w.RawRowView(j)
		r.Norm(gauss)
		addScaled(row, 5, gauss)
		normalise(row)
	}
	return w
}

// orthogonal has m orthonormal rows with the uniform (Haar) distribution: the
// orthogonal factor of a Gaussian matrix, by Gram and Schmidt, some rows at a
// time, and twice because once is not enough.
func orthogonal(m, d int, r *rng.Stream) *mat.Dense {
	const rows = 32
	w := mat.NewDense(m, d, nil)
	r.Norm(w.RawMatrix().Data)
	for lo := 0; lo < m; lo += rows {
		block := w.Slice(lo, min(lo+rows, m), 0, d).(*mat.Dense)
		for range 2 {
			if lo > 0 {
				project(block, w.Slice(0, lo, 0, d).(*mat.Dense))
			}
			gramSchmidt(block)
		}
	}
	return w
}

// project takes from the rows of x what they have of the orthonormal rows q:
// x ← x − (x qᵀ) q.
func project(x, q *mat.Dense) {
	n, _ := x.Dims()
	m, _ := q.Dims()
	along := mat.NewDense(n, m, nil)
	kernel.MulT(along.RawMatrix(), 1, x.RawMatrix(), q.RawMatrix(), 0)
	kernel.Mul(x.RawMatrix(), -1, along.RawMatrix(), q.RawMatrix(), 1)
}

// gramSchmidt makes the rows of x orthonormal.
func gramSchmidt(x *mat.Dense) {
	n, _ := x.Dims()
	for j := range n {
		row := x.RawRowView(j)
		for i := range j {
			before := x.RawRowView(i)
			addScaled(row, -kernel.Dot(before, row), before)
		}
		normalise(row)
	}
}

// addScaled adds αx to dst. (gonum's has other bits on other architectures.)
func addScaled(dst []float64, alpha float64, x []float64) {
	for i, v := range x {
		dst[i] = math.FMA(alpha, v, dst[i])
	}
}

// normalise scales x to length 1.
func normalise(x []float64) {
	scale(x, 1/math.Sqrt(kernel.Dot(x, x)))
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// banded is thermal crosstalk: 1 on the diagonal, 0.4^|i−j| times a factor
// uniform on [0.7, 1.3] up to three places beside it, scaled so that these
// sum to 0.3 in each row.
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
			scale(row, crosstalk/sum)
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
