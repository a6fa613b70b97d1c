package untwist_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

func TestStrategies(t *testing.T) {
	if got, want := untwist.Strategies(), []string{"auto", "reparametrised", "transformed", "componentwise", "online", "cbo", "cbo-isotropic", "cmaes", "descent"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	if name := untwist.DefaultStrategy().Name(); name != "auto" {
		t.Errorf("the default is %s", name)
	}
}

func TestKnobs(t *testing.T) {
	s, err := untwist.StrategyNamed("cbo", untwist.Knobs{Particles: 7, Sigma: new(0.), Tau: new(0.5), Alpha: new(3.)})
	if err != nil {
		t.Fatal(err)
	}
	c := s.(strategy.CBO).Config
	if c.Particles != 7 || c.Sigma.At(9) != 0 || c.Tau != 0.5 || c.Alpha.At(0) != 3 || !(math.Abs(c.Alpha.At(1)-3.015) <= 1e-12) || c.Alpha.At(1e5) != 1e5 {
		t.Errorf("config %+v", c)
	}
	if s, _ := untwist.StrategyNamed("cbo", untwist.Knobs{Alpha: new(1e7)}); s.(strategy.CBO).Config.Alpha.At(5) != 1e7 {
		t.Error("α above the limit of its growth does not stay")
	}
	if s, _ := untwist.StrategyNamed("cbo", untwist.Knobs{}); s.(strategy.CBO).Config.Sigma != nil || s.(strategy.CBO).Config.Alpha != nil {
		t.Error("knobs that were not turned change the config")
	}
	if s, err := untwist.StrategyNamed("cmaes", untwist.Knobs{Particles: 9, Sigma: new(0.1)}); err != nil || s.(strategy.CMAES).Series.Run.Population != 9 || s.(strategy.CMAES).Series.Run.Sigma != 0.1 {
		t.Errorf("%+v, error %v", s, err)
	}
	for _, c := range []struct {
		strategy, option string
		knobs            untwist.Knobs
	}{
		{"auto", "Particles", untwist.Knobs{Particles: 3}},
		{"auto", "Sigma", untwist.Knobs{Sigma: new(1.), Tau: new(1.)}},
		{"cmaes", "Tau", untwist.Knobs{Sigma: new(1.), Tau: new(1.)}},
		{"cmaes", "Alpha", untwist.Knobs{Alpha: new(1.)}},
	} {
		_, err := untwist.StrategyNamed(c.strategy, c.knobs)
		var bad *untwist.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || !strings.HasPrefix(bad.Reason, "strategy "+c.strategy+" does not have this option; those that have it are reparametrised, ") {
			t.Errorf("%s: error %v", c.strategy, err)
		}
	}
}

// foreign is a strategy from outside. It asks for the first point of the task or, if it
// gets a frame, for the point whose coordinates in the frame are all 1.
type foreign struct {
	takes bool
	task  *strategy.Task // what it was told
}

func (foreign) Name() string { return "foreign" }

func (s foreign) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	task, err := task.Complete(f.Dim())
	if err != nil {
		return strategy.Outcome{Status: objective.Failed}, err
	}
	if task.Frame != nil && !s.takes {
		return strategy.Outcome{Status: objective.Failed}, objective.BadOption("Frame", "not with me")
	}
	*s.task = task
	x := mat.NewDense(1, f.Dim(), nil)
	if task.Frame != nil {
		task.Frame.Points(x, mat.NewDense(1, task.Frame.Components(), slices.Repeat([]float64{1}, task.Frame.Components())))
	}
	err = f.Evaluate(ctx, x, make([]float64, 1))
	return strategy.Outcome{Status: objective.Converged}, err
}

