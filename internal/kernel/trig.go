package kernel

import (
	"math"
	"math/bits"
)

var (
	twoOverPi = 0x1.45f306dc9c883p-1
	piHalf    = 0x1.921fb54442d18p+0 // rounded
	piHalfLo  = 0x1.1a62633145c07p-54

	shifterOdd = shifter + 1
	absBits    = uint64(1<<63 - 1)
	signBit    = uint64(1 << 63)
	lowestBit  = uint64(1)

	// farAway is the argument up to which multiples k of π/2 are subtracted in
	// two steps. The error of piHalf + piHalfLo, 2⁻¹⁰⁸, times k < 2⁴² is
	// negligible, and k is the nearest integer to within 2⁻¹¹.
	farAway = 0x1p42

	// (−1)ⁿ/(2n+1)! for n = 8, …, 1.
	sinTaylor = [...]float64{
		1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
		1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6,
	}
	// (−1)ⁿ/(2n)! for n = 8, …, 1.
	cosTaylor = [...]float64{
		1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
		1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2,
	}
)

// Cos sets dst[i] = cos(x[i]), with an error of at most 2.5e-16 and never beyond ±1.
// dst may be x.
func Cos(dst, x []float64) {
	for dst = fit(dst, x); len(x) > 0; {
		n := min(len(x), atOnce)
		done := cosPath(dst[:n], x[:n])
		done += trigSlice(dst[done:], x[done:], 1)
		dst, x = dst[done:], x[done:]
	}
}

// Sin sets dst[i] = sin(x[i]), with an error of at most 2.5e-16 and never beyond ±1.
// dst may be x.
func Sin(dst, x []float64) {
	for dst = fit(dst, x); len(x) > 0; {
		n := min(len(x), atOnce)
		done := sinPath(dst[:n], x[:n])
		done += trigSlice(dst[done:], x[done:], 0)
		dst, x = dst[done:], x[done:]
	}
}

// CosOf returns cos(x), with the same bits as Cos.
func CosOf(x float64) float64 { return trigGo(x, 1) }

// SinOf returns sin(x), with the same bits as Sin.
func SinOf(x float64) float64 { return trigGo(x, 0) }

// trigSlice sets the next few elements of dst and returns how many it set: enough to
// take the assembly past the vectors at which it stopped.
func trigSlice(dst, x []float64, quarter uint64) (done int) {
	for done < min(32, len(x)) {
		dst[done] = trigGo(x[done], quarter)
		done++
	}
	return done
}

// trigGo returns sin(x + quarter·π/2), where quarter is 0 or 1. With k = round(x/(π/2))
// and r = x − kπ/2, it is ±sin r or ±cos r, depending on k + quarter mod 4.
func trigGo(x float64, quarter uint64) float64 {
	a := math.Float64frombits(math.Float64bits(x) & absBits)
	if !(a <= farAway) {
		return trigExact(x, quarter)
	}
	by := shifter
	if quarter == 1 {
		by = shifterOdd
	}
	t := math.FMA(a, twoOverPi, by) // the lowest bits of t are k + quarter
	k := t - by
	// The first step is exact: a multiple of 2⁻⁵³ below 1.
	r := math.FMA(-k, piHalfLo, math.FMA(-k, piHalf, a))
	s, c := sinCos(r)
	y := turn(s, c, math.Float64bits(t))
	if quarter == 0 {
		y = flip(y, math.Float64bits(x))
	}
	return y
}

// sinCos returns sin r and cos r for |r| ≤ π/4 by their Taylor series up to r¹⁷ and
// r¹⁶, which leave errors of 1e-19 and 2e-18.
func sinCos(r float64) (s, c float64) {
	z := r * r
	s = math.FMA(r, z*horner(sinTaylor[:], z), r)
	c = math.FMA(z, horner(cosTaylor[:], z), 1)
	return s, c
}

// turn returns sin(r + kπ/2), given s = sin r and c = cos r.
func turn(s, c float64, k uint64) float64 {
	if k&lowestBit != 0 {
		s = c
	}
	return flip(s, k<<62)
}

// flip returns y with its sign changed if the highest bit of s is set.
func flip(y float64, s uint64) float64 {
	return math.Float64frombits(math.Float64bits(y) ^ s&signBit)
}

// trigExact is trigGo for |x| > farAway.
func trigExact(x float64, quarter uint64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return notANumber
	}
	k, r := reduce(math.Abs(x))
	s, c := sinCos(r)
	y := turn(s, c, k+quarter)
	if quarter == 0 {
		y = flip(y, math.Float64bits(x))
	}
	return y
}

// reduce returns k mod 4 and r = x − kπ/2, |r| ≤ π/4, for any finite x ≥ 2²⁰.
//
// With x = m·2ᵉ, only those bits of 2/π count whose product with 2ᵉ is below 4. Take
// 192 of these bits as an integer, times m, modulo 2¹⁹². The first two bits of the
// result are k, and the others are the fraction of a quarter turn (Payne and Hanek
// 1983). The bits left out are worth less than 2⁻¹³⁷, and no float64 is closer than
// 2⁻⁶² to a multiple of π/2.
func reduce(x float64) (k uint64, r float64) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52) - 1075
	at := e - 2 + 64 // the words begin 64 bits before the point
	word, shift := at/64, at%64
	var w [3]uint64
	for i := range w {
		w[i] = quarters[word+i]<<shift | quarters[word+i+1]>>(64-shift)
	}
	lo1, lo0 := bits.Mul64(m, w[2])
	mid1, mid0 := bits.Mul64(m, w[1])
	p0 := lo0
	p1, carry := bits.Add64(mid0, lo1, 0)
	p2 := m*w[0] + mid1 + carry

	k = p2 >> 62
	f := [3]uint64{p2<<2 | p1>>62, p1<<2 | p0>>62, p0 << 2}
	sign := 1.0
	if f[0]>>63 != 0 { // more than half: use the next multiple, and r < 0
		k++
		sign = -1
		f[2], carry = bits.Add64(^f[2], 1, 0)
		f[1], carry = bits.Add64(^f[1], 0, carry)
		f[0], _ = bits.Add64(^f[0], 0, carry)
	}
	shift = bits.LeadingZeros64(f[0])
	f[0] = f[0]<<shift | f[1]>>(64-shift)
	f[1] = f[1]<<shift | f[2]>>(64-shift)

	// The fraction as hi + lo, times π/2.
	unit := sign * math.Float64frombits(uint64(1023-53-shift)<<52)
	hi := unit * float64(f[0]>>11)
	lo := unit * 0x1p-53 * float64(f[0]&0x7ff<<42|f[1]>>22)
	r = float64(hi * piHalf)
	rest := math.FMA(hi, piHalf, -r) + math.FMA(hi, piHalfLo, lo*piHalf)
	return k, r + rest
}

// quarters holds the first bits of 2/π: 64 bits before the point and 1,216 after it.
var quarters = [...]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}
