package experiment

import (
	"context"
	"errors"
	"testing"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A cutShort problem reaches any target with the first point of its batch, and is stopped
// before the second.
type cutShort struct {
	*bowl
	stop context.CancelCauseFunc
}

func (c *cutShort) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	values[0] = 0
	c.stop(errors.New("stopped"))
	return &objective.PartialError{Done: 1, Spent: 1, Err: ctx.Err()}
}

// A run that is stopped in the batch with which it reaches its target is not kept: with the
// whole batch it would have more queries.
func TestStoppedAtTheTarget(t *testing.T) {
	for _, m := range []Method{{Name: "walk", Other: walk{batch: 5}}, {Name: "cmaes", Strategy: strategy.CMAES{}}} {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		g := Grid{
			Cases: []Case{{Problem: "bowl", Dim: 2, New: func(seed uint64) (Problem, error) {
				return &cutShort{newBowl(seed, objective.Cube(2, -9, 9)), stop}, nil
			}}},
			Methods: []Method{m}, Runs: 1, Budget: "50", Targets: []float64{1e9},
		}
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		s := open(t, g, t.TempDir())
		err := g.Run(ctx, s, 1, nil)
		if runs := stored(t, s); len(runs) != 0 || !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("%s: %+v, %v", m.Name, runs, err)
		}
	}
}
