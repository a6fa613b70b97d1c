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

var (
	leastNormal = 0x1p-1022
	raise       = 0x1p54 // makes subnormal numbers normal
	raised      = -54.0
	two         = 2.0
	infinity    = math.Inf(1)
	minusInf    = math.Inf(-1)
	notANumber  = math.NaN()
	zero        = 0.0

	ln2Head = 0x1.62e42fefa3800p-1  // 42 bits: k·ln2Head is exact
	ln2Tail = 0x1.ef35793c76730p-45 // ln 2 − ln2Head

	splitBits   uint64 = 0x3ff<<52 - 0x3fe6a09e667f3bcd // the bits of 1.0 less those of √½
	twoTo52Bits uint64 = 0x433 << 52                    // the bits of 2⁵²
	twoTo52Plus        = 0x1p52 + 1023

	// 2/(2n+1) for n = 10, …, 1.
	logTaylor = [...]float64{
		2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
	}
)

// Log sets dst[i] = log(x[i]), within 1 ulp. It is −Inf at 0 and NaN below 0. dst may
// be x.
func Log(dst, x []float64) {
	for dst = fit(dst, x); len(x) > 0; {
		n := min(len(x), atOnce)
		logPath(dst[:n], x[:n])
		dst, x = dst[n:], x[n:]
	}
}

// LogOf returns log(x), with the same bits as Log.
func LogOf(x float64) float64 { return logGo(x) }

func logSlice(dst, x []float64) {
	for i, v := range x {
		dst[i] = logGo(v)
	}
}

// logGo returns
//
//	log(x) = k ln 2 + log(1+f),   x = 2ᵏ(1+f),   √½ ≤ 1+f < √2.
func logGo(x float64) float64 {
	switch {
	case !(x >= 0):
		return notANumber
	case x == 0:
		return minusInf
	case x == infinity:
		return x
	}
	k, f := split(lift(x))
	return logSum(k, f)
}

// lift returns x = normal·2ᵏ, with normal not subnormal.
func lift(x float64) (normal, k float64) {
	if x < leastNormal {
		return x * raise, raised
	}
	return x, 0
}

// split returns k + k0 and f of x = 2ᵏ(1+f), √½ ≤ 1+f < √2, for a normal x > 0.
func split(x, k0 float64) (k, f float64) {
	b := math.Float64bits(x)
	e := (b + splitBits) >> 52 // k + 1023
	k = math.Float64frombits(e|twoTo52Bits) - twoTo52Plus + k0
	return k, math.Float64frombits(b-e<<52+oneBits) - 1
}

// logSum returns k ln 2 + log(1+f). With s = f/(2+f),
//
//	log(1+f) = 2 artanh s = f − (f²/2 − s(f²/2 + R)),   R = 2s²/3 + 2s⁴/5 + …,
//
// up to s²⁰, which leaves a relative error of 6e-19.
func logSum(k, f float64) float64 {
	s := f / (two + f)
	z := s * s
	r := float64(z * horner(logTaylor[:], z))
	h := float64(half * f * f)
	t := s * (h + r)
	low := h - math.FMA(k, ln2Tail, t)
	hi, lo := fastTwoSum(float64(k*ln2Head), f)
	return hi + (lo - low)
}

// Pow sets dst[i] = x[i]^p[i] for x[i] ≥ 0 and finite p[i] > 0. It is right to 1 ulp
// for p up to 6; for larger p the error grows to about 15 ulp. It is NaN for
// x[i] < 0. dst may be x.
func Pow(dst, x, p []float64) {
	for dst, p = fit(dst, x), p[:len(x):len(p)]; len(x) > 0; {
		n := min(len(x), atOnce)
		powPath(dst[:n], x[:n], p[:n])
		dst, x, p = dst[n:], x[n:], p[n:]
	}
}

func powSlice(dst, x, p []float64) {
	for i, v := range x {
		dst[i] = powGo(v, p[i])
	}
}

// powGo returns x^p = exp(p log x), with the logarithm accurate to about 2e-18.
func powGo(x, p float64) float64 {
	switch {
	case !(x >= 0):
		return notANumber
	case x == 0:
		return zero
	case x == infinity:
		return x
	}
	k, f := split(lift(x))
	hi, lo := logPair(k, f)
	product := p * hi
	rest := math.FMA(p, hi, -product)
	rest = math.FMA(p, lo, rest)
	clamped := clamp(product)
	if product != clamped {
		rest = zero // it is undefined here
	}
	k, r, c := expReduce(clamped)
	r, c = fastTwoSum(r, c+rest)
	return expSum(k, r, c)
}

// logPair returns k ln 2 + log(1+f) as a sum of two numbers:
// 2 artanh(s) = 2s + 2s³/3 + …, s = f/(2+f) = s1 + s2.
func logPair(k, f float64) (hi, lo float64) {
	u, v := fastTwoSum(two, f) // 2+f = u+v
	s1 := f / u
	rest := math.FMA(-s1, u, f)
	rest = math.FMA(-s1, v, rest)
	s2 := rest / u
	z := s1 * s1
	tail := float64(s1 * (z * horner(logTaylor[:], z)))
	s1, s2 = s1+s1, s2+s2
	s2 = math.FMA(s2, z, s2) // d(2 artanh s) = 2(1 + s² + …) ds
	hi, lo = fastTwoSum(float64(k*ln2Head), s1)
	return fastTwoSum(hi, lo+(tail+math.FMA(k, ln2Tail, s2)))
}
