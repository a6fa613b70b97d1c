package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// large is the number of dimensions from which on it is looked which variables interact: below it a survey that knows nothing
// of that takes no more than some twenty thousand queries, and a look some 140 where all interact.
const large = 128

// perInteraction is how many queries for each dimension may go into the search for interactions: sparse
// pairs take 160 at most.
const perInteraction = 200

// structured looks which variables interact, where there are many. If they make up several sets, it minimises over each of
// them by itself: another status than Running says that this has come to its end. If they are one set in which few pairs
// interact, the finding has coordinates from sparse Hessians. nil: nothing like that was found, and f is as any other.
func (r *run) structured(ctx context.Context) (*identify.Finding, objective.Status, error) {
	d := r.f.Dim()
	if d < large || r.part || r.task.Frame != nil || r.task.Identifier != nil || !r.measured ||
		r.f.grain.Kind != objective.NoNoise || r.task.Budget < perDimension*d {
		return nil, objective.Running, nil
	}
	found, err := r.interactions(ctx, nil, nil)
	if err != nil {
		return nil, objective.Running, err
	}
	r.learnt.Interactions = Interactions(found)
	switch {
	case found.Kind == interact.Dense, found.Kind == interact.Undecided, len(found.Groups) == 0:
		return nil, objective.Running, nil
	case len(found.Groups) == 1 && len(found.Groups[0]) == d:
		at, err := r.sparsely(ctx, found)
		if at == nil && err == nil {
			err = r.sparseDescent(ctx, found)
		}
		return at, objective.Running, err
	}
	status, err := r.inParts(ctx, found)
	return nil, status, err
}

// interactions looks which of the live variables interact, from a point; nil: all, and a random one.
func (r *run) interactions(ctx context.Context, live []int, from []float64) (*interact.Found, error) {
	r.f.stage(interact.Stage)
	return interact.Find(ctx, r.f, interact.Search{
		Box: interact.Within(r.task.Bounds), Grain: r.f.grain, Random: rng.Seed(r.task.Seed).Stream("auto", "interactions", r.f.queries),
		Live: live, Point: from, Most: min(perInteraction*r.f.Dim(), r.task.Budget/2),
	})
}

// Interactions is what was found, for users.
func Interactions(found *interact.Found) *identify.Interactions {
	return &identify.Interactions{
		Kind: string(found.Kind), Groups: found.Groups, Alone: found.Alone, Unseen: found.Unseen, Band: found.Reach, Ring: found.Ring,
		Edges: found.Edges(), Pairs: found.Pairs, Effects: found.Effects, Changes: found.Changes, Margin: found.Margin, Queries: found.Queries,
	}
}

// A section is f as a function of some variables, while all others stay as they are at x.
type section struct {
	f         objective.Objective
	variables []int
	x         []float64
	most      int   // how many queries it may ask for
	asked     int   // and has
	failed    error // what f has returned
}

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

func (s *section) of(x []float64) []float64 {
	out := make([]float64, len(s.variables))
	for j, i := range s.variables {
		out[j] = x[i]
	}
	return out
}

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
	if p.run == nil {
		return nil
	}
	f := p.run.learnt.Finding
	if f == nil || f.Frame == nil || f.Map != nil || f.Frame.Components() < len(p.section.variables) {
		return nil
	}
	return f
}

func (p *part) done() bool { return p.status == objective.Converged }

// polish goes down along the coordinates of the part from the best point of all: where other parts have come down since, f
// is more exact.
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
