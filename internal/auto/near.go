package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
)

// A nearly searches in coordinates in which f separates but for couplings,
//
//	f(x) = Σ f_j(y_j) + Σ c_ij(y_i, y_j).
//
// It looks along components over their whole range, those again whose neighbours have
// moved, until no line leads further down; a neighbour of a component is one with which it
// couples. Then it disturbs a few components, one and some neighbours of it, and looks
// again: that costs little, as others need not be looked at.
type nearly struct {
	f         *watched
	at        *coordinates
	polisher  *polisher
	random    *rng.Stream
	neighbour [][]int // of component at.singles[k], as such k

	wells    [][]float64     // coordinates of the wells of each component, as seen last
	profiles []frame.Profile // along every component, as seen first
	base     query.Best      // the best point, from which components are disturbed
	least    float64         // the lowest value that it has found itself
	spent    int
}

func newNearly(f *watched, at *coordinates, pairs []certify.Pair, seed uint64) *nearly {
	m := len(at.singles)
	n := &nearly{
		f: f, at: at, polisher: &polisher{f: f, at: at, seed: seed}, random: rng.Seed(seed).Stream("auto", "nearly"),
		neighbour: make([][]int, m), wells: make([][]float64, m), profiles: make([]frame.Profile, m), least: math.Inf(1),
	}
	for _, p := range certify.Carriers(pairs) {
		n.neighbour[p.I] = append(n.neighbour[p.I], p.J)
		n.neighbour[p.J] = append(n.neighbour[p.J], p.I)
	}
	return n
}

// first goes down from the best point that is known, along all components.
func (n *nearly) first(ctx context.Context) error {
	return n.turn(func() error {
		all := slices.Repeat([]bool{true}, len(n.at.singles))
		return n.onwards(ctx, query.Best{Point: slices.Clone(n.f.best.Point), Value: n.f.best.Value}, all)
	})
}

// again disturbs components of the best point and goes down from there.
func (n *nearly) again(ctx context.Context) error {
	return n.turn(func() error {
		if n.f.best.Value < n.base.Value { // others have found it
			n.base = query.Best{Point: slices.Clone(n.f.best.Point), Value: n.f.best.Value}
			if err := n.polish(ctx); err != nil {
				return err
			}
		}
		x, open := n.disturbed()
		v, err := query.Ask(ctx, n.f, 1, func(_ int, row []float64) { copy(row, x) })
		if err != nil || !kernel.Finite(v[0]) {
			return err
		}
		return n.onwards(ctx, query.Best{Point: x, Value: v[0]}, open)
	})
}

// turn counts the queries of a part.
func (n *nearly) turn(part func() error) error {
	n.f.stage(amongCouplings)
	before := n.f.queries
	err := part()
	n.spent += n.f.queries - before
	return err
}

// onwards goes down, along the open components and, if that is better than all before, along
// all, and polishes it.
func (n *nearly) onwards(ctx context.Context, from query.Best, open []bool) error {
	found, err := n.descend(ctx, from, open)
	if err == nil && found.Value < n.base.Value && n.base.Point != nil {
		found, err = n.descend(ctx, found, slices.Repeat([]bool{true}, len(open)))
	}
	n.least = min(n.least, found.Value)
	if n.base.Point == nil || found.Value < n.base.Value {
		n.base = found
		if err == nil {
			err = n.polish(ctx)
		}
	}
	return err
}

// polish goes down from the base.
func (n *nearly) polish(ctx context.Context) (err error) {
	n.base, err = n.polisher.from(ctx, n.base)
	n.least = min(n.least, n.base.Value)
	return err
}

// disturbed returns the base with a component and some of its neighbours, and theirs, at
// other places: in another well, or anywhere. It says which components are to be looked
// along. How many are disturbed is drawn so that any order of magnitude is as likely.
func (n *nearly) disturbed() (x []float64, open []bool) {
	m := len(n.at.singles)
	x, open = slices.Clone(n.base.Point), make([]bool, m)
	size := int(math.Ceil(math.Pow(float64(m), n.random.Float64())))
	some := []int{n.random.IntN(m)}
	for tries := 0; len(some) < size && tries < mostTries*size; tries++ {
		k := n.random.IntN(m) // anyone, where there are no more neighbours
		if near := n.neighbour[some[n.random.IntN(len(some))]]; len(near) > 0 && tries < size*mostTries/2 {
			k = near[n.random.IntN(len(near))]
		}
		if !slices.Contains(some, k) {
			some = append(some, k)
		}
	}
	for _, k := range some {
		j := n.at.singles[k]
		y := n.at.y(j, x)
		to := y + float64(n.random.NormFloat64()*anywhere*n.at.extent(j))
		if w := n.wells[k]; len(w) > 1 && n.random.Float64() < inAWell {
			to = w[n.random.IntN(len(w))]
		}
		least, most := n.at.room(x, j)
		n.at.move(x, min(max(to-y, least), most), j)
		open[k] = len(some) > 1 // alone it would go back
		for _, l := range n.neighbour[k] {
			open[l] = true
		}
	}
	clamp(x, n.at.bounds)
	return x, open
}