// A strategy from outside is treated like ours. It gets the frame, the blocks and the
// identifier that the user gives, or refuses them.
func TestForeignStrategies(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return x[0] + 10*x[1] })
	w, err := frame.New(mat.NewDense(2, 2, []float64{3, 4, 4, -3}))
	if err != nil {
		t.Fatal(err)
	}
	o := untwist.Options{Frame: w, Blocks: [][]int{{0, 1}}, Start: objective.Cube(2, -1, 1), Budget: 10, Seed: 7}
	var told strategy.Task
	o.Strategy = foreign{true, &told}
	r, err := untwist.Minimize(ctx, f, o)
	if err != nil || r.Queries != 1 || r.Strategy != "foreign" || !(math.Abs(r.Value-3.4) <= 1e-12) { // at (1.4, 0.2)
		t.Errorf("%v at %v, error %v", r.Value, r.Point, err)
	}
	if told.Frame == nil || len(told.Blocks) != 1 || told.Budget != 10 || told.Seed != 7 || told.Stage == nil {
		t.Errorf("it was told %+v", told)
	}
	o.Strategy = foreign{false, &told}
	if r, err := untwist.Minimize(ctx, f, o); err == nil || err.Error() != "Frame: not with me" || r.Queries != 0 || r.Status != objective.Failed {
		t.Errorf("error %v after %d queries, %v", err, r.Queries, r.Status)
	}
	o.Frame, o.Blocks, o.Identifier = nil, nil, identify.Paper{}
	if _, err := untwist.Minimize(ctx, f, o); err != nil || told.Identifier == nil || told.Identifier.Name() != "paper" {
		t.Errorf("it was told %+v, error %v", told, err)
	}
}

// Auto lets an identifier find the frame, certifies it, and minimises along it as it does
// with a frame that is given.
func TestAutoTakesAnIdentifier(t *testing.T) {
	p := mixed(t, "rastrigin", 8, 1)
	for _, road := range []identify.Identifier{identify.Survey{}, identify.Paper{}} {
		r, err := untwist.Minimize(ctx, p, untwist.Options{Identifier: road, Start: p.Domain(), Seed: 1})
		if err != nil || r.Value-p.Minimum() > 1e-8 || r.Status != objective.Converged || len(r.Profiles) != 8 {
			t.Errorf("%s: gap %g, %v, %v, error %v", road.Name(), r.Value-p.Minimum(), r.Status, r, err)
		}
		if c := r.Structure.Certificate; c.Verdict != "separable" || c.Splits == 0 {
			t.Errorf("%s: %v", road.Name(), c)
		}
	}
	// What the paper's identifier finds on a quadratic is wrong. Auto detects that and
	// says so.
	q := mixed(t, "squared-norm", 8, 1)
	r, err := untwist.Minimize(ctx, q, untwist.Options{Identifier: identify.Paper{}, Start: q.Domain(), Seed: 1, Budget: 10_000})
	if err != nil || r.Value > 1e-8 || !strings.Contains(r.String(), "the coordinates that paper found do not fit") {
		t.Errorf("%v, error %v", r, err)
	}
	// An error from the identifier ends the run, as an error from f does.
	if r, err := untwist.Minimize(ctx, p, untwist.Options{Identifier: identify.Paper{}, Start: p.Domain(), Budget: 100}); err != nil || r.Status != objective.BudgetSpent || r.Queries != 100 {
		t.Errorf("%v after %d queries, error %v", r.Status, r.Queries, err)
	}
}

// noFrame is an identifier that finds nothing.
type noFrame struct{}

func (noFrame) Name() string { return "no-frame" }
func (noFrame) Identify(context.Context, objective.Objective, identify.Request) (*identify.Finding, error) {
	return &identify.Finding{Linear: -1}, nil
}

// Where an identifier finds nothing, strategies use the given coordinates or CMA-ES.
func TestAnIdentifierThatFindsNothing(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		if slices.Contains([]string{"online", "cbo", "cbo-isotropic", "cmaes", "descent"}, s.Name()) {
			return // they refuse
		}
		f := query.NewMeter(objective.Func(3, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }), 2000)
		out, err := s.Minimize(ctx, f, strategy.Task{Budget: 2000, Identifier: noFrame{}})
		if err != nil || out.Status == objective.Running || f.Queries() == 0 {
			t.Errorf("%v after %d queries, error %v", out.Status, f.Queries(), err)
		}
	})
}

