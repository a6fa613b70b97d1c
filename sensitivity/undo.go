package sensitivity

import (
	"math"
	"sort"
)

// undone is how finely ψ⁻¹ is tabled.
const undone = 4096

// undo returns ψ⁻¹, nil if there is no map. It is tabled over all values of f that were seen, half
// of its places equally far apart in f and half in ψ(f). Beyond them it goes on along its tangents.
func (r Run) undo(d data) func(float64) float64 {
	if r.Map == nil {
		return nil
	}
	lo, hi := d.least, d.most
	var f []float64
	for k := range undone + 1 {
		f = append(f, lo+float64((hi-lo)*float64(k)/undone))
	}
	a, b := r.Map.Of(lo), r.Map.Of(hi)
	for k := 1; k < undone; k++ {
		f = append(f, r.solve(a+float64((b-a)*float64(k)/undone), lo, hi))
	}
	sort.Float64s(f)
	u := make([]float64, len(f))
	for k, v := range f {
		u[k] = r.Map.Of(v)
	}
	last := len(f) - 1
	return func(v float64) float64 {
		switch {
		case v <= u[0]:
			return f[0] + (v-u[0])/r.Map.Slope(f[0])
		case v >= u[last]:
			return f[last] + (v-u[last])/r.Map.Slope(f[last])
		}
		k := sort.SearchFloat64s(u, v)
		if u[k] == u[k-1] {
			return f[k]
		}
		return f[k-1] + float64((f[k]-f[k-1])*((v-u[k-1])/(u[k]-u[k-1])))
	}
}

// solve returns the f between lo and hi with ψ(f) = v, by halving.
func (r Run) solve(v, lo, hi float64) float64 {
	for range 60 {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi || math.IsInf(middle, 0) {
			break
		}
		if r.Map.Of(middle) < v {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo + (hi-lo)/2
}
