package kernel

import "math"

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
