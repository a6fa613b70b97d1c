package strategy

import (
	"context"
	"errors"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// TakesFrame reports whether a strategy searches in the coordinates of Task.Frame. Those
// of other packages are believed to.
func TakesFrame(s Strategy) bool {
	switch s.(type) {
	case CBO, IsotropicCBO, CMAES:
		return false
	}
	return true
}

// TakesRoad reports whether a strategy finds its frame by Task.Road. Those of other
// packages are believed to.
func TakesRoad(s Strategy) bool {
	_, auto := s.(Auto)
	return TakesFrame(s) && !auto
}

// framed evaluates the known points, and returns the best of them, if any, and the frame
// that a strategy searches in: the one that is given, or what the task's road finds; where
// it finds none, the coordinates given. It is the first thing that the paper's three
// methods do, which know no bounds.
func framed(ctx context.Context, f objective.Objective, task Task) (known *mat.Dense, found *identify.Finding, err error) {
	if task.bounded() {
		return nil, nil, objective.BadOption("Bounds", "the paper's methods know none; see strategies auto, cbo and cmaes")
	}
	if task.Points != nil {
		task.Stage(objective.Stage{Name: "known points", Purpose: objective.AtKnown})
		best, err := evaluateAll(ctx, f, task.Points)
		if err != nil {
			return nil, nil, err
		}
		known = mat.NewDense(1, len(best), best)
	}
	found, err = frameOf(ctx, f, task)
	return known, found, err
}

// frameOf returns the frame that is given, or found.
func frameOf(ctx context.Context, f objective.Objective, task Task) (*identify.Finding, error) {
	if task.Frame != nil {
		return identify.Known(task.Frame, task.Blocks), nil
	}
	found, err := road(ctx, f, task)
	for _, none := range []error{identify.ErrConstant, identify.ErrNotFinite, identify.ErrNoStep, identify.ErrSingular} {
		if errors.Is(err, none) {
			return identify.Known(frame.Identity(f.Dim()), nil), nil
		}
	}
	return found, err
}

// road goes the task's road.
func road(ctx context.Context, f objective.Objective, task Task) (*identify.Finding, error) {
	by := task.Identifier
	if by == nil {
		by = identify.Survey{}
	}
	return by.Identify(ctx, f, identify.Request{Bounds: task.Bounds, Seed: task.Seed, Stage: task.Stage})
}

// ended is the outcome of a strategy that was ended while, or because, it had no frame.
func ended(ctx context.Context, found *identify.Finding, err error) (Outcome, error) {
	var out Outcome
	if found != nil {
		out.Learnt = &Learnt{Finding: found}
	}
	out.Status, err = objective.StatusOf(ctx, err)
	return out, err
}

// swarmSize is how many particles a swarm has.
func swarmSize(cfg cbo.Config) int {
	if cfg.Particles == 0 {
		return 50
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
		stream.Uniform(x.RawRowView(i), box.Lo, box.Hi)
	}
	return x
}

// inFrame is f in the coordinates of a frame: g̃(s) = f(W̃†s).
type inFrame struct {
	f     objective.Objective
	frame *frame.Frame
	x     *mat.Dense
}

// Dim returns m.
func (g *inFrame) Dim() int { return g.frame.Components() }

// Evaluate evaluates f at W̃†s for each row s.
func (g *inFrame) Evaluate(ctx context.Context, s *mat.Dense, values []float64) error {
	n, _ := s.Dims()
	if g.x == nil || g.x.RawMatrix().Rows != n {
		g.x = mat.NewDense(n, g.f.Dim(), nil)
	}
	g.frame.Points(g.x, s)
	return g.f.Evaluate(ctx, g.x, values)
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
