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

//go:generate go run -C gen . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
