package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
)

// amongWells goes down along the open components from well to well, and along all if that is
// better than all before.
func (n *nearly) amongWells(ctx context.Context, from query.Best, open []bool) error {
	before := n.f.queries
	found, err := n.descend(ctx, from, open, n.atWellsOf)
	n.atWells += n.f.queries - before
	if err == nil && found.Value < n.base.Value {
		return n.onwards(ctx, found, slices.Repeat([]bool{true}, len(open)))
	}
	return err
}

// fewerAtWells is how many queries whole lines have for each at wells. Where couplings move wells
// only whole lines help; where they do not, looking at wells is still the most of all tries.
const fewerAtWells = 3

// sameWell is how near a coordinate is to a well, in scales of its component, if it is in it
// already.
const sameWell = 1e-3

// atWellsOf looks along some components at the wells only that the last lines along them
// have shown, all in one batch, and moves them as look does: couplings that are small beside
// single components change how deep wells are rather than where.
func (n *nearly) atWellsOf(ctx context.Context, from query.Best, some []int) (query.Best, []int, error) {
	var tried []shift
	for _, k := range some {
		j := n.at.singles[k]
		y := n.at.y(j, from.Point)
		least, most := n.at.room(from.Point, j)
		for _, w := range n.wells[k] {
			if t := min(max(w-y, least), most); math.Abs(t) > sameWell*n.at.scale[j] {
				tried = append(tried, shift{k: k, t: t})
			}
		}
	}
	values, err := query.Ask(ctx, n.f, len(tried), func(i int, row []float64) {
		copy(row, from.Point)
		n.at.move(row, tried[i].t, n.at.singles[tried[i].k])
		clamp(row, n.at.bounds)
	})
	if err != nil {
		return from, nil, err
	}
	for i := range tried {
		tried[i].value = values[i]
	}
	return n.take(ctx, from, lowestOfEach(tried, math.Nextafter(from.Value, math.Inf(-1))))
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
