package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/strategy"
)

// An outlook looks from the point found whether there may be something deeper along a component: that is what "converged"
// claims. It goes outwards in steps that grow geometrically, from much less than a component's scale to far beyond the start
// box. What it sees there says where other wells may be and how wide they are. If lines have not looked there, or not so
// closely, or from where their gains did not add up, they look again.
type outlook struct {
	f        *watched
	at       *coordinates
	lines    *lines
	wells    *wells
	polisher *polisher

	looked float64    // f where it has looked from; NaN: not yet
	here   query.Best // where that was
	sights []sight    // along each single component from there
	rounds int        // how often it has looked
	again  bool       // lines had to look again
	spent  int        // how many queries that took

	profiles []frame.Profile // what they have seen, the last time
	near     float64         // how far away hills are, in parts of a component's range; 0: there are none
}

// An outlook takes up to a part of what was spent, and from a few queries for each side of a
// component to some fifteen. Once lines had to look again it takes twice as many.
const (
	outlookPart = 0.08
	mostOutward = 15
)

// fewest is how many queries for a side, or for a range that is looked along again, are worth while.
const fewest = 8

// It begins at 1/outmost of a component's scale, and ends at outmost times the range of the
// start box, or of how far outside the point found is.
const outmost = 4

// fromHill is the step of a grid, as a part of the distance of the nearest hill.
const fromHill = 1. / 2

// look looks once from a point. It returns whether lines have looked again. If they have
// found something deeper, that is the best point now.
func (o *outlook) look(ctx context.Context) (bool, error) {
	if len(o.at.singles) == 0 || o.f.best.Value == o.looked {
		return false, nil
	}
	o.here = o.f.best.Clone()
	o.looked = o.here.Value
	if err := o.outwards(ctx); err != nil {
		return false, err
	}
	components, ranges := o.unseen()
	if len(components) == 0 {
		return false, nil
	}
	o.again = true
	if !o.afford(ranges) {
		return o.f.best.Value < o.here.Value, nil
	}
	before := o.f.queries
	var err error
	o.profiles, err = o.lines.along(ctx, o.here, components, ranges)
	o.spent += o.f.queries - before
	o.wells.note(components, o.profiles)
	return true, err
}

// outwards asks along all components. It goes on outwards where f is still no higher than hills are, and inwards where the
// curvature at the point, which polishing has measured, is not that of the first step: then there is something between.
func (o *outlook) outwards(ctx context.Context) error {
	m := len(o.at.singles)
	n := min(max(fewest, int(outlookPart*float64(o.f.queries))/(2*m)), mostOutward)
	if o.again {
		n = 2 * mostOutward
	}
	o.f.begin(outlooks, 2*n*m)
	far := max(1, o.at.far(o.here.Point))
	o.rounds++
	o.sights = make([]sight, m)
	var all []shift
	for k, j := range o.at.singles {
		o.sights[k] = sight{{0, 0}}
		first, last := o.at.scale[j]/outmost, max(outmost*far*o.at.extent(j), o.at.scale[j])
		ratio := math.Pow(last/first, 1/float64(n))
		_, part := math.Modf(float64(float64(o.rounds+k) * math.Phi)) // not the same for all: together they see more
		for i := range n {
			all = o.sides(all, k, first*math.Pow(ratio, float64(i)+part))
		}
	}
	err := o.ask(ctx, all)
	for range mostFurther {
		usual := o.usual()
		all = nil
		for k, s := range o.sights {
			if last := s.last(); last > 0 && usual.height > 0 && s.low(usual.height) && last < furthest*o.at.extent(o.at.singles[k]) {
				all = o.sides(o.sides(all, k, 2*last), k, 4*last)
			}
			if c := o.polisher.curvature; c != nil && s.bent(c[o.at.singles[k]]) {
				all = o.sides(all, k, s.first()/2)
			}
		}
		if len(all) == 0 || err != nil {
			break
		}
		err = o.ask(ctx, all)
	}
	return err
}

