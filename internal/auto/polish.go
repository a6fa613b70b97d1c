package auto

import (
	"context"
	"math"
	"slices"

	down "github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
)

// A polisher goes downhill in the coordinates found, within the bounds: one look shows how f curves along
// components and in blocks, and a descent of package descent begins with that. What the look has wrong, because
// the frame is rough or f is no parabola, the descent learns.
type polisher struct {
	f    *watched
	at   *coordinates
	seed uint64
	// bowl says that f is quadratic and that nothing has contradicted that it has a minimum: then
	// f is looked at over whole scales, and one step is to gain what it promises.
	bowl bool

	polished  *float64  // f where polishing has ended; nil: not yet
	curvature []float64 // f_j″ of each component, as it was seen last
}

// asPredicted is how far the gain of a quadratic may be from the one predicted, as a part of it: there are
// errors of the frame.
const asPredicted = 0.1

// polish goes down from the best point, unless it has come from there.
func (p *polisher) polish(ctx context.Context) error {
	if p.polished != nil && p.f.best.Value == *p.polished {
		return nil
	}
	found, err := p.from(ctx, p.f.best)
	p.polished = &found.Value
	return err
}

// from goes down from a point: in the coordinates y, in which f has few slopes and curves along axes, and where bounds
// are in the way in x, in which they are a box. Where slopes promise what is not there, as along kinks, lines go on.
func (p *polisher) from(ctx context.Context, start query.Best) (query.Best, error) {
	p.f.begin(polishing, 4*len(p.at.scale)+1) // a look, and two slopes
	if notFinite(start.Value) {
		return start, nil
	}
	part := finePart
	if p.bowl {
		part = 1
	}
	start = start.Clone() // the best one moves while f is asked
	seen, err := p.look(ctx, start.Point, start.Value, part)
	if err != nil {
		return start, err
	}
	return p.seeing(ctx, start, seen)
}

// seeing goes down from a point where a look has shown how f curves.
func (p *polisher) seeing(ctx context.Context, start query.Best, seen *bend) (query.Best, error) {
	here := start.Clone()
	p.curvature, p.f.spread = seen.diagonal(), seen.spread(p.at.scale)
	if p.bowl && !seen.upwards(grains.OfCurvature*p.f.grain.Of(here.Value)) { // a saddle leads nowhere
		p.bowl = false
		return here, nil
	}
	var err error
	kinks := false
	if seen.slope != nil {
		if kinks, err = p.along(ctx, seen, &here); err != nil {
			return here, err
		}
		if gain := start.Value - here.Value; p.bowl {
			p.bowl = math.Abs(gain-seen.gain()) <= asPredicted*seen.gain()
		}
	}
	if !interior(p.at.bounds, here.Point) || seen.slope == nil {
		if kinks, err = p.within(ctx, seen, &here); err != nil {
			return here, err
		}
	}
	if kinks && p.f.noise == nil && len(p.at.singles) > 0 {
		if kinks, err = p.sharp(ctx, here); kinks && err == nil {
			err = p.sweep(ctx, &here)
		}
	}
	return here, err
}

// sharp reports whether f has a kink along a component: over half of a step it rises half as much, where a parabola rises a
// quarter as much.
func (p *polisher) sharp(ctx context.Context, here query.Best) (bool, error) {
	var rise [2][]float64
	for k := range rise {
		seen, err := p.look(ctx, here.Point, here.Value, finePart/float64(k+1))
		if err != nil {
			return false, err
		}
		rise[k] = seen.rise
	}
	for j, short := range rise[1] {
		if long := rise[0][j]; short > long/(2*math.Sqrt2) && long > grains.OfCurvature*p.f.grain.Of(here.Value) {
			return true, nil
		}
	}
	return false, nil
}

const (
	// wayOut is how far out a descent goes, in ranges that components have in the start box: lines go on, which know
	// when there is no minimum.
	wayOut = 1000
	// kinky is what slopes promise along kinks where a descent has ended, at least, as a part of the way that f has come.
	kinky = 1e-13
	// sweepPart is by how much lines become shorter from one sweep to the next, and sweepTolerance how well they know
	// minima, in their lengths.
	sweepPart      = 1e-3
	sweepTolerance = 1e-5
	// shortestSweep is how long lines are at least, in scales: rounding of x is as large.
	shortestSweep = 1e-13
)

// down goes down once. It reports whether slopes promise what is not there.
func (p *polisher) down(ctx context.Context, f objective.Objective, cfg down.Config) (down.Result, bool, error) {
	var kept []float64
	cfg.Kept = func(part float64) { kept = append(kept, part) }
	cfg.Spread, cfg.Grain, cfg.Known = min(p.f.spread, math.Abs(p.f.first-cfg.Value)), p.f.grain, p.f.grain.Kind != objective.NoNoise
	cfg.Random = rng.Seed(p.seed).Stream("auto", "polish", p.f.queries)
	over := func() bool { return crawls(kept, f.Dim()) || p.at.far(p.f.best.Point) > wayOut }
	found, err := down.Minimize(ctx, &until{f, over}, cfg)
	if err == errEnough {
		return found, p.at.far(p.f.best.Point) <= wayOut, nil
	}
	return found, found.Left > p.f.counts(found.Value, kinky, p.f.spread), err
}

