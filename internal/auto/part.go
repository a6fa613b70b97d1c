package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A section is f as a function of some variables, while all others stay as they are at x.
type section struct {
	f         objective.Objective
	variables []int
	x         []float64
	most      int   // how many queries it may ask for
	asked     int   // and has
	failed    error // what f has returned
}

// Dim returns how many variables there are.
func (s *section) Dim() int { return len(s.variables) }

// Evaluate evaluates f, in batches that are bounded in bytes.
func (s *section) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n := len(values)
	if s.asked+n > s.most {
		return objective.ErrBudget
	}
	s.asked += n
	all, err := query.Ask(ctx, s.f, n, func(k int, x []float64) {
		copy(x, s.x)
		for j, v := range points.RawRowView(k) {
			x[s.variables[j]] = v
		}
	})
	if err != nil {
		s.failed = err
		return err
	}
	copy(values, all)
	return nil
}

// of returns the variables of x.
func (s *section) of(x []float64) []float64 {
	out := make([]float64, len(s.variables))
	for j, i := range s.variables {
		out[j] = x[i]
	}
	return out
}

// box returns the sides of a box that are those of the variables.
func (s *section) box(b objective.Box) objective.Box {
	return objective.Box{Lo: s.of(b.Lo), Hi: s.of(b.Hi)}
}

// A part is a set of variables that interact with no others, or all small sets together, and variables that
// interact with none. It is minimised by a run of its own.
type part struct {
	section *section
	blocks  [][]int // the small sets, as places among the variables; nil: the variables are one set
	effect  float64 // how much f changes when they are moved
	run     *run    // nil: it has not begun
	status  objective.Status
	tries   int
}

// budget is how many queries a part gets for its first attempt: what an ordinary run of as many dimensions is
// advised to plan with; or twice what lines and small blocks take, which need no survey.
func (p *part) budget() int {
	n := len(p.section.variables)
	if p.blocks != nil {
		return 2 * (usualLine*n + usualBlocks(p.blocks))
	}
	return 10*n*n + 300*n + 1000
}

// usualLine is how many queries a line takes at most as a rule, with all that follows.
const usualLine = 600

// minimize minimises a part from the best point of all. Another attempt has twice the budget, and begins
// where the one before has ended.
func (p *part) minimize(ctx context.Context, r *run, number int) error {
	s := p.section
	s.x, s.asked = slices.Clone(r.f.best.Point), 0
	s.most = min(p.budget()<<min(p.tries, 16), max(r.task.Limit-r.f.queries, 1))
	task := strategy.Task{
		Bounds: s.box(r.task.Bounds), Start: s.box(r.task.Start), Budget: s.most, Parallel: r.task.Parallel,
		Seed: r.task.Seed + uint64(number)<<32 + uint64(p.tries)<<48, Stage: r.f.stage,
	}
	if p.blocks != nil {
		task.Frame, task.Blocks = frame.Identity(len(s.variables)), p.blocks
	}
	if p.tries > 0 {
		task.Points = mat.NewDense(1, len(s.variables), s.of(s.x))
	}
	p.tries++
	task, err := task.Complete(len(s.variables))
	if err != nil {
		return err
	}
	p.run = newRun(s, task)
	p.run.part = true
	p.run.f.best = query.Best{Point: s.of(s.x), Value: r.f.best.Value}
	defer p.run.fallback.stop()
	p.status, err = p.run.minimize(ctx)
	if err == nil {
		err = p.run.conclude(ctx)
	}
	return p.own(err)
}

// own returns an error of f itself. That a part has spent its budget is none.
func (p *part) own(err error) error {
	if p.section.failed == nil && (errors.Is(err, objective.ErrBudget) || errors.Is(err, errShare)) {
		p.status = objective.BudgetSpent
		return nil
	}
	return err
}

// found returns the coordinates in which the part separates; nil: it does not, or they were not needed.
func (p *part) found() *identify.Finding {
	if p.run == nil || p.run.learnt.Finding == nil || p.run.learnt.Finding.Frame == nil || p.run.learnt.Finding.Map != nil ||
		p.run.learnt.Finding.Frame.Components() < len(p.section.variables) {
		return nil
	}
	return p.run.learnt.Finding
}

// done says whether the part has come to its end.
func (p *part) done() bool { return p.status == objective.Converged }

// polish takes Newton steps along the coordinates of the part from the best point of all: where other parts
// have come down since, f is more exact.
func (p *part) polish(ctx context.Context, r *run) error {
	found := p.found()
	if found == nil || !p.done() {
		return nil
	}
	p.rebase(r)
	at := newCoordinates(found, p.run.task.Bounds)
	polisher := p.run.polisher(at)
	polisher.bowl = found.Quadratic
	if err := polisher.polish(ctx); err != nil {
		return p.own(err)
	}
	return p.own(p.run.refine(ctx, polisher, p.run.blocks(at)))
}

// rebase goes on from the best point of all. What counts as progress is measured from there.
func (p *part) rebase(r *run) {
	s, f := p.section, p.run.f
	s.x, s.asked, s.most = slices.Clone(r.f.best.Point), 0, math.MaxInt
	f.best = query.Best{Point: s.of(s.x), Value: r.f.best.Value}
	f.first = r.f.best.Value
}

// again searches along the coordinates of the part once more, from the best point of all: where bounds have cut
// off lines, those from a better point go further.
func (p *part) again(ctx context.Context, r *run) error {
	found := p.found()
	if found == nil || found.Quadratic || !p.done() {
		return nil
	}
	p.rebase(r)
	_, err := p.run.along(ctx, found)
	return p.own(err)
}
