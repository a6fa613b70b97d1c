// Package kernel has the few loops that decide the speed of everything else:
// matrix products, cos, sin, exp, log and powers of slices, sums and products
// element by element, and Gaussian numbers. Start with Mul and Cos.
//
// Each loop exists in assembly for AVX-512 and for AVX2 with FMA, and in plain
// Go. Which one runs is decided once, by the processor. All of them give the same
// bits, because a vector holds different outputs and never parts of one sum: an
// output goes through the same operations in the same order on every path. An
// element of a matrix product is one chain of fused multiply-adds,
//
//	s_ij = fma(a_i,K-1, b_K-1,j, … fma(a_i1, b_1j, fma(a_i0, b_0j, 0))),
//
// whatever the shapes of the matrices. So a row of a product does not depend on
// how many rows were multiplied with it, and a batch that is split over workers
// gives the same bits as the whole. (gonum's dgemm splits its sums depending on
// the size of the whole product and does not have this property.)
//
// The plain Go is compiled for other architectures too. On some of them the
// compiler may fuse x*y + z. A product that goes into a sum is written
// float64(x*y), which forbids that; where fusing is meant, the code says math.FMA.
//
// The assembly is written by the generator in gen; go generate runs it.
package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A path is a way to run the kernels. All paths give the same bits.
type path int

const (
	plain  path = iota // Go
	avx2               // assembly for AVX2 with FMA
	avx512             // assembly for AVX-512
)

var pathNames = []string{"go", "avx2", "avx512"}

func (p path) String() string { return pathNames[p] }

// lanes is how many float64s a vector of the path has.
func (p path) lanes() int {
	switch p {
	case avx512:
		return 8
	case avx2:
		return 4
	}
	return 2
}

// environment is the variable that forces a path: go, avx2 or avx512. If it is not
// set, the best path that the processor has is used. Results do not depend on the
// path, so the variable is useful only in tests and benchmarks.
const environment = "UNTWIST_KERNEL"

// active is the path in use. It is chosen once, before main starts.
var active = choose(os.Getenv(environment), available())

// choose returns the path called name, or the last available path if name is empty. It
// panics if there is no path of that name: a test that asks for a path must not run on
// another.
func choose(name string, available []path) path {
	if name == "" {
		return available[len(available)-1]
	}
	p := path(slices.Index(pathNames, name))
	if !slices.Contains(available, p) {
		var names []string
		for _, p := range available {
			names = append(names, p.String())
		}
		panic(fmt.Sprintf("%s=%s: this processor has the paths %s", environment, name, strings.Join(names, ", ")))
	}
	return p
}

//go:generate go run -C gen . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
