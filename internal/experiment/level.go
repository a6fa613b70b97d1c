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

// level returns the gap 10^(k/5). Whole powers of ten are exact, so that level(-40) is 1e-8
// to the bit. A run's curve has the first query at or below every level.
func level(k int) float64 {
	whole := int(math.Floor(float64(k) / 5))
	return fifths[k-5*whole] * math.Pow10(whole)
}

// fifths holds 10^(i/5).
var fifths = [5]float64{1, 1.5848931924611136, 2.51188643150958, 3.9810717055349722, 6.309573444801933}

// levels returns the levels from 100 down to 1e-8 that are at or above the least gap: 51, if
// it is 1e-8 or less.
func levels(least float64) (all []float64) {
	for k := 10; k >= -40 && level(k) >= least; k-- {
		all = append(all, level(k))
	}
	return all
}
