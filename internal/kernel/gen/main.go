// Command gen writes the assembly of package kernel. It writes every loop once for
// AVX-512 and once for AVX2 with FMA, from one description.
//
//	go run . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
//
// One rule makes all paths give the same bits: a vector holds different outputs,
// never parts of one sum, and every output goes through the same operations as its
// twin in plain Go, in the same order.
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
