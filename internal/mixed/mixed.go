// Package mixed minimises functions of which some parameters have a lattice: integers, numbers with a
// step, and choices.
//
// Start with Strategy. A setting is a value of each lattice parameter. A trust region (region.go) goes along
// kinks over all parameters that have an order, by a model of pieces (pieces.go). A local search (local.go) goes down
// over the continuous parameters at one setting, tries other settings from where it ends, along the lattice
// of one parameter after the other, and goes down again. CMA-ES with margin (package cmaes) searches all at
// once, beside probabilities of the choices that are learnt from the same points (choices.go, after CatCMA:
// R. Hamano, S. Saito, M. Nomura, K. Uchida, S. Shirakawa, "CatCMA: stochastic optimization for
// mixed-category problems", 2024). Coordinates in which f separates are looked for among the continuous
// parameters at the best setting, by package auto. Where answers have several numbers or there are limits,
// package several goes down instead (several.go).
//
// Every point that is asked is on the lattice, so that what the search is told is what f was asked.
package mixed

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// Strategy minimises a function with lattices. Its task has them.
type Strategy struct {
	Called string // its name
}

// Name returns the name that it is called by.
func (s Strategy) Name() string { return s.Called }

// The stages.
var (
	atKnown    = objective.Stage{Name: "known points", Purpose: objective.AtKnown}
	toSample   = objective.Stage{Name: "starts", Purpose: objective.ToSearch}
	goingDown  = objective.Stage{Name: "descent", Purpose: objective.StraightDown}
	onLattices = objective.Stage{Name: "lattices", Purpose: objective.AlongThem}
	byModel    = objective.Stage{Name: "model", Purpose: objective.ToSearch}
	comparison = objective.Stage{Name: "comparison", Purpose: objective.ToCompare}
	byCMAES    = objective.Stage{Name: "cmaes", Purpose: objective.ToSearch}
)

// By these shares of the budget a part of the search ends: points that a surrogate promises, a trend, regions, the first
// local search, searches of single settings, CMA-ES, and under noise all of them. They are the only ones.
const modelledBy, trended, searched, local, sections, evolved, compared = 0.2, 0.4, 0.8, 0.5, 0.5, 0.9, 0.9

// Minimize minimises f.
func (s Strategy) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	task, err := task.Complete(f.Dim())
	if err != nil {
		return strategy.Outcome{Status: objective.Failed}, err
	}
	w := newSearch(ctx, f, task)
	err = w.run()
	out := strategy.Outcome{Status: objective.Converged, Learnt: &strategy.Learnt{}, Multipliers: w.multipliers, Chosen: w.winner}
	if w.noisy {
		out.Noise = &strategy.Noise{Kind: objective.RandomNoise, Sigma: w.sigma}
	}
	if w.fit != nil && w.key(w.fit.Point) == w.key(w.best.z) {
		out.Fit = w.fit
	}
	if err != nil {
		out.Status, err = objective.StatusOf(ctx, err)
	}
	return out, err
}

// A search is what all parts share.
type search struct {
	ctx    context.Context
	f      objective.Objective
	task   strategy.Task
	said   *strategy.Several // nil: f answers a value alone, without limits
	random *rng.Stream

	free     []int // continuous coordinates
	discrete []int // the others
	ordered  []int // all but choices
	queries  int
	best     place
	asked    []memo
	settings map[string]place // the best place of each setting that was asked
	grain    objective.Grain
	exact    bool // grain is known

	noisy  bool             // a point that is asked again has another value
	winner *strategy.Chosen // of the comparison
	sigma  float64          // the standard deviation of values there

	multipliers []strategy.Multiplier
	fit         *strategy.Fit // of the last descent to the best place
}

func newSearch(ctx context.Context, f objective.Objective, task strategy.Task) *search {
	w := &search{ctx: ctx, f: f, task: task, random: rng.Seed(task.Seed).Stream("mixed"), grain: objective.Rounding, settings: map[string]place{}}
	if task.NoiseLevel > 0 {
		w.grain, w.exact, w.noisy = objective.Known(task.NoiseLevel), true, true
	}
	if s := task.Several; s.Limited() || s != nil && s.Residuals > 0 {
		w.said = s
	}
	for k, l := range task.Lattices {
		if !l.Unordered || len(l.Values) == 0 {
			w.ordered = append(w.ordered, k)
		}
		switch {
		case len(l.Values) == 0:
			w.free = append(w.free, k)
		case l.Unordered: // these come first: they are few, and may change everything
			w.discrete = slices.Insert(w.discrete, 0, k)
		default:
			w.discrete = append(w.discrete, k)
		}
	}
	return w
}

// pick returns some coordinates of a vector.
func pick(z []float64, these []int) []float64 {
	x := make([]float64, len(these))
	for i, k := range these {
		x[i] = z[k]
	}
	return x
}

