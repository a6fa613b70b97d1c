package outer

import (
	"math"
	"slices"
)

// FromNumbers returns the map whose c at the values f_k is nearest to c_k: with
// t_k = (f_k − r)/s, r and s the middle and half the range of the values, (1 + κt_k)s c_k + γ
// is as small as can be, in least squares over κ and γ. It takes two different values at
// least, and returns nil if there are not so many or if some number is not finite.
func FromNumbers(values, c []float64) *Map {
	if len(values) < 2 {
		return nil
	}
	lo, hi := slices.Min(values), slices.Max(values)
	r, s := lo+float64((hi-lo)/2), (hi-lo)/2
	var aa, ab, bb, ra, rb float64 // of [s c_k t_k, 1]·[κ, γ] = −s c_k
	for k, f := range values {
		sc := s * c[k]
		a := sc * (f - r) / s
		aa, ab, bb = aa+float64(a*a), ab+a, bb+1
		ra, rb = ra-float64(a*sc), rb-sc
	}
	det := float64(aa*bb) - float64(ab*ab)
	kappa, gamma := (float64(bb*ra)-float64(ab*rb))/det, (float64(aa*rb)-float64(ab*ra))/det
	if !(det > 1e-12*aa*bb) { // all c the same: e^{γt}
		kappa, gamma = 0, rb/bb
	}
	if !(s > 0) || math.IsNaN(kappa+gamma) || math.IsInf(kappa, 0) || math.IsInf(gamma, 0) {
		return nil
	}
	// The pole must not be among the values: 1 + κt > 0 for |t| ≤ 1.
	if kappa = min(max(kappa, -nearest), nearest); gamma == 0 {
		kappa = 0
	}
	return power(r, s, gamma, kappa)
}

// nearest is the largest |κ|: the pole of a power is that near to the values, at t = ∓1/κ.
const nearest = 1 - 1e-9
