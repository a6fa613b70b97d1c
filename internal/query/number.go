package query

import (
	"context"

	"github.com/untwist/untwist/objective"
)

// WithNumbers tells an objective which queries of the run it is asked: number(i) is the
// number of the i-th point of the batch, counted from 1.
func WithNumbers(ctx context.Context, number func(i int) int) context.Context {
	return context.WithValue(ctx, numbersKey{}, number)
}

// NumberOf returns the number of the i-th point of a batch among the queries of the run,
// counted from 1. Where nobody has said it, it is i+1. A Meter says it, and a Guard and a
// Pool pass it on, but not to what Func, Fallible and Batch have made.
func NumberOf(ctx context.Context, i int) int {
	if number, ok := ctx.Value(numbersKey{}).(func(int) int); ok {
		return number(i)
	}
	return i + 1
}

// fromRow returns the context for the points of a batch from row lo on.
func fromRow(ctx context.Context, lo int) context.Context {
	if lo == 0 {
		return ctx
	}
	return WithNumbers(ctx, func(i int) int { return NumberOf(ctx, lo+i) })
}

// numbered reports whether a Meter says the numbers to f: a function as Func, Fallible or
// Batch takes it cannot ask for them.
func numbered(f objective.Objective) bool {
	switch f := f.(type) {
	case *Pool:
		return numbered(f.f)
	case *Guard:
		return numbered(f.f)
	case interface{ Unnumbered() }:
		return false
	}
	return true
}

type numbersKey struct{}

// WithTrial says that what is asked with this context is a trial: a point that a strategy
// needs on its way and would not give as its answer, a point of a line through the origin for
// example. Nothing but what asks IsTrial treats it differently: the best point of a run may
// be a trial.
func WithTrial(ctx context.Context) context.Context {
	return context.WithValue(ctx, trialKey{}, true)
}

// IsTrial reports whether the points that are asked are trials.
func IsTrial(ctx context.Context) bool {
	trial, _ := ctx.Value(trialKey{}).(bool)
	return trial
}

type trialKey struct{}
