// Command gen writes the assembly of package kernel. It writes every loop once for
// AVX-512 and once for AVX2 with FMA, from one description.
//
//	go run . -pkg kernel -out ../kernel_amd64.s -stubs ../kernel_amd64.go
//
// One rule makes all paths give the same bits: a vector holds different outputs,
// never parts of one sum, and every output goes through the same operations as its
// twin in plain Go, in the same order.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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

// An isa is an instruction set. It says how wide vectors are, and does what the two sets
// do differently.
type isa struct {
	suffix string
	lanes  int // float64s in a vector
	rows   int // rows of the largest tile of a matrix product
	bundle int // vectors that go through a function side by side
	masks  bool
}

var (
	avx512 = isa{suffix: "AVX512", lanes: 8, rows: 8, bundle: 4, masks: true}
	avx2   = isa{suffix: "AVX2", lanes: 4, rows: 4, bundle: 2}
)

// tileVectors is how many vectors wide the tile of a matrix product is. With
// 8 (4) rows it fills 24 (12) of the 32 (16) registers.
const tileVectors = 3

// vec returns a new vector register.
func (v isa) vec() VecVirtual {
	if v.lanes == 8 {
		return ZMM()
	}
	return YMM()
}

// bytes is the size of a vector.
func (v isa) bytes() int { return 8 * v.lanes }

// zero returns a new vector of zeros.
func (v isa) zero() VecVirtual {
	z := v.vec()
	VXORPD(z, z, z)
	return z
}

// A tail selects the first few lanes of a vector.
type tail struct {
	isa
	k   OpmaskVirtual // AVX-512
	vec VecVirtual    // AVX2
}

// tail returns the selection of the first n lanes, 0 ≤ n ≤ lanes.
func (v isa) tail(n GPVirtual) tail {
	if v.masks {
		ones, k := GP64(), K()
		MOVQ(I64(-1), ones)
		BZHIQ(n, ones, ones)
		KMOVQ(ones, k)
		return tail{isa: v, k: k}
	}
	mask, at, back := v.vec(), GP64(), GP64()
	LEAQ(tailTable, at)
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPD(Mem{Base: at, Index: back, Scale: 8, Disp: 32}, mask)
	return tail{isa: v, vec: mask}
}

// load sets dst to the selected lanes of m, and 0 elsewhere.
func (t tail) load(m Mem, dst VecVirtual) {
	if t.masks {
		VMOVUPD_Z(m, t.k, dst)
	} else {
		VMASKMOVPD(m, t.vec, dst)
	}
}

// store writes the selected lanes of src to m.
func (t tail) store(src VecVirtual, m Mem) {
	if t.masks {
		VMOVUPD(src, t.k, m)
	} else {
		VMASKMOVPD(src, t.vec, m)
	}
}

var tailTable Mem

// data writes the table that tails are loaded from: four quadwords of ones, then four of
// zeros. A vector that begins n quadwords before the middle begins with n ones.
func data() {
	tailTable = GLOBL("tailTable", 8|16) // RODATA|NOPTR
	for i := range 8 {
		ones := ^uint64(0)
		if i >= 4 {
			ones = 0
		}
		DATA(8*i, U64(ones))
	}
}
