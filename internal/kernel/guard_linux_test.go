package kernel

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
)

// fenced returns n numbers next to memory that the process may not read or write,
// either at their end or at their beginning. A kernel that touches a neighbour of its
// slice crashes.
func fenced(t *testing.T, n int, atEnd bool) []float64 {
	page := os.Getpagesize()
	size := (max(8*n, 1) + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	inside := memory[page : page+size]
	if err := syscall.Mprotect(inside, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	if atEnd {
		inside = inside[size-8*n:]
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(inside))), n)
}

func TestKernelsStayInsideTheirSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	fill := func(x []float64) []float64 {
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	for _, atEnd := range []bool{false, true} {
		for n := 1; n < 80; n++ {
			dst, x, p := fenced(t, n, atEnd), fill(fenced(t, n, atEnd)), fenced(t, n, atEnd)
			for i := range p {
				p[i] = 2
			}
			eachPath(func(path) {
				for _, f := range functions {
					f.slice(dst, x, p)
				}
			})
		}
		gauss, state := fenced(t, 5*GaussBlock, atEnd), new(Chance)
		eachPath(func(path) { Gauss(gauss, state) })
		for range 60 {
			n, k, m := 1+r.IntN(70), 1+r.IntN(150), 1+r.IntN(60)
			matrix := func(rows, cols, pad int) blas64.General {
				stride := cols + pad
				return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: fill(fenced(t, (rows-1)*stride+cols, atEnd))}
			}
			a, b, bT, c := matrix(n, k, r.IntN(3)), matrix(k, m, r.IntN(3)), matrix(m, k, r.IntN(3)), matrix(n, m, r.IntN(3))
			eachPath(func(path) {
				Mul(c, 1, a, b, 0)
				MulT(c, 2, a, bT, 1)
			})
		}
	}
}
