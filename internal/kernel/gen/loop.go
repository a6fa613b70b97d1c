package main

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// functions writes the functions of a slice.
func (v isa) functions() {
	v.slice("exp", func(b bundler, x []bundle) bundle { return b.exp(x[0]) }, "x")
	v.slice("log", func(b bundler, x []bundle) bundle { return b.log(x[0]) }, "x")
	v.slice("pow", func(b bundler, x []bundle) bundle { return b.pow(x[0], x[1]) }, "x", "p")
	v.slice("product", func(b bundler, x []bundle) bundle { return b.mul(x[0], x[1]) }, "x", "y")
	v.scaled("difference", func(b bundler, a, x []bundle) bundle {
		return b.mul(a[0], b.sub(x[0], x[1]))
	}, []string{"a"}, "x", "y")
	v.scaled("combine", func(b bundler, a, x []bundle) bundle {
		return b.add(b.add(x[0], b.mul(a[0], x[1])), b.mul(a[1], x[2]))
	}, []string{"a", "b"}, "x", "y", "z")
	v.trigSlice("cos", 1)
	v.trigSlice("sin", 0)
	v.gauss()
}

// slice writes a function that sets dst[i] = f(in_1[i], …) for i < n.
func (v isa) slice(name string, f func(b bundler, x []bundle) bundle, in ...string) {
	TEXT(name+v.suffix, NOSPLIT, "func(dst, "+strings.Join(in, ", ")+" *float64, n int)")
	Pragma("noescape")
	v.loop(f, in)
	VZEROUPPER()
	RET()
}

// scaled is slice for a function that takes numbers as well.
func (v isa) scaled(name string, f func(b bundler, a, x []bundle) bundle, numbers []string, in ...string) {
	TEXT(name+v.suffix, NOSPLIT, "func(dst, "+strings.Join(in, ", ")+" *float64, n int, "+strings.Join(numbers, ", ")+" float64)")
	Pragma("noescape")
	all := make([]VecVirtual, len(numbers))
	for i, number := range numbers {
		address, err := Param(number).Resolve()
		if err != nil {
			panic(err)
		}
		all[i] = v.vec()
		VBROADCASTSD(address.Addr, all[i])
	}
	v.loop(func(b bundler, x []bundle) bundle {
		var a []bundle
		for _, c := range all {
			a = append(a, b.alike(c))
		}
		return f(b, a, x)
	}, in)
	VZEROUPPER()
	RET()
}

// trigSlice is slice for cos and sin. These stop before a vector with an argument that
// is far away or not finite, and return how many numbers are done.
func (v isa) trigSlice(name string, quarter int) {
	TEXT(name+v.suffix, NOSPLIT, "func(dst, x *float64, n int) (done int)")
	Pragma("noescape")
	left := v.loop(func(b bundler, x []bundle) bundle { return b.trig(x[0], quarter, end) }, []string{"x"})
	done := load("n")
	SUBQ(left, done)
	Store(done, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// end is the label after a loop.
const end = "end"

// loop goes through the slices a bundle of vectors at a time, then a vector at a time,
// then does the rest with the lanes beyond it masked. It returns how many numbers are
// left, which is 0 unless f has jumped to end.
func (v isa) loop(f func(b bundler, x []bundle) bundle, in []string) GPVirtual {
	dst, n := load("dst"), load("n")
	pointers := make([]GPVirtual, len(in))
	for i, p := range in {
		pointers[i] = load(p)
	}
	for _, size := range slices.Compact([]int{v.bundle, 1}) {
		b, again, done := bundler{v, size}, fmt.Sprint("by", size), fmt.Sprint("less", size)
		Label(again)
		CMPQ(n, Imm(uint64(size*v.lanes)))
		JLT(LabelRef(done))
		x := make([]bundle, len(in))
		for i, p := range pointers {
			x[i] = b.each(func(j int, out VecVirtual) { VMOVUPD(Mem{Base: p, Disp: j * v.bytes()}, out) })
		}
		for j, y := range f(b, x) {
			VMOVUPD(y, Mem{Base: dst, Disp: j * v.bytes()})
		}
		for _, p := range append(pointers, dst) {
			ADDQ(U32(size*v.bytes()), p)
		}
		SUBQ(Imm(uint64(size*v.lanes)), n)
		JMP(LabelRef(again))
		Label(done)
	}
	TESTQ(n, n)
	JZ(LabelRef(end))
	b := bundler{v, 1}
	x := make([]bundle, len(in))
	for i, p := range pointers {
		x[i] = b.each(func(_ int, out VecVirtual) { v.tail(n).load(Mem{Base: p}, out) })
	}
	y := f(b, x)
	v.tail(n).store(y[0], Mem{Base: dst})
	XORQ(n, n)
	Label(end)
	return n
}

const generators = 8 // how many generators kernel.Chance has

// gauss writes gaussAVX…. It takes as many generators as a vector has lanes and makes
// their part of all blocks, a bundle of blocks at a time. Then it takes the next
// generators.
func (v isa) gauss() {
	TEXT("gauss"+v.suffix, NOSPLIT, "func(dst *float64, blocks int, state *uint64)")
	Pragma("noescape")
	dst, state := load("dst"), load("state")
	for first := 0; first < generators; first += v.lanes {
		var g [4]VecVirtual
		word := func(w int) Mem { return Mem{Base: state, Disp: 8 * (w*generators + first)} }
		for w := range g {
			g[w] = v.vec()
			VMOVUPD(word(w), g[w])
		}
		at, blocks := GP64(), load("blocks")
		LEAQ(Mem{Base: dst, Disp: 8 * first}, at)
		for _, size := range slices.Compact([]int{v.bundle, 1}) {
			b, again, done := bundler{v, size}, fmt.Sprintf("by%dof%d", size, first), fmt.Sprintf("less%dof%d", size, first)
			Label(again)
			CMPQ(blocks, Imm(uint64(size)))
			JLT(LabelRef(done))
			b.gaussBlocks(g, at)
			ADDQ(U32(size*gaussBlock), at)
			SUBQ(Imm(uint64(size)), blocks)
			JMP(LabelRef(again))
			Label(done)
		}
		for w := range g {
			VMOVUPD(g[w], word(w))
		}
	}
	VZEROUPPER()
	RET()
}

const gaussBlock = 2 * 8 * generators // bytes

// gaussBlocks writes the part of a bundle of blocks that comes from the generators g.
func (v bundler) gaussBlocks(g [4]VecVirtual, at GPVirtual) {
	var a, b bundle
	for range v.size {
		a = append(a, v.next(g))
		b = append(b, v.next(g))
	}
	x, y := v.boxMuller(a, b)
	for i := range v.size {
		VMOVUPD(x[i], Mem{Base: at, Disp: i * gaussBlock})
		VMOVUPD(y[i], Mem{Base: at, Disp: i*gaussBlock + 8*generators})
	}
}

// next advances the generators in place and returns their numbers.
func (v bundler) next(g [4]VecVirtual) VecVirtual {
	one := bundler{v.isa, 1}
	s0, s1, s2, s3 := g[0], g[1], g[2], g[3]
	out := one.addBits(one.rotate(one.addBits(bundle{s0}, bundle{s3}), 23), bundle{s0})
	t := one.left(bundle{s1}, 17)
	VXORPD(s0, s2, s2)
	VXORPD(s1, s3, s3)
	VXORPD(s2, s1, s1)
	VXORPD(s3, s0, s0)
	VXORPD(t[0], s2, s2)
	VMOVAPD(one.rotate(bundle{s3}, 45)[0], s3)
	return out[0]
}
