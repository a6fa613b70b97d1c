package kernel

import (
	"math"
	"math/big"
)

// The reference computes with this many bits of precision, of which 100 or more are
// right. The constants have long bits, because the largest float64 has 1024 bits before
// the point.
const (
	precision = 192
	long      = 1500
)

var (
	bigPi        = sum(arc(5, -1, 16), arc(239, -1, -4)) // Machin
	bigHalfPi    = scaled(bigPi, -1)
	bigTwoOverPi = new(big.Float).Quo(big.NewFloat(1), bigHalfPi)
	bigLn2       = arc(3, 1, 2)
	factorials   = inverseFactorials(40)
	minusZero    = math.Copysign(0, -1)
)

func exactly(x float64) *big.Float           { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func sum(x, y *big.Float) *big.Float         { return new(big.Float).Add(x, y) }
func less(x, y *big.Float) *big.Float        { return new(big.Float).Sub(x, y) }
func scaled(x *big.Float, by int) *big.Float { return new(big.Float).SetMantExp(x, by) }

// arc returns factor·Σ signⁿ/((2n+1)q²ⁿ⁺¹). The sum is artanh(1/q) for sign 1 and
// arctan(1/q) for sign −1.
func arc(q, sign, factor int64) *big.Float {
	const bits = long + 64
	total, power := new(big.Int), new(big.Int).Lsh(big.NewInt(factor), bits)
	for n := int64(1); power.Sign() != 0; n += 2 {
		power.Quo(power, big.NewInt(q))
		total.Add(total, new(big.Int).Quo(power, big.NewInt(n)))
		power.Quo(power, big.NewInt(q*sign))
	}
	return scaled(new(big.Float).SetPrec(long).SetInt(total), -bits)
}

// inverseFactorials returns 1/0!, …, 1/n!.
func inverseFactorials(n int) []*big.Float {
	all := []*big.Float{exactly(1)}
	for i := 1; i <= n; i++ {
		all = append(all, new(big.Float).Quo(all[i-1], exactly(float64(i))))
	}
	return all
}

// taylor returns Σ zⁿ/(first + n·step)! for n = 0, …, terms.
func taylor(z *big.Float, first, step, terms int) *big.Float {
	s := new(big.Float).Set(factorials[first+terms*step])
	for n := terms - 1; n >= 0; n-- {
		s.Mul(s, z)
		s.Add(s, factorials[first+n*step])
	}
	return s
}

// bigExp returns exp(x) = 2ᵏ exp(r/2⁸)^2⁸.
func bigExp(x *big.Float) *big.Float {
	const halvings = 8
	f, _ := x.Float64()
	k := math.Round(f / math.Ln2)
	r := new(big.Float).SetPrec(precision).Mul(bigLn2, big.NewFloat(k))
	r.Sub(x, r)
	y := taylor(scaled(r, -halvings), 0, 1, 14)
	for range halvings {
		y.Mul(y, y)
	}
	return scaled(y, int(k))
}

// bigLog returns log(x) by Halley's iteration for exp(y) = x. A step of length c leaves
// an error of c³/12.
func bigLog(x float64) *big.Float {
	y := exactly(math.Log(x))
	for {
		e := bigExp(y)
		c := new(big.Float).Quo(less(exactly(x), e), sum(exactly(x), e))
		c.SetMantExp(c, 1)
		y.Add(y, c)
		if c.Sign() == 0 || c.MantExp(nil) < y.MantExp(nil)-40 {
			return y
		}
	}
}

func bigPow(x, p float64) *big.Float {
	y := bigLog(x)
	return bigExp(y.Mul(y, exactly(p)))
}

// bigSin returns sin(x + quarter·π/2), quarter 0 or 1.
func bigSin(x float64, quarter int64) *big.Float {
	turns := new(big.Float).Mul(bigTwoOverPi, big.NewFloat(math.Abs(x)))
	k, _ := sum(turns, big.NewFloat(0.5)).Int(nil)
	turns.Sub(turns, new(big.Float).SetInt(k))
	r := new(big.Float).SetPrec(precision).Mul(turns, bigHalfPi)
	z := new(big.Float).Mul(r, r)
	z.Neg(z)
	k.Add(k, big.NewInt(quarter))
	odd := int(k.Bit(0))
	y := taylor(z, 1-odd, 2, 18)
	if odd == 0 {
		y.Mul(y, r)
	}
	if (k.Bit(1) == 1) != (quarter == 0 && x < 0) {
		y.Neg(y)
	}
	return y
}

// inUlps returns the error of got in units of the spacing of float64s at want.
// +Inf counts as 2¹⁰²⁴, which would be the next float64.
func inUlps(got float64, want *big.Float) float64 {
	if math.IsNaN(got) {
		return math.Inf(1)
	}
	g := big.NewFloat(got)
	if math.IsInf(got, 1) {
		g = scaled(big.NewFloat(1), 1024)
		if want.Cmp(g) >= 0 {
			return 0
		}
	}
	exponent := min(max(want.MantExp(nil), -1021), 1024)
	e, _ := scaled(less(want, g), 53-exponent).Float64()
	return math.Abs(e)
}
