package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

const (
	// The distances of a pole from the least value that are tried, as parts of the range of
	// all values: from e^-30, which is rounding, to e^10, where any power is straight.
	nearestPole, farthestPole = -30., 10.
	// poleSteps is how many distances are tried at first.
	poleSteps = 81
	// halves is how often the distance between those tried is halved then.
	halves = 40
)

// Moved returns the power of f − b with the same exponent whose pole b, below all values, is
// where the mixed differences at some corners are least. Near the minimum of f that is what
// matters of a root, or of a square. It returns nil if the map has no pole below its values.
func (m *Map) Moved(corners []Corners) *Map {
	var values []float64
	for _, c := range corners {
		values = append(values, c[:]...)
	}
	if !(m.kappa > 0) || len(values) == 0 {
		return nil
	}
	r, s := middle(values)
	if !(s > 0) || !kernel.Finite(s) {
		return nil
	}
	p, lo := (m.kappa+m.gamma)/m.kappa, slices.Min(values)
	if q, ok := simple(p, like); ok {
		p = q // a root, a square or another simple power
	}
	at := func(log float64) *Map { return fromPole(r, s, lo-float64(2*s*kernel.ExpOf(log)), p) }
	left := func(log float64) float64 {
		if v := Coupling(at(log), corners); !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}
	step := (farthestPole - nearestPole) / (poleSteps - 1)
	best, least := nearestPole, left(nearestPole)
	for k := 1; k < poleSteps; k++ {
		if log := nearestPole + float64(step*float64(k)); left(log) < least {
			best, least = log, left(log)
		}
	}
	for range halves {
		step = float64(step / 2)
		for _, log := range []float64{best - step, best + step} {
			if v := left(log); v < least {
				best, least = log, v
			}
		}
	}
	return at(best)
}

// simple returns the multiple of ½ next to the power p, and whether that is as near as a part of it.
func simple(p, part float64) (float64, bool) {
	q := float64(math.Round(2*p) / 2)
	return q, math.Abs(p-q) <= part*max(math.Abs(q), 0.5)
}

// surely is how near a power that is known to be simple is to one.
const surely = 1e-9

// Simpler returns the map by another one, which was fitted to other values, if both have the same
// name and the other is a simple power that this one is only near to: then it is that
// power, over the values by which this one was fitted. Otherwise it is this one.
func (m *Map) Simpler(by *Map) *Map {
	if m.bend != nil || by.bend != nil || m.Name() != by.Name() || m.kappa == 0 || by.kappa == 0 {
		return m
	}
	_, already := simple((m.kappa+m.gamma)/m.kappa, surely)
	p, simpler := simple((by.kappa+by.gamma)/by.kappa, surely)
	if next := by.around(m.r, m.s); !already && simpler && p != 0 && math.Abs(next.kappa) <= nearest {
		next.free = m.free
		return next
	}
	return m
}
