package strategy_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

var all = []strategy.Strategy{
	strategy.CBO{}, strategy.IsotropicCBO{}, strategy.CMAES{}, strategy.Reparametrised{}, strategy.Transformed{},
	strategy.Componentwise{}, strategy.Identification{}, auto.Auto{},
}

// A task with nothing but a budget is enough for every strategy, and gives the same
// points as one in which all defaults are written out.
func TestABareTask(t *testing.T) {
	bowl := func(x []float64) float64 { return (x[0]-0.3)*(x[0]-0.3) + math.Cosh(x[1]+x[0]) }
	for _, s := range all {
		var asked [2][]float64
		inf := math.Inf(1)
		for i, task := range []strategy.Task{
			{Budget: 600},
			{Budget: 600, Bounds: objective.Cube(2, -inf, inf), Stage: func(objective.Stage) {}},
		} {
			f := query.NewMeter(objective.Func(2, func(x []float64) float64 {
				asked[i] = append(asked[i], x...)
				return bowl(x)
			}), 600)
			out, err := s.Minimize(context.Background(), f, task)
			if err != nil || out.Status == objective.Running || f.Queries() == 0 {
				t.Errorf("%s: %v after %d queries, error %v", s.Name(), out.Status, f.Queries(), err)
			}
		}
		if !slices.Equal(asked[0], asked[1]) {
			t.Errorf("%s: a bare task asks for other points", s.Name())
		}
	}
}

// A task that is wrong is refused before the first query, by an error that names the
// field.
func TestBadTasks(t *testing.T) {
	w := frame.Identity(2)
	for _, c := range []struct {
		option string
		task   strategy.Task
	}{
		{"Budget", strategy.Task{}},
		{"Budget", strategy.Task{Budget: -3}},
		{"Bounds", strategy.Task{Budget: 9, Bounds: objective.Cube(3, -1, 1)}},
		{"Bounds", strategy.Task{Budget: 9, Bounds: objective.Box{Lo: []float64{0, 0}}}},
		{"Bounds", strategy.Task{Budget: 9, Bounds: objective.Cube(2, 1, -1)}},
		{"Points", strategy.Task{Budget: 9, Points: mat.NewDense(1, 3, nil)}},
		{"Frame", strategy.Task{Budget: 9, Frame: frame.Identity(3)}},
		{"Blocks", strategy.Task{Budget: 9, Blocks: [][]int{{0, 1}}}},
		{"Blocks", strategy.Task{Budget: 9, Frame: w, Blocks: [][]int{{0}}}},
	} {
		for _, s := range all {
			f := objective.Func(2, func([]float64) float64 { t.Fatalf("%s was asked in spite of its %s", s.Name(), c.option); return 0 })
			out, err := s.Minimize(context.Background(), f, c.task)
			var bad *objective.OptionError
			if !errors.As(err, &bad) || bad.Option != c.option || out.Status != objective.Failed {
				t.Errorf("%s: %v, error %v, want one of %s", s.Name(), out.Status, err, c.option)
			}
		}
	}
}

// What a strategy cannot use it refuses before the first query.
func TestRefusals(t *testing.T) {
	frames := func(s strategy.Strategy) bool {
		return !slices.Contains([]string{"online", "cbo", "cbo-isotropic", "cmaes", "descent"}, s.Name())
	}
	for _, c := range []struct {
		option string
		task   strategy.Task
		takes  func(strategy.Strategy) bool
	}{
		{"Frame", strategy.Task{Frame: frame.Identity(2)}, frames},
		{"Identifier", strategy.Task{Identifier: identify.Survey{}}, frames},
		{"Bounds", strategy.Task{Bounds: objective.Cube(2, -1, 1)}, func(s strategy.Strategy) bool { return !frames(s) || s.Name() == "auto" }},
	} {
		for _, s := range all {
			f := query.NewMeter(objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] }), 600)
			c.task.Budget = 600
			_, err := s.Minimize(context.Background(), f, c.task)
			var bad *objective.OptionError
			if refused := errors.As(err, &bad) && bad.Option == c.option && f.Queries() == 0; refused == c.takes(s) || !refused && err != nil {
				t.Errorf("%s with its %s: error %v after %d queries", s.Name(), c.option, err, f.Queries())
			}
		}
	}
}