// ends returns the least and the greatest value that a coordinate may have.
func (w *search) ends(k int) (lo, hi float64) {
	if l := w.task.Lattices[k].Values; len(l) > 0 {
		return l[0], l[len(l)-1]
	}
	return w.task.Bounds.Lo[k], w.task.Bounds.Hi[k]
}

// errEnough ends a part of a search that is not worth more queries.
var errEnough = errors.New("mixed: enough")

// run searches. Under noise it keeps a part of the budget to choose the best of the points with the lowest values, which
// are low by chance.
func (w *search) run() error {
	start, err := w.first()
	if err == nil && w.said == nil && start.z != nil && !w.noisy {
		var again []place
		if again, err = w.ask([][]float64{start.z}); err == nil {
			w.noisy = again[0].value != start.value
		}
	}
	if err != nil {
		return err
	}
	if !w.noisy || w.said != nil {
		return w.search(start)
	}
	if err := w.until(compared*float64(w.task.Budget), func() error { return w.search(start) }); err != nil {
		return err
	}
	w.task.Stage(comparison)
	w.winner, w.sigma, err = auto.Choose(w.ctx, w.f, w.likely(), w.task.Budget-w.queries, w.queries)
	return err
}

// search goes down from the best of some points, searches by CMA-ES, goes down from where that has come to,
// and then again from other points until f ends it.
func (w *search) search(start place) error {
	budget := float64(w.task.Budget)
	limited, fit := w.said != nil, w.said != nil && w.said.Residuals > 0
	regional, regions, evolve := w.regional(), searched, evolved
	if limited {
		regions = sections
	}
	if regional { // they have the first queries
		first := float64(leastStructured*w.Dim()) / budget
		regions, evolve = min(regions, first), evolve*(1-first)
	}
	for _, part := range []struct {
		until float64
		no    bool
		do    func() error
	}{
		{modelledBy, limited, w.sketch}, {trended, limited, w.follow}, {regions, false, w.regions},
		{local, regional, func() error { return w.improve(start, limited) }}, {sections, limited, w.structure}, {evolve, fit, w.evolve},
	} {
		if part.no {
			continue
		}
		if err := w.until(part.until*budget, part.do); err != nil {
			return err
		}
		if w.best.z != nil {
			start = w.best
		}
	}
	if err := w.improve(start, true); err != nil {
		return err
	}
	for round, idle := 1, 0; idle < mostIdle; round++ {
		before := w.queries
		start, err := w.another(round)
		if err == nil && start.z != nil && w.regional() {
			start, err = w.around(start, wide, math.Inf(1))
		}
		if err == nil {
			err = w.improve(start, true)
		}
		if err != nil {
			return err
		}
		if idle++; w.queries > before {
			idle = 0
		}
	}
	return nil
}

// mostIdle is after how many starts without a single query a search is done: none keeps to the limits.
const mostIdle = 1000

// until does a part of the search, and ends it when so many queries are spent in all.
func (w *search) until(queries float64, part func() error) error {
	limit := int(queries)
	if limit <= w.queries {
		return nil
	}
	whole := w.f
	w.f = query.NewMeter(whole, limit-w.queries)
	err := part()
	w.f = whole
	if errors.Is(err, objective.ErrBudget) && w.queries >= limit && limit < w.task.Limit {
		return nil
	}
	return err
}

// first returns the best of the known points, or of some random ones.
func (w *search) first() (place, error) {
	if w.task.Points == nil {
		return w.screen()
	}
	w.task.Stage(atKnown)
	n, _ := w.task.Points.Dims()
	var points [][]float64
	for i := range n {
		points = append(points, mat.Row(nil, i, w.task.Points))
	}
	return w.bestOf(points)
}

// another returns where a further local search begins: at random points, or near the best, by turns.
func (w *search) another(round int) (place, error) {
	if round%2 == 0 || w.best.z == nil {
		return w.screen()
	}
	z := slices.Clone(w.best.z)
	for range 1 + w.random.IntN(len(w.discrete)) { // some lattice parameters are drawn again
		k := w.discrete[w.random.IntN(len(w.discrete))]
		values := w.task.Lattices[k].Values
		z[k] = values[w.random.IntN(len(values))]
	}
	return w.bestOf([][]float64{z})
}

// screen returns the best of twice as many random points as there are coordinates, and three: enough for a model.
func (w *search) screen() (place, error) {
	w.task.Stage(toSample)
	points := make([][]float64, 2*w.f.Dim()+3)
	for i := range points {
		points[i] = w.draw()
	}
	best, err := w.bestOf(points)
	if best.z == nil { // none keeps to linear limits: a descent finds one that does, if it can
		best = place{z: points[0], value: math.Inf(1), over: math.Inf(1)}
	}
	return best, err
}

// draw returns a random point of the start box.
func (w *search) draw() []float64 {
	z := make([]float64, w.f.Dim())
	for k := range z {
		if values := w.task.Lattices[k].Values; len(values) > 0 {
			z[k] = values[w.random.IntN(len(values))]
		} else {
			z[k] = 2*w.random.Float64() - 1
		}
	}
	return z
}
