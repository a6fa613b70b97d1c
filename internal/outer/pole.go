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
	if q := float64(math.Round(2*p) / 2); math.Abs(p-q) <= like*max(math.Abs(q), 0.5) {
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
