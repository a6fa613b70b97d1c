package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A bundle is a few vectors that go through the same operations side by side. While
// one waits for its last result, the others keep the processor busy.
type bundle []VecVirtual

// Operations are written as functions of their operands. Each returns new registers,
// unless it says otherwise.

// A bundler writes operations on bundles of a given size.
type bundler struct {
	isa
	size int
}

// k returns the package variable with the given name, or its element i, in all lanes
// of one register that serves as a whole bundle.
func (v bundler) k(name string, i ...int) bundle {
	m := Mem{Symbol: Symbol{Name: "·" + name}, Base: StaticBase}
	if len(i) > 0 {
		m.Disp = 8 * i[0]
	}
	c := v.vec()
	VBROADCASTSD(m, c)
	return v.alike(c)
}

// zero is 0 in all lanes.
func (v bundler) zero() bundle { return v.alike(v.isa.zero()) }

func (v bundler) alike(c VecVirtual) bundle {
	b := make(bundle, v.size)
	for i := range b {
		b[i] = c
	}
	return b
}

// each returns new registers, which f fills.
func (v bundler) each(f func(i int, out VecVirtual)) bundle {
	b := make(bundle, v.size)
	for i := range b {
		b[i] = v.vec()
		f(i, b[i])
	}
	return b
}

func (v bundler) binary(op func(...Op), a, b bundle) bundle {
	return v.each(func(i int, out VecVirtual) { op(b[i], a[i], out) })
}

func (v bundler) add(a, b bundle) bundle { return v.binary(VADDPD, a, b) }
func (v bundler) sub(a, b bundle) bundle { return v.binary(VSUBPD, a, b) }
func (v bundler) mul(a, b bundle) bundle { return v.binary(VMULPD, a, b) }
func (v bundler) div(a, b bundle) bundle { return v.binary(VDIVPD, a, b) }
func (v bundler) and(a, b bundle) bundle { return v.binary(VANDPD, a, b) }
func (v bundler) or(a, b bundle) bundle  { return v.binary(VORPD, a, b) }
func (v bundler) xor(a, b bundle) bundle { return v.binary(VXORPD, a, b) }

// addBits and subBits are a+b and a−b, with the bits taken as integers.
func (v bundler) addBits(a, b bundle) bundle { return v.binary(VPADDQ, a, b) }
func (v bundler) subBits(a, b bundle) bundle { return v.binary(VPSUBQ, a, b) }

// atMost is min(a, b), or a if a is NaN. b must not be NaN.
func (v bundler) atMost(a, b bundle) bundle { return v.binary(VMINPD, b, a) }

// atLeast is max(a, b), or a if a is NaN. b must not be NaN.
func (v bundler) atLeast(a, b bundle) bundle { return v.binary(VMAXPD, b, a) }

func (v bundler) sqrt(a bundle) bundle {
	return v.each(func(i int, out VecVirtual) { VSQRTPD(a[i], out) })
}

// fma is a·b + c, fnma c − a·b, fms a·b − c.
func (v bundler) fma(a, b, c bundle) bundle  { return v.ternary(VFMADD231PD, a, b, c) }
func (v bundler) fnma(a, b, c bundle) bundle { return v.ternary(VFNMADD231PD, a, b, c) }
func (v bundler) fms(a, b, c bundle) bundle  { return v.ternary(VFMSUB231PD, a, b, c) }

func (v bundler) ternary(op func(...Op), a, b, c bundle) bundle {
	return v.each(func(i int, out VecVirtual) {
		VMOVAPD(c[i], out)
		op(b[i], a[i], out)
	})
}

// left and right shift the bits of each lane.
func (v bundler) left(a bundle, n uint64) bundle {
	return v.each(func(i int, out VecVirtual) { VPSLLQ(Imm(n), a[i], out) })
}

func (v bundler) right(a bundle, n uint64) bundle {
	return v.each(func(i int, out VecVirtual) { VPSRLQ(Imm(n), a[i], out) })
}

