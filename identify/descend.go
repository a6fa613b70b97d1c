package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

const (
	// downSteps is how many steps a descent takes at least, if need be, and for each of
	// so many dimensions (perSlope) one more: with a gradient each it costs about as much
	// as a Hessian.
	downSteps = 30
	perSlope  = 2
	// remembered is how many pairs of steps and differences of gradients are used, as is
	// usual for BFGS with limited memory.
	remembered = 10
	// shortSlope divides the half-width of the box for the differences of a gradient.
	shortSlope = 1e5
	// firstWay is how far the first step goes, in half-widths of the box.
	firstWay = 0.1
	// little is the part of the whole descent below which a few steps count as none.
	little = 1e-3
	fewOf  = 3
)

// trials are the parts of a step that are asked for together.
var trials = []float64{4, 2, 1, 0.5, 0.25, 0.1, 0.03, 0.01}

// A descent goes down by BFGS with limited memory and gradients by forward differences. It
// needs to come near a local minimum only.
type descent struct{ *ground }

// from returns where a descent from x ends.
func (g descent) from(x []float64) ([]float64, error) {
	d := len(x)
	eps := halfWidth(g.box) / shortSlope
	m := &memory{}
	var before, slope []float64
	var history []float64
	for range max(downSteps, d/perSlope) {
		f0, next, err := g.slopes(x, eps)
		if err != nil {
			return nil, err
		}
		if slope != nil {
			m.add(x, before, next, slope)
		}
		slope = next
		if history = append(history, f0); stalled(history) {
			return x, nil
		}
		if kernel.Dot(slope, slope) == 0 { // a plateau
			return x, nil
		}
		way := m.direction(slope)
		if kernel.Dot(way, slope) >= 0 {
			way = slices.Clone(slope)
			for k := range way {
				way[k] = -way[k]
			}
		}
		if len(m.steps) == 0 {
			length := firstWay * halfWidth(g.box) * math.Sqrt(float64(d)) / math.Sqrt(kernel.Dot(way, way))
			for k := range way {
				way[k] *= length
			}
		}
		points := make([][]float64, len(trials))
		values, err := g.ask(len(trials), func(k int, row []float64) {
			points[k] = g.clipped(x, trials[k], way)
			copy(row, points[k])
		})
		if err != nil {
			return nil, err
		}
		best, least := -1, f0
		for k, v := range values {
			if v < least {
				best, least = k, v
			}
		}
		if best < 0 {
			return x, nil
		}
		before, x = x, points[best]
	}
	return x, nil
}

// stalled reports whether the last few steps have gained little of all.
func stalled(history []float64) bool {
	n := len(history) - 1
	return n >= fewOf && history[n-fewOf]-history[n] <= little*(history[0]-history[n])
}

// slopes returns f and its gradient at x.
func (g descent) slopes(x []float64, eps float64) (float64, []float64, error) {
	values, err := g.ask(len(x)+1, func(k int, row []float64) {
		if copy(row, x); k > 0 {
			row[k-1] += eps
		}
	})
	if err != nil {
		return 0, nil, err
	}
	slope := make([]float64, len(x))
	for k := range slope {
		slope[k] = orZero((values[k+1] - values[0]) / eps)
	}
	return values[0], slope, nil
}

// clipped returns x + t·way, brought back inside the bounds by a tenth of the width of the
// box.
func (g descent) clipped(x []float64, t float64, way []float64) []float64 {
	to := slices.Clone(x)
	kernel.AddScaled(to, t, way)
	for k := range to {
		away := min(g.bounds.Hi[k]-g.bounds.Lo[k], g.box.Hi[k]-g.box.Lo[k]) / margin
		to[k] = min(max(to[k], g.bounds.Lo[k]+away), g.bounds.Hi[k]-away)
	}
	return to
}

// A memory has the last steps s and the differences y of gradients along them.
type memory struct{ steps, changes [][]float64 }

// add takes notice of a step, if f curves upwards along it.
func (m *memory) add(x, before, slope, earlier []float64) {
	s, y := slices.Clone(x), slices.Clone(slope)
	kernel.AddScaled(s, -1, before)
	kernel.AddScaled(y, -1, earlier)
	if !(kernel.Dot(s, y) > 0) {
		return
	}
	m.steps, m.changes = append(m.steps, s), append(m.changes, y)
	if len(m.steps) > remembered {
		m.steps, m.changes = m.steps[1:], m.changes[1:]
	}
}

// direction returns −Bg, B the approximate inverse of the Hessian, by the two loops of
// Nocedal.
func (m *memory) direction(slope []float64) []float64 {
	q := slices.Clone(slope)
	n := len(m.steps)
	a := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		a[i] = kernel.Dot(m.steps[i], q) / kernel.Dot(m.steps[i], m.changes[i])
		kernel.AddScaled(q, -a[i], m.changes[i])
	}
	scale := -1.0
	if n > 0 {
		scale = -kernel.Dot(m.steps[n-1], m.changes[n-1]) / kernel.Dot(m.changes[n-1], m.changes[n-1])
	}
	for k := range q {
		q[k] *= scale
	}
	for i := range n {
		b := -kernel.Dot(m.changes[i], q) / kernel.Dot(m.steps[i], m.changes[i])
		kernel.AddScaled(q, -(a[i] - b), m.steps[i])
	}
	return q
}
