package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// panel writes panelAVX…: C = A·B or, with carry, C = C + A·B, for a panel B that is
// at most three vectors wide. Rows of B are ldb numbers apart and have three whole
// vectors each, whatever cols is. Every element of C is one chain
//
//	c_ij ← fma(a_ik, b_kj, c_ij), k = 0, 1, …
//
// and a vector holds elements of one row.
func (v isa) panel() {
	TEXT("panel"+v.suffix, NOSPLIT,
		"func(c *float64, ldc int, a *float64, lda int, b *float64, ldb int, k, rows, cols int, carry bool)")
	Pragma("noescape")
	p := panelRegisters{
		c: load("c"), ldc: stride("ldc"), a: load("a"), lda: stride("lda"), b: load("b"), ldb: stride("ldb"),
		rows: load("rows"), rest: load("cols"),
	}
	for vectors := 1; vectors <= tileVectors; vectors++ {
		wider := fmt.Sprint("wider", vectors)
		if vectors < tileVectors {
			CMPQ(p.rest, Imm(uint64(v.lanes)))
			JGT(LabelRef(wider))
		}
		for rows := v.rows; rows >= 1; rows /= 2 {
			again, fewer := fmt.Sprintf("tile%dx%d", rows, vectors), fmt.Sprintf("fewer%dx%d", rows, vectors)
			Label(again)
			CMPQ(p.rows, Imm(uint64(rows)))
			JLT(LabelRef(fewer))
			v.tile(p, rows, vectors)
			SUBQ(Imm(uint64(rows)), p.rows)
			JMP(LabelRef(again))
			Label(fewer)
		}
		VZEROUPPER()
		RET()
		if vectors < tileVectors {
			Label(wider)
			SUBQ(Imm(uint64(v.lanes)), p.rest)
		}
	}
}

// panelRegisters are the arguments of a panel, with strides in bytes. c and a advance
// as rows are done; rest is the width of the last vector.
type panelRegisters struct{ c, ldc, a, lda, b, ldb, rows, rest GPVirtual }

// tile multiplies rows of A with vectors of B, and advances to the next rows.
func (v isa) tile(p panelRegisters, rows, vectors int) {
	sum := make([][]VecVirtual, rows)
	for i := range sum {
		for range vectors {
			sum[i] = append(sum[i], v.zero())
		}
	}
	fresh := fmt.Sprintf("fresh%dx%d", rows, vectors)
	carry, err := Param("carry").Resolve()
	if err != nil {
		panic(err)
	}
	CMPB(carry.Addr, Imm(0))
	JEQ(LabelRef(fresh))
	v.eachVector(p, sum, func(m Mem, s VecVirtual) { VMOVUPD(m, s) }, tail.load)
	Label(fresh)
	v.multiply(p, sum, fmt.Sprintf("k%dx%d", rows, vectors))
	v.eachVector(p, sum, func(m Mem, s VecVirtual) { VMOVUPD(s, m) }, func(t tail, m Mem, s VecVirtual) { t.store(s, m) })
	for range rows {
		ADDQ(p.lda, p.a)
		ADDQ(p.ldc, p.c)
	}
}

// eachVector visits the vectors of a tile in C, the last of each row with ragged.
func (v isa) eachVector(p panelRegisters, sum [][]VecVirtual, whole func(Mem, VecVirtual), ragged func(tail, Mem, VecVirtual)) {
	c := GP64()
	MOVQ(p.c, c)
	last := v.tail(p.rest)
	for _, row := range sum {
		for j, s := range row {
			at := Mem{Base: c, Disp: j * v.bytes()}
			if j < len(row)-1 {
				whole(at, s)
			} else {
				ragged(last, at, s)
			}
		}
		ADDQ(p.ldc, c)
	}
}

// multiply adds the products of a tile to sum, k by k.
func (v isa) multiply(p panelRegisters, sum [][]VecVirtual, label string) {
	k, b, done := load("k"), GP64(), label+"done"
	TESTQ(k, k)
	JZ(LabelRef(done))
	a := newRowPointers(p.a, p.lda, len(sum))
	MOVQ(p.b, b)
	Label(label)
	bk := make([]VecVirtual, len(sum[0]))
	for j := range bk {
		bk[j] = v.vec()
		VMOVUPD(Mem{Base: b, Disp: j * v.bytes()}, bk[j])
	}
	ADDQ(p.ldb, b)
	for i, row := range sum {
		aik := v.vec()
		VBROADCASTSD(a.row(i), aik)
		for j, s := range row {
			VFMADD231PD(bk[j], aik, s)
		}
	}
	a.next()
	DECQ(k)
	JNZ(LabelRef(label))
	Label(done)
}

