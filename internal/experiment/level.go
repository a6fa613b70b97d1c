package experiment

import "math"

// gapOf returns how far a value is above the minimum, or the value itself if the minimum is
// not known. What is no value is infinitely far.
func gapOf(value, minimum float64) float64 {
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	if math.IsNaN(minimum) {
		return value
	}
	return value - minimum
}

// valueAt returns the largest value whose gap is not above the given one. minimum + gap may
// be another because it is rounded.
func valueAt(minimum, gap float64) float64 {
	if math.IsNaN(minimum) {
		return gap
	}
	low, high := ordered(math.Inf(-1)), ordered(math.Inf(1)) // gapOf(low) ≤ gap < gapOf(high)
	for low+1 < high {
		middle := low + (high-low)/2
		if gapOf(unordered(middle), minimum) <= gap {
			low = middle
		} else {
			high = middle
		}
	}
	return unordered(low)
}

// ordered maps numbers to whole numbers, in order and without holes; unordered maps them back.
func ordered(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func unordered(n uint64) float64 {
	if n>>63 == 1 {
		return math.Float64frombits(n &^ (1 << 63))
	}
	return math.Float64frombits(^n)
}

// isLevel reports whether v is 10^(k/5) for some whole k, to the last bit.
func isLevel(v float64) bool {
	return v > 0 && !math.IsInf(v, 1) && v == level(levelAbove(v))
}

// levelAbove returns the least k with 10^(k/5) ≥ v. It is the least number there is if v ≤ 0,
// and the largest if v is infinite.
func levelAbove(v float64) int {
	if v <= 0 {
		return math.MinInt
	}
	if math.IsInf(v, 1) {
		return math.MaxInt
	}
	k := int(math.Ceil(5 * math.Log10(v)))
	for level(k-1) >= v {
		k--
	}
	for level(k) < v {
		k++
	}
	return k
}
