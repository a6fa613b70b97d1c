package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
)

// hidden looks at wells that may be deeper than they seem. Where the frame is rough, walking along one component moves
// others, so that every well of it seems higher than it is. Then differences between wells do not add up:
//
//	|f(x+S) − f(x+S−t_k u_k) − f(x+t_k u_k) + f(x)|,   S = Σ t_k u_k,
//
// with one well t_k for each component, is half of the height of the well or more. Of such wells the lowest are looked at, and
// it goes down in those where the parabola of all components is deeper than x.
func (w *wells) hidden(ctx context.Context, x []float64, fx float64, all []shift) error {
	lowest := lowestOfEach(all)
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
	var some []shift
	for i, c := range lowest {
		if higher := c.value - fx; higher < 2*math.Abs((values[0]-values[1+i])-higher) {
			some = append(some, c)
		}
	}
	slices.SortStableFunc(some, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	for _, c := range some[:min(mostWells, len(some))] {
		well := query.Best{Point: slices.Clone(x), Value: c.value}
		w.at.move(well.Point, c.t, w.at.singles[c.k])
		p := &polisher{f: w.f, at: w.at}
		seen, err := p.look(ctx, well.Point, well.Value, finePart)
		if err != nil {
			return err
		}
		if seen.slope == nil || well.Value-seen.gain() < fx {
			if _, err := p.seeing(ctx, well, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowestOfEach returns the lowest shift of each component, if it is finite. Those of one component stand together.
func lowestOfEach(all []shift) []shift {
	var lowest []shift
	for _, s := range all {
		last := len(lowest) - 1
		switch {
		case notFinite(s.value):
		case last < 0 || lowest[last].k != s.k:
			lowest = append(lowest, s)
		case s.value < lowest[last].value:
			lowest[last] = s
		}
	}
	return lowest
}
