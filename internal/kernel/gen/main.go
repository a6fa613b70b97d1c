// Command gen writes the assembly of package kernel: every loop once for
// AVX-512 and once for AVX2 with FMA, from one description of it.
//
//	go run . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
//
// The rule that keeps all paths equal to the bit: a vector holds different
// outputs, never parts of one sum, and every output goes through the operations
// that its twin in plain Go goes through, in the same order.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	data()
	for _, v := range []isa{avx512, avx2} {
		v.panel()
		v.transpose()
		v.functions()
	}
	Generate()
}