// sides adds what is at ±t along a component to some shifts, as far as that is within the bounds.
func (o *outlook) sides(all []shift, k int, t float64) []shift {
	least, most := o.at.room(o.here.Point, o.at.singles[k])
	if -t >= least {
		all = append(all, shift{k: k, t: -t})
	}
	if t <= most {
		all = append(all, shift{k: k, t: t})
	}
	return all
}

// mostFurther is how often an outlook goes on, further out or further in.
const mostFurther = 10

// furthest is how far an outlook goes at most, in ranges of the start box.
const furthest = 1e6

// usual returns what hills are usual: the median of their heights, and how near they are
// along a quarter of the components that have some, in parts of their ranges.
func (o *outlook) usual() hill {
	none := o.f.none(o.here.Value)
	var heights, near []float64
	for k, j := range o.at.singles {
		if h := o.sights[k].ripple(none); h.height > none {
			heights, near = append(heights, h.height), append(near, h.away/o.at.extent(j))
		}
	}
	if len(heights) == 0 {
		return hill{}
	}
	slices.Sort(heights)
	slices.Sort(near)
	return hill{heights[len(heights)/2], near[len(near)/4]}
}

// ask asks for some shifts, and adds what it sees.
func (o *outlook) ask(ctx context.Context, all []shift) error {
	if err := o.at.ask(ctx, o.f, o.here.Point, all); err != nil {
		return err
	}
	for _, q := range all {
		if rise := q.value - o.here.Value; !notFinite(rise) {
			o.sights[q.k] = append(o.sights[q.k], glimpse{q.t, rise})
		}
	}
	for _, s := range o.sights {
		slices.SortFunc(s, func(a, b glimpse) int { return cmp.Compare(a.t, b.t) })
	}
	return nil
}

// unseen returns where lines should look again, and how closely. A component is seen along
// a few points only, so that what is seen of others counts as well.
func (o *outlook) unseen() (components []int, ranges []line.Range) {
	none, usual := o.f.none(o.here.Value), o.usual()
	o.near = usual.away
	if usual.height == 0 {
		return nil, nil
	}
	for k, j := range o.at.singles {
		x, h := o.here.Point, o.sights[k].ripple(none)
		h = hill{max(h.height, usual.height), min(h.away, usual.away*o.at.extent(j))}
		for _, r := range o.lines.scanned[k].unseen(h, o.sights[k], o.at.y(j, x), o.at.extent(j), none) {
			if span := o.at.span(x, j, r[0], r[1]); span.Hi-span.Lo > fromHill*h.away {
				span.Step = fromHill * h.away
				components, ranges = append(components, k), append(ranges, span)
			}
		}
	}
	return components, ranges
}

// lookAgain is the part of all other queries that looking again may take.
const lookAgain = 1. / 2

// afford cuts ranges off that are long in steps of their grids, so that all together take no more than there is for them.
// What is near is kept. It returns false if there is nothing left.
func (o *outlook) afford(ranges []line.Range) bool {
	left := float64(lookAgain*float64(o.f.queries-o.spent)) - float64(o.spent)
	each := left / (afterGrid * float64(len(ranges)))
	if each < fewest {
		return false
	}
	for i := range ranges {
		r := &ranges[i]
		near := max(r.Lo, min(r.Hi, 0))
		left, right, long := near-r.Lo, r.Hi-near, float64(each*r.Step)
		if left+right > long {
			side := max(long/2, long-min(left, right))
			r.Lo, r.Hi = near-min(left, side), near+min(right, side)
		}
	}
	return true
}

// A start box is much too small if the point found is so many times further out than it reaches, and much too wide if hills
// are so near in parts of it: a grid of lines cannot see them.
const (
	tooFar  = 3.
	tooNear = 1. / 150
)

func (o *outlook) note(learnt *strategy.Learnt) {
	if len(o.at.singles) == 0 {
		return
	}
	far := o.at.far(o.f.best.Point)
	switch {
	case far > tooFar:
		learnt.Note("the minimum found is far outside of the start box, %.0f times as far as that reaches: a wider start box may show deeper ones", far)
	case o.near > 0 && o.near < tooNear:
		learnt.Note("the start box seems much too wide, %.0f times as wide as its hills: a smaller one around the point found may show deeper ones", 1/o.near)
	}
}
