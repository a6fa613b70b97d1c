package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A search is what became of a run: by how much it missed the minimum, what it cost and what it learnt.
type searched struct {
	gap     float64
	queries int
	stages  map[string]int
	outcome strategy.Outcome
	point   []float64
}

// structuredRun minimises a built-in problem by so many workers, within its domain if bounded.
func structuredRun(t *testing.T, spec problem.Spec, bounded bool, budget, workers int) searched {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	meter := query.NewMeter(query.NewPool(p, workers), budget)
	record := query.NewRecord(meter, query.Rules{}, nil)
	bounds := objective.Cube(spec.Dim, math.Inf(-1), math.Inf(1))
	if bounded {
		bounds = p.Domain()
	}
	scale := query.NewScale(record, p.Domain(), bounds)
	s := searched{stages: map[string]int{}}
	name, before := "", 0
	s.outcome, err = Auto{}.Minimize(t.Context(), scale, strategy.Task{Bounds: scale.Bounds(), Budget: budget, Seed: spec.Seed, Stage: func(stage objective.Stage) {
		s.stages[name] += meter.Queries() - before
		name, before = stage.Name, meter.Queries()
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.gap, s.queries, s.point = record.Best().Value-p.Minimum(), meter.Queries(), record.Best().Point
	return s
}

// Blocks of variables, with weights from 1e-6 to 1e9, are minimised one by one, small ones and single
// variables together.
func TestSetsOfVariables(t *testing.T) {
	for _, c := range []struct {
		spec    problem.Spec
		bounded bool
		most    int
	}{
		{problem.Spec{Name: "blocks-rastrigin", Dim: flags.Usually(150, large), Seed: 1}, flags.Usual(), flags.Usually(250_000, 100_000)},
		{problem.Spec{Name: "rosenbrock-pairs", Dim: 130, Mix: "none", Seed: 1}, false, 260_000},
	}[:flags.Few(2, 1)] {
		s := structuredRun(t, c.spec, c.bounded, 2_000_000, 1)
		if !(s.gap <= 1e-8) || s.queries > c.most || s.outcome.Status != objective.Converged {
			t.Errorf("%v: gap %.2g after %d queries of %d, %s, %v", c.spec, s.gap, s.queries, c.most, s.outcome.Status, s.stages)
		}
		if g := s.outcome.Learnt.Interactions; g == nil || len(g.Groups) < 2 {
			t.Errorf("%v: interactions %v", c.spec, g)
		}
		if v := s.outcome.Learnt.Finding.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
			t.Errorf("%v: %s", c.spec, v)
		}
	}
}

// Bands and sparse rows, in order or not, take a fraction of a survey that knows nothing of them: 80,000 queries at
// d = 150 and more.
func TestSparseCoordinates(t *testing.T) {
	for _, spec := range flags.Sample([]problem.Spec{
		{Name: "rastrigin", Dim: flags.Usually(150, large), Mix: "banded", Seed: 1}, {Name: "levy", Dim: 150, Mix: "banded", Permute: true, Seed: 2},
		{Name: "styblinski-tang", Dim: 150, Mix: "sparse", Seed: 3}, {Name: "rastrigin", Dim: 400, Mix: "banded", Seed: 4},
	}, 1) {
		s := structuredRun(t, spec, false, 2_000_000, 1)
		if !(s.gap <= 1e-8) || s.queries > 300*spec.Dim || s.outcome.Status != objective.Converged {
			t.Errorf("%v: gap %.2g after %d queries, %s, %v", spec, s.gap, s.queries, s.outcome.Status, s.stages)
		}
		if v := s.outcome.Learnt.Finding.Certificate.Verdict; v != certify.Separable || s.stages["sparse hessians"] == 0 {
			t.Errorf("%v: %s", spec, v)
		}
	}
}

// Where all variables interact, and where there are few of them, next to nothing is lost.
func TestDenseFunctionsLoseLittle(t *testing.T) {
	s := structuredRun(t, problem.Spec{Name: "rastrigin", Dim: large, Mix: "orthogonal", Seed: 1}, false, flags.Usually(80_000, 5_000), 1)
	if n := s.stages["interactions"]; n == 0 || n > 140 || s.outcome.Learnt.Interactions.Kind != string(interact.Dense) {
		t.Errorf("%d queries for interactions", n)
	}
	s = structuredRun(t, problem.Spec{Name: "squared-norm", Dim: large - 1, Mix: "banded", Seed: 1}, false, flags.Usually(200_000, 5_000), 1)
	if s.stages["interactions"] != 0 || s.outcome.Learnt.Interactions != nil {
		t.Errorf("%d queries for interactions of few variables", s.stages["interactions"])
	}
}

// The same seed gives the same bits for any number of workers.
func TestPartsHaveTheSameBits(t *testing.T) {
	spec := problem.Spec{Name: "blocks-rastrigin", Dim: flags.Usually(130, large), Seed: 2}
	budget := flags.Usually(30_000, 5_000)
	one, three := structuredRun(t, spec, true, budget, 1), structuredRun(t, spec, true, budget, 3)
	if one.queries != three.queries || !slices.Equal(one.point, three.point) {
		t.Errorf("%d queries by one, %d by three", one.queries, three.queries)
	}
}

// A section is f of some variables, which asks for no more than it may.
func TestSection(t *testing.T) {
	f := objective.Func(4, func(x []float64) float64 { return x[0] + 10*x[1] + 100*x[2] + 1000*x[3] })
	s := &section{f: f, variables: []int{3, 1}, x: []float64{1, 2, 3, 4}, most: 3}
	values := make([]float64, 2)
	if err := s.Evaluate(t.Context(), mat.NewDense(2, 2, []float64{5, 6, 7, 8}), values); err != nil || values[0] != 5361 || values[1] != 7381 {
		t.Errorf("%v, error %v", values, err)
	}
	if err := s.Evaluate(t.Context(), mat.NewDense(2, 2, nil), values); err != objective.ErrBudget || s.failed != nil {
		t.Errorf("error %v, f's own %v", err, s.failed)
	}
	if b := s.box(objective.Box{Lo: []float64{1, 2, 3, 4}, Hi: []float64{5, 6, 7, 8}}); !slices.Equal(b.Lo, []float64{4, 2}) || !slices.Equal(b.Hi, []float64{8, 6}) {
		t.Errorf("%v", b)
	}
}

// Windows of a band have all rows of W, each once.
func TestWindows(t *testing.T) {
	for _, ring := range []bool{false, true} {
		all := map[int]int{}
		for lo := 0; lo < 50; lo += 8 {
			hi := min(lo+8, 50)
			variables, first := window(lo, hi, 12, 50, ring)
			if int(first+0.5) != slices.Index(variables, lo) || ring && len(variables) != hi-lo+24 {
				t.Errorf("from %d: %v, first %v", lo, variables, first)
			}
			for k, i := range variables {
				if at := float64(k) - first; at >= 0 && at < float64(hi-lo) {
					all[i]++
				}
			}
		}
		for i := range 50 {
			if all[i] != 1 {
				t.Errorf("row %d is there %d times", i, all[i])
			}
		}
	}
	if c := centre([]float64{0, 1, 2, 1, 0}); c != 2 {
		t.Errorf("centre %v", c)
	}
}

// A sparse Hessian of a quadratic is its matrix.
func TestSparseHessian(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{2, 0.5, 0, 0.5, 3, -1, 0, -1, 4})
	f := objective.Func(3, func(x []float64) float64 {
		v := mat.NewVecDense(3, x)
		return mat.Inner(v, a, v) / 2
	})
	s := &sparse{f: watch(f, func(objective.Stage) {}), pairs: [][2]int{{0, 1}, {1, 2}}, box: objective.Cube(3, -1, 1), random: rng.Seed(1).Stream("test")}
	h, err := s.hessian(t.Context(), []float64{0.1, 0.2, 0.3}, 0.01)
	if err != nil || !mat.EqualApprox(h, a, 1e-9) || s.f.queries != 1+2*3+2*2 {
		t.Errorf("%v, %d queries, error %v", mat.Formatted(h), s.f.queries, err)
	}
}

// Along a chain that does not separate, Newton steps with sparse Hessians come to the minimum with some 150 queries a
// variable.
func TestSparseNewton(t *testing.T) {
	for seed := range uint64(flags.Usually(4, 1)) {
		p, err := problem.New(problem.Spec{Name: "rosenbrock-chain", Dim: 200, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		meter := query.NewMeter(p, 60_000)
		record := query.NewRecord(meter, query.Rules{Target: new(1e-8)}, nil)
		scale := query.NewScale(record, p.Domain(), objective.Cube(200, math.Inf(-1), math.Inf(1)))
		_, err = Auto{}.Minimize(t.Context(), scale, strategy.Task{Bounds: scale.Bounds(), Budget: 1_000_000, Seed: seed})
		if best := record.Best().Value; !(best <= 1e-8) {
			t.Errorf("seed %d: %.2g after %d queries, error %v", seed, best, meter.Queries(), err)
		}
	}
}

// The step of a quadratic is Newton's, within the radius, and goes to its border where f curves down.
func TestSteihaug(t *testing.T) {
	n := &sparseNewton{sparse: &sparse{pairs: [][2]int{{0, 1}}}, radius: 10, x: make([]float64, 2), product: make([]float64, 2)}
	n.slope, n.curve, n.mixed = []float64{1, 2}, []float64{2, 3}, []float64{1} // H = (2 1; 1 3), H⁻¹g = (1, 3)/5
	if p := n.propose(); !(math.Abs(p[0]+0.2) <= 1e-12 && math.Abs(p[1]+0.6) <= 1e-12) {
		t.Errorf("%v", p)
	}
	n.radius = 0.1
	if p := n.propose(); !(math.Abs(math.Hypot(p[0], p[1])-0.1) <= 1e-12) {
		t.Errorf("%v has not the length of the radius", p)
	}
	n.radius, n.curve = 7, []float64{-2, -3}
	if p := n.propose(); !(math.Abs(math.Hypot(p[0], p[1])-7) <= 1e-12 && p[0] < 0 && p[1] < 0) {
		t.Errorf("%v", p)
	}
}
