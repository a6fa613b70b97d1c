package kernel

import "math"

// Some constants of this package are variables because the assembly reads them too,
// under the same names. They are never written.
var (
	expTop    = 710.0  // exp is +Inf from here up
	expBottom = -746.0 // exp is 0 from here down

	invLn2 = 0x1.71547652b82fep+0
	ln2    = 0x1.62e42fefa39efp-1 // rounded
	ln2Lo  = 0x1.abc9e3b39803fp-56
	one    = 1.0
	half   = 0.5

	// shifter + x, for |x| < 2⁵¹, has x rounded to an integer in its lowest bits.
	shifter        = 0x1.8p52
	oneBits uint64 = 0x3ff << 52 // the bits of 1.0

	// 1/n! for n = 13, …, 2.
	expTaylor = [...]float64{
		1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
		1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
	}
)

// Exp sets dst[i] = exp(x[i]), within 1 ulp. dst may be x.
func Exp(dst, x []float64) {
	for dst = fit(dst, x); len(x) > 0; {
		n := min(len(x), atOnce)
		expPath(dst[:n], x[:n])
		dst, x = dst[n:], x[n:]
	}
}

// ExpOf returns exp(x), with the same bits as Exp.
func ExpOf(x float64) float64 { return expGo(x) }

func expSlice(dst, x []float64) {
	for i, v := range x {
		dst[i] = expGo(v)
	}
}

// expGo returns
//
//	exp(x) = 2ᵏ exp(r),   k = round(x/ln 2),   r = x − k ln 2,
//
// with exp(r), |r| ≤ 0.35, by its Taylor series up to r¹³/13!, which leaves an
// error of 4e-18.
func expGo(x float64) float64 {
	k, r, c := expReduce(clamp(x))
	return expSum(k, r, c)
}

// clamp returns x limited to [expBottom, expTop].
func clamp(x float64) float64 {
	if x > expTop {
		x = expTop
	}
	if x < expBottom {
		x = expBottom
	}
	return x
}

// expReduce returns k and x − k ln 2 = r + c, where |r| ≤ 0.35 and c is the rounding
// error of r, for expBottom ≤ x ≤ expTop.
func expReduce(x float64) (k, r, c float64) {
	k = math.FMA(x, invLn2, shifter) - shifter
	r1 := math.FMA(-k, ln2, x) // exact: a multiple of 2⁻⁵⁴ below ½
	r = math.FMA(-k, ln2Lo, r1)
	return k, r, math.FMA(-k, ln2Lo, r1-r)
}

// expSum returns 2ᵏ exp(r + c).
func expSum(k, r, c float64) float64 {
	p := horner(expTaylor[:], r)
	y := one + (r + math.FMA(r*r, p, c))
	return scale(y, k)
}

// scale returns y·2ᵏ for an integer −1100 ≤ k ≤ 1100, rounded once. It takes two
// steps, since 2ᵏ alone may be too large or too small for a float64.
func scale(y, k float64) float64 {
	t1 := math.FMA(k, half, shifter)
	t2 := (k - (t1 - shifter)) + shifter
	return y * power2(t1) * power2(t2)
}

// power2 returns 2ᵏ given t = shifter + k.
func power2(t float64) float64 {
	return math.Float64frombits(math.Float64bits(t)<<52 + oneBits)
}

// fastTwoSum returns s = a + b, rounded, and the rest a + b − s, for |a| ≥ |b| (or
// where the sum is exact).
func fastTwoSum(a, b float64) (s, rest float64) {
	s = a + b
	return s, (a - s) + b
}

// horner returns a polynomial in r, the highest coefficient first.
func horner(coefficients []float64, r float64) float64 {
	p := coefficients[0]
	for _, c := range coefficients[1:] {
		p = math.FMA(p, r, c)
	}
	return p
}
