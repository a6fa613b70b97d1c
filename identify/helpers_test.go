package identify

import (
	"context"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

var (
	ctx = context.Background()
)

// draw returns a problem.
func draw(t testing.TB, name string, d int, mix string, seed uint64) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Mix: mix, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// samplerOf is f without bounds, around 0, where points of the whole cube are drawn.
func samplerOf(f objective.Objective, half float64, seed uint64) *sampler {
	g := newSampler(ctx, f, Request{Box: objective.Cube(f.Dim(), -half, half), Bounds: unbounded(f.Dim()), Seed: seed})
	g.inner, g.random = g.box, rng.Seed(seed).Stream("test")
	return g
}

// sized returns n with -whole, and otherwise less.
func sized(n, less int) int {
	if *flags.Whole {
		return n
	}
	return less
}
