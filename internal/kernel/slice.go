package kernel

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
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
