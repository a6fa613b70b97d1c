package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
)

// An outlook looks from the point found whether there may be something deeper along a
// component: that is what "converged" claims. It goes outwards in steps that grow
// geometrically, from much less than a component's scale to far beyond the start box. What
// it sees there says where other wells may be and how wide they are. If lines have not
// looked there, or not so closely, or from where their gains did not add up, they look
// again.
type outlook struct {
	f     *watched
	at    *coordinates
	lines *lines
	wells *wells

	looked float64 // f where it has looked from; NaN: not yet
}

// An outlook takes up to a part of what was spent, and from a few queries for each side of a
// component to some fifteen.
const (
	outlookPart = 0.08
	fewestSteps = 6
	mostOutward = 15
)

// It begins at 1/inmost of a component's scale and ends at outmost times its range in the
// start box.
const (
	inmost  = 16
	outmost = 16
)

const (
	// fromHill is the step of a grid, as a part of the distance of the nearest hill.
	fromHill = 1. / 2
	// nextHills is how many hills outside a scan are looked at.
	nextHills = 4
	// told is by which part of the hills' height gains may be amiss.
	told = 1. / 4
)

// A sight is what is seen of a component, from x: the rise of f at t along u_j, ascending
// in t, 0 at 0.
type sight []glimpse

// A glimpse is a point of a line and how much higher f is there.
type glimpse struct{ t, rise float64 }

// look looks once from a point. It returns whether lines have looked again. If they have
// found something deeper, that is the best point now.
func (o *outlook) look(ctx context.Context) (bool, error) {
	x, fx := slices.Clone(o.f.best.Point), o.f.best.Value
	if len(o.at.singles) == 0 || fx == o.looked {
		return false, nil
	}
	o.looked = fx
	o.f.stage(outlooks)
	sights, err := o.outwards(ctx, x, fx)
	if err != nil {
		return false, err
	}
	components, ranges := o.unseen(x, fx, sights)
	if len(components) == 0 {
		return false, nil
	}
	o.afford(ranges)
	profiles, err := o.lines.along(ctx, objective.Best{Point: x, Value: fx}, components, ranges)
	o.wells.note(components, profiles)
	return true, err
}

// outwards asks along all components.
func (o *outlook) outwards(ctx context.Context, x []float64, fx float64) ([]sight, error) {
	m := len(o.at.singles)
	n := min(max(fewestSteps, int(outlookPart*float64(o.f.queries))/(2*m)), mostOutward)
	sights := make([]sight, m)
	queries := make([][]float64, m)
	for k, j := range o.at.singles {
		sights[k] = sight{{0, 0}}
		first, last := o.at.scale[j]/inmost, max(outmost*o.at.extent(j), o.at.scale[j])
		ratio := math.Pow(last/first, 1/float64(n))
		_, shift := math.Modf(float64(k) * math.Phi) // not the same for all: together they see more
		for i := range n {
			queries[k] = append(queries[k], first*math.Pow(ratio, float64(i)+shift))
		}
	}
	if err := o.ask(ctx, x, fx, queries, sights); err != nil {
		return nil, err
	}
	return sights, nil
}

// ask asks for f at ±t for all t of a component, as far as that is within the bounds.
func (o *outlook) ask(ctx context.Context, x []float64, fx float64, queries [][]float64, sights []sight) error {
	var all []line.Query
	for k, j := range o.at.singles {
		least, most := o.at.room(x, j)
		for _, t := range queries[k] {
			if -t >= least {
				all = append(all, line.Query{Line: k, T: -t})
			}
			if t <= most {
				all = append(all, line.Query{Line: k, T: t})
			}
		}
	}
	values, err := objective.Ask(ctx, o.f, len(all), func(i int, row []float64) {
		copy(row, x)
		o.at.move(row, all[i].T, o.at.singles[all[i].Line])
	})
	if err != nil {
		return err
	}
	for i, q := range all {
		if rise := values[i] - fx; !math.IsNaN(rise) && !math.IsInf(rise, 0) {
			sights[q.Line] = append(sights[q.Line], glimpse{q.T, rise})
		}
	}
	for _, s := range sights {
		slices.SortFunc(s, func(a, b glimpse) int { return cmp.Compare(a.t, b.t) })
	}
	return nil
}

