// Package kernel holds the few loops that decide the speed of everything else.
//
// Every output element is one chain of fused multiply-adds in one fixed order,
//
//	c_ij = fma(a_i,K-1, b_j,K-1, … fma(a_i1, b_j1, fma(a_i0, b_j0, 0))),
//
// whatever the shape of the matrices around it. So a row of a product does not
// depend on how many rows were multiplied with it, and a batch that was split
// over workers gives the same bits as the whole. (gonum's dgemm blocks its
// sums by the size of the whole product and does not have this property.)
package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// MulT computes C = A·Bᵀ for row-major A (n×k), B (m×k) and C (n×m).
// C must not overlap A or B. It panics if the shapes do not fit.
func MulT(c, a, b blas64.General) {
	if a.Cols != b.Cols || c.Rows != a.Rows || c.Cols != b.Rows {
		panic(fmt.Sprintf("kernel: C %d×%d = A %d×%d · (B %d×%d)ᵀ does not fit",
			c.Rows, c.Cols, a.Rows, a.Cols, b.Rows, b.Cols))
	}
	i := 0
	for ; i+2 <= a.Rows; i += 2 {
		a0, a1 := row(a, i), row(a, i+1)
		c0, c1 := row(c, i), row(c, i+1)
		j := 0
		for ; j+4 <= b.Rows; j += 4 {
			tile2x4(c0[j:j+4], c1[j:j+4], a0, a1, row(b, j), row(b, j+1), row(b, j+2), row(b, j+3))
		}
		for ; j < b.Rows; j++ {
			bj := row(b, j)
			c0[j], c1[j] = Dot(a0, bj), Dot(a1, bj)
		}
	}
	if i < a.Rows {
		ai, ci := row(a, i), row(c, i)
		for j := range ci {
			ci[j] = Dot(ai, row(b, j))
		}
	}
}

// Dot returns Σ_k x_k y_k, summed in the order of k by fused multiply-adds.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	sum := 0.0
	for k, xk := range x {
		sum = math.FMA(xk, y[k], sum)
	}
	return sum
}

// tile2x4 computes the eight dot products of two rows of A with four of B;
// eight independent chains hide the latency of the fused multiply-add.
func tile2x4(c0, c1, a0, a1, b0, b1, b2, b3 []float64) {
	k := len(a0)
	a1, b0, b1, b2, b3 = a1[:k], b0[:k], b1[:k], b2[:k], b3[:k]
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	for k, x0 := range a0 {
		x1 := a1[k]
		y0, y1, y2, y3 := b0[k], b1[k], b2[k], b3[k]
		s00 = math.FMA(x0, y0, s00)
		s01 = math.FMA(x0, y1, s01)
		s02 = math.FMA(x0, y2, s02)
		s03 = math.FMA(x0, y3, s03)
		s10 = math.FMA(x1, y0, s10)
		s11 = math.FMA(x1, y1, s11)
		s12 = math.FMA(x1, y2, s12)
		s13 = math.FMA(x1, y3, s13)
	}
	c0[0], c0[1], c0[2], c0[3] = s00, s01, s02, s03
	c1[0], c1[1], c1[2], c1[3] = s10, s11, s12, s13
}

func row(m blas64.General, i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}
