package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
)

// numbers are random numbers that can be had in any order: each depends on the seed and on
// what it belongs to alone.
type numbers uint64

// numbersOf returns the numbers of a name.
func numbersOf(seed rng.Seed, name string) numbers {
	return numbers(seed.Stream("problem", name).Uint64())
}

// gaussian returns the N(0, 1) number that belongs to n ≥ 1, by Box and Muller:
//
//	√(−2 ln u) cos 2πu′,   u on (0, 1], u′ on [0, 1)
func (k numbers) gaussian(n int) float64 {
	u, angle := unit(scramble(uint64(k)+(2*uint64(n)-1)*golden)), unit(scramble(uint64(k)+2*uint64(n)*golden))
	return float64(math.Sqrt(-2*kernel.LogOf(1-u)) * kernel.CosOf(2*math.Pi*angle))
}

// at returns the number that belongs to the point x, uniform on [0, 1). −0 is 0.
func (k numbers) at(x []float64) float64 {
	h := uint64(k)
	for _, v := range x {
		h = scramble((h ^ math.Float64bits(v+0)) + golden)
	}
	return unit(h)
}

// golden is the odd number next to 2⁶⁴/φ.
const golden = 0x9e3779b97f4a7c15

// scramble is the output function of SplitMix64: of 1, 2, 3, … times golden it makes random
// words.
//
// Reference: G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
// generators", 2014.
func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns the number on [0, 1) that the first 53 bits of a word stand for.
func unit(word uint64) float64 { return float64(float64(word>>11) / (1 << 53)) }
