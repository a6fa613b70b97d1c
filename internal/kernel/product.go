package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Mul computes C = αA·B + βC for row-major A (n×k), B (k×m) and C (n×m): with
// the chains s_ij of the package comment,
//
//	c_ij ← fma(β, c_ij, α s_ij),   c_ij ← α s_ij if β = 0.
//
// Where β = 0, C is not read. C must not overlap A or B. Mul panics if the shapes
// do not fit. Large products run on several cores.
func Mul(c blas64.General, alpha float64, a, b blas64.General, beta float64) {
	if a.Cols != b.Rows || c.Rows != a.Rows || c.Cols != b.Cols {
		panic(fmt.Sprintf("kernel: C %d×%d = A %d×%d · B %d×%d does not fit",
			c.Rows, c.Cols, a.Rows, a.Cols, b.Rows, b.Cols))
	}
	product(c, alpha, a, factor{b, false}, beta)
}

// MulT computes C = αA·Bᵀ + βC for row-major A (n×k), B (m×k) and C (n×m), as
// Mul does. It has to transpose B first. Where B stays the same and A has few rows,
// it is faster to keep Bᵀ and use Mul.
func MulT(c blas64.General, alpha float64, a, b blas64.General, beta float64) {
	if a.Cols != b.Cols || c.Rows != a.Rows || c.Cols != b.Rows {
		panic(fmt.Sprintf("kernel: C %d×%d = A %d×%d · (B %d×%d)ᵀ does not fit",
			c.Rows, c.Cols, a.Rows, a.Cols, b.Rows, b.Cols))
	}
	product(c, alpha, a, factor{b, true}, beta)
}

// MulVec computes y = A·x for row-major A (n×k): y_i is the dot product of row
// i with x, one chain of fused multiply-adds.
func MulVec(y []float64, a blas64.General, x []float64) {
	MulT(vector(y), 1, vector(x), a, 0)
}

// MulVecT computes y = Aᵀ·x for row-major A (k×n), as MulVec does.
func MulVecT(y []float64, a blas64.General, x []float64) {
	Mul(vector(y), 1, vector(x), a, 0)
}

// vector returns x as a matrix of one row.
func vector(x []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// Dot returns Σ_k x_k y_k, summed in the order of k by fused multiply-adds.
func Dot(x, y []float64) float64 {
	y = y[:len(x):len(y)]
	sum := 0.0
	for k, xk := range x {
		sum = math.FMA(xk, y[k], sum)
	}
	return sum
}

// product computes C = αA·B + βC.
func product(c blas64.General, alpha float64, a blas64.General, b factor, beta float64) {
	check("C", c)
	check("A", a)
	check("B", b.General)
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if overlap(c, a) || overlap(c, b.General) {
		panic("kernel: C must not overlap A or B")
	}
	if beta == 0 {
		share(c, a, b)
		if alpha != 1 {
			for i := range c.Rows {
				ci := row(c, i)
				for j, s := range ci {
					ci[j] = alpha * s
				}
			}
		}
		return
	}
	room := sums.borrow(c.Rows * c.Cols)
	s := blas64.General{Rows: c.Rows, Cols: c.Cols, Stride: c.Cols, Data: *room}
	share(s, a, b)
	for i := range c.Rows {
		ci, si := row(c, i), row(s, i)
		for j, cij := range ci {
			ci[j] = math.FMA(beta, cij, alpha*si[j])
		}
	}
	sums.giveBack(room)
}

// check panics unless m's slice is as long as its shape says.
func check(name string, m blas64.General) {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols ||
		m.Rows > 0 && m.Cols > 0 && (len(m.Data) < m.Cols || m.Rows-1 > (len(m.Data)-m.Cols)/m.Stride) {
		panic(fmt.Sprintf("kernel: %s is %d×%d with stride %d in %d numbers", name, m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

func row(m blas64.General, i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}