// finds is an identifier that returns what it is told to.
type finds struct {
	found *identify.Finding
	err   error
}

func (finds) Name() string { return "finds" }
func (f finds) Identify(context.Context, objective.Objective, identify.Request) (*identify.Finding, error) {
	return f.found, f.err
}

// A mistake in an identifier of one's own is an error that names it, in Probe and with
// every strategy that takes one; its own error is not lost.
func TestIdentifiersOfOnesOwn(t *testing.T) {
	f := objective.Func(3, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] })
	broken := errors.New("no licence")
	for text, by := range map[string]finds{
		"no licence": {nil, broken},
		"the identifier finds: it found a frame of 2 dimensions, the objective has 3": {identify.Known(frame.Identity(2), nil), nil},
		"no licence\nthe identifier finds: it found a frame of 2 dimensions":          {identify.Known(frame.Identity(2), nil), broken},
		"the identifier finds: it found f linear in component 7":                      {&identify.Finding{Frame: frame.Identity(3), Linear: 7}, nil},
		"the identifier finds: Blocks: ":                                              {identify.Known(frame.Identity(3), [][]int{{0}}), nil},
	} {
		if _, err := untwist.Probe(ctx, f, untwist.Options{Identifier: by}); err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("Probe: error %v, want %q", err, text)
		}
		for _, s := range []strategy.Strategy{auto.Auto{}, strategy.Reparametrised{}, strategy.Transformed{}, strategy.Componentwise{}} {
			r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Identifier: by, Budget: 1000})
			if err == nil || !strings.HasPrefix(err.Error(), text) || r.Status != objective.Failed {
				t.Errorf("%s: error %v, %v, want %q", s.Name(), err, r.Status, text)
			}
		}
	}
	// One that finds nothing is said to have found nothing.
	r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: strategy.Transformed{}, Identifier: finds{}, Budget: 1000})
	if err != nil || !strings.Contains(r.String(), "no coordinates were found: the search is in the coordinates given") {
		t.Errorf("%v, error %v", r, err)
	}
}

// The paper's road meets functions without curvature: that is no failure of the run.
func TestThePapersRoadWithoutCurvature(t *testing.T) {
	for name, f := range map[string]func(x []float64) float64{
		"constant": func([]float64) float64 { return 7 },
		"linear":   func(x []float64) float64 { return 1e-9 * x[0] },
	} {
		for _, s := range []strategy.Strategy{auto.Auto{}, strategy.Reparametrised{}} {
			r, err := untwist.Minimize(ctx, objective.Func(4, f), untwist.Options{Strategy: s, Identifier: identify.Paper{}, Budget: 3000})
			if err != nil || r.Status == objective.Failed || !strings.Contains(r.String(), "no Hessian has curvature") {
				t.Errorf("%s, %s: %v, %v, error %v", name, s.Name(), r.Status, r, err)
			}
		}
	}
}

// passing is a strategy that passes the error of f on, or says nothing about how it ended.
type passing struct{ queries int }

func (passing) Name() string { return "passing" }
func (p passing) Minimize(ctx context.Context, f objective.Objective, _ strategy.Task) (strategy.Outcome, error) {
	_, err := query.Ask(ctx, f, p.queries, func(k int, x []float64) { x[0] = float64(k) })
	return strategy.Outcome{}, err
}

func TestAStrategyMayPassOnAReasonToStop(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 { return -x[0] })
	for want, o := range map[objective.Status]untwist.Options{
		objective.BudgetSpent:   {Strategy: passing{30}, Budget: 20},
		objective.TargetReached: {Strategy: passing{30}, Budget: 50, Target: new(-3.)},
		objective.Converged:     {Strategy: passing{30}, Budget: 50},
	} {
		if r, err := untwist.Minimize(ctx, f, o); err != nil || r.Status != want {
			t.Errorf("%v, error %v, want %v", r.Status, err, want)
		}
	}
}

