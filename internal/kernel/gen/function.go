package main

import . "github.com/mmcloughlin/avo/build"

// The functions below are, line by line, those of the same names in the
// package's Go files.

func (v bundler) exp(x bundle) bundle {
	k, r, c := v.expReduce(v.atLeast(v.atMost(x, v.k("expTop")), v.k("expBottom")))
	return v.expSum(k, r, c)
}

func (v bundler) expReduce(x bundle) (k, r, c bundle) {
	shifter := v.k("shifter")
	k = v.sub(v.fma(x, v.k("invLn2"), shifter), shifter)
	r1 := v.fnma(k, v.k("ln2"), x)
	ln2Lo := v.k("ln2Lo")
	r = v.fnma(k, ln2Lo, r1)
	return k, r, v.fnma(k, ln2Lo, v.sub(r1, r))
}

func (v bundler) expSum(k, r, c bundle) bundle {
	p := v.horner("expTaylor", 12, r)
	y := v.add(v.k("one"), v.add(r, v.fma(v.mul(r, r), p, c)))
	return v.scale(y, k)
}

// scale is y·2ᵏ, rounded once. AVX-512 has an instruction for that.
func (v bundler) scale(y, k bundle) bundle {
	if v.masks {
		return v.binary(VSCALEFPD, y, k)
	}
	shifter := v.k("shifter")
	t1 := v.fma(k, v.k("half"), shifter)
	t2 := v.add(v.sub(k, v.sub(t1, shifter)), shifter)
	return v.mul(v.mul(y, v.power2(t1)), v.power2(t2))
}

func (v bundler) power2(t bundle) bundle {
	return v.addBits(v.left(t, 52), v.k("oneBits"))
}

func (v bundler) log(x bundle) bundle {
	k, f := v.split(v.lift(x))
	return v.unlessOdd(x, "minusInf", v.logSum(k, f))
}

// unlessOdd is y where 0 < x < ∞, and what logGo and powGo return elsewhere.
func (v bundler) unlessOdd(x bundle, atZero string, y bundle) bundle {
	infinity := v.k("infinity")
	y = v.where(v.compare(x, equal, infinity), infinity, y)
	zero := v.zero()
	y = v.where(v.compare(x, equal, zero), v.k(atZero), y)
	return v.where(v.compare(x, notAtLeast, zero), v.k("notANumber"), y)
}

func (v bundler) lift(x bundle) (normal, k bundle) {
	small := v.compare(x, less, v.k("leastNormal"))
	return v.where(small, v.mul(x, v.k("raise")), x), v.where(small, v.k("raised"), v.zero())
}

// split takes nil for 0.
func (v bundler) split(x, k0 bundle) (k, f bundle) {
	e := v.right(v.addBits(x, v.k("splitBits")), 52)
	m := v.addBits(v.subBits(x, v.left(e, 52)), v.k("oneBits"))
	f = v.sub(m, v.k("one"))
	k = v.sub(v.or(e, v.k("twoTo52Bits")), v.k("twoTo52Plus"))
	if k0 != nil {
		k = v.add(k, k0)
	}
	return k, f
}

func (v bundler) logSum(k, f bundle) bundle {
	s := v.div(f, v.add(v.k("two"), f))
	z := v.mul(s, s)
	r := v.mul(z, v.horner("logTaylor", 10, z))
	h := v.mul(v.mul(v.k("half"), f), f)
	t := v.mul(s, v.add(h, r))
	low := v.sub(h, v.fma(k, v.k("ln2Tail"), t))
	hi, lo := v.fastTwoSum(v.mul(k, v.k("ln2Head")), f)
	return v.add(hi, v.sub(lo, low))
}

func (v bundler) pow(x, p bundle) bundle {
	k, f := v.split(v.lift(x))
	hi, lo := v.logPair(k, f)
	product := v.mul(p, hi)
	rest := v.fma(p, lo, v.fms(p, hi, product))
	clamped := v.atLeast(v.atMost(product, v.k("expTop")), v.k("expBottom"))
	rest = v.where(v.compare(product, notEqual, clamped), v.zero(), rest)
	k, r, c := v.expReduce(clamped)
	r, c = v.fastTwoSum(r, v.add(c, rest))
	return v.unlessOdd(x, "zero", v.expSum(k, r, c))
}

func (v bundler) logPair(k, f bundle) (hi, lo bundle) {
	u, w := v.fastTwoSum(v.k("two"), f)
	s1 := v.div(f, u)
	rest := v.fnma(s1, w, v.fnma(s1, u, f))
	s2 := v.div(rest, u)
	z := v.mul(s1, s1)
	tail := v.mul(s1, v.mul(z, v.horner("logTaylor", 10, z)))
	s1, s2 = v.add(s1, s1), v.add(s2, s2)
	s2 = v.fma(s2, z, s2)
	tail = v.add(tail, v.fma(k, v.k("ln2Tail"), s2))
	hi, lo = v.fastTwoSum(v.mul(k, v.k("ln2Head")), s1)
	return v.fastTwoSum(hi, v.add(lo, tail))
}

// trig is sin(x + quarter·π/2). It jumps to far unless all |x| ≤ farAway.
func (v bundler) trig(x bundle, quarter int, far string) bundle {
	a := v.and(x, v.k("absBits"))
	v.leaveUnless(a, v.k("farAway"), far)
	shifter := v.k([]string{"shifter", "shifterOdd"}[quarter])
	t := v.fma(a, v.k("twoOverPi"), shifter)
	k := v.sub(t, shifter)
	r := v.fnma(k, v.k("piHalfLo"), v.fnma(k, v.k("piHalf"), a))
	s, c := v.sinCos(r)
	y := v.turn(s, c, t)
	if quarter == 0 {
		y = v.flip(y, x)
	}
	return y
}

func (v bundler) sinCos(r bundle) (s, c bundle) {
	z := v.mul(r, r)
	s = v.fma(r, v.mul(z, v.horner("sinTaylor", 8, z)), r)
	c = v.fma(z, v.horner("cosTaylor", 8, z), v.k("one"))
	return s, c
}

func (v bundler) turn(s, c, k bundle) bundle {
	return v.flip(v.where(v.odd(k), c, s), v.left(k, 62))
}

// boxMuller makes two Gaussian numbers of two random ones.
func (v bundler) boxMuller(a, b bundle) (x, y bundle) {
	k, f := v.split(v.sub(v.k("two"), v.unit(a)), nil)
	rho := v.sqrt(v.mul(v.k("minusTwo"), v.logSum(k, f)))
	q := v.fma(v.unit(b), v.k("quarterTurns"), v.k("quarterTurnsShift"))
	shifter := v.k("shifter")
	t := v.add(q, shifter)
	s, c := v.sinCos(v.mul(v.sub(q, v.sub(t, shifter)), v.k("piHalf")))
	x = v.mul(rho, v.turn(s, c, v.addBits(t, v.k("lowestBit"))))
	return x, v.mul(rho, v.turn(s, c, t))
}

func (v bundler) unit(x bundle) bundle { return v.or(v.right(x, 12), v.k("oneBits")) }
