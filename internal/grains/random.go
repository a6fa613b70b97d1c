package grains

import (
	"math"

	"github.com/untwist/untwist/objective"
)

const (
	scouts  = 8  // points that are asked to find one of another value
	enough  = 24 // values at each of two points: with 46 degrees of freedom σ is right to a tenth
	variety = 4  // the ratio of two variances that tells noise of two kinds apart, more than chance would
)

// noisy returns the grain of a function that is random at x.
func (m *meter) noisy() (objective.Grain, error) {
	places := make([][]float64, scouts)
	values, _, err := m.ask(scouts, func(k int, x []float64) {
		m.box.Draw(x, m.random)
		if k%2 == 0 { // in a corner: f is the more different the further away it is
			for i := range x {
				if mid := m.box.Lo[i] + float64((m.box.Hi[i]-m.box.Lo[i])/2); x[i] < mid {
					x[i] = m.box.Lo[i]
				} else {
					x[i] = m.box.Hi[i]
				}
			}
		}
		places[k] = append([]float64(nil), x...)
	})
	if err != nil {
		return objective.Rounding, err
	}
	here, away := mean(m.same), 0.0
	there := m.x // whose value is the most different from that at x, as a factor
	for k, v := range values {
		if ratio := math.Abs(math.Log(math.Abs(v / here))); ratio > away && !math.IsInf(ratio, 1) {
			there, away = places[k], ratio
		}
	}
	more := enough - len(m.same)
	_, a, err := m.ask(more, func(_ int, x []float64) { copy(x, m.x) })
	if err != nil {
		return objective.Rounding, err
	}
	_, b, err := m.ask(enough, func(_ int, x []float64) { copy(x, there) })
	if err != nil {
		return objective.Rounding, err
	}
	g := fitted(append(a, m.same...), b)
	if r, _ := printed(m.all); r.Kind == objective.Raster {
		g.Digits = r.Digits
		if r.Of(here) > g.Of(here) {
			g.Kind, g.Absolute, g.Relative = objective.Raster, max(g.Absolute, r.Absolute), max(g.Relative, r.Relative)
		}
	}
	return g, nil
}

// fitted returns the grain of values at two points, each asked again and again. Their
// variances are equal, or have the ratio of the squared values. Where these are too similar
// to tell, the noise is taken to be the same everywhere; and where neither fits the larger
// standard deviation is that of all.
func fitted(a, b []float64) objective.Grain {
	g := objective.Grain{Relative: objective.Rounding.Relative, Kind: objective.RandomNoise}
	sa, sb, na, nb := deviation(a), deviation(b), float64(len(a)-1), float64(len(b)-1)
	if len(b) < least || sb == 0 {
		g.Absolute = sa
		return g
	}
	fa, fb := math.Abs(mean(a)), math.Abs(mean(b))
	seen, want := 2*math.Log(sb/sa), 2*math.Log(fb/fa) // logarithms of the ratios
	telling := math.Log(variety)
	switch {
	case math.Abs(want) >= telling && math.Abs(seen-want) < math.Abs(seen):
		g.Relative = pooled(sa/fa, sb/fb, na, nb)
	case math.Abs(seen) >= telling:
		g.Absolute = max(sa, sb)
	default:
		g.Absolute = pooled(sa, sb, na, nb)
	}
	return g
}

// pooled returns √((n_a s_a² + n_b s_b²)/(n_a+n_b)).
func pooled(sa, sb, na, nb float64) float64 {
	unit := unitOf([]float64{sa, sb})
	sa, sb = sa/unit, sb/unit
	return unit * math.Sqrt((float64(na*sa*sa)+float64(nb*sb*sb))/(na+nb))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// deviation returns the standard deviation of some values; 0 if there are fewer than two.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	sum, mid, unit := 0.0, mean(values), unitOf(values)
	for _, v := range values {
		away := (v - mid) / unit
		sum += float64(away * away)
	}
	return unit * math.Sqrt(sum/float64(len(values)-1))
}
