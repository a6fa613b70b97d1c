package strategy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist/asktell"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Auto finds out what f is like and minimises it accordingly.
//
// It looks for coordinates in which f separates (identify.Survey), rough ones,
// which is all that a search needs. A quadratic is done after one Hessian and a
// Newton step. Along single components it minimises by lines, all at once, and
// polishes the result by Newton steps; in blocks of several by CMA-ES, all blocks
// at once. Where bounds cut the way, it searches a model of f that the lines have
// given it, and asks f about what it finds. Where f does not separate it is
// BIPOP-CMA-ES, with the Hessians seen for its first covariance; it gets a chance
// before the dear part of the survey begins.
//
// A budget below 3d² + 50d is too small for all that: then it looks only whether f
// separates as it is or has few components, and goes to CMA-ES otherwise; below 30d
// at once.
//
// The zero value is ready to use.
type Auto struct {
	// Lines is how to look along components for the first time; nil: by a grid. A
	// Swarm does it the paper's way.
	Lines line.Explorer
}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Minimize spends the budget as f deserves.
func (s Auto) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	a := &auto{ctx: ctx, f: &watched{Objective: f, first: math.NaN()}, task: task, lines: s.Lines, learnt: &Learnt{}}
	defer a.stop()
	err := a.run()
	if math.IsInf(a.f.best.Value, -1) {
		a.learnt.note("f is -Inf at the point found")
	}
	switch {
	case err == nil:
		return Outcome{objective.Converged, a.learnt}, nil
	case errors.Is(err, errSearched):
		return Outcome{a.status, a.learnt}, nil
	}
	status, err := objective.StatusOf(ctx, err)
	return Outcome{status, a.learnt}, err
}

// rough is the error of a frame up to which it is not refined for the search, if it
// passes for separable: sweeps from better points mend the rest.
const rough = 0.006

// A watched objective keeps the best point that passes, and the first value.
type watched struct {
	objective.Objective
	best    objective.Best
	first   float64 // the first that is finite; NaN: none yet
	queries int
}

// Evaluate evaluates f.
func (w *watched) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := w.Objective.Evaluate(ctx, points, values)
	known := values[:objective.Evaluated(values, err)]
	w.queries += len(known)
	w.best.OfferAll(points, known)
	for _, v := range known {
		if math.IsNaN(w.first) && !math.IsInf(v, 0) {
			w.first = v
		}
	}
	return err
}

// tolerance is the improvement that counts as none: 1e-15 of the way that f has
// come, or its rounding.
func (w *watched) tolerance() float64 {
	v := w.best.Value
	return max(1e-15*math.Abs(w.first-v), 0x1p-50*math.Abs(v))
}

// An auto is a run of Auto.
type auto struct {
	ctx    context.Context
	f      *watched
	task   Task
	lines  line.Explorer
	learnt *Learnt
	status objective.Status // with errSearched

	series *asktell.Talk // BIPOP-CMA-ES, once begun
	metric *mat.SymDense // its first covariance; nil: I
	paused bool          // the survey was, at least once
}

// run decides what to do.
func (a *auto) run() error {
	if a.task.Points != nil {
		a.task.Stage(objective.Stage{Name: "known points", Purpose: objective.AtKnown})
		if _, err := evaluateAll(a.ctx, a.f, a.task.Points); err != nil {
			return err
		}
	}
	found, err := a.survey()
	switch {
	case errors.Is(err, identify.ErrConstant):
		return a.flat()
	case errors.Is(err, identify.ErrNotFinite), errors.Is(err, identify.ErrNoStep), errors.Is(err, identify.ErrSingular):
		a.learnt.note("%s", strings.TrimPrefix(err.Error(), "identify: "))
		return a.search(math.MaxInt)
	case err != nil:
		return err
	case found == nil:
		return a.search(math.MaxInt)
	}
	if v := found.Certificate.Verdict; v == certify.Separable || v == certify.Blocks {
		err := a.along(found)
		if errors.Is(err, objective.ErrBudget) {
			a.learnt.note("the budget ended the search along them")
		}
		if !errors.Is(err, errUnsettled) {
			return err
		}
		a.learnt.note("the coordinates found do not hold where the search has come to")
	} else if a.task.Frame != nil {
		a.learnt.note("the frame that was given does not fit")
	}
	return a.search(math.MaxInt)
}

