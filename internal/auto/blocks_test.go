package auto

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// seen is an objective whose batches are looked at.
type seen struct {
	objective.Objective
	look func(points *mat.Dense)
}

func (s seen) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	s.look(points)
	return s.Objective.Evaluate(ctx, points, values)
}

// Within bounds that cut blocks off each query moves one block only, besides the last of a
// batch, where the best of all meet; and the search comes to its end.
func TestBlocksMoveOneByOneWithinBounds(t *testing.T) {
	const d, budget = 6, 20_000
	w := mat.NewDense(d, d, nil)
	rng.Seed(1).Stream("test").Norm(w.RawMatrix().Data)
	pairs := [][]int{{0, 3}, {1, 5}, {2, 4}}
	s := polisherFor(t, w, pairs, objective.Cube(d, -0.5, 0.2), 0.5, func(y []float64) float64 {
		sum := 0.0
		for _, p := range pairs {
			u, v := y[p[0]]-0.1, y[p[1]]
			sum += float64(100*(v-u*u)*(v-u*u)) + float64((1-u)*(1-u))
		}
		return sum
	})
	x := slices.Clone(s.f.best.Point)
	moved := func(at []float64) int {
		n := 0
		for _, p := range pairs {
			if slices.ContainsFunc(p, func(j int) bool { return math.Abs(s.at.y(j, at)-s.at.y(j, x)) > 1e-12 }) {
				n++
			}
		}
		return n
	}
	met := false
	s.f.Objective = seen{s.f.Objective, func(points *mat.Dense) {
		last, _ := points.Dims()
		last--
		for i := range last {
			if n := moved(points.RawRowView(i)); n > 1 {
				t.Fatalf("a query moves %d blocks", n)
			}
		}
		met = met || moved(points.RawRowView(last)) > 1
	}}
	if err := (&blocks{f: s.f, at: s.at, budget: budget}).explore(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !met || s.f.queries > budget {
		t.Errorf("met: %v, after %d queries", met, s.f.queries)
	}
}