// A hill is what is seen of the hills along a component: how high they are, the largest fall
// on the way outwards, and how far away the first of them is, where f begins to fall. A
// function of one well has none.
type hill struct{ height, away float64 }

// ripple returns the hills that are seen.
func (s sight) ripple(none float64) hill {
	h := hill{0, math.Inf(1)}
	middle := slices.IndexFunc(s, func(p glimpse) bool { return p.t == 0 })
	for _, way := range []int{-1, 1} {
		top, first := 0.0, true
		for i := middle; i >= 0 && i < len(s); i += way {
			fall := top - s[i].rise
			h.height = max(h.height, fall)
			if fall > none && first {
				top := cmp.Or(s[i-way].t, s[i].t) // something deeper may be the first that is seen
				h.away, first = min(h.away, math.Abs(top)), false
			}
			top = max(top, s[i].rise)
		}
	}
	return h
}

// within returns where f may be lower than at x if hills are that high: as far as samples
// are no higher than that, and to the next.
func (s sight) within(height float64) (lo, hi float64) {
	low := func(p glimpse) bool { return p.t == 0 || p.rise <= height }
	first, last := slices.IndexFunc(s, low), len(s)-1
	for !low(s[last]) {
		last--
	}
	return s[max(first-1, 0)].t, s[min(last+1, len(s)-1)].t
}

// unseen returns where lines should look again, and how closely. A component is seen along
// a few points only, so that what is seen of others counts as well: the usual height of
// hills, and how near they are along a quarter of the components.
func (o *outlook) unseen(x []float64, fx float64, sights []sight) (components []int, ranges []line.Range) {
	none := o.f.none(fx)
	var heights, near []float64
	hills := make([]hill, len(sights))
	for k, j := range o.at.singles {
		hills[k] = sights[k].ripple(none)
		if hills[k].height > none {
			heights, near = append(heights, hills[k].height), append(near, hills[k].away/o.at.extent(j))
		}
	}
	if len(heights) == 0 {
		return nil, nil
	}
	slices.Sort(heights)
	slices.Sort(near)
	for k, j := range o.at.singles {
		h := hills[k]
		if !(h.height > none) {
			continue
		}
		h = hill{max(h.height, heights[len(heights)/2]), min(h.away, near[len(near)/4]*o.at.extent(j))}
		for _, r := range o.lines.scanned[k].unseen(h, sights[k], o.at.y(j, x), fx, none) {
			if span := o.at.span(x, j, r[0], r[1]); span.Hi-span.Lo > fromHill*h.away {
				span.Step = fromHill * h.away
				components, ranges = append(components, k), append(ranges, span)
			}
		}
	}
	return components, ranges
}

// unseen returns the ranges of t, from x, that a scan has not seen closely enough. If it was
// too coarse, or its gains were amiss, or something deeper has turned up, that is all where
// f may be lower than at x; otherwise the next hills outside.
func (s *scan) unseen(h hill, seen sight, y, fx, none float64) [][2]float64 {
	s.settle(fx)
	if s.step > h.away || s.amiss > told*h.height || seen.deeper(none) {
		lo, hi := seen.within(2 * h.height)
		return [][2]float64{{lo, hi}}
	}
	lo, hi := seen.within(h.height)
	lo, hi = max(lo, -nextHills*h.away), min(hi, nextHills*h.away)
	return [][2]float64{{lo, min(hi, s.lo-y)}, {max(lo, s.hi-y), hi}}
}

// deeper reports whether f is lower somewhere.
func (s sight) deeper(none float64) bool {
	return slices.ContainsFunc(s, func(p glimpse) bool { return p.rise < -none })
}

// lookAgain is the part of what was spent that looking again may take.
const lookAgain = 1. / 2

// afford cuts ranges off that are long in steps of their grids, so that all together take
// no more than a part of what was spent. What is near is kept.
func (o *outlook) afford(ranges []line.Range) {
	each := lookAgain * float64(o.f.queries) / (afterGrid * float64(len(ranges)))
	for i := range ranges {
		r := &ranges[i]
		near := max(r.Lo, min(r.Hi, 0))
		left, right, long := near-r.Lo, r.Hi-near, each*r.Step
		if left+right > long {
			side := max(long/2, long-min(left, right))
			r.Lo, r.Hi = near-min(left, side), near+min(right, side)
		}
	}
}
