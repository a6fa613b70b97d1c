package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
)

// The residue of a well is how far the differences between wells are from adding up. A
// well is leapt to if its height is less than four times its residue: then a quarter of the
// height may be an error. Of many such wells the lowest are tried, by a few Newton steps
// each, which converge quadratically.
const (
	residues  = 4
	mostLeaps = 10
	leapSteps = 3
)

// leap looks at wells that may be deeper than they seem. Two components whose curvatures
// were alike at all points of a survey may be mixed in its frame: walking along one moves
// the other, so that every well of it seems higher than it is. Then differences between
// wells do not add up:
//
//	|f(x+S) − f(x+S−t_k u_k) − f(x+t_k u_k) + f(x)|,   S = Σ t_k u_k,
//
// with one well t_k for each component, is not small beside the height of the well. In
// such wells it takes Newton steps of all components.
func (w *wells) leap(ctx context.Context, x []float64, fx float64, all []shift) error {
	lowest := lowestOfEach(all, math.MaxFloat64)
	there := slices.Clone(x)
	for _, c := range lowest {
		w.at.move(there, c.t, w.at.singles[c.k])
	}
	if len(lowest) < 2 || !w.at.bounds.Contains(there) {
		return nil
	}
	values, err := query.Ask(ctx, w.f, 1+len(lowest), func(i int, row []float64) {
		if copy(row, there); i > 0 {
			w.at.move(row, -lowest[i-1].t, w.at.singles[lowest[i-1].k])
			clamp(row, w.at.bounds)
		}
	})
	if err != nil {
		return err
	}
	var hidden []shift
	for i, c := range lowest {
		if higher := c.value - fx; higher < residues*math.Abs((values[0]-values[1+i])-higher) {
			hidden = append(hidden, c)
		}
	}
	slices.SortStableFunc(hidden, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	for _, c := range hidden[:min(mostLeaps, len(hidden))] {
		well := query.Best{Point: slices.Clone(x), Value: c.value}
		w.at.move(well.Point, c.t, w.at.singles[c.k])
		d := newDescent(w.polisher, well, finePolish)
		d.below = fx
		if err := d.steps(ctx, leapSteps); err != nil {
			return err
		}
	}
	return nil
}

// lowestOfEach returns the lowest shift of each component, if it is finite and at most so much. Those of one component stand
// together.
func lowestOfEach(all []shift, most float64) []shift {
	var lowest []shift
	for _, s := range all {
		last := len(lowest) - 1
		switch {
		case !(s.value <= most) || math.IsInf(s.value, -1):
		case last < 0 || lowest[last].k != s.k:
			lowest = append(lowest, s)
		case s.value < lowest[last].value:
			lowest[last] = s
		}
	}
	return lowest
}
