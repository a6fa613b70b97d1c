package identify

import "math"

// nearlyAll is the part of the way to the bounds that is gone at most, so that rounding
// does not lead out of them.
const nearlyAll = 1 - 1e-9

// room returns how far one may go from x along v, and back, without leaving the
// bounds, in multiples of v.
func (g *sampler) room(x, v []float64) float64 {
	most := math.Inf(1)
	for k, u := range v {
		if u != 0 {
			most = min(most, (x[k]-g.bounds.Lo[k])/math.Abs(u), (g.bounds.Hi[k]-x[k])/math.Abs(u))
		}
	}
	return most * nearlyAll
}

// spread returns the standard deviation of ⟨w, x⟩ over the inner box.
func (g *sampler) spread(w []float64) float64 {
	sum := 0.0
	for k, v := range w {
		half := v * (g.inner.Hi[k] - g.inner.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / 3) // a number that is uniform on [-a, a] has the variance a²/3
}