// rotate rotates the bits of each lane to the left.
func (v bundler) rotate(a bundle, n uint64) bundle {
	if v.masks {
		return v.each(func(i int, out VecVirtual) { VPROLQ(Imm(n), a[i], out) })
	}
	return v.or(v.left(a, n), v.right(a, 64-n))
}

// Predicates of compare.
const (
	equal      = 0x00 // a = b
	notEqual   = 0x04 // a ≠ b
	less       = 0x11 // a < b
	atMost     = 0x12 // a ≤ b
	notAtMost  = 0x16 // !(a ≤ b), so also for NaN
	notAtLeast = 0x19 // !(a ≥ b), so also for NaN
)

// A choice of lanes is a mask register, or the sign bits of a vector.
type choice struct {
	k   []OpmaskVirtual
	vec bundle
}

func (v bundler) compare(a bundle, predicate uint64, b bundle) choice {
	if !v.masks {
		return choice{vec: v.each(func(i int, out VecVirtual) { VCMPPD(Imm(predicate), b[i], a[i], out) })}
	}
	var c choice
	for i := range a {
		c.k = append(c.k, K())
		VCMPPD(Imm(predicate), b[i], a[i], c.k[i])
	}
	return c
}

// odd chooses the lanes whose lowest bit is set.
func (v bundler) odd(a bundle) choice {
	if !v.masks {
		return choice{vec: v.left(a, 63)}
	}
	var c choice
	lowest := v.k("lowestBit")
	for i := range a {
		c.k = append(c.k, K())
		VPTESTMQ(lowest[i], a[i], c.k[i])
	}
	return c
}

// flip is a with its sign changed where the sign bit of s is set.
func (v bundler) flip(a, s bundle) bundle {
	sign := v.k("signBit")
	if !v.masks {
		return v.xor(a, v.and(s, sign))
	}
	return v.each(func(i int, out VecVirtual) {
		VMOVAPD(a[i], out)
		VPTERNLOGQ(Imm(0x78), sign[i], s[i], out) // out ^ (s & sign)
	})
}

// where is a in the chosen lanes and b in the others.
func (v bundler) where(c choice, a, b bundle) bundle {
	return v.each(func(i int, out VecVirtual) {
		if v.masks {
			VMOVAPD(b[i], out)
			VMOVAPD(a[i], c.k[i], out)
		} else {
			VBLENDVPD(c.vec[i], a[i], b[i], out)
		}
	})
}

// leaveUnless jumps to label unless a ≤ b in all lanes; NaN is not ≤ b.
func (v bundler) leaveUnless(a, b bundle, label string) {
	bits := GP32()
	if v.masks {
		k := K()
		VCMPPD(Imm(atMost), b[0], a[0], k)
		for i := 1; i < v.size; i++ {
			and := K()
			VCMPPD(Imm(atMost), b[i], a[i], k, and)
			k = and
		}
		KMOVB(k, bits)
		CMPL(bits, U32(1<<v.lanes-1))
		JNE(LabelRef(label))
		return
	}
	beyond := v.compare(a, notAtMost, b).vec
	for i := 1; i < v.size; i++ {
		VORPD(beyond[i], beyond[0], beyond[0])
	}
	VMOVMSKPD(beyond[0], bits)
	TESTL(bits, bits)
	JNZ(LabelRef(label))
}

// horner is the polynomial in r whose n coefficients are in a table, the highest first.
func (v bundler) horner(table string, n int, r bundle) bundle {
	p := v.fma(v.k(table, 0), r, v.k(table, 1))
	for i := 2; i < n; i++ {
		c := v.k(table, i)
		for j := range p { // in place
			VFMADD213PD(c[j], r[j], p[j])
		}
	}
	return p
}

// fastTwoSum is the rounded sum of a and b, and the rest.
func (v bundler) fastTwoSum(a, b bundle) (s, rest bundle) {
	s = v.add(a, b)
	return s, v.add(v.sub(a, s), b)
}
