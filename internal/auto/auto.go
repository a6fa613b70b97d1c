// Package auto is the strategy that finds out what a function is like and minimises it accordingly, the default of Untwist.
//
// It looks for coordinates in which f separates,
//
//	f(x) = Σ_j f_j(⟨w_j, x⟩)   or   Σ_b f_b(W_b x),
//
// rough ones, which is all that a search needs. A quadratic is done after one Hessian and a Newton step. Along single
// components it minimises by lines, all at once, and polishes the result by Newton steps; in blocks of several components by
// CMA-ES, all blocks at once. Where bounds are in the way, it searches a model of f that lines have given it, and asks f
// about what it finds. Where f does not separate it is a race of descents with BIPOP-CMA-ES, which gets a chance before any
// part of the survey that may bring nothing.
//
// Start with Auto. The decisions are in run.go, trust.go and along.go; every other file is a part that is given what it needs
// and returns what it found. Package strategy has the contract, and the page docs/auto.md what is measured.
package auto

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Auto finds out what f is like and minimises it accordingly. Its zero value is ready to use.
//
// It takes a frame and certifies it. A frame that the task's Identifier finds is treated like one that is given; without an
// Identifier it looks for coordinates by a survey of its own.
//
// A budget below 7d²/4 + 120d + 200 is too small for all that: then it is a race of descents with CMA-ES, or lines along the
// axes if f is a sum over them (sprint.go, scout.go), and looks only whether f has few components. Up to three times that
// budget the race comes first, and the survey when it is stuck.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Minimize searches for the minimum of f in the coordinates that it finds.
func (Auto) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	task, err := task.Complete(f.Dim())
	if err != nil {
		return strategy.Outcome{Status: objective.Failed}, err
	}
	r := newRun(f, task)
	defer r.fallback.stop()
	status, err := r.minimize(ctx)
	if err == nil {
		err = r.conclude(ctx)
	}
	if math.IsInf(r.f.best.Value, -1) {
		r.learnt.Note("f is -Inf at the point found")
	}
	r.noteStartBox()
	if r.fallback.cmaes != nil && f.Dim() >= cmaes.LargeFrom {
		r.learnt.Note("CMA-ES has a diagonal covariance: a full one does not fit so many dimensions")
	}
	if found := r.learnt.Finding; found != nil && found.Map != nil {
		r.unmapped(found.Map.(*outer.Map))
	}
	if err != nil {
		status, err = objective.StatusOf(ctx, err)
	}
	outcome := strategy.Outcome{Status: status, Learnt: r.learnt, Noise: r.noise(), Chosen: r.chosen()}
	return outcome, err
}

// The start box is suspect if the point found is so many times further out than it reaches, or so near its middle along every
// coordinate. The very middle is where people put a minimum that they know.
const (
	farOut    = 10
	inMiddle  = 1. / 20
	theMiddle = 1e-4
)

// noteStartBox says that the start box may be wrong, if nothing has said so yet.
func (r *run) noteStartBox() {
	if slices.ContainsFunc(r.learnt.Notes, func(s string) bool { return strings.Contains(s, "start box") }) {
		return
	}
	far := 0.0
	for _, v := range r.f.best.Point {
		far = max(far, math.Abs(v))
	}
	switch {
	case far > farOut:
		r.learnt.Note("the point found is far outside of the start box, %.0f times as far as that reaches: a wider start box may show better ones", far)
	case len(r.f.best.Point) > 1 && far < inMiddle && far > theMiddle:
		r.learnt.Note("the point found is in the middle of the start box, within %.1g of its half-width along every coordinate: if the box is much too wide, a smaller start box around that point may show better ones", far)
	}
}
