package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// walk is an optimiser that is none of ours: it asks for random points of the box, in batches
// of some size, until it is told to stop or has asked for so many.
type walk struct{ batch, most int }

func (w walk) Minimize(ctx context.Context, f objective.Objective, box objective.Box, budget int, seed uint64) error {
	stream := rng.Seed(seed).Stream("walk")
	for asked := 0; w.most == 0 || asked < w.most; asked += w.batch {
		points, values := mat.NewDense(w.batch, f.Dim(), nil), make([]float64, w.batch)
		for i := range values {
			box.Draw(points.RawRowView(i), stream)
		}
		if err := f.Evaluate(ctx, points, values); errors.Is(err, objective.ErrBudget) || errors.Is(err, objective.ErrTarget) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// builtIn returns the case of a built-in problem.
func builtIn(t *testing.T, spec problem.Spec) Case {
	t.Helper()
	c, err := BuiltIn(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// various is a grid with every kind of case and method.
func various(t *testing.T) Grid {
	t.Helper()
	named := func(name string) Method {
		m, err := MethodNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	g := Grid{
		Cases: []Case{
			builtIn(t, problem.Spec{Name: "rastrigin", Dim: 3}),
			builtIn(t, problem.Spec{Name: "levy", Dim: 4, Mix: "orthogonal", Blemishes: problem.Blemishes{Noise: 1e-3}}),
			builtIn(t, problem.Spec{Name: "squared-norm", Dim: 3, Blemishes: problem.Blemishes{Coupling: 0.1}}),
			{Problem: "bowl", Dim: 2, New: func(seed uint64) (Problem, error) { return newBowl(seed, nowhere), nil }},
		},
		Methods: []Method{
			named("auto"), named("cmaes"), named("transformed"),
			{Name: "small", Settings: "cmaes:particles=4", Strategy: strategy.CMAES{Series: cmaes.Series{Run: cmaes.Config{Population: 4}}}},
			{Name: "walk", Other: walk{batch: 7}},
		},
		Runs: 2, Budget: "150*d", Targets: []float64{1, 0.3, 1e-2},
	}
	if err := g.Complete(); err != nil {
		t.Fatal(err)
	}
	return g
}

// A bowl is someone's own problem: |x − c|² + 3, with bounds.
type bowl struct {
	objective.Objective
	bounds objective.Box
	closed *int
}

func newBowl(seed uint64, bounds objective.Box) *bowl {
	c := float64(seed%3) / 2
	return &bowl{objective.Func(2, func(x []float64) float64 {
		if !bounds.Contains(x) {
			panic("it was asked for a point outside its bounds")
		}
		return (x[0]-c)*(x[0]-c) + (x[1]-c)*(x[1]-c) + 3
	}), bounds, new(int)}
}

// nowhere bounds nothing.
var nowhere = objective.Cube(2, math.Inf(-1), math.Inf(1))

func (b *bowl) Domain() objective.Box { return objective.Cube(2, -1.5, 2) }
func (b *bowl) Bounds() objective.Box { return b.bounds }
func (b *bowl) Minimum() float64      { return 3 }
func (b *bowl) Close() error          { *b.closed++; return nil }

// A grid of strategies, other optimisers, noise, unknown minima and someone's own problems has
// the same runs for any number of jobs, and after it was stopped.
func TestGridsAreTheSameForAnyJobs(t *testing.T) {
	t.Parallel()
	g := various(t)
	var want []store.Run
	for _, jobs := range flags.Sample([]int{1, 7, 2}, 2) {
		s := open(t, g, t.TempDir())
		if jobs == 7 { // stopped once
			limited, cancel := context.WithCancel(ctx)
			seen := 0
			err := g.Run(limited, s, jobs, func(Progress) {
				if seen++; seen == 20 {
					cancel()
				}
			})
			if cancel(); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if err := g.Run(ctx, s, jobs, nil); err != nil {
			t.Fatal(err)
		}
		got := stored(t, s)
		if want == nil {
			want = got
		}
		if len(got) != 4*6*2 || !cmp.Equal(got, want) {
			t.Errorf("%d jobs: %d runs, %s", jobs, len(got), cmp.Diff(want, got))
		}
	}
	for _, r := range want {
		budget := 450
		if strings.HasPrefix(r.Problem, "levy") {
			budget = 600
		} else if strings.HasPrefix(r.Problem, "bowl") {
			budget = 300
		}
		reached := r.Curve[len(r.Curve)-1].Value <= 1e-2
		if r.Queries > budget || (r.Reached > 0) != reached || reached != (r.Status == "target-reached") || !descends(r.Curve) || r.Rounds < 1 {
			t.Errorf("%v: %s after %d queries, reached at %d, %d rounds, the curve ends at %v", r.Key, r.Status, r.Queries, r.Reached, r.Rounds, r.Curve[len(r.Curve)-1])
		}
	}
}

// Under noise too, methods that share a frame give the same bits as each gives by itself: the
// numbers of their queries go on where those of the frame end.
func TestSharedFramesUnderNoise(t *testing.T) {
	spec := problem.Spec{Name: "rastrigin", Dim: 3, Seed: 1, Blemishes: problem.Blemishes{Noise: 1e-9}}
	m, err := MethodNamed("reparametrised")
	if err != nil {
		t.Fatal(err)
	}
	g := Grid{Cases: []Case{builtIn(t, spec)}, Methods: []Method{m}, Runs: 1, Seed: 1, Budget: "4000"}
	if err := g.Complete(); err != nil {
		t.Fatal(err)
	}
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	run, _, err := s.Get(ctx, store.Key{Problem: g.Cases[0].Key(), Method: "reparametrised", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	want, err := untwist.Minimize(ctx, p, untwist.Options{
		Strategy: m.Strategy, Identifier: identify.Paper{}, Start: p.Domain(), Seed: 1, Budget: 4000, Target: new(p.Minimum() + 1e-8), KeepGoing: true,
	})
	if err != nil || want.ValueClean == nil || run.Queries != want.Queries || run.Gap != *want.ValueClean-p.Minimum() || run.Status != want.Status.String() {
		t.Errorf("gap %v, %d queries, %s; by itself %v, %d, %v, error %v", run.Gap, run.Queries, run.Status, want.ValueClean, want.Queries, want.Status, err)
	}
}

// Other optimisers get exactly their budget, stop at the target, and never leave the bounds.
func TestOtherOptimisers(t *testing.T) {
	closed := 0
	for _, test := range []struct {
		by      walk
		budget  Budget
		target  float64
		status  string
		queries int
		rounds  int
	}{
		{walk{batch: 7}, "20", 1e-9, "budget-spent", 20, 3},
		{walk{batch: 5}, "20", 1e-9, "budget-spent", 20, 5},
		{walk{batch: 3000}, "2500", 1e-9, "budget-spent", 2500, 1},
		{walk{batch: 4, most: 12}, "20", 1e-9, "converged", 12, 3},
		{walk{batch: 4, most: 20}, "20", 1e-9, "budget-spent", 20, 5},
		{walk{batch: 4}, "20", 1e9, "target-reached", 4, 1},
		{walk{batch: 3000}, "2500", 1e9, "target-reached", 1024, 1},
	} {
		g := Grid{
			Cases: []Case{{Problem: "bowl", Dim: 2, New: func(seed uint64) (Problem, error) {
				b := newBowl(seed, objective.Cube(2, -1, 2)) // some points of the box are outside
				b.closed = &closed
				return b, nil
			}}},
			Methods: []Method{{Name: "walk", Other: test.by}}, Runs: 1, Budget: test.budget, Targets: []float64{test.target},
		}
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		s := open(t, g, t.TempDir())
		if err := g.Run(ctx, s, 1, nil); err != nil {
			t.Fatal(err)
		}
		r := stored(t, s)[0]
		if r.Status != test.status || r.Queries != test.queries || r.Rounds != test.rounds {
			t.Errorf("%+v: %s, %d queries, %d rounds", test, r.Status, r.Queries, r.Rounds)
		}
	}
	if closed != 7 {
		t.Errorf("%d of 7 problems were closed", closed)
	}
}

// Strategies never leave the bounds of a problem that has some.
func TestBoundsOfProblems(t *testing.T) {
	g := various(t)
	g.Methods = g.Methods[:2]
	g.Cases = []Case{{Problem: "bowl", Dim: 2, New: func(seed uint64) (Problem, error) { return newBowl(seed, objective.Cube(2, -1.5, 2)), nil }}}
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range stored(t, s) {
		if r.Reached == 0 {
			t.Errorf("%v: %v", r.Key, r.Gap)
		}
	}
}

// A broken optimiser says that something went wrong.
type broken struct{}

func (broken) Minimize(context.Context, objective.Objective, objective.Box, int, uint64) error {
	return errors.New("out of ideas")
}

// What goes wrong in a run names the run, in one line, and other runs stay.
func TestErrorsNameTheRun(t *testing.T) {
	odd := Case{Problem: "odd", Dim: 3, New: func(uint64) (Problem, error) { return newBowl(0, nowhere), nil }}
	bad := Case{Problem: "bad", Dim: 2, New: func(uint64) (Problem, error) { return nil, errors.New("no data") }}
	cmaes, err := MethodNamed("cmaes")
	if err != nil {
		t.Fatal(err)
	}
	onG, err := MethodNamed("cbo-on-g")
	if err != nil {
		t.Fatal(err)
	}
	bowls := various(t).Cases[3]
	for _, test := range []struct {
		of   Case
		by   Method
		text string
	}{
		{bowls, Method{Name: "broken", Other: broken{}}, "broken on bowl d=2, seed 5: out of ideas"},
		{odd, cmaes, "cmaes on odd d=3, seed 5: the problem has 2 dimensions, and its case says 3"},
		{bad, cmaes, "cmaes on bad d=2, seed 5: no data"},
		{bowls, onG, "cbo-on-g on bowl d=2, seed 5: this method runs on the unmixed function, which only a built-in problem has"},
	} {
		g := Grid{Cases: []Case{bowls, test.of}[1:], Methods: []Method{test.by}, Runs: 1, Seed: 5, Budget: "10"}
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		if err := g.Run(ctx, open(t, g, t.TempDir()), 1, nil); err == nil || err.Error() != test.text {
			t.Errorf("%v, want %s", err, test.text)
		}
	}
}

// Grids that are bad, one line each.
func TestBadComparisons(t *testing.T) {
	for _, test := range []struct {
		change       func(*Grid)
		option, text string
	}{
		{func(g *Grid) { g.Cases = nil }, "Problems", "none are named"},
		{func(g *Grid) { g.Methods = nil }, "Methods", "none are named"},
		{func(g *Grid) { g.Cases = append(g.Cases, g.Cases[0]) }, "Problems", `"rastrigin d=3 mix=paper" is named twice`},
		{func(g *Grid) { g.Methods[1].Name = "auto" }, "Methods", `"auto" is named twice`},
		{func(g *Grid) { g.Methods[1].Name = "identification" }, "Methods", "cannot be the name of a method"},
		{func(g *Grid) { g.Methods[1].Name = "" }, "Methods", "without a name"},
		{func(g *Grid) { g.Methods[1].Strategy = nil }, "Methods", "cmaes has neither a strategy nor another optimiser"},
		{func(g *Grid) { g.Cases[0].Dim = 0 }, "Dim", "from 1 to 10000"},
		{func(g *Grid) { g.Cases[0].New = nil }, "Problems", "without a function"},
		{func(g *Grid) { g.Budget = "many*d" }, "Budget", "is not a formula"},
		{func(g *Grid) { g.Budget = "d-3" }, "Budget", "no query in 3 dimensions"},
		{func(g *Grid) { g.Runs = -1 }, "Runs", "at least 1"},
		{func(g *Grid) { g.Runs = math.MaxInt }, "Runs", "at most 1000000"},
		{func(g *Grid) { g.Seed = math.MaxUint64 }, "Seed", "too large for 2 consecutive seeds"},
		{func(g *Grid) { g.Targets = []float64{} }, "Targets", "none are named"},
		{func(g *Grid) { g.Targets = []float64{1, math.NaN()} }, "Targets", "must be finite"},
		{func(g *Grid) { g.Targets = []float64{math.Inf(1)} }, "Targets", "must be finite"},
		{func(g *Grid) { g.Name = "../x" }, "Name", "cannot be the beginning of a file's name"},
	} {
		g := various(t)
		test.change(&g)
		err := g.Complete()
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != test.option || !strings.Contains(bad.Reason, test.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s: %s", err, test.option, test.text)
		}
	}
	if err := (Grid{}).Run(ctx, nil, 1, nil); err == nil || !strings.Contains(err.Error(), "the grid is not complete") {
		t.Error(err)
	}
}

// Targets are put in order, and what is left out has a default.
func TestGridDefaults(t *testing.T) {
	g := various(t)
	g.Targets, g.Runs, g.Budget, g.Name = nil, 0, "", ""
	if err := g.Complete(); err != nil || !slices.Equal(g.Targets, DefaultTargets()) || g.Runs != 15 || g.Budget != "1000*d" || g.Name == "" {
		t.Error(g.Targets, g.Runs, g.Budget, g.Name, err)
	}
	given := []float64{1e-8, 1, 1e-8, 3}
	g.Targets = given
	if err := g.Complete(); err != nil || !slices.Equal(g.Targets, []float64{3, 1, 1e-8}) || given[0] != 1e-8 {
		t.Error(g.Targets, err)
	}
	if g.total() != 4*5*15 {
		t.Error(g.total())
	}
}

// A store serves every grid with its budget and its least target. Other targets must be among
// those that its curves know: 10^(k/5), and the odd ones of the grid that made it.
func TestStoresOfOtherGrids(t *testing.T) {
	g := various(t) // targets 1, 0.3, 0.01
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	try := func(change func(*Grid)) (Grid, *store.Store, error) {
		g := g
		change(&g)
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		s, err := g.OpenStore(ctx, path)
		if s != nil {
			t.Cleanup(func() { s.Close() })
		}
		return g, s, err
	}
	if _, _, err := try(func(*Grid) {}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Grid){
		"fewer targets":     func(g *Grid) { g.Targets = []float64{0.01} },
		"other powers":      func(g *Grid) { g.Targets = []float64{100, level(-3), 0.3, 0.01} },
		"other cases":       func(g *Grid) { g.Cases = g.Cases[1:] },
		"other methods":     func(g *Grid) { g.Methods = g.Methods[:1] },
		"more seeds":        func(g *Grid) { g.Runs, g.Seed = 7, 3 },
		"the budget spaced": func(g *Grid) { g.Budget = " 1.5e2 * d" },
	} {
		g, s, err := try(change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if all := g.targets(s); !slices.Contains(all, 0.3) || !slices.IsSortedFunc(all, func(a, b float64) int { return -int(math.Copysign(1, a-b)) }) {
			t.Errorf("%s: curves are sampled at %v", name, all)
		}
	}
	for text, change := range map[string]func(*Grid){
		"with budget 150*d where this one has 160*d":                    func(g *Grid) { g.Budget = "160*d" },
		"with target 0.01 where this one has 0.001":                     func(g *Grid) { g.Targets = []float64{1, 0.3, 0.001} },
		"with targets besides 10^(k/5) 0.3 where this one has 0.7, 0.3": func(g *Grid) { g.Targets = []float64{0.7, 0.3, 0.01} },
	} {
		_, _, err := try(change)
		var other *store.OtherError
		if !errors.As(err, &other) || !strings.HasSuffix(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// Names say what a grid is. Where they cannot say it all, a few digits tell grids apart.
func TestGridNames(t *testing.T) {
	suite, err := problem.Suite("paper")
	if err != nil {
		t.Fatal(err)
	}
	base := Grid{Runs: 15, Budget: "1000*d"}
	for _, d := range []int{10, 40} {
		for _, name := range suite {
			base.Cases = append(base.Cases, builtIn(t, problem.Spec{Name: name, Dim: d}))
		}
	}
	for _, name := range []string{"auto", "cmaes"} {
		m, err := MethodNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		base.Methods = append(base.Methods, m)
	}
	seen := map[string]string{}
	for _, test := range []struct {
		change func(*Grid)
		want   string // a pattern: # is six hexadecimal digits
	}{
		{func(*Grid) {}, "paper-d10-d40-auto-cmaes-1000d-15seeds"},
		{func(g *Grid) { g.Runs = 1 }, "paper-d10-d40-auto-cmaes-1000d-1seed"},
		{func(g *Grid) { g.Seed = 7 }, "paper-d10-d40-auto-cmaes-1000d-15seeds-from-7"},
		{func(g *Grid) { g.Cases = g.Cases[:4] }, "paper-d10-auto-cmaes-1000d-15seeds"},
		{func(g *Grid) { g.Cases = g.Cases[:5] }, "paper-d10-d40-auto-cmaes-1000d-15seeds-#"},
		{func(g *Grid) { g.Cases = g.Cases[1:3] }, "rastrigin-like-squared-norm-d10-auto-cmaes-1000d-15seeds"},
		{func(g *Grid) { g.Methods = g.Methods[:1] }, "paper-d10-d40-auto-1000d-15seeds"},
		{func(g *Grid) { g.Methods[1].Settings = "sigma=2" }, "paper-d10-d40-auto-cmaes-1000d-15seeds-#"},
		{func(g *Grid) { g.Methods[1].Settings = "sigma=3" }, "paper-d10-d40-auto-cmaes-1000d-15seeds-#"},
		{func(g *Grid) { g.Targets = []float64{1} }, "paper-d10-d40-auto-cmaes-1000d-15seeds-#"},
		{func(g *Grid) { g.Budget = "3*d^2" }, "paper-d10-d40-auto-cmaes-3dp2-15seeds"},
		{func(g *Grid) { g.Budget = "3*(d+1)" }, "paper-d10-d40-auto-cmaes-3d1-15seeds-#"},
		{func(g *Grid) {
			g.Cases = []Case{builtIn(t, problem.Spec{Name: "levy", Dim: 5, Mix: "orthogonal", Blemishes: problem.Blemishes{Map: "sqrt", Noise: 1e-6}})}
		}, "levy-d5-orthogonal-map=sqrt-noise=1e-06-auto-cmaes-1000d-15seeds"},
		{func(g *Grid) {
			g.Cases = []Case{
				builtIn(t, problem.Spec{Name: "levy", Dim: 5}), builtIn(t, problem.Spec{Name: "levy", Dim: 5, Blemishes: problem.Blemishes{Noise: 1e-6}}),
			}
		}, "levy-d5-clean-noise=1e-06-auto-cmaes-1000d-15seeds-#"},
		{func(g *Grid) {
			g.Cases = []Case{{Problem: "my/sim: π.toml", Dim: 3, New: g.Cases[0].New}}
		}, "mysim-.toml-d3-auto-cmaes-1000d-15seeds-#"},
	} {
		g := base
		g.Cases, g.Methods = slices.Clone(g.Cases), slices.Clone(g.Methods)
		test.change(&g)
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		want, hash := strings.CutSuffix(test.want, "#")
		if !strings.HasPrefix(g.Name, want) || len(g.Name) != len(want)+map[bool]int{true: 6}[hash] {
			t.Errorf("%s, want %s", g.Name, test.want)
		}
		if was := seen[g.Name]; was != "" {
			t.Errorf("%s stands for two grids", g.Name)
		}
		seen[g.Name] = fmt.Sprint(test.want)
	}
}
