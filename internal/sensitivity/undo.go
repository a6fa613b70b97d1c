package sensitivity

import "sort"

// undone is how finely ψ⁻¹ is tabled.
const undone = 4096

// An undo is ψ⁻¹, tabled over the values v = ψ(f) that were seen in the box, and as far again on
// either side.
type undo struct {
	v, f     []float64
	lo, hi   float64    // v that were seen
	ends     [2]float64 // ψ⁻¹ there
	tangents [2]float64 // and its slopes
}

// undo returns ψ⁻¹, nil if there is no map.
func (r Run) undo(d data) *undo {
	if r.Map == nil {
		return nil
	}
	u := &undo{lo: r.Map.Of(d.least), hi: r.Map.Of(d.most), ends: [2]float64{d.least, d.most}}
	u.tangents = [2]float64{1 / r.Map.Slope(d.least), 1 / r.Map.Slope(d.most)}
	for k := range undone + 1 { // half of the places equally far apart in f, half in v
		u.f = append(u.f, d.least+float64((d.most-d.least)*float64(k)/undone))
	}
	for k := -undone; k <= 2*undone; k++ {
		if k != 0 && k != undone {
			u.f = append(u.f, r.Map.Inverse(u.lo+float64((u.hi-u.lo)*float64(k)/undone)))
		}
	}
	sort.Float64s(u.f)
	for _, f := range u.f {
		u.v = append(u.v, r.Map.Of(f))
	}
	return u
}

// of returns ψ⁻¹(v).
func (u *undo) of(v float64) float64 {
	k := min(max(sort.SearchFloat64s(u.v, v), 1), len(u.v)-1)
	if u.v[k] == u.v[k-1] {
		return u.f[k]
	}
	return u.f[k-1] + float64((u.f[k]-u.f[k-1])*((v-u.v[k-1])/(u.v[k]-u.v[k-1])))
}

// doubt returns how far ψ⁻¹ is from its tangent beyond the values that were seen, where nobody
// knows whether ψ is right; 0 for those that were.
func (u *undo) doubt(v float64) float64 {
	switch {
	case u == nil:
	case v < u.lo:
		return u.of(v) - u.ends[0] - float64(u.tangents[0]*(v-u.lo))
	case v > u.hi:
		return u.of(v) - u.ends[1] - float64(u.tangents[1]*(v-u.hi))
	}
	return 0
}