// flat searches a little where f is the same wherever it was asked, and goes on if that
// turns out not to be so everywhere.
func (a *auto) flat() error {
	err := a.search(min(100*a.f.Dim(), a.task.Budget/2))
	if err == nil && a.f.first-a.f.best.Value > a.f.tolerance() {
		err = a.search(math.MaxInt)
	} else if a.f.first == a.f.best.Value {
		a.learnt.note("f is the same wherever it was asked")
	}
	return err
}

// survey finds coordinates, or judges those that were given. It returns nil if the
// budget is too small for that.
func (a *auto) survey() (*identify.Finding, error) {
	d := a.f.Dim()
	s := identify.Survey{Measures: 3, Tolerance: rough, Pause: a.race}
	r := identify.Request{Bounds: a.task.Bounds, Seed: a.task.Seed, Stage: a.task.Stage}
	if a.task.Frame != nil {
		found, err := s.Judge(a.ctx, a.f, a.task.Frame, a.task.Blocks, r)
		a.learnt.Finding = found
		return found, err
	}
	small := func() { // says why it does not look
		a.learnt.note("the budget is too small to look for mixed coordinates, which is tried from %d queries on", identify.Least(d))
	}
	if a.task.Budget < min(30*d, identify.Least(d)) {
		small()
		return nil, nil
	}
	s.Budget = a.task.Budget
	found, err := s.Identify(a.ctx, a.f, r)
	if errors.Is(err, identify.ErrSmallBudget) {
		small()
		return nil, nil
	}
	a.learnt.Finding = found
	if err == nil && !found.Quadratic && a.task.Budget-a.f.queries < perLine*found.Frame.Components() {
		a.learnt.note("the budget is too small to search along the coordinates found")
		return nil, nil
	}
	return found, err
}

// perLine is how many queries a line takes at least.
const perLine = 30

// along minimises in the coordinates found: by lines and in blocks, in turns with
// Newton steps and with a look at other wells, until nothing gets better.
func (a *auto) along(found *identify.Finding) error {
	s, b := newSweeper(a, found), newBlockwise(a, found)
	bowl, alone := found.Quadratic, len(b.blocks) == 0
	if bowl {
		if err := s.polish([]float64{1}); err != nil || !s.hollow && a.interior() {
			return err
		}
		bowl = !s.hollow
	}
	narrow := alone && !bowl && a.narrow()
	if !bowl && !narrow {
		if err := a.wide(s, b); err != nil || a.interior() {
			return err
		}
	}
	if narrow || alone && !a.interior() {
		if err := newBoxed(s).search(); err != nil {
			return err
		}
		if err := s.polish([]float64{50, 1000}); err != nil || a.interior() {
			return err
		}
	}
	return a.onFaces()
}

// wide looks everywhere, and then goes on from the point found for as long as that
// gets better.
func (a *auto) wide(s *sweeper, b *blockwise) error {
	if err := s.wide(); err != nil {
		return err
	}
	if err := b.wide(); err != nil {
		return err
	}
	for range 20 {
		before := a.f.best.Value
		if err := s.polish([]float64{50, 1000}); err != nil {
			return err
		}
		if err := b.near(); err != nil {
			return err
		}
		if err := s.otherWells(); err != nil {
			return err
		}
		least := a.f.tolerance()
		if len(b.blocks) > 0 { // another round is dear
			least = max(least, 1e-11)
		}
		if !(before-a.f.best.Value > least) {
			return nil
		}
	}
	return errUnsettled
}

// errUnsettled says that a search along coordinates does not come to an end.
var errUnsettled = errors.New("unsettled")

// Learnt is what a strategy has found out about f.
type Learnt struct {
	// Finding is what the survey found; nil: there was none.
	Finding *identify.Finding
	// Profiles are the components that were looked at along lines.
	Profiles []Profile
	// Notes are what else the user should know, in words.
	Notes []string
}

func (l *Learnt) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// A Profile is f along a component, less what it was at the best point: f_j up to
// a constant. Y is the coordinate y = ⟨w̃_j, x⟩. The first well is the one chosen
// unless bounds forbid it. An open profile still fell at the end of the range that
// was looked at, up to 2²⁰ times as wide as the start box.
type Profile = line.Profile

// A Well is a local minimum along a component.
type Well = line.Well
