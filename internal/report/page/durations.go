package page

import "math"

// durations keep times so that their median is known to some 2 %: counted by their logarithm,
// 32 steps to a factor of 2, from 2⁻⁴⁰ to 2⁴⁰ seconds.
type durations struct {
	n         int
	sum, most float64
	counts    [80 * 32]int
}

// add counts a time above 0.
func (d *durations) add(seconds float64) {
	d.n++
	d.sum += seconds
	d.most = max(d.most, seconds)
	at := math.Round(32 * (40 + math.Log2(seconds)))
	d.counts[int(max(0, min(at, float64(len(d.counts)-1))))]++
}

// median returns the median, 0 if there is no time.
func (d *durations) median() float64 {
	seen := 0
	for at, n := range d.counts {
		if seen += n; n > 0 && 2*seen >= d.n {
			return min(math.Exp2(float64(at)/32-40), d.most)
		}
	}
	return 0
}
