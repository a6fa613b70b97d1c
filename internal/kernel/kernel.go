// Package kernel holds the few loops that decide the speed of everything else:
// matrix products, cos, sin, exp, log and powers of slices, sums and products
// element by element, and Gaussian numbers. Start with Mul and Cos.
//
// Each exists in assembly for AVX-512 and for AVX2 with FMA, and in plain Go;
// which one runs is decided once by the processor. All give the same bits,
// because vectors hold different outputs and never parts of one sum: an output
// goes through the same operations in the same order on every path. An element
// of a matrix product is one chain of fused multiply-adds,
//
//	s_ij = fma(a_i,K-1, b_K-1,j, … fma(a_i1, b_1j, fma(a_i0, b_0j, 0))),
//
// whatever the shape of the matrices around it. So a row of a product does not
// depend on how many rows were multiplied with it, and a batch that was split
// over workers gives the same bits as the whole. (gonum's dgemm blocks its
// sums by the size of the whole product and does not have this property.)
//
// The plain Go is compiled for other architectures too, some of which the
// compiler lets fuse x*y + z. A product that goes into a sum is converted,
// float64(x*y), which forbids that; where fusing is meant it says math.FMA.
//
// The assembly is written by the generator in gen; go generate runs it.
package kernel

//go:generate go run -C gen . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
