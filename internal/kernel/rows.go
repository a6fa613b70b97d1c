package kernel

import (
	"fmt"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// atOnce is how many numbers the assembly gets at a time. Assembly cannot be
// interrupted, and the garbage collector should not have to wait long for it.
const atOnce = 1 << 16

// fit returns the part of dst that is as long as x. It panics if dst is too short, or
// overlaps x without being x.
func fit(dst, x []float64) []float64 {
	if len(dst) < len(x) {
		panic(fmt.Sprintf("kernel: room for %d numbers, need %d", len(dst), len(x)))
	}
	dst = dst[:len(x)]
	if len(x) > 0 && &dst[0] != &x[0] && touch(dst, x) {
		panic("kernel: dst must be x or must not overlap it")
	}
	return dst
}

// touch reports whether two slices, neither empty, have memory in common.
func touch(x, y []float64) bool { return begin(x) < end(y) && begin(y) < end(x) }

func begin(x []float64) uintptr { return uintptr(unsafe.Pointer(&x[0])) }
func end(x []float64) uintptr   { return uintptr(unsafe.Pointer(&x[len(x)-1])) + 8 }

// overlap reports whether two matrices have elements in common. Different columns of
// one larger matrix do not overlap.
func overlap(x, y blas64.General) bool {
	if x.Rows == 0 || x.Cols == 0 || y.Rows == 0 || y.Cols == 0 {
		return false
	}
	a, b := x.Data[:(x.Rows-1)*x.Stride+x.Cols], y.Data[:(y.Rows-1)*y.Stride+y.Cols]
	if !touch(a, b) {
		return false
	}
	if x.Stride != y.Stride {
		return true
	}
	if begin(a) > begin(b) {
		a, b, x, y = b, a, y, x
	}
	column := int((begin(b) - begin(a)) / 8 % uintptr(x.Stride)) // the column of x at which y begins
	return column < x.Cols || column+y.Cols > x.Stride
}

// Times returns the matrix ab.
func Times(a, b *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	_, k := b.Dims()
	c := mat.NewDense(n, k, nil)
	Mul(c.RawMatrix(), 1, a.RawMatrix(), b.RawMatrix(), 0)
	return c
}

// Identity returns the identity of n dimensions.
func Identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// Symmetrised returns a·(m+mᵀ)/2.
func Symmetrised(m *mat.Dense, a float64) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a*(m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AllFinite reports whether all entries of m are finite.
func AllFinite(m *mat.Dense) bool {
	rows, _ := m.Dims()
	for i := range rows {
		for _, v := range m.RawRowView(i) {
			if !Finite(v) {
				return false
			}
		}
	}
	return true
}

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

// Product sets dst[i] = x[i]·y[i]. dst may be x.
func Product(dst, x, y []float64) {
	for dst, y = fit(dst, x), y[:len(x):len(y)]; len(x) > 0; {
		n := min(len(x), atOnce)
		productPath(dst[:n], x[:n], y[:n])
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}

func productSlice(dst, x, y []float64) {
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// Difference sets dst[i] = a(x[i] − y[i]). dst may be x.
func Difference(dst []float64, a float64, x, y []float64) {
	for dst, y = fit(dst, x), y[:len(x):len(y)]; len(x) > 0; {
		n := min(len(x), atOnce)
		differencePath(dst[:n], x[:n], y[:n], a)
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}

func differenceSlice(dst, x, y []float64, a float64) {
	for i, v := range x {
		dst[i] = a * (v - y[i])
	}
}

// Combine sets dst[i] = (x[i] + a·y[i]) + b·z[i]. dst may be x.
func Combine(dst, x []float64, a float64, y []float64, b float64, z []float64) {
	for dst, y, z = fit(dst, x), y[:len(x):len(y)], z[:len(x):len(z)]; len(x) > 0; {
		n := min(len(x), atOnce)
		combinePath(dst[:n], x[:n], y[:n], z[:n], a, b)
		dst, x, y, z = dst[n:], x[n:], y[n:], z[n:]
	}
}

func combineSlice(dst, x, y, z []float64, a, b float64) {
	for i, v := range x {
		dst[i] = (v + float64(a*y[i])) + float64(b*z[i])
	}
}
