package identify

import (
	"context"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
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

// sized returns n with -whole, and otherwise less.
func sized(n, less int) int {
	if *flags.Whole {
		return n
	}
	return less
}
