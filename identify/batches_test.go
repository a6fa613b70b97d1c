package identify

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
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
	for seed := range uint64(5) {
		p := draw(t, "rastrigin", 25, "paper", seed)
		f := &counted{Objective: p}
		got, err := Survey{Tolerance: 0.01, Measures: 3}.Identify(ctx, f, Request{Box: p.Domain(), Seed: seed})
		if err != nil || got.Certificate.Verdict != certify.Separable {
			t.Fatalf("seed %d: %v, %v", seed, got.Certificate, err)
		}
		t.Logf("seed %d: %d queries in %d batches", seed, f.points, f.batches)
		batches = append(batches, f.batches)
	}
	if slices.Sort(batches); batches[2] > 30 {
		t.Errorf("%d batches", batches)
	}
}

// Points at which f fails are not handed out, and none is handed out twice; where f fails
// everywhere that is an error, after two batches.
func TestPointsAreFinite(t *testing.T) {
	positive := objective.Func(2, func(x []float64) float64 {
		if x[0] < 0 {
			return math.NaN()
		}
		return x[0]
	})
	g := groundOf(query.NewGuard(positive), 1, 1)
	var seen [][]float64
	for n := range 8 {
		points, err := g.points(n)
		if err != nil || len(points) != n {
			t.Fatalf("%d of %d points, %v", len(points), n, err)
		}
		for _, x := range points {
			if x[0] < 0 || slices.ContainsFunc(seen, func(y []float64) bool { return slices.Equal(x, y) }) {
				t.Errorf("%v fails, or was there before", x)
			}
			seen = append(seen, x)
		}
	}
	nowhere := &counted{Objective: objective.Func(2, func([]float64) float64 { return math.Inf(1) })}
	if _, err := groundOf(nowhere, 1, 1).points(1); err != ErrNotFinite || nowhere.batches != 2 {
		t.Errorf("%v after %d batches", err, nowhere.batches)
	}
}

// By hand: ½Σ a_i x_i², and a Hessian that has seen b_i on its diagonal. Then direction i is
// divided by the square root of √((b_i² + 3a_i²)/4), and all are scaled so that the median
// keeps its length.
func TestEvened(t *testing.T) {
	a, b := []float64{1, 100, 4}, []float64{1, 0.01, 8}
	f := objective.Func(3, func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum += a[i] * v * v / 2
		}
		return sum
	})
	base := hessian.Orthonormal(kernel.Identity(3))
	base.Seen = []*mat.Dense{mat.DenseCopyOf(mat.NewDiagDense(3, b))}
	got, err := evened(groundOf(f, 1, 1), base, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	size := func(i int) float64 { return math.Sqrt((b[i]*b[i] + 3*a[i]*a[i]) / 4) }
	for i := range a {
		want := math.Sqrt(size(2) / size(i)) // the median is the third
		if v := got.T.At(i, i); math.Abs(v-want) > 1e-6*want {
			t.Errorf("direction %d has length %g, want %g", i, v, want)
		}
		if v, want := got.Seen[0].At(i, i), b[i]*got.T.At(i, i)*got.T.At(i, i); math.Abs(v-want) > 1e-12*want {
			t.Errorf("along direction %d the Hessian has %g, want %g", i, v, want)
		}
	}
}

// Two exact Hessians determine most pairs. Designs for the others alone square the error of
// the frame as designs for all pairs do, with less than half of their queries.
func TestHessiansAreDesigns(t *testing.T) {
	p := draw(t, "rastrigin", 20, "paper", 4)
	f := &counted{Objective: p}
	g := groundOf(f, 2, 1)
	e := mat.NewDense(20, 20, nil)
	g.random.Norm(e.RawMatrix().Data)
	e.Scale(1e-3, e)
	for i := range 20 {
		e.Set(i, i, 0)
	}
	c, err := perturbed(t, g, p.Frame().Matrix(), e).withSteps(g, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.seen = hessian.Orthonormal(kernel.Identity(20))
	for range 2 {
		h, err := hessian.Symmetric.At(ctx, p, g.draw(), nil, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		c.seen.Seen = append(c.seen.Seen, h.Hessian)
	}
	f.points = 0
	if _, _, err := refine(g, c, allGroups(c.blocks)); err != nil {
		t.Fatal(err)
	}
	whole := f.points
	f.points = 0
	got, c, err := supplement(g, c, allGroups(c.blocks))
	if err != nil {
		t.Fatal(err)
	}
	before, after := frame.Compare(p.Frame(), c.frame).Coupling, frame.Compare(p.Frame(), c.redrawn(g, got).frame).Coupling
	t.Logf("coupling %.1e, then %.1e; %d queries instead of %d", before, after, f.points, whole)
	if after > 20*before*before || 2*f.points > whole {
		t.Errorf("from %g to %g with %d queries", before, after, f.points)
	}
}

// By hand: f″ is 1 at the short step. A change of 0.2 up to h is little; one of 0.5 is too
// much, and then the rung below counts, or if that is no better the one below it.
func TestShorterSteps(t *testing.T) {
	nan := math.NaN()
	l := look{second: [][]float64{
		{nan, 1, nan, 1.1, 1.2, nan, nan},
		{nan, 1, nan, 1.1, 1.5, nan, nan},
		{nan, 1, nan, 1.4, 1.5, nan, nan},
		{nan, 1, nan, nan, nan, nan, nan},
		{nan, nan, nan, 1.4, 1.5, nan, nan}, // it failed: no evidence
	}}
	c := &candidate{curvature: []float64{1, 1, 1, 1, 1}}
	got := l.shorter(c, []int{1, 1, 1, 1, 1}, []int{4, 4, 4, 1, 4})
	if want := []int{4, 3, 2, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("rungs %v, want %v", got, want)
	}
}
