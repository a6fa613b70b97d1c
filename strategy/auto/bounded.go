package auto

import (
	"context"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
)

// A bounded search looks for a minimum within a box, where going along components one at
// a time is not enough: lines are cut off, and the minimum may be on a face or in a
// corner. It makes a model of f, searches that, and asks f about the point it finds. All
// components must be alone in their blocks.
type bounded struct {
	f    *watched
	at   *coordinates
	box  objective.Box
	seed uint64
}

// margin is how far the box goes at least on both sides of the best point, in half-widths
// of the start box, where the bounds allow it.
const margin = 1

// newBounded prepares a search of the bounds, as far as they are near the start box or
// the best point.
func newBounded(f *watched, at *coordinates, seed uint64) bounded {
	b := bounded{f: f, at: at, box: objective.Cube(f.Dim(), -around, around), seed: seed}
	for k, v := range f.best.Point {
		b.box.Lo[k] = max(at.bounds.Lo[k], min(b.box.Lo[k], v-margin))
		b.box.Hi[k] = min(at.bounds.Hi[k], max(b.box.Hi[k], v+margin))
	}
	return b
}

// search makes the model, searches it and asks f about what it finds. It returns what was
// seen of every component; nil if f failed nearly everywhere along one, so that there is
// no model. The lines have asked f all the same.
func (b bounded) search(ctx context.Context) ([]line.Profile, error) {
	b.f.stage(alongLines)
	m, err := newSampler(b.f, b.at, b.box).learn(ctx)
	if err != nil || m == nil {
		return nil, err
	}
	b.f.stage(onModel) // which may take some seconds
	s := &modelSearch{model: m, at: b.at, wT: m.transposed(), box: b.box, stream: rng.Seed(b.seed).Stream("auto", "box")}
	return m.profiles(), b.f.ask(ctx, s.explore(ctx, b.f.best.Point))
}
