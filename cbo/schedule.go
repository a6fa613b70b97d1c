package cbo

import "math"

// A Schedule gives a parameter its value in step k = 0, 1, 2, …
type Schedule func(k int) float64

// Constant is the schedule v, v, v, …
func Constant(v float64) Schedule {
	return func(int) float64 { return v }
}

// Geometric is the schedule min(start·factor^k, limit), for factor ≥ 1.
func Geometric(start, factor, limit float64) Schedule {
	if start == 0 {
		return Constant(0) // where factor^k overflows too
	}
	return func(k int) float64 { return min(start*math.Pow(factor, float64(k)), limit) }
}
