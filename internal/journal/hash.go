package journal

import "math"

// hashPoint returns a hash of a point. Every step is a bijection of the state for a given
// coordinate, and of the coordinate for a given state. So two points that differ in one
// coordinate never have the same hash. Others have it with a probability of 2^-64.
func hashPoint(x []float64) uint64 {
	h := uint64(len(x)) + 0x9e3779b97f4a7c15
	for _, v := range x {
		h ^= math.Float64bits(v)
		h *= 0xd6e8feb86659fd93
		h ^= h >> 32
	}
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
