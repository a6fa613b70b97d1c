package strategy

import (
	"context"
	"errors"
	"strings"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A framed task is where each of the paper's three methods begins: the task with its
// defaults, the best known point if there is one, and the frame to search in.
type framed struct {
	Task
	known *mat.Dense // one row; nil: none
	found *identify.Finding
}

// frameFor evaluates the known points and finds the frame: the one that is given, or
// what the task's Identifier finds, by default a Survey. Where that finds none it is
// the coordinates given. The paper's methods take no bounds.
func frameFor(ctx context.Context, f objective.Objective, task Task) (framed, error) {
	task, err := task.Complete(f.Dim())
	begun := framed{Task: task}
	if err != nil {
		return begun, err
	}
	if task.Bounded() {
		return begun, objective.BadOption("Bounds", "the paper's methods do not take any; strategies auto, cbo and cmaes do")
	}
	if task.Points != nil {
		task.Stage(atKnown)
		best, err := evaluateAll(ctx, f, task.Points)
		if err != nil {
			return begun, err
		}
		begun.known = mat.NewDense(1, len(best), best)
	}
	if err = begun.find(ctx, f); err == nil {
		task.Found(begun.found)
	}
	return begun, err
}

// find takes the frame that is given, or lets one be found. Where there is none it takes
// the coordinates given, and says so.
func (t *framed) find(ctx context.Context, f objective.Objective) error {
	if t.Frame != nil {
		t.found = identify.Known(t.Frame, t.Blocks)
		return nil
	}
	by := t.Identifier
	if by == nil {
		by = identify.Survey{}
	}
	found, err := identify.Find(ctx, by, f, t.Request())
	reason := "no coordinates were found"
	none := err == nil && found.Frame == nil
	for _, why := range []error{identify.ErrConstant, identify.ErrNotFinite, identify.ErrNoStep, identify.ErrSingular, identify.ErrSmallBudget} {
		if errors.Is(err, why) {
			none, reason = true, strings.TrimPrefix(err.Error(), "identify: ")
		}
	}
	if none {
		t.found = identify.Known(frame.Identity(f.Dim()), nil)
		t.found.Notes = append(t.found.Notes, reason+": the search is in the coordinates given")
		return nil
	}
	t.found = found
	return err
}

// ended is the outcome of a task that err has ended.
func (t framed) ended(ctx context.Context, err error) (Outcome, error) {
	status, err := objective.StatusOf(ctx, err)
	return t.outcome(status), err
}

// outcome says how it ended and what is known of the frame.
func (t framed) outcome(status objective.Status) Outcome {
	if t.found == nil {
		return Outcome{Status: status}
	}
	return Outcome{Status: status, Learnt: &Learnt{Finding: t.found}}
}

// defaultParticles is the default of cbo.Config, needed where particles are drawn here.
const defaultParticles = 50

func swarmSize(cfg cbo.Config) int {
	if cfg.Particles == 0 {
		return defaultParticles
	}
	return cfg.Particles
}

// particles draws the paper's start, the same for every method at a seed: n points,
// uniform on [-1, 1]^d. Those of cbo.Run are the same.
func particles(n, d int, seed uint64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	stream := rng.Seed(seed).Stream("start", 0)
	box := objective.Cube(d, -1, 1)
	for i := range n {
		box.Draw(x.RawRowView(i), stream)
	}
	return x
}

// seen returns W̃†W̃x for each row x: what a frame of fewer components than dimensions
// sees of it. Where it sees all, x itself.
func seen(f *frame.Frame, x *mat.Dense) *mat.Dense {
	m, d := f.Components(), f.Dim()
	if m == d {
		return x
	}
	n, _ := x.Dims()
	y, back := mat.NewDense(n, m, nil), mat.NewDense(n, d, nil)
	f.Coordinates(y, x)
	f.Points(back, y)
	return back
}

// combine returns W̃†s.
func combine(f *frame.Frame, s []float64) []float64 {
	x := make([]float64, f.Dim())
	kernel.MulVec(x, f.Inverse().RawMatrix(), s)
	return x
}

// Identification finds a frame and searches nothing: the part that reparametrised,
// transformed and componentwise have in common. Each of them, given its frame and what it
// has left of the budget, goes on as if it had found the frame itself, to the bit.
//
// It has no place in the list of strategies: it is for experiments in which several
// methods share a frame.
type Identification struct{}

// Name returns "identification".
func (Identification) Name() string { return "identification" }

// Minimize finds a frame by the task's Identifier, or by a Survey.
func (Identification) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	begun, err := frameFor(ctx, f, task)
	if err != nil {
		return begun.ended(ctx, err)
	}
	return begun.outcome(objective.Converged), nil
}
