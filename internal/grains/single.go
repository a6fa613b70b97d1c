package grains

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Functions that compute in single precision round every point, product and sum to 24 bits. What
// that leaves in a value is several times the distance of two values, so that their raster is a
// lower bound of the error only. Steps that are too short for single precision change nothing at
// all, so that such a function looks exact there, or like one with a raster alone.

const (
	spots    = 3  // points around which errors are measured
	inTable  = 8  // values of each table of differences
	spacings = 6  // of tables around a point
	shortest = 24 // the first spacing is 2⁻²⁴ half-widths of the box, about the distance of numbers with 24 bits
	octaves  = 3  // a spacing is 2³ times the one before
	level    = 3  // spacings in turn that show the same error
	// alike is how much errors over these may differ, by chance. Steps are 64 times as long at the
	// third as at the first: a function that is rough on all scales differs by √64 = 8, and a
	// smooth one by 64³.
	alike = 5
	// mostSingle is the largest σ, in standard deviations of f over the box, with which f is like
	// an exact function. Second differences with steps of h leave σ/h² + h² there, which is 2√σ at
	// the best h: 1/300, of which W may make ten times as much.
	mostSingle = 3e-6
)

// single returns the grain of a function that computes in single precision: σ is that of the
// errors in its values, at least what the grain says that was found so far. If these are too large
// for an exact function its kind is Raster, and the rest of the run takes them for noise. If errors
// do not show, ok is false.
//
// At three points of the box, tables of eight values are made with spacings from 2⁻²⁴ to 2⁻⁹
// half-widths, in 129 queries. Below the distance of numbers with 24 bits errors seem too small,
// and above the length over which f is smooth too large. σ is the one in between that stays the
// same.
func (m *meter) single(found objective.Grain) (g objective.Grain, ok bool, err error) {
	points := make([][]float64, spots)
	for p := range points {
		points[p] = make([]float64, m.f.Dim())
		m.box.Draw(points[p], m.random)
	}
	size, here, err := m.around(points)
	if err != nil {
		return found, false, err
	}
	g = objective.Grain{Relative: max(found.Relative, objective.Rounding.Relative), Absolute: size, Kind: objective.SinglePrecision}
	spread := deviation(append(slices.Clone(m.elsewhere), here...))
	switch ok = size > m.floor(); {
	case !ok:
		return found, false, nil
	case max(size, g.Of(mean(here))) > mostSingle*spread:
		g.Kind = objective.Raster // noise, for all that follows
	}
	return g, ok, nil
}

// around returns σ as tables around some points show it, and the values there. They are at x and at
// x + k·h for all spacings h, towards the middle of the box.
func (m *meter) around(points [][]float64) (sigma float64, here []float64, err error) {
	const each = 1 + spacings*(inTable-1)
	n, way := len(points), make([]float64, m.f.Dim())
	values, _, err := m.ask(n*each, func(k int, x []float64) {
		from := points[k/each]
		copy(x, from)
		if k %= each; k == 0 {
			for i := range way {
				half := float64((m.box.Hi[i] - m.box.Lo[i]) / 2)
				way[i] = math.Copysign(half*min(1, math.Abs(m.random.NormFloat64())), m.box.Lo[i]+half-from[i])
			}
			return
		}
		s, step := (k-1)/(inTable-1), (k-1)%(inTable-1)+1
		t := math.Ldexp(float64(step), octaves*s-shortest)
		for i := range x {
			x[i] += float64(t * way[i])
		}
	})
	if err != nil {
		return 0, nil, err
	}
	var all [spacings]float64 // σ of each spacing; 0: most values are those of their neighbours
	for s := range all {
		sum, equal := 0.0, 0
		for p := range n {
			v := values[p*each : (p+1)*each]
			table := append([]float64{v[0]}, v[1+s*(inTable-1):][:inTable-1]...)
			equal += repeated(table)
			of, _ := differences(table)
			sum += float64(of*of) / float64(n)
		}
		if all[s] = math.Sqrt(sum); 2*equal > n*(inTable-1) {
			all[s] = 0
		}
	}
	for p := range n {
		here = append(here, values[p*each])
	}
	return plateau(all[:]), here, nil
}

// Nearby returns the grain of a function that computes in single precision around a point x: what
// it adds up may be less there than elsewhere, and so are its errors. That takes 43 queries. If
// nothing is to be seen, or if f has another grain, it is the same.
func Nearby(ctx context.Context, f objective.Objective, box objective.Box, x []float64, g objective.Grain, random objective.Random) (objective.Grain, error) {
	if g.Kind != objective.SinglePrecision {
		return g, nil
	}
	m := &meter{ctx: ctx, f: f, box: box, random: random}
	sigma, _, err := m.around([][]float64{x})
	if err == nil && sigma > 0 {
		g.Absolute = min(g.Absolute, sigma)
	}
	return g, err
}

// plateau returns the median of what spacings say of which three in turn agree; 0 if none do.
func plateau(sigma []float64) float64 {
	var some []float64
	for s := range sigma {
		for first := max(0, s-level+1); first <= min(s, len(sigma)-level); first++ {
			if turn := sigma[first : first+level]; slices.Min(turn) > 0 && slices.Max(turn) <= alike*slices.Min(turn) {
				some = append(some, sigma[s])
				break
			}
		}
	}
	if len(some) == 0 {
		return 0
	}
	slices.Sort(some)
	return some[len(some)/2]
}

// coarse reports whether some values of a table are those of their neighbours, and all others differ
// by more than rounding in double precision would make them: by 2⁻²⁴ of their size, say, and not
// 2⁻⁵³. Elsewhere there must be other values.
func coarse(table, elsewhere []float64) bool {
	if len(elsewhere) == 0 || slices.Min(elsewhere) == slices.Max(elsewhere) {
		return false
	}
	size, least := 0.0, math.Inf(1)
	for i, v := range table {
		size = max(size, math.Abs(v))
		if i > 0 && v != table[i-1] {
			least = min(least, math.Abs(v-table[i-1]))
		}
	}
	return repeated(table) > 0 && least > 0x1p-40*size
}

// repeated returns how many values are those of their neighbours.
func repeated(table []float64) int {
	n := 0
	for i := range len(table) - 1 {
		if table[i] == table[i+1] {
			n++
		}
	}
	return n
}
