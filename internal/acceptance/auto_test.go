package acceptance

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// Mixed problems in 20 dimensions, with about ten times d² queries.
func TestAutoSolvesMixedProblems(t *testing.T) {
	for _, name := range flags.Sample([]string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers", "levy", "styblinski-tang", "ellipsoid", "discus"}, 4) {
		for seed := range uint64(flags.Usually(3, 1)) {
			d := flags.Usually(20, 12)
			r, gap := solve(t, problem.Spec{Name: name, Dim: d, Seed: seed}, nil, 0, 0)
			if gap > 1e-8 || r.Queries > 40*d*d || r.Status != objective.Converged {
				t.Errorf("%s, seed %d: gap %g after %d queries, %v", name, seed, gap, r.Queries, r.Status)
			}
		}
	}
}

// Problems in the given coordinates, with few components, in one dimension, within bounds.
func TestAutoElsewhere(t *testing.T) {
	rings := flags.Few(12, 6)
	bounds := objective.Cube(rings, 0, 8)
	specs := map[string]problem.Spec{
		"not mixed":      {Name: "rastrigin", Dim: flags.Few(20, 10), Mix: "none"},
		"few components": {Name: "rastrigin", Dim: flags.Few(60, 20), Components: 3},
		"one dimension":  {Name: "rastrigin", Dim: 1, Mix: "none"},
		"two dimensions": {Name: "levy", Dim: 2},
		"bounds":         {Name: "microring", Dim: rings, Bounds: &bounds},
		"not separable":  {Name: "rosenbrock", Dim: 6},
		"blocks":         {Name: "rosenbrock-pairs", Dim: flags.Usually(6, 4)},
		"large blocks":   {Name: "ridge-blocks", Dim: flags.Few(12, 8), Block: 4},
	}
	for _, name := range flags.Sample(slices.Sorted(maps.Keys(specs)), 4) {
		if r, gap := solve(t, specs[name], nil, 0, 60_000); gap > 1e-6 {
			t.Errorf("%s: gap %g after %d queries, %v", name, gap, r.Queries, r.Status)
		}
	}
}

// Auto keeps to a budget of any size, and says so if the budget is too small: below Least(d).
func TestAutoBudgets(t *testing.T) {
	for _, spec := range flags.Sample([]problem.Spec{{Name: "rastrigin", Dim: 6}, {Name: "rosenbrock-pairs", Dim: 6}, {Name: "ackley", Dim: 6}, {Name: "squared-norm", Dim: 6, Mix: "none"}}, 2) {
		for budget := 1; budget < flags.Usually(8000, 3000); budget += 1 + budget/flags.Few(7, flags.Usually(3, 1)) {
			r, _ := solve(t, spec, nil, 0, budget)
			if r.Queries > budget || r.Queries < budget && r.Status != objective.Converged {
				t.Errorf("%s: %d queries of %d, %v", spec.Name, r.Queries, budget, r.Status)
			}
			if small := strings.Contains(r.String(), "the budget is too small to look for mixed coordinates"); small != (budget < identify.Least(6)) {
				t.Errorf("%s: of a budget of %d it says %v", spec.Name, budget, r)
			}
			sum := 0
			for _, s := range r.Stages {
				sum += s.Queries
			}
			if sum != r.Queries {
				t.Errorf("%s: stages of %d queries for %d", spec.Name, sum, r.Queries)
			}
		}
	}
}

// If the budget is a little short, grids are coarser, so that the minima of all lines can
// still be put together at the end.
func TestAutoAffordsLines(t *testing.T) {
	for seed := range uint64(3) {
		p := mixed(t, "rastrigin", 20, seed)
		o := untwist.Options{Seed: seed, Start: p.Domain(), Frame: p.Frame()} // a survey would need more
		whole, err := untwist.Minimize(ctx, p, o)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, s := range whole.Stages {
			if s.Name == "lines" {
				lines += s.Queries
			}
		}
		o.Budget = whole.Spent(objective.ToFind) + whole.Spent(objective.ToCheck) + lines*9/10
		short, err := untwist.Minimize(ctx, p, o)
		gap := short.Value - p.Minimum()
		if err != nil || gap > 20 || short.Status != objective.BudgetSpent { // about one well off per coordinate
			t.Errorf("seed %d: a gap of %v with nine tenths of the lines, %v, error %v", seed, gap, short.Status, err)
		}
	}
}

