package grains

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

const (
	repeats   = 4               // how often a point is asked, to see whether f is random
	tableSize = 7               // values in a table of differences: at x, x+h, …, x+6h
	others    = 4               // points elsewhere, to see how large f is
	least     = 5               // values of a table without which it says nothing
	tries     = 8               // points that are tried where f fails
	longTable = 20              // values in a second one
	fine      = 0x1p-30         // h, in half-widths of the box: so short that f hardly changes
	coarser   = 1024            // how many times longer the steps of a second table are
	central   = 0.4             // the part of the box in whose middle x is drawn
	exact     = 0x1p-53 * OfSum // the error up to which values count as exact, as a part of f's size
)

// OfNoise is the stage in which a run measures the grain.
var OfNoise = objective.Stage{Name: "noise", Purpose: objective.ToFind, Forecast: repeats + tableSize - 1 + others}

// Measure measures how exact the values of f are, at a random point of the middle of
// a finite box, for 14 queries in one batch if they are exact.
//
// The point is asked four times. If the values differ the noise is random. Then it asks 52
// more, for a standard deviation that is right to a tenth or so, at two points of different
// value: noise may grow with the value of f.
//
// Beside it f is asked at x, x+h, …, x+6h with a tiny h. After Moré and Wild ("Estimating
// computational noise", 2011), differences of order k of independent errors with standard
// deviation σ have the variance σ²(2k)!/(k!)², while those of a smooth f vanish with hᵏ. If
// all orders are above rounding the noise is deterministic, unless a second table, with
// steps 1024 times as long, shows much more: then f is not smooth but has no noise either.
//
// Values that all have 24 bits, or that are the same over some of these tiny steps but not everywhere, are
// those of a function that computes in single precision: 129 queries more measure its error.
//
// Last, values that all have few decimal digits, or 24 bits, lie on a raster. Whole numbers may
// be counts: 246 queries more, on ways from some points, show whether the first jump of f is small, as
// that of a smooth function is that is rounded.
//
// Where f fails another point is tried, eight at most. The grain is Rounding if nothing was
// found.
func Measure(ctx context.Context, f objective.Objective, box objective.Box, random objective.Random) (objective.Grain, error) {
	m := &meter{ctx: ctx, f: f, box: box, random: random}
	for range tries {
		if err := m.look(); err != nil {
			return objective.Rounding, err
		}
		if deviation(m.same) > m.floor() {
			return m.noisy()
		}
		if len(m.same) < 2 || len(m.table) < least {
			continue
		}
		g, whole := printed(m.all)
		if whole {
			if ok, err := m.rounded(g); !ok || err != nil {
				return objective.Rounding, err
			}
		}
		if g.Relative == ofSingle || g.Kind == objective.NoNoise && coarse(m.table, m.elsewhere) {
			if one, ok, err := m.single(g); ok || err != nil {
				return one, err
			}
		}
		if g.Kind != objective.NoNoise {
			return g, nil
		}
		return m.deterministic()
	}
	return objective.Rounding, nil
}

// A meter asks f what Measure wants to know.
type meter struct {
	ctx    context.Context
	f      objective.Objective
	box    objective.Box
	random objective.Random

	x, way []float64 // the point, and h times a random direction
	same   []float64 // finite values at x
	table  []float64 // values at x, x+h, …

	elsewhere []float64 // finite values at other points
	all       []float64 // all finite values
}

// ask asks for n points and returns the values that are finite.
func (m *meter) ask(n int, fill func(k int, x []float64)) (values, finite []float64, err error) {
	if values, err = query.Ask(m.ctx, m.f, n, fill); err != nil {
		return nil, nil, err
	}
	for _, v := range values {
		if !notFinite(v) {
			finite = append(finite, v)
		}
	}
	m.all = append(m.all, finite...)
	return values, finite, nil
}

