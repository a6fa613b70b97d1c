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

// panelVectors is how many vectors wide a panel of B is.
const panelVectors = 3

// panelDepth is how many rows of B are multiplied at a time. A panel of this depth
// stays in the first-level cache while the rows of A go through it.
const panelDepth = 128

// directRows is the largest number of rows of A for which a panel of B is used in
// place. With more rows it pays to copy the panel into contiguous memory first.
const directRows = 64

// A factor is B, or Bᵀ if it is transposed.
type factor struct {
	blas64.General
	turned bool
}

// columns returns the factor without the columns before lo.
func (b factor) columns(lo int) factor {
	if b.turned {
		b.Rows, b.Data = b.Rows-lo, b.Data[lo*b.Stride:]
	} else {
		b.Cols, b.Data = b.Cols-lo, b.Data[lo:]
	}
	return b
}

// multiply computes C = A·B, one panel of B after another. Each panelDepth of rows
// continues the chains of fused multiply-adds of the one before, through C.
func multiply(c, a blas64.General, b factor) {
	width := panelVectors * active.lanes()
	var room *[]float64
	for k0 := 0; k0 < a.Cols; k0 += panelDepth {
		depth := min(panelDepth, a.Cols-k0)
		for j0 := 0; j0 < c.Cols; j0 += width {
			cols := min(width, c.Cols-j0)
			var bk []float64
			ldb := width
			if !b.turned && cols == width && c.Rows <= directRows {
				bk, ldb = b.Data[k0*b.Stride+j0:], b.Stride
			} else {
				if room == nil {
					room = panels.borrow(panelDepth * width)
				}
				bk = *room
				b.pack(bk, k0, depth, j0, cols, width)
			}
			panel(c.Data[j0:], c.Stride, a.Data[k0:], a.Stride, bk, ldb, depth, c.Rows, cols, k0 > 0)
		}
	}
	if room != nil {
		panels.giveBack(room)
	}
}

// pack sets dst, which has depth rows of width numbers, to the factor's rows from k0
// and columns from j0. Numbers beyond the last column are left undefined.
func (b factor) pack(dst []float64, k0, depth, j0, cols, width int) {
	if !b.turned {
		for k := range depth {
			copy(dst[k*width:k*width+cols], b.Data[(k0+k)*b.Stride+j0:])
		}
		return
	}
	for j, lanes := 0, active.lanes(); j < cols; j += lanes {
		done := 0
		if j+lanes <= cols {
			done = transpose(dst[j:], width, b.Data[(j0+j)*b.Stride+k0:], b.Stride, depth)
		}
		for i := j; i < min(j+lanes, cols); i++ {
			bi := b.Data[(j0+i)*b.Stride+k0:]
			for k := done; k < depth; k++ {
				dst[k*width+i] = bi[k]
			}
		}
	}
}

// panelGo is panel in plain Go, where a panel has six columns. It takes two rows at a
// time: their twelve independent chains hide the latency of the fused multiply-add.
func panelGo(c []float64, ldc int, a []float64, lda int, b []float64, ldb int, k, rows, cols int, carry bool) {
	const width = 6
	for i := 0; i < rows; i += 2 {
		next := min(i+1, rows-1)
		a0, a1 := a[i*lda:][:k], a[next*lda:][:k]
		c0, c1 := c[i*ldc:][:cols], c[next*ldc:][:cols]
		var s0, s1 [width]float64
		if carry {
			copy(s0[:], c0)
			copy(s1[:], c1)
		}
		tileGo(&s0, &s1, a0, a1, b, ldb)
		copy(c0, s0[:])
		copy(c1, s1[:])
	}
}

// tileGo adds the products of two rows of A with a panel of B to s0 and s1.
func tileGo(s0, s1 *[6]float64, a0, a1, b []float64, ldb int) {
	a1 = a1[:len(a0)]
	s00, s01, s02, s03, s04, s05 := s0[0], s0[1], s0[2], s0[3], s0[4], s0[5]
	s10, s11, s12, s13, s14, s15 := s1[0], s1[1], s1[2], s1[3], s1[4], s1[5]
	for k, x0 := range a0 {
		x1, bk := a1[k], b[k*ldb:]
		bk = bk[:6:6]
		s00, s10 = math.FMA(x0, bk[0], s00), math.FMA(x1, bk[0], s10)
		s01, s11 = math.FMA(x0, bk[1], s01), math.FMA(x1, bk[1], s11)
		s02, s12 = math.FMA(x0, bk[2], s02), math.FMA(x1, bk[2], s12)
		s03, s13 = math.FMA(x0, bk[3], s03), math.FMA(x1, bk[3], s13)
		s04, s14 = math.FMA(x0, bk[4], s04), math.FMA(x1, bk[4], s14)
		s05, s15 = math.FMA(x0, bk[5], s05), math.FMA(x1, bk[5], s15)
	}
	*s0 = [6]float64{s00, s01, s02, s03, s04, s05}
	*s1 = [6]float64{s10, s11, s12, s13, s14, s15}
}
