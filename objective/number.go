package objective

import "context"

// WithNumbers tells an objective which queries of the run it is asked: number(i) is the
// number of the i-th point of the batch, counted from 1.
func WithNumbers(ctx context.Context, number func(i int) int) context.Context {
	return context.WithValue(ctx, numbersKey{}, number)
}

// NumberOf returns the number of the i-th point of a batch among the queries of the run,
// counted from 1. Where nobody has said it, it is i+1.
func NumberOf(ctx context.Context, i int) int {
	if number, ok := ctx.Value(numbersKey{}).(func(int) int); ok {
		return number(i)
	}
	return i + 1
}

type numbersKey struct{}