// What was learnt is in the user's own coordinates, whatever the start box.
func TestAutoLearns(t *testing.T) {
	f := func(x []float64) float64 { // a has wells at ±2, b has one at 3
		a, b := x[0]+x[1]/100, x[0]/5-x[1]/200
		return math.Pow(a*a-4, 2) + a/4 + math.Cosh(b-3)
	}
	start := untwist.Box{Lo: []float64{-3, -400}, Hi: []float64{4, 600}}
	r, err := untwist.Minimize(ctx, objective.Func(2, f), untwist.Options{Start: start})
	if err != nil || r.Structure == nil || r.Structure.Frame == nil || len(r.Profiles) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	want := mat.NewDense(2, 2, []float64{1, 0.01, 0.2, -0.005})
	truth, err := frame.New(want)
	if err != nil {
		t.Fatal(err)
	}
	if e := frame.Compare(truth, r.Structure.Frame).Error(); e > 1e-2 {
		t.Errorf("the frame is off by %v: %v", e, r.Structure.Frame.Matrix())
	}
	several := false
	for _, p := range r.Profiles {
		row := r.Structure.Frame.Matrix().RawRowView(p.Component)
		y := row[0]*r.Point[0] + row[1]*r.Point[1]
		if math.Abs(p.Wells[0].Y-y) > 0.2*math.Abs(y) || p.Wells[0].Value != 0 || !slices.IsSorted(p.Y) {
			t.Errorf("component %d has its well at %v, the minimiser at %v", p.Component, p.Wells[0], y)
		}
		if len(p.Wells) > 1 {
			several = true
			if above := p.Wells[1].Value; math.Abs(above-1) > 0.1 { // a/4 at ±2
				t.Errorf("the other well is %v higher", above)
			}
		}
	}
	if !several || !strings.Contains(r.String(), "other wells along 1 coordinate") {
		t.Errorf("no other well: %v", r)
	}
}

// A known frame saves the queries that would find it. A wrong frame is detected.
func TestAutoTakesAFrame(t *testing.T) {
	p := mixed(t, "rastrigin", 10, 1)
	found, err := untwist.Probe(ctx, p, untwist.Options{Start: p.Domain()})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    untwist.Options
		most int
	}{
		"as found":          {untwist.Options{Frame: found.Frame, Blocks: found.Blocks}, 2100},
		"without blocks":    {untwist.Options{Frame: found.Frame}, 2100},
		"another start box": {untwist.Options{Frame: found.Frame, Start: untwist.Box{Lo: slices.Repeat([]float64{-4}, 10), Hi: []float64{4, 5, 6, 7, 8, 9, 4, 5, 6, 7}}}, 2100},
		"a wrong one":       {untwist.Options{Frame: frame.Identity(10), Budget: 3000}, 3000},
	} {
		if c.o.Start.Lo == nil {
			c.o.Start = p.Domain()
		}
		r, err := untwist.Minimize(ctx, p, c.o)
		solved := r.Value-p.Minimum() <= 1e-8
		if err != nil || r.Queries > c.most || solved != (name != "a wrong one") {
			t.Errorf("%s: %v, error %v", name, r, err)
		}
		if name == "a wrong one" && !strings.HasPrefix(r.String(), "not separable") {
			t.Errorf("%s: %v", name, r)
		}
	}
	for option, o := range map[string]untwist.Options{
		"Frame":  {Frame: frame.Identity(3)},
		"Blocks": {Frame: frame.Identity(10), Blocks: [][]int{{0, 1}, {1}}},
	} {
		if _, err := untwist.Minimize(ctx, p, o); err == nil || !strings.HasPrefix(err.Error(), option+": ") {
			t.Errorf("%s: error %v", option, err)
		}
	}
	if _, err := untwist.Probe(ctx, p, untwist.Options{Frame: found.Frame}); err == nil {
		t.Error("Probe takes a frame")
	}
}

// Batches are wide: a slow simulator can work on many points at a time.
func TestAutoAsksWideBatches(t *testing.T) {
	for _, name := range flags.Sample([]string{"rastrigin", "rosenbrock-pairs"}, 1) {
		p := mixed(t, name, flags.Usually(30, 20), 1)
		batches := 0
		counted := counter{p, &batches}
		r, err := untwist.Minimize(ctx, counted, untwist.Options{Start: p.Domain()})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d queries in %d batches", name, r.Queries, batches)
		if r.Queries < 12*batches {
			t.Errorf("%s: %d queries in %d batches", name, r.Queries, batches)
		}
	}
}

// counter counts batches.
type counter struct {
	objective.Objective
	batches *int
}

func (c counter) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	*c.batches++
	return c.Objective.Evaluate(ctx, points, values)
}