// rowPointers address one element in each of up to eight rows.
type rowPointers struct {
	base         []GPVirtual // of rows 0 and 4
	once, thrice GPVirtual   // the stride
}

func newRowPointers(at, stride GPVirtual, rows int) rowPointers {
	first := GP64()
	MOVQ(at, first)
	p := rowPointers{base: []GPVirtual{first}, once: stride}
	if rows > 3 {
		p.thrice = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, p.thrice)
	}
	if rows > 4 {
		fourth := GP64()
		LEAQ(Mem{Base: first, Index: stride, Scale: 4}, fourth)
		p.base = append(p.base, fourth)
	}
	return p
}

// row returns the element in row i.
func (p rowPointers) row(i int) Mem {
	m := Mem{Base: p.base[i/4]}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = p.once, 1
	case 2:
		m.Index, m.Scale = p.once, 2
	case 3:
		m.Index, m.Scale = p.thrice, 1
	}
	return m
}

// next advances by one element.
func (p rowPointers) next() {
	for _, base := range p.base {
		ADDQ(Imm(8), base)
	}
}

func load(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

func stride(name string) GPVirtual {
	r := load(name)
	SHLQ(Imm(3), r)
	return r
}

// transpose writes transposeAVX…: dst[k][i] = src[i][k] for as many rows i as a vector
// has lanes, and for n columns k, where n is a multiple of that number. Rows of dst are
// ldd numbers apart, and rows of src lds.
func (v isa) transpose() {
	TEXT("transpose"+v.suffix, NOSPLIT, "func(dst *float64, ldd int, src *float64, lds int, n int)")
	Pragma("noescape")
	dst, ldd, src, lds, n := load("dst"), stride("ldd"), load("src"), stride("lds"), load("n")
	rows := newRowPointers(src, lds, v.lanes)
	Label("block")
	CMPQ(n, Imm(uint64(v.lanes)))
	JLT(LabelRef("done"))
	in := make([]VecVirtual, v.lanes)
	for i := range in {
		in[i] = v.vec()
		VMOVUPD(rows.row(i), in[i])
	}
	for _, column := range v.transposed(in) {
		VMOVUPD(column, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	for _, base := range rows.base {
		ADDQ(Imm(uint64(v.bytes())), base)
	}
	SUBQ(Imm(uint64(v.lanes)), n)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}

// transposed returns the columns of a square block, given its rows.
func (v isa) transposed(in []VecVirtual) []VecVirtual {
	// Pairs: the even and odd columns of two neighbouring rows, interleaved.
	pairs := make([]VecVirtual, len(in))
	for i := 0; i < len(in); i += 2 {
		pairs[i], pairs[i+1] = v.vec(), v.vec()
		VUNPCKLPD(in[i+1], in[i], pairs[i])
		VUNPCKHPD(in[i+1], in[i], pairs[i+1])
	}
	if v.lanes == 4 {
		out := []VecVirtual{v.vec(), v.vec(), v.vec(), v.vec()}
		for k := range 2 {
			VPERM2F128(Imm(0x20), pairs[k+2], pairs[k], out[k])
			VPERM2F128(Imm(0x31), pairs[k+2], pairs[k], out[k+2])
		}
		return out
	}
	// Quarters of 128 bits of column pairs: rows 0-1, 2-3 and 4-5, 6-7 of
	// columns k, k+4 and k+2, k+6; then all eight rows of each.
	out := make([]VecVirtual, 8)
	for k := range 2 {
		half := make([]VecVirtual, 4)
		for h := range half {
			half[h] = v.vec()
			lo := 4 * (h % 2) // rows 0-3 or 4-7
			VSHUFF64X2(Imm([]uint64{0x88, 0xdd}[h/2]), pairs[lo+2+k], pairs[lo+k], half[h])
		}
		for h := range 2 {
			out[k+2*h], out[k+2*h+4] = v.vec(), v.vec()
			VSHUFF64X2(Imm(0x88), half[2*h+1], half[2*h], out[k+2*h])
			VSHUFF64X2(Imm(0xdd), half[2*h+1], half[2*h], out[k+2*h+4])
		}
	}
	return out
}
