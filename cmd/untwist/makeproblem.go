package main

import (
	"context"
	"fmt"
	"time"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/problem"
)

// makeProblem makes a built-in problem. This takes d³ steps if it has a matrix: minutes in
// 10,000 dimensions. So it is left unfinished at a signal, or if it takes longer than within; 0:
// it may take as long as it likes.
func makeProblem(spec problem.Spec, within time.Duration) (*problem.Problem, error) {
	ctx, stop := untilSignal()
	defer stop()
	var late <-chan time.Time
	if within > 0 {
		late = time.After(within)
	}
	type made struct {
		problem *problem.Problem
		err     error
	}
	done := make(chan made, 1)
	go func() {
		p, err := problem.New(spec)
		done <- made{p, err}
	}()
	select {
	case m := <-done:
		return m.problem, m.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-late:
		return nil, fmt.Errorf("the time is spent, and %s in %s is not made yet: its matrix takes dim³ steps; give it more time, or choose --mix none",
			spec.Name, words.Count(spec.Dim, "dimension", "dimensions"))
	}
}
