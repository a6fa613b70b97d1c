package untwist_test

import (
	"context"
	"errors"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

// signalled says on refused that a call has failed.
type signalled struct {
	objective.Objective
	refused chan error
}

func (s signalled) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := s.Objective.Evaluate(ctx, points, values)
	if err != nil {
		s.refused <- err
	}
	return err
}

// Several workers inside a conversation are refused with a clear error; one works.
func TestWorkersInsideATalk(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, workers := range []int{1, 8} {
		refused := make(chan error, 1000)
		talk := asktell.New(2, func(f objective.Objective) error {
			options := untwist.Options{Workers: workers, Budget: 500, Strategy: strategy.CBO{}} // asks for 50 points at first, 20 of them before the others
			_, err := untwist.Minimize(t.Context(), signalled{f, refused}, options)
			return err
		})
		asked := 0
		for points := talk.Ask(); points != nil; points = talk.Ask() {
			if asked++; asked == 1 && workers > 1 { // the others ask while the first one waits
				if err := <-refused; !errors.Is(err, asktell.ErrConcurrent) {
					t.Errorf("a worker gets %v", err)
				}
			}
			n, _ := points.Dims()
			values := make([]float64, n)
			for i := range values {
				values[i] = points.At(i, 0)*points.At(i, 0) + points.At(i, 1)
			}
			talk.Tell(values, nil)
		}
		if err := talk.Err(); workers == 1 && err != nil || workers > 1 && !errors.Is(err, asktell.ErrConcurrent) {
			t.Errorf("%d workers: error %v after %d questions", workers, err, asked)
		}
		if workers == 1 && asked != 11 || workers > 1 && asked != 1 {
			t.Errorf("%d workers ask %d times", workers, asked)
		}
	}
	goleak.VerifyNone(t, before)
}
