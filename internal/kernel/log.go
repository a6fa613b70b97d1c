package kernel

import "math"

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
