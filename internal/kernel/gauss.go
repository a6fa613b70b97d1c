package kernel

import (
	"math"
	"math/bits"
)

// lanesOfChance is how many generators run side by side.
const lanesOfChance = 8

// Chance is the state of eight independent generators, xoshiro256++ of
// Blackman and Vigna (2019): word w of generator i is Chance[w][i]. The words
// of one generator must not all be 0.
type Chance [4][lanesOfChance]uint64

// GaussBlock is how many Gaussian numbers the generators make at a time.
const GaussBlock = 2 * lanesOfChance

var (
	quarterTurns      = 4.0
	quarterTurnsShift = -6.0
	minusTwo          = -2.0
)

// Gauss fills dst with independent N(0, 1) numbers. The length of dst must be a
// multiple of GaussBlock. By the method of Box and Muller, two numbers a and b of
// generator i give
//
//	u = 1 − a/2⁶⁴ ∈ (0, 1],   θ = 2π b/2⁶⁴ − π,   ρ = √(−2 log u).
//
// Place i of the block is ρ cos θ, and place 8+i is ρ sin θ. a and b are cut to
// 52 bits. No number is larger than 8.5.
func Gauss(dst []float64, state *Chance) {
	if len(dst)%GaussBlock != 0 {
		panic("kernel: Gauss makes whole blocks of numbers")
	}
	if len(dst) > 0 {
		gaussPath(dst, state)
	}
}

func gaussSlice(dst []float64, state *Chance) {
	for ; len(dst) > 0; dst = dst[GaussBlock:] {
		for i := range lanesOfChance {
			u := 2 - unit(state.next(i))
			v := unit(state.next(i))
			rho := math.Sqrt(minusTwo * logSum(split(u, 0)))
			// θ in quarter turns, from −2 to 2.
			q := math.FMA(v, quarterTurns, quarterTurnsShift)
			t := q + shifter
			s, c := sinCos((q - (t - shifter)) * piHalf)
			k := math.Float64bits(t)
			dst[i] = rho * turn(s, c, k+lowestBit)
			dst[lanesOfChance+i] = rho * turn(s, c, k)
		}
	}
}

// unit returns the number in [1, 2) whose bits behind the point are the highest of x.
func unit(x uint64) float64 { return math.Float64frombits(x>>12 | oneBits) }

// next returns the next number of generator i.
func (g *Chance) next(i int) uint64 {
	s0, s1, s2, s3 := g[0][i], g[1][i], g[2][i], g[3][i]
	out := bits.RotateLeft64(s0+s3, 23) + s0
	t := s1 << 17
	s2 ^= s0
	s3 ^= s1
	s1 ^= s2
	s0 ^= s3
	s2 ^= t
	g[0][i], g[1][i], g[2][i], g[3][i] = s0, s1, s2, bits.RotateLeft64(s3, 45)
	return out
}