// sweep minimises along all single components at the same time, over shorter and shorter lines.
func (p *polisher) sweep(ctx context.Context, here *query.Best) error {
	for half := 1. / 2; half > shortestSweep; half *= sweepPart {
		ranges := make([]line.Range, len(p.at.singles))
		for k, j := range p.at.singles {
			reach := float64(half * p.at.scale[j])
			ranges[k] = p.at.span(here.Point, j, -reach, reach)
			ranges[k].Step = reach
		}
		profiles, err := line.Minimize(ctx, p.f, here.Point, here.Value, p.at.directions(p.at.singles), ranges, line.Config{Wells: 1, Tolerance: sweepTolerance})
		if err != nil {
			return err
		}
		there := slices.Clone(here.Point)
		for k, j := range p.at.singles {
			p.at.move(there, profiles[k].Wells[0].Y, j)
		}
		clamp(there, p.at.bounds)
		if _, err := p.f.ask(ctx, there); err != nil {
			return err
		}
		here.Offer(p.f.best.Point, p.f.best.Value)
	}
	return nil
}

// along goes down in the coordinates z with y_j = z_j·reach_j.
func (p *polisher) along(ctx context.Context, seen *bend, here *query.Best) (kinks bool, err error) {
	at, m := p.at, len(p.at.scale)
	f := framed{p.f, slices.Clone(here.Point), at.directions(ranks.First(m)), at.bounds}
	z, reach, slope := make([]float64, m), make([]float64, m), make([]float64, m)
	for j := range m {
		reach[j] = at.extent(j)
		z[j] = at.y(j, here.Point) / reach[j]
		slope[j] = seen.slope[j] * reach[j]
		at.move(f.base, -at.y(j, here.Point), j)
		floats.Scale(reach[j], f.along.RawRowView(j))
	}
	cfg := down.Config{Start: z, Value: here.Value, Bounds: objective.Cube(m, math.Inf(-1), math.Inf(1))}
	if !slices.ContainsFunc(slope, notFinite) { // f may have failed beside x
		cfg.Slope = slope
	}
	for _, q := range seen.axes() {
		floats.Div(q.S, reach)
		floats.Mul(q.Y, reach)
		cfg.Pairs = append(cfg.Pairs, q)
	}
	found, kinks, err := p.down(ctx, f, cfg)
	here.Offer(f.at(found.Point), found.Value)
	for j, c := range found.Curvature {
		p.curvature[j] = c / (reach[j] * reach[j])
	}
	return kinks, err
}

// within goes down within the bounds.
func (p *polisher) within(ctx context.Context, seen *bend, here *query.Best) (kinks bool, err error) {
	at := p.at
	cfg := down.Config{Start: here.Point, Value: here.Value, Bounds: at.bounds}
	for _, q := range seen.axes() {
		pair := down.Pair{S: make([]float64, len(here.Point)), Y: make([]float64, len(here.Point))}
		kernel.MulVecT(pair.S, at.u.RawMatrix(), q.S)
		kernel.MulVecT(pair.Y, at.w.RawMatrix(), q.Y)
		cfg.Pairs = append(cfg.Pairs, pair)
	}
	found, kinks, err := p.down(ctx, p.f, cfg)
	here.Offer(found.Point, found.Value)
	return kinks, err
}

// otherPart is the part of all queries that searches from other points may take: one that is begun is ended.
const otherPart = 1. / 8

// others goes down from points halfway between the best and any of a box, for as long
// as they may: where blocks are cut off by bounds there are minima on several faces.
func (p *polisher) others(ctx context.Context, box objective.Box, stream *rng.Stream) error {
	most := p.f.queries + int(otherPart*float64(p.f.queries))
	for p.f.queries < most {
		x := make([]float64, p.f.Dim())
		box.Draw(x, stream)
		x = between(p.f.best.Point, x, 0.5)
		values, err := p.f.ask(ctx, x)
		if err == nil {
			_, err = p.from(ctx, query.Best{Point: x, Value: values[0]})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// finest is the gain that counts as none, as a part of the way that f has come since the first query, or of what it rises
// over the scales of all components, if that is less: f may have been huge where it was asked first. It is below the rounding
// of most sums of that size, since the terms of a sum may differ by many orders of magnitude.
const finest = 1e-17

// none is the gain that counts as none: finest, or the grain of f.
func (w *watched) none(fx float64) float64 {
	return w.counts(fx, finest, w.spread)
}
