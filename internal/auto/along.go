package auto

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// along minimises in the coordinates found: a quadratic by a look and a descent, other functions
// by lines and in blocks; where bounds are in the way, with a model of f and by descents
// on faces. Running: the search along them does not come to an end.
func (r *run) along(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	at := newCoordinates(found, r.task.Bounds)
	if r.f.noise != nil || r.task.Bounded() {
		at.finer()
	}
	if r.f.noise != nil && len(at.blocks) == 0 && !r.f.walls {
		if found.Quadratic && !r.task.Bounded() {
			return r.toMinimum(ctx, at, r.f.best.Point, true)
		} else if !found.Quadratic && !at.cut(r.f.best.Point) {
			return r.noisily(ctx, at)
		}
	}
	p := r.polisher(at)
	if p.bowl = found.Quadratic; p.bowl {
		better, err := false, p.polish(ctx)
		if p.bowl && err == nil {
			better, err = r.underMap(ctx, at)
		}
		if err != nil || p.bowl && !better {
			return objective.Converged, err
		}
	}
	if len(at.blocks) == 0 && at.cut(r.f.best.Point) && !r.f.walls { // walls may be in the middle, too
		if status, err := r.within(ctx, at, p); status != objective.Running || err != nil {
			return status, err
		}
	} else if status, err := r.everywhere(ctx, at, p); err != nil || status != objective.Converged || r.interior() {
		return status, err
	} else if len(at.blocks) > 0 {
		return objective.Converged, p.others(ctx, objective.Cube(r.f.Dim(), -1, 1), rng.Seed(r.task.Seed).Stream("auto", "faces"))
	} else if err := r.model(ctx, newBounded(r.f, at, r.task.Seed, r.task.Budget)); err != nil {
		return objective.Running, err
	}
	if err := p.polish(ctx); err != nil || !r.interior() || len(r.learnt.Profiles) == 0 {
		return objective.Converged, err
	}
	// A model is not exact: other wells may be as deep.
	return r.onwards(ctx, p, newLines(r.f, at, r.task.Budget), r.blocks(at), r.learnt.Profiles)
}

// within minimises along lines that bounds cut off; where their minima do not meet within the bounds, on faces if f is
// convex, and otherwise with a model. Running: what it has found is to be searched on faces.
func (r *run) within(ctx context.Context, at *coordinates, p *polisher) (objective.Status, error) {
	b := newBounded(r.f, at, r.task.Seed, r.task.Budget)
	profiles, met, err := b.meet(ctx)
	if profiles != nil {
		r.learnt.Profiles = profiles
	}
	if err != nil {
		return objective.Running, err
	}
	if met {
		if status, err := r.onwards(ctx, p, newLines(r.f, at, r.task.Budget), r.blocks(at), profiles); err != nil || status == objective.Converged && r.interior() {
			return status, err
		}
	}
	if b.convex() {
		if err := p.polish(ctx); err != nil || b.convex() {
			return objective.Converged, err
		}
	}
	return objective.Running, r.model(ctx, b)
}

// model searches a model of f within the bounds.
func (r *run) model(ctx context.Context, b *bounded) error {
	profiles, err := b.search(ctx)
	if profiles != nil {
		r.learnt.Profiles = profiles
	}
	return err
}

func (r *run) interior() bool { return interior(r.task.Bounds, r.f.best.Point) }

// How often a search along coordinates goes on from a better point, and how often if there are blocks, which take hundreds of
// queries each time. It took two rounds in all of 50 runs on the mixed problems that separate, and one on Rosenbrock pairs:
// after so many the coordinates do not hold.
const (
	mostRounds       = 20
	mostBlocksRounds = 4
)

// everywhere minimises along lines and in blocks over their whole range, blocks after a descent,
// and then goes on from the point found.
func (r *run) everywhere(ctx context.Context, at *coordinates, p *polisher) (objective.Status, error) {
	l := newLines(r.f, at, r.task.Budget)
	profiles, err := l.explore(ctx, r.f.best)
	r.learnt.Profiles = profiles
	if err != nil {
		return objective.Running, err
	}
	if r.open(profiles) {
		return objective.Unbounded, nil
	}
	if len(at.blocks) > 0 { // it costs little beside blocks
		if err := p.polish(ctx); err != nil {
			return objective.Running, err
		}
	}
	b := r.blocks(at)
	err = b.explore(ctx)
	if r.f.noise != nil && len(at.blocks) > 0 {
		r.f.noise.met = b.met
		return objective.Converged, err // the rest is done along the axes of the Hessian
	}
	if err != nil {
		return objective.Running, err
	}
	return r.onwards(ctx, p, l, b, profiles)
}

// onwards goes on from the point found for as long as that gets better: a descent, blocks again, other wells. Running: it
// gets better without end, so that the coordinates do not hold.
func (r *run) onwards(ctx context.Context, p *polisher, l *lines, b *blocks, profiles []frame.Profile) (objective.Status, error) {
	w := newWells(r.f, p.at, profiles)
	o := &outlook{f: r.f, at: p.at, lines: l, wells: w, polisher: p, looked: math.NaN()}
	most := mostRounds
	if len(p.at.blocks) > 0 {
		most = mostBlocksRounds
	}
	for range most {
		if err := inTurn(ctx, r.uncovered, r.nearby, func(ctx context.Context) error { return r.remap(ctx, p.at) }); err != nil {
			return objective.Running, err
		}
		before, left := r.f.best.Value, b.open
		if err := inTurn(ctx, p.polish, func(ctx context.Context) error { return r.refine(ctx, p, b) }, w.look); err != nil {
			return objective.Running, err
		}
		if before-r.f.best.Value > max(r.f.tolerance(), left) && !r.mapping.slow() {
			continue
		}
		if again, err := r.underMap(ctx, p.at); err != nil {
			return objective.Running, err
		} else if again {
			continue
		}
		if again, err := o.look(ctx); err != nil {
			return objective.Running, err
		} else if r.open(o.profiles) {
			return objective.Unbounded, nil
		} else if !again {
			o.note(r.learnt)
			return objective.Converged, nil
		}
	}
	return objective.Running, nil
}

func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refine searches blocks once more near the best point; within bounds by Newton steps.
func (r *run) refine(ctx context.Context, p *polisher, b *blocks) error {
	if len(p.at.blocks) > 0 && r.task.Bounded() {
		return p.polish(ctx)
	}
	return b.refine(ctx)
}

// mostNamed is how many components a note names at most.
const mostNamed = 5

// open reports whether f falls along a component as far as it was followed, and says so.
func (r *run) open(profiles []frame.Profile) bool {
	var open []string
	for _, p := range profiles {
		if p.Open {
			open = append(open, strconv.Itoa(p.Component+1)) // people count from 1
		}
	}
	if len(open) == 0 {
		return false
	}
	if len(open) > mostNamed {
		open = append(open[:mostNamed], "…")
	}
	r.learnt.Note("f falls as far as it was followed, a million times the start box, along component %s: it may have no minimum", strings.Join(open, ", "))
	return true
}

func (r *run) polisher(at *coordinates) *polisher {
	return &polisher{f: r.f, at: at, seed: r.task.Seed}
}

func (r *run) blocks(at *coordinates) *blocks {
	return &blocks{f: r.f, at: at, seed: r.task.Seed, parallel: r.task.Parallel, budget: r.task.Budget, bounded: r.task.Bounded()}
}