// Components are disturbed to another well with the probability inAWell, otherwise by a
// normal number with the standard deviation anywhere, in parts of their range.
const (
	inAWell   = 0.7
	anywhere  = 0.3
	mostTries = 20
)

// together is into how many parts the components are divided that are looked along in one
// batch: where many move at the same time, couplings make their gains wrong.
const together = 3

// descend looks along the open components, a third of all at a time, until none is open:
// those that have moved open their neighbours.
func (n *nearly) descend(ctx context.Context, from query.Best, open []bool) (query.Best, error) {
	least := float64(noGain * math.Abs(n.f.first-n.f.best.Value))
	for {
		var some []int
		for k, yes := range open {
			if yes {
				some = append(some, k)
			}
		}
		if len(some) == 0 {
			return from, nil
		}
		n.random.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
		some = some[:min(len(some), max(1, len(open)/together))]
		next, moved, err := n.look(ctx, from, some)
		if err != nil {
			return next, err
		}
		for _, k := range some {
			open[k] = false
		}
		if from.Value-next.Value > least {
			for _, k := range moved {
				for _, l := range n.neighbour[k] {
					open[l] = true
				}
			}
		}
		from = next
	}
}

// noGain is the gain that is not worth looking along neighbours for, as a part of the way
// that f has come since the first query. Newton steps follow.
const noGain = 1e-7

// A shift moves component k by t, to where f is value.
type shift struct {
	k        int
	t, value float64
}

// look looks along some components over their whole range, all in one batch, and moves
// them one after another, the one with the largest gain first, as far as that makes f less.
// It returns where that leads to, and which have moved.
func (n *nearly) look(ctx context.Context, from query.Best, some []int) (query.Best, []int, error) {
	x := from.Point
	ranges, of := make([]line.Range, len(some)), make([]int, len(some))
	for i, k := range some {
		j := n.at.singles[k]
		reach, y, scale := n.at.extent(j), n.at.y(j, x), n.at.scale[j]
		of[i], ranges[i] = j, n.at.span(x, j, min(-reach-y, -scale), max(reach-y, scale))
	}
	seen, err := line.Minimize(ctx, n.f, x, from.Value, n.at.directions(of), ranges, line.Config{Wells: firstWells, Tolerance: wellTolerance, Widen: 1})
	if err != nil {
		return from, nil, err
	}
	var shifts []shift
	for i, p := range seen {
		k := some[i]
		y := n.at.y(of[i], x)
		if n.profiles[k].Y == nil {
			n.profiles[k] = profileOf(of[i], y, p)
		}
		n.wells[k] = nil
		for _, w := range p.Wells {
			n.wells[k] = append(n.wells[k], y+w.Y)
		}
		if w := p.Wells[0]; w.Value < from.Value {
			shifts = append(shifts, shift{k, w.Y, w.Value})
		}
	}
	return n.take(ctx, from, shifts)
}

// take takes shifts one after another, as far as f falls, which is asked in one batch.
func (n *nearly) take(ctx context.Context, from query.Best, shifts []shift) (query.Best, []int, error) {
	if len(shifts) == 0 {
		return from, nil, nil
	}
	slices.SortStableFunc(shifts, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	points, moved := make([][]float64, len(shifts)), make([]int, len(shifts))
	x := slices.Clone(from.Point)
	for i, s := range shifts {
		n.at.move(x, s.t, n.at.singles[s.k])
		points[i], moved[i] = slices.Clone(x), s.k
		clamp(points[i], n.at.bounds)
	}
	values, err := query.Ask(ctx, n.f, len(points), func(i int, row []float64) { copy(row, points[i]) })
	if err != nil {
		return from, nil, err
	}
	best, upto := from, 0
	for i, v := range values {
		if v < best.Value {
			best, upto = query.Best{Point: points[i], Value: v}, i+1
		}
	}
	return best, moved[:upto], nil
}
