package untwist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

func TestBadOptions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cube := func(lo, hi float64) untwist.Box { return objective.Cube(2, lo, hi) }
	for _, c := range []struct {
		o            untwist.Options
		option, want string
	}{
		{untwist.Options{Budget: -1}, "Budget", "-1, must be at least 1"},
		{untwist.Options{Workers: -1}, "Workers", "-1, must be at least 1"},
		{untwist.Options{Target: &nan}, "Target", "must be a number"},
		{untwist.Options{Bounds: cube(1, 1)}, "Bounds", "x[0]: 1:1, need numbers with LO < HI"},
		{untwist.Options{Bounds: cube(nan, 1)}, "Bounds", "NaN:1"},
		{untwist.Options{Bounds: objective.Cube(3, 0, 1)}, "Bounds", "3 lower and 3 upper limits for 2 coordinates"},
		{untwist.Options{Bounds: untwist.Box{Lo: []float64{0, 0}}}, "Bounds", "2 lower and 0 upper"},
		{untwist.Options{Bounds: cube(0, inf)}, "Start", "needed, because the bounds are too wide to start in (x[0]: 0:+Inf is too wide, need a width"},
		{untwist.Options{Start: cube(2, 1)}, "Start", "need numbers with LO < HI"},
		{untwist.Options{Start: cube(0, inf)}, "Start", "need a width from 1e-300 to 1e+290"},
		{untwist.Options{Start: cube(-1e308, 1e308)}, "Start", "need a width"},
		{untwist.Options{Bounds: cube(0, 5e-324)}, "Bounds", "x[0]: 0:5e-324 is too narrow, need a width from 1e-300"},
		{untwist.Options{Bounds: cube(-5e-324, 5e-324)}, "Bounds", "is too narrow"},
		{untwist.Options{Bounds: cube(-5, 5), Start: cube(0, 5e-324)}, "Start", "0:5e-324 is too narrow"},
		{untwist.Options{Bounds: cube(0, 5e-324), Start: cube(0, 5e-324)}, "Start", "0:5e-324 is too narrow"},
		{untwist.Options{Bounds: cube(-math.MaxFloat64, math.MaxFloat64)}, "Start", "the bounds are too wide to start in (x[0]: -1.7976931348623157e+308:1.7976931348623157e+308 is too wide"},
		{untwist.Options{Bounds: cube(0, math.MaxFloat64)}, "Start", "too wide"},
		{untwist.Options{Bounds: cube(inf, inf)}, "Bounds", "+Inf:+Inf, need numbers with LO < HI"},
		{untwist.Options{Bounds: cube(0, nan)}, "Bounds", "0:NaN, need numbers with LO < HI"},
		{untwist.Options{Start: cube(-5, 5), Bounds: cube(0, 1)}, "Start", "must lie within the bounds; x[0]: -5:5 is not within 0:1"},
		{untwist.Options{Points: [][]float64{{1}}}, "Points", "Points[0] has 1 coordinates, but the objective has 2"},
		{untwist.Options{Points: [][]float64{{1, 1}, {1, nan}}}, "Points", "Points[1]: x[1] is NaN"},
		{untwist.Options{Points: [][]float64{{1, 9}}, Parameters: []untwist.Parameter{{Name: "k", Low: new(0.), High: new(1.)}, {Name: "depth", Min: new(0.), Max: new(5.)}}}, "Points", "Points[0] lies outside the bounds; depth: 9 is not within 0:5"},
		{untwist.Options{Points: [][]float64{{1, 1}}, Bounds: cube(2, 3)}, "Points", "Points[0] lies outside the bounds; x[0]: 1 is not within 2:3"},
		{untwist.Options{Strategy: strategy.CBO{Config: cbo.Config{Particles: 1e9}}, Budget: 1e10}, "Particles", "must be from 1 to 4194304 for 2 dimensions"},
		{untwist.Options{Strategy: strategy.CBO{Config: cbo.Config{Sigma: cbo.Constant(-1)}}}, "Sigma", "-1, must be a number of at least 0"},
	} {
		calls := 0
		f := objective.Func(2, func([]float64) float64 { calls++; return 0 })
		r, err := untwist.Minimize(ctx, f, c.o)
		var bad *untwist.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || !strings.Contains(bad.Reason, c.want) {
			t.Errorf("error %v, want %s: %s", err, c.option, c.want)
		}
		if calls > 0 || r.Status != objective.Failed {
			t.Errorf("%s: %d queries, status %v", c.option, calls, r.Status)
		}
	}
	if _, err := untwist.Minimize(ctx, nil, untwist.Options{}); err == nil {
		t.Error("a nil objective is accepted")
	}
	if _, err := untwist.StrategyNamed("luck", untwist.Knobs{}); err == nil || !strings.Contains(err.Error(), `unknown strategy "luck": must be one of auto, reparametrised, transformed, componentwise, online, cbo, cbo-isotropic`) {
		t.Errorf("error %v", err)
	}
}