// A search whose share of the budget is used up has not converged.
func TestComponentwiseSaysThatItsShareIsUsedUp(t *testing.T) {
	p := mixed(t, "rastrigin", 3, 1)
	for budget, c := range map[int]struct {
		stop cbo.Stop
		want objective.Status
	}{
		20:     {cbo.Stop{}, objective.StepLimit},
		2000:   {cbo.Stop{}, objective.StepLimit},
		20_000: {cbo.Stop{Steps: 5}, objective.Converged}, // all swarms have come to their end
	} {
		s := strategy.Componentwise{Config: cbo.Config{Stop: c.stop}}
		r, err := untwist.Minimize(ctx, p, untwist.Options{Strategy: s, Frame: p.Frame(), Start: p.Domain(), Budget: budget, Seed: 1})
		if err != nil || r.Status != c.want || r.Queries > budget {
			t.Errorf("%d queries of %d, %v, error %v", r.Queries, budget, r.Status, err)
		}
	}
}

// What is wrong with the settings of an identifier is found out before the first query,
// known points or not.
func TestIdentifiersAreCheckedFirst(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] })
	for option, o := range map[string]untwist.Options{
		"Bounds":    {Identifier: identify.Paper{}, Bounds: objective.Cube(2, -1, 1)},
		"Tolerance": {Identifier: identify.Survey{Tolerance: -1}},
		"Samples":   {Identifier: identify.Paper{Samples: -1}, Strategy: strategy.Reparametrised{}},
	} {
		o.Points, o.Budget = [][]float64{{1, 1}}, 1000
		r, err := untwist.Minimize(ctx, f, o)
		var bad *untwist.OptionError
		if !errors.As(err, &bad) || bad.Option != option || r.Queries != 0 {
			t.Errorf("%s: error %v after %d queries", option, err, r.Queries)
		}
	}
}

// An identifier that gives up leaves the search to CMA-ES, or the coordinates given.
func TestAnIdentifierThatGivesUp(t *testing.T) {
	p := mixed(t, "rosenbrock", 6, 1)
	for _, s := range []strategy.Strategy{auto.Auto{}, strategy.Transformed{}} {
		r, err := untwist.Minimize(ctx, p, untwist.Options{Strategy: s, Identifier: identify.Survey{Budget: 100}, Start: p.Domain(), Budget: 3000})
		if err != nil || r.Queries != 3000 || !strings.Contains(r.String(), "the budget is too small to find the coordinates") {
			t.Errorf("%s: %v, error %v", s.Name(), r, err)
		}
	}
}

// Values that overflow within bounds end no run.
func TestAutoSurvivesOverflow(t *testing.T) {
	bounds := objective.Box{Lo: []float64{-1, -3}, Hi: []float64{7, 0.25}}
	f := objective.Func(2, func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += 5e306 * (v*v + 3*(1-math.Cos(4*v)))
		}
		return sum
	})
	for seed := range uint64(5) {
		if r, err := untwist.Minimize(ctx, f, untwist.Options{Bounds: bounds, Seed: seed, Budget: 4000}); err != nil || math.IsInf(r.Value, 1) {
			t.Errorf("seed %d: %v at %v, error %v", seed, r.Value, r.Point, err)
		}
	}
}

// A knob that is set to what no strategy takes is an error before the first query.
func TestBadKnobs(t *testing.T) {
	for knob, knobs := range map[string]untwist.Knobs{
		"Particles": {Particles: -3}, "Sigma": {Sigma: new(-1.)}, "Tau": {Tau: new(0.)}, "Alpha": {Alpha: new(math.NaN())},
	} {
		for _, name := range []string{"reparametrised", "transformed", "componentwise", "online", "cbo"} {
			if s, err := untwist.StrategyNamed(name, knobs); err == nil || s != nil || !strings.Contains(err.Error(), knob) {
				t.Errorf("%s with %s: %v, %v", name, knob, s, err)
			}
		}
	}
}
