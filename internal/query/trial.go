package query

import "context"

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