// The defaults, which are set in one place, are the documented ones.
func TestDefaultOptions(t *testing.T) {
	lo, hi := math.Inf(1), math.Inf(-1)
	f := objective.Func(3, func(x []float64) float64 {
		for _, v := range x {
			lo, hi = min(lo, v), max(hi, v)
		}
		return 0
	})
	r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: strategy.CBO{}, Budget: 50}) // the first batch
	if err != nil || lo < -5 || lo > -4 || hi > 5 || hi < 4 {
		t.Errorf("the search starts in [%v, %v], error %v", lo, hi, err)
	}
	if r, err = untwist.Minimize(ctx, f, untwist.Options{}); err != nil || r.Budget != 500*3*3 || r.Strategy != "auto" || r.Seed != 0 {
		t.Errorf("budget %d, strategy %s, seed %d, error %v", r.Budget, r.Strategy, r.Seed, err)
	}
	for _, name := range untwist.Strategies() {
		if _, err := untwist.StrategyNamed(name, untwist.Knobs{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := untwist.StrategyNamed(name, untwist.Knobs{Particles: 3, Sigma: new(0.), Tau: new(1.), Alpha: new(0.)})
		if has := name != "auto" && name != "cmaes" && name != "descent"; has != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// twoStages is a strategy that spends 3 queries and then 4.
type twoStages struct{}

func (twoStages) Name() string { return "two-stages" }
func (twoStages) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	task.Stage(objective.Stage{Name: "look", Purpose: objective.ToFind})
	if err := f.Evaluate(ctx, mat.NewDense(3, f.Dim(), nil), make([]float64, 3)); err != nil {
		return strategy.Outcome{}, err
	}
	task.Stage(objective.Stage{Name: "leap", Purpose: objective.ToSearch})
	err := f.Evaluate(ctx, mat.NewDense(4, f.Dim(), nil), make([]float64, 4))
	return strategy.Outcome{Status: objective.Converged}, err
}

func TestStagesSayWhereQueriesWent(t *testing.T) {
	var seen []string
	f := objective.Func(2, func([]float64) float64 { return 0 })
	r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: twoStages{}, Progress: func(p untwist.Progress) { seen = append(seen, p.Stage) }})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Stages, seen, r.Status); got != "[{{look to find coordinates 0} 3 0} {{leap by CMA-ES or CBO 0} 4 0}] [look leap] converged" {
		t.Errorf("stages %s", got)
	}
}

// Half-infinite bounds hold on the side where they are finite.
func TestHalfInfiniteBounds(t *testing.T) {
	bounds := untwist.Box{Lo: []float64{0, math.Inf(-1)}, Hi: []float64{math.Inf(1), 2}}
	f := objective.Func(2, func(x []float64) float64 {
		if !bounds.Contains(x) {
			t.Fatalf("%v was asked", x)
		}
		return (x[0]-30)*(x[0]-30) + (x[1]+40)*(x[1]+40)
	})
	r, err := untwist.Minimize(ctx, f, untwist.Options{Bounds: bounds, Start: objective.Cube(2, 0, 1), Budget: 30_000})
	if err != nil || r.Value > 1e-2 {
		t.Errorf("value %v at %v, error %v", r.Value, r.Point, err)
	}
}

