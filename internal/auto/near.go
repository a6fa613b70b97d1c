package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A nearly searches in coordinates in which f separates but for couplings,
//
//	f(x) = Σ f_j(y_j) + Σ c_ij(y_i, y_j).
//
// It looks along components over their whole range, those again whose neighbours have moved, until no line leads further
// down; a neighbour of a component is one with which it couples. Then it disturbs a few components, one and some neighbours
// of it, and looks again: that costs little, as others need not be looked at.
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
	return n.turn(func() error { return n.onwards(ctx, n.f.best.Clone(), slices.Repeat([]bool{true}, len(n.at.singles))) })
}

// again disturbs components of the best point and goes down from there.
func (n *nearly) again(ctx context.Context) error {
	return n.turn(func() error {
		if n.f.best.Value < n.base.Value { // others have found it
			n.base = n.f.best.Clone()
			if err := n.polish(ctx); err != nil {
				return err
			}
		}
		x, open := n.disturbed()
		v, err := n.f.ask(ctx, x)
		if err != nil || !kernel.Finite(v[0]) {
			return err
		}
		return n.onwards(ctx, query.Best{Point: x, Value: v[0]}, open)
	})
}

func (n *nearly) turn(part func() error) error {
	n.f.stage(amongCouplings)
	before := n.f.queries
	err := part()
	n.spent += n.f.queries - before
	return err
}

// onwards goes down, along the open components and, if that is better than all before, along all, and polishes it.
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

func (n *nearly) polish(ctx context.Context) (err error) {
	n.base, err = n.polisher.from(ctx, n.base)
	n.least = min(n.least, n.base.Value)
	return err
}

// disturbed returns the base with a component and some of its neighbours, and theirs, at
// other places: in another well, or anywhere. It says which components are to be looked
// along. How many are disturbed is drawn so that all orders of magnitude are equally probable.
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
// components that have moved open their neighbours.
func (n *nearly) descend(ctx context.Context, from query.Best, open []bool) (query.Best, error) {
	least := float64(noGain * math.Abs(n.f.first-n.f.best.Value))
	for {
		some := slices.DeleteFunc(ranks.First(len(open)), func(k int) bool { return !open[k] })
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
			for _, s := range moved {
				for _, l := range n.neighbour[s.k] {
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

// look looks along some components over their whole range, all in one batch, and moves
// them one after another as far as that makes f less. It returns where that leads to, and which have moved.
func (n *nearly) look(ctx context.Context, from query.Best, some []int) (query.Best, []shift, error) {
	x := from.Point
	ranges, of := make([]line.Range, len(some)), make([]int, len(some))
	for i, k := range some {
		of[i] = n.at.singles[k]
		ranges[i] = n.at.whole(x, of[i])
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
	next, taken, err := n.at.take(ctx, n.f, from, shifts)
	return next, shifts[:taken], err
}

// nearly searches in coordinates in which f nearly separates, in a race against CMA-ES to the end of the budget. Each goes on
// from what is the best so far: CMA-ES only in its own series, which is that of the strategy CMAES to the bit.
func (r *run) nearly(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	n := newNearly(r.f, newCoordinates(found, r.task.Bounds), found.Pairs, r.task.Seed)
	err := n.first(ctx)
	for _, p := range n.profiles {
		if p.Y != nil {
			r.learnt.Profiles = append(r.learnt.Profiles, p)
		}
	}
	sure := found.Certificate.Verdict == certify.NearlySeparable
	for err == nil {
		if !n.behind(r.fallback, sure) {
			err = n.again(ctx)
			continue
		}
		var status objective.Status
		if status, err = r.fallback.search(ctx, 1); err == nil && status != objective.Running {
			return status, nil
		}
	}
	return objective.Running, err
}

// The share of CMA-ES, one in so many queries: where the coordinates are sure and it is not
// ahead, where they are not sure, and where it is ahead.
const (
	ifSure   = 6
	ifUnsure = 2
)

// behind reports whether it is the turn of CMA-ES.
func (n *nearly) behind(s *fallback, sure bool) bool {
	had, least := s.spent(), s.least()
	all := had + n.spent
	switch {
	case least < n.least && had <= n.spent: // with fewer queries
		return n.spent*ifSure > all
	case least >= n.least && sure:
		return had*ifSure < all
	}
	return had*ifUnsure < all
}
