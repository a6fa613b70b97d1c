package kernel

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// AddScaled adds αx to dst by fused multiply-adds.
func AddScaled(dst []float64, alpha float64, x []float64) {
	dst = dst[:len(x):len(dst)]
	for i, v := range x {
		dst[i] = math.FMA(alpha, v, dst[i])
	}
}

// Normalise scales x to length 1, unless it is 0.
func Normalise(x []float64) {
	norm := math.Sqrt(Dot(x, x))
	if norm == 0 {
		return
	}
	by := 1 / norm
	for i := range x {
		x[i] *= by
	}
}

// Orthonormalise makes the rows of q orthonormal by the method of Gram and Schmidt. It
// takes several rows at a time and does each twice, because once is not enough. There
// must not be more rows than columns. (gonum's sums differ between architectures.)
func Orthonormalise(q blas64.General) {
	const atATime = 32
	along := make([]float64, atATime*q.Rows)
	for lo := 0; lo < q.Rows; lo += atATime {
		before, block := q, q
		before.Rows = lo
		block.Rows, block.Data = min(atATime, q.Rows-lo), q.Data[lo*q.Stride:]
		for range 2 {
			// block ← block − (block·beforeᵀ)·before
			c := blas64.General{Rows: block.Rows, Cols: lo, Stride: lo, Data: along}
			MulT(c, 1, block, before, 0)
			Mul(block, -1, c, before, 1)
			for j := range block.Rows {
				for i := range j {
					AddScaled(row(block, j), -Dot(row(block, i), row(block, j)), row(block, i))
				}
				Normalise(row(block, j))
			}
		}
	}
}

// Project subtracts from v its part in the span of the rows of q, which must be
// orthonormal.
func Project(v []float64, q blas64.General) {
	y := make([]float64, q.Rows)
	for range 2 { // the second pass removes what rounding left in the first
		MulVec(y, q, v)
		for i := range q.Rows {
			AddScaled(v, -y[i], row(q, i))
		}
	}
}