// What a user keeps of the progress stays as it was told, and the result shares no memory
// with the improvements.
func TestProgressMayBeKept(t *testing.T) {
	var kept []untwist.Progress
	r, err := untwist.Minimize(ctx, objective.Func(3, ripple), untwist.Options{Strategy: strategy.CMAES{}, Budget: 400, Progress: func(p untwist.Progress) {
		kept = append(kept, p)
	}})
	if err != nil || len(kept) < 10 {
		t.Fatalf("told %d times, error %v", len(kept), err)
	}
	for _, p := range kept {
		if v := ripple(slices.Clone(p.Point)); v != p.Best {
			t.Fatalf("after %d queries the best value was %v, and f at the point kept is %v", p.Queries, p.Best, v)
		}
	}
	r.Point[0] = 99
	if last := r.Improvements[len(r.Improvements)-1]; last.Point[0] == 99 {
		t.Error("the result and its improvements share a point")
	}
}

// People count components from 1, and one thing is singular.
func TestWords(t *testing.T) {
	r := untwist.Result{Account: untwist.Account{Queries: 1}}
	if got := r.String(); got != "1 query" {
		t.Errorf("%q", got)
	}
	r.Profiles = []frame.Profile{{Component: 0, Wells: []frame.Well{{Y: 1}, {Y: 2, Value: 0.25}}}}
	if got, want := r.String(), "1 query; there are other wells along 1 coordinate; the second-best well of component 1 is only 0.2 above its best"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestComponentsWithoutAMinimumAreCountedFromOne(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return x[0] + x[1]*x[1] })
	r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 5000})
	if err != nil || r.Status != objective.Unbounded || !strings.Contains(r.String(), "along component 1: it may have no minimum") {
		t.Errorf("%v, %v, error %v", r.Status, r, err)
	}
}

// Queries at known points do not count as a search by CMA-ES; the search around them does.
func TestEveryStageHasItsPurpose(t *testing.T) {
	p := mixed(t, "rastrigin", 5, 1)
	r, err := untwist.Minimize(ctx, p, untwist.Options{Start: p.Domain(), Points: [][]float64{{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}, Seed: 1})
	if err != nil || r.Spent(objective.AtKnown) != 2 || r.Spent(objective.ToSearch) == 0 {
		t.Errorf("%v, error %v", r, err)
	}
	sum := 0
	for _, purpose := range objective.Purposes() {
		sum += r.Spent(purpose)
	}
	if sum != r.Queries || r.Rounds < 10 || r.Rounds > r.Queries {
		t.Errorf("%d queries in %d rounds, %d with a purpose", r.Queries, r.Rounds, sum)
	}
}

// Rounds are the batches that the algorithm asks for, however long they are.
func TestRounds(t *testing.T) {
	d := flags.Usually(50, 40)
	p := mixed(t, "rastrigin", d, 1)
	calls, most := 0, 0
	counted := objective.Batch(d, func(points *mat.Dense, values []float64) {
		calls++
		most = max(most, len(values))
		if err := p.Evaluate(ctx, points, values); err != nil {
			t.Error(err)
		}
	})
	r, err := untwist.Minimize(ctx, counted, untwist.Options{Start: p.Domain(), Seed: 1, Target: new(p.Minimum() + 0.005)})
	if err != nil || most != query.ChunkRows || r.Rounds >= calls {
		t.Errorf("%d rounds in %d calls of up to %d points, error %v", r.Rounds, calls, most, err)
	}
}

// Noise of 0 at the point found is not called noise of a standard deviation of 0.
func TestWordsOfNoNoiseAtThePoint(t *testing.T) {
	r := untwist.Result{Noise: &untwist.Noise{Kind: objective.RandomNoise}}
	if s := r.String(); !strings.Contains(s, "none at the point found") || strings.Contains(s, "deviation of 0") {
		t.Error(s)
	}
}

// A coupling that could not be measured is not called NaN.
func TestWordsOfACouplingThatIsNoNumber(t *testing.T) {
	s := untwist.Structure{Frame: frame.Identity(2), Blocks: [][]int{{0}, {1}}, Dim: 2, Linear: -1, Certificate: certify.Certificate{Verdict: certify.Unknown, Splits: 100, Coupling: math.NaN()}}
	if words := s.String(); strings.Contains(words, "NaN") {
		t.Error(words)
	}
}