// look asks for the first batch.
func (m *meter) look() error {
	d := m.f.Dim()
	m.x, m.way = make([]float64, d), make([]float64, d)
	m.box.Draw(m.x, m.random)
	for i := range d {
		mid := m.box.Lo[i] + float64((m.box.Hi[i]-m.box.Lo[i])/2)
		m.x[i] = mid + float64(central*(m.x[i]-mid))
		m.way[i] = fine * (m.box.Hi[i] - m.box.Lo[i]) / 2 * max(-1, min(1, m.random.NormFloat64()))
	}
	values, _, err := m.ask(repeats+tableSize-1+others, func(k int, x []float64) {
		if k >= repeats+tableSize-1 {
			m.box.Draw(x, m.random)
			return
		}
		m.along(x, float64(max(0, k-repeats+1)))
	})
	if err != nil {
		return err
	}
	m.same = slices.DeleteFunc(slices.Clone(values[:repeats]), notFinite)
	m.table = finite(values[repeats-1 : repeats+tableSize-1])
	m.elsewhere = slices.DeleteFunc(slices.Clone(values[repeats+tableSize-1:]), notFinite)
	return nil
}

// along sets x to the point after t steps.
func (m *meter) along(x []float64, t float64) {
	for i := range x {
		x[i] = m.x[i] + float64(t*m.way[i])
	}
}

// floor is the error up to which values count as exact.
func (m *meter) floor() float64 {
	size := 0.0
	for _, v := range m.all {
		size = max(size, math.Abs(v))
	}
	return exact * size
}

// deterministic returns the grain that the table of differences shows.
func (m *meter) deterministic() (objective.Grain, error) {
	sigma, least := differences(m.table)
	if !(least > m.floor()) {
		return objective.Rounding, nil
	}
	values, _, err := m.ask(longTable, func(k int, x []float64) { m.along(x, float64(k*coarser)) })
	if err != nil {
		return objective.Rounding, err
	}
	again, least := differences(finite(values))
	if !(least > m.floor()) || again > float64(sigma*math.Sqrt(coarser)) {
		return objective.Rounding, nil
	}
	return objective.Grain{Relative: objective.Rounding.Relative, Absolute: again, Kind: objective.DeterministicNoise}, nil
}

// The orders of differences that are taken for noise. Up to the second, f itself is in them.
const lowest, highest = 3, 6

// differences returns what a table of differences says that the standard deviation of
// independent errors in the values is: of order k, with n+1 values,
//
//	σ_k² = (k!)²/(2k)! · Σ (Δᵏf_i)²/(n+1−k),
//
// the median over the orders from the third to the sixth, and the least of them.
func differences(values []float64) (sigma, least float64) {
	var each []float64
	unit := unitOf(values) // so that squares neither overflow nor vanish
	table, gamma := slices.Clone(values), 1.0
	for i := range table {
		table[i] /= unit
	}
	for k := 1; len(table) > 1 && k <= highest; k++ {
		gamma *= float64(k) / float64(4*k-2) // (k!)²/(2k)!
		sum := 0.0
		for i := range len(table) - 1 {
			table[i] = table[i+1] - table[i]
			sum += float64(table[i] * table[i])
		}
		table = table[:len(table)-1]
		if k >= lowest {
			each = append(each, unit*math.Sqrt(gamma*sum/float64(len(table))))
		}
	}
	if len(each) == 0 {
		return 0, 0
	}
	slices.Sort(each)
	return each[len(each)/2], each[0]
}

// unitOf returns a power of two of the size of the largest value.
func unitOf(values []float64) float64 {
	size := 0.0
	for _, v := range values {
		size = max(size, math.Abs(v))
	}
	_, exponent := math.Frexp(size)
	return math.Ldexp(1, max(exponent-1, -1021))
}

// finite returns the values up to the first that is not finite.
func finite(values []float64) []float64 {
	n := slices.IndexFunc(values, notFinite)
	if n < 0 {
		return values
	}
	return values[:n]
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
