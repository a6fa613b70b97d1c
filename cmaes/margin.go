package cmaes

import "math"

// A lattice coordinate k takes the nearest of its values. Where σ has become small against the distance
// of two values, all points have the same one, and nothing is learnt any more. CMA-ES with margin
// (R. Hamano, S. Saito, M. Nomura, S. Shirakawa, "CMA-ES with margin: lower-bounding marginal probability
// for mixed-integer black-box optimization", 2022) keeps the probability of other values above
//
//	α = 1/(nλ),
//
// by a factor a_k of its own for each such coordinate, x = m + σ a∘y, and by moving m_k. Departure: the
// first and the last cell of a lattice reach to infinity, as in the paper, so that no fold is needed.
// α = 0 is CMA-ES with rounding: see Plan.of.

// lattices is what a run knows of its lattice coordinates; nil: it has none.
type lattices struct {
	values [][]float64 // of each coordinate; nil: it is continuous
	a      []float64
	alpha  float64
}

func newLattices(values [][]float64, n, lambda int) *lattices {
	if values == nil {
		return nil
	}
	l := &lattices{values: values, a: make([]float64, n), alpha: 1 / float64(n*lambda)}
	for k := range l.a {
		l.a[k] = 1
	}
	return l
}

// nearest returns the index of the value that is nearest to v.
func nearest(values []float64, v float64) int {
	j := 0
	for j+1 < len(values) && v-values[j] > values[j+1]-v {
		j++
	}
	return j
}

// round sets lattice coordinates of x to their values at u. Without a margin m may leave the bounds, and x, which is folded
// into them, is rounded instead.
func (l *lattices) round(x, u []float64) {
	if l.alpha == 0 {
		u = x
	}
	for k, values := range l.values {
		if len(values) > 0 {
			x[k] = values[nearest(values, u[k])]
		}
	}
}

// correct moves m and a so that no probability of a lattice is below its margin. deviation has √C_kk.
func (l *lattices) correct(m []float64, sigma float64, deviation []float64) {
	if l.alpha == 0 {
		return
	}
	for k, values := range l.values {
		if len(values) == 0 {
			continue
		}
		s := sigma * l.a[k] * deviation[k]
		j := nearest(values, m[k])
		if j == 0 || j == len(values)-1 { // one edge: m_k ← ℓ + sign(m_k − ℓ) min(|m_k − ℓ|, s·Φ⁻¹(1 − α))
			i := min(j, len(values)-2)
			edge := values[i] + float64((values[i+1]-values[i])/2)
			m[k] = edge + math.Copysign(min(math.Abs(m[k]-edge), s*quantile(l.alpha)), m[k]-edge)
			continue
		}
		low := values[j] - float64((values[j]-values[j-1])/2)
		up := values[j] + float64((values[j+1]-values[j])/2)
		pLow, pUp := margin(l.alpha, below((low-m[k])/s), below((m[k]-up)/s))
		// ℓ_low = m − s·Φ⁻¹(1 − p_low), ℓ_up = m + s·Φ⁻¹(1 − p_up)
		qLow, qUp := quantile(pLow), quantile(pUp)
		s = (up - low) / (qLow + qUp)
		m[k] = low + float64(s*qLow)
		l.a[k] = s / (sigma * deviation[k])
	}
}

// margin raises the probabilities below and above a cell to α/2 at least, and takes that from the
// others in proportion to what they have beyond it.
func margin(alpha, pLow, pUp float64) (float64, float64) {
	half := float64(alpha / 2)
	low, up, mid := max(half, pLow), max(half, pUp), max(half, 1-pLow-pUp)
	over := (1 - low - up - mid) / (low + up + mid - float64(1.5*alpha))
	return low + float64(over*(low-half)), up + float64(over*(up-half))
}

// below is Φ(t), the probability that a standard normal number is below t.
func below(t float64) float64 { return float64(math.Erfc(-t/math.Sqrt2) / 2) }

// quantile is Φ⁻¹(1 − p), p at most ½.
func quantile(p float64) float64 { return float64(math.Sqrt2 * math.Erfinv(max(1-float64(2*p), 0))) }
