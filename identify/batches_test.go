package identify

import (
	"context"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// counted counts the batches and the points that f is asked for.
type counted struct {
	objective.Objective
	batches, points int
}

func (c *counted) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	c.batches, c.points = c.batches+1, c.points+n
	return c.Objective.Evaluate(ctx, points, values)
}

// A survey that is rough, as a search wants it, waits for few batches, whatever d is. Most
// took 22 or 23 here, and more than 100 when points were asked for one by one. One of
// these seeds makes the first Hessian look as if components were missing, and gradients are
// asked for one after another.
func TestSurveyTakesFewRounds(t *testing.T) {
	var batches []int
	d := flags.Usually(25, 12)
	for seed := range uint64(flags.Usually(5, 3)) {
		p := draw(t, "rastrigin", d, "paper", seed)
		f := &counted{Objective: p}
		got, err := Survey{Tolerance: 0.01, Measures: 3}.Identify(ctx, f, Request{Box: p.Domain(), Seed: seed})
		if err != nil || got.Certificate.Verdict != certify.Separable {
			t.Fatalf("seed %d: %v, %v", seed, got.Certificate, err)
		}
		t.Logf("seed %d: %d queries in %d batches", seed, f.points, f.batches)
		batches = append(batches, f.batches)
	}
	if slices.Sort(batches); batches[len(batches)/2] > 30 {
		t.Errorf("%d batches", batches)
	}
}
