package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A bounded search looks for a minimum within bounds that cut lines off. First it looks along every component from as many
// places as it takes to see the range that it has in the start box, and makes a model of what it sees. If all minima meet in
// a point within the bounds, no point of that range is better. Otherwise going along components one at a time is not enough:
// the minimum may be on a face or in a corner. Then it searches the model, and asks f about the points it finds. All
// components must be alone in their blocks.
type bounded struct {
	f      *watched
	at     *coordinates
	seed   uint64
	budget int           // of the whole run
	box    objective.Box // in which it asks
	model  *model
	ends   []ends

	stretches []*stretch
}

// around is how far from the middle of the start box a search goes at first, in its half-widths, and margin how far it goes
// on both sides of the best point at least, where the bounds allow it.
const (
	around = 2
	margin = 1
)

func newBounded(f *watched, at *coordinates, seed uint64, budget int) *bounded {
	b := &bounded{f: f, at: at, seed: seed, budget: budget, model: &model{w: at.w}, ends: make([]ends, at.w.RawMatrix().Rows)}
	for range b.ends {
		b.model.phi = append(b.model.phi, &table{})
	}
	b.within(objective.Cube(f.Dim(), -around, around))
	return b
}

// halvings is how often the gaps beside a well are halved, from 0.8 of a scale to a tenth, and how often a range is doubled
// whose minimum is at its end.
const halvings = 3

// meet looks along every component over the range that it has in the start box, and asks for the point where all minima meet,
// if it is within the bounds. While that is so, ranges whose minimum is at an end are doubled. It returns what it has seen,
// and whether there is such a point.
func (b *bounded) meet(ctx context.Context) ([]frame.Profile, bool, error) {
	b.f.stage(alongLines)
	phi := b.model.phi
	lo, hi := make([]float64, len(phi)), make([]float64, len(phi))
	for j := range phi {
		lo[j], hi[j] = -b.at.extent(j), b.at.extent(j)
	}
	for range halvings + 1 {
		known, err := b.cover(ctx, func(j int) (float64, float64) { return lo[j], hi[j] })
		if !known || err != nil {
			return nil, false, err
		}
		if err := b.closer(ctx, (*table).mayBeLowest); err != nil {
			return nil, false, err
		}
		x := b.meeting()
		wider := false
		for j, t := range phi {
			well, width := t.well().y, hi[j]-lo[j]
			if well <= t.first() && b.goesOn(j, -1) {
				lo[j], wider = lo[j]-width, true
			} else if well >= t.last() && b.goesOn(j, 1) {
				hi[j], wider = hi[j]+width, true
			}
		}
		if !b.at.bounds.Contains(x) {
			break
		}
		if !wider {
			_, err := b.f.ask(ctx, x)
			return b.model.profiles(), true, err
		}
		b.widen()
	}
	return b.model.profiles(), false, nil
}

// convex reports whether f is convex as far as lines have seen it, and the best point is
// there: then a point that is least among its neighbours is least of all.
func (b *bounded) convex() bool {
	for j, t := range b.model.phi {
		if len(t.samples) < 2 || !t.convex(b.f.grain) {
			return false
		}
		if y := b.at.y(j, b.f.best.Point); y < t.first() || y > t.last() {
			return false
		}
	}
	return true
}

// widen makes the box in which it may ask twice as wide, as far as the bounds allow.
func (b *bounded) widen() {
	box := objective.Cube(len(b.at.bounds.Lo), 0, 0)
	for k := range box.Lo {
		lo, hi := b.box.Lo[k], b.box.Hi[k]
		half := float64((hi - lo) / 2)
		box.Lo[k], box.Hi[k] = lo-half, hi+half
	}
	b.within(box)
}

// closer looks closer at some wells, halving the gaps beside them for as long as the table is wrong there.
func (b *bounded) closer(ctx context.Context, which func(*table, int) bool) error {
	for _, t := range b.model.phi {
		for i := range t.samples { // a coarser grid was wrong there
			t.samples[i].off = false
		}
	}
	for round := range halvings {
		some := false
		for _, t := range b.stretches {
			table := b.model.phi[t.j]
			t.wanted = table.closer(t.lo, t.hi, func(i int) bool {
				return which(table, i) && (round == 0 || table.wrong(i))
			})
			some = some || len(t.wanted) > 0
		}
		if !some {
			break
		}
		known, err := b.sample(ctx, 0) // all that is wanted
		b.wantNothing()
		if !known || err != nil {
			return err
		}
	}
	return nil
}

// search makes a model of all that is within the bounds near the start box or the best point, searches it, and asks f about
// the lowest minima that it finds. Where that is at an end of the model which is no bound, it goes on with a wider one. It
// returns what was seen of every component; nil if f failed nearly everywhere along one, so that there is no model. The lines
// have asked f all the same.
func (b *bounded) search(ctx context.Context) ([]frame.Profile, error) {
	var profiles []frame.Profile
	box := objective.Cube(b.f.Dim(), -around, around)
	for k, v := range b.f.best.Point {
		box.Lo[k], box.Hi[k] = min(box.Lo[k], v-margin), max(box.Hi[k], v+margin)
	}
	b.within(box)
	for range halvings + 1 {
		b.f.stage(alongLines)
		known, err := b.cover(ctx, func(int) (float64, float64) { return math.Inf(-1), math.Inf(1) })
		if !known || err != nil {
			return profiles, err
		}
		if err := b.closer(ctx, func(*table, int) bool { return true }); err != nil {
			return profiles, err
		}
		b.f.stage(onModel) // which may take some seconds
		m := b.model
		s := &modelSearch{model: m, at: b.at, wT: mat.DenseCopyOf(m.w.T()), box: b.box, stream: rng.Seed(b.seed).Stream("auto", "box")}
		found := s.explore(ctx, slices.Clone(b.f.best.Point))
		profiles = m.profiles()
		_, err = query.Ask(ctx, b.f, len(found), func(i int, row []float64) { copy(row, found[i].Point) })
		if err != nil || !b.atAnEnd(found[0].Point) {
			return profiles, err
		}
		b.widen()
	}
	return profiles, nil
}

// atAnEnd reports whether x is on a face of its box that is no bound.
func (b *bounded) atAnEnd(x []float64) bool {
	box := b.box
	for k, v := range x {
		if v <= box.Lo[k] && box.Lo[k] > b.at.bounds.Lo[k] || v >= box.Hi[k] && box.Hi[k] < b.at.bounds.Hi[k] {
			return true
		}
	}
	return false
}
