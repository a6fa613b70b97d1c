package untwist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// calibration is a sum of ridges over the logarithm of k, d and p. It does not depend on n,
// but fails if n is not what it was fixed to.
func calibration(x []float64) float64 {
	if x[2] != 3 {
		return math.NaN()
	}
	k, d, p := math.Log(x[0]/1e-4), x[1]-2, x[3]
	a, b, c := 0.6*k+0.3*d, 0.2*d-p, k+p
	return a*a + b*b*b*b + 0.3*math.Cos(3*a) + c*c
}

func calibrated() parameter.Space {
	return parameter.Space{
		{Name: "k", Min: new(1e-6), Max: new(1e-2), Log: true},
		{Name: "d", Min: new(0.), Max: new(5.)},
		{Name: "n", Fixed: new(3.)},
		{Name: "p", Low: new(-1.), High: new(2.)},
	}
}

// A search over parameters is the search over their coordinates: logarithms, and without
// those that are fixed.
func TestParametersAreCoordinates(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		space := calibrated()
		if papers(s) { // they take no bounds
			for i := range space {
				if p := &space[i]; p.Min != nil {
					p.Low, p.High, p.Min, p.Max = p.Min, p.Max, nil, nil
				}
			}
		}
		b := space.Bounds()
		inner := objective.Func(3, func(z []float64) float64 {
			k := kernel.ExpOf(z[0])
			switch { // at a limit, the limit itself
			case z[0] <= b.Lo[0]:
				k = 1e-6
			case z[0] >= b.Hi[0]:
				k = 1e-2
			}
			return calibration([]float64{k, z[1], 3, z[2]})
		})
		o := untwist.Options{Strategy: s, Budget: 3000, Seed: 3, Frame: identityFor(s)}
		given := o
		given.Parameters = space
		o.Start, o.Bounds = space.Start(), space.Bounds()
		want, wanted := trace(t, inner, o)
		got, values := trace(t, objective.Func(4, calibration), given)
		same := func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		if !slices.EqualFunc(values, wanted, same) {
			t.Fatalf("%d values with parameters, %d with coordinates, and they are not the same", len(values), len(wanted))
		}
		for k, z := range space.Inward(got.Point) {
			if math.Abs(z-want.Point[k]) > 1e-12*(1+math.Abs(z)) {
				t.Errorf("coordinate %d of the best point is %v, want %v", k+1, z, want.Point[k])
			}
		}
		if got.Point[2] != 3 || got.Failed != want.Failed {
			t.Errorf("point %v, %d failed", got.Point, got.Failed)
		}
	})
}

// Guesses and known points are evaluated first, exactly as they are given.
func TestParametersGuesses(t *testing.T) {
	space := calibrated()
	space[0].Guess = new(3.3e-5)
	var asked [][]float64
	f := objective.Func(4, func(x []float64) float64 {
		asked = append(asked, slices.Clone(x))
		return calibration(x)
	})
	known := []float64{7.7e-3, 0.1, 3, 9}
	r, err := untwist.Minimize(ctx, f, untwist.Options{Parameters: space, Points: [][]float64{known}, Budget: 200})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[[3.3e-05 2.5 3 0.5] [0.0077 0.1 3 9]]"; fmt.Sprint(asked[:2]) != want {
		t.Errorf("%v is asked first, want %s", asked[:2], want)
	}
	if last := r.Improvements[len(r.Improvements)-1]; last.Query != r.BestQuery || last.Value != r.Value || !slices.Equal(last.Point, r.Point) {
		t.Errorf("the last improvement is %v, the best point %v", last, r.Point)
	}
	if r.Improvements[0].Query != 1 || !slices.Equal(r.Improvements[0].Point, asked[0]) {
		t.Errorf("the first improvement is %v", r.Improvements[0])
	}
}

func TestParametersThatDoNotFit(t *testing.T) {
	f := objective.Func(4, calibration)
	for want, o := range map[string]untwist.Options{
		"Start: ":                        {Parameters: calibrated(), Start: objective.Cube(4, 0, 1)},
		"Bounds: ":                       {Parameters: calibrated(), Bounds: objective.Cube(4, 0, 1)},
		"Parameters: there are 2":        {Parameters: calibrated()[:2]},
		"Parameters: parameter k: ":      {Parameters: append(parameter.Space{{Name: "k"}}, calibrated()[1:]...)},
		"Points: Points[0] lies outside": {Parameters: calibrated(), Points: [][]float64{{1e-4, 2, 4, 0}}},
		"Time: -1s":                      {Time: -time.Second},
		"Tolerance: -1":                  {Tolerance: -1},
		"MaxFailures: 1.5, must be abov": {MaxFailures: 1.5},
		"Parallel: -1":                   {Parallel: -1},
	} {
		_, err := untwist.Minimize(ctx, f, o)
		var bad *untwist.OptionError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Every way to stop says its name, and the best so far is kept.
func TestStoppedBy(t *testing.T) {
	sphere := func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] }
	cancelled, cancel := context.WithCancel(ctx)
	calls := 0
	licence := errors.New("the licence has expired")
	for want, c := range map[string]struct {
		o   untwist.Options
		f   func(ctx context.Context, x []float64) (float64, error)
		ctx context.Context
		err error
	}{
		"budget":    {o: untwist.Options{Budget: 50}},
		"target":    {o: untwist.Options{Target: new(1e-3)}},
		"done":      {o: untwist.Options{Budget: 100_000}},
		"tolerance": {o: untwist.Options{Budget: 1_000_000, Tolerance: 1e-3, Strategy: strategy.CMAES{}}},
		"time": {o: untwist.Options{Time: 300 * time.Millisecond, Strategy: strategy.CMAES{}}, f: func(ctx context.Context, x []float64) (float64, error) {
			if calls++; calls == 7 {
				<-ctx.Done()
			}
			return sphere(x), ctx.Err()
		}},
		"interrupt": {ctx: cancelled, f: func(ctx context.Context, x []float64) (float64, error) {
			cancel()
			return sphere(x), nil
		}},
		"failures": {f: func(context.Context, []float64) (float64, error) { return 0, objective.Stop(licence) }, err: licence},
	} {
		if c.f == nil {
			c.f = func(_ context.Context, x []float64) (float64, error) { return sphere(x), nil }
		}
		if c.ctx == nil {
			c.ctx = ctx
		}
		c.o.Seed = 1
		var last untwist.Progress
		c.o.Progress = func(p untwist.Progress) { last = p }
		r, err := untwist.Minimize(c.ctx, objective.Fallible(2, c.f), c.o)
		if r.StoppedBy() != want || !errors.Is(err, c.err) {
			t.Errorf("stopped by %s (%v), error %v, want %s", r.StoppedBy(), r.Status, err, want)
		}
		if want != "failures" && (last.Queries != r.Queries || !slices.Equal(last.Point, r.Point) || r.Point == nil) {
			t.Errorf("%s: the last progress is %+v, the best point %v", want, last, r.Point)
		}
	}
}

// worded is a function of a number, an integer, a step and a choice, and its parameters.
func worded() (objective.Objective, []untwist.Parameter) {
	f := untwist.Func(4, func(x []float64) float64 {
		return (x[0]-0.3)*(x[0]-0.3) + (x[1]-7)*(x[1]-7)/9 + (x[2]-1.25)*(x[2]-1.25) + []float64{3, 1, 2}[int(x[3])]*(1+x[0]*x[0])
	})
	return f, []untwist.Parameter{
		{Name: "a", Min: new(-1.), Max: new(1.)}, {Name: "n", Min: new(1.), Max: new(64.), Integer: true, Log: true},
		{Name: "t", Min: new(0.5), Max: new(3.), Step: new(0.25)}, {Name: "material", Choices: []string{"copper", "steel", "aluminium"}},
	}
}

// With every strategy, every point is on the lattices, none is asked twice but the first that is met again,
// and any number of workers and interruptions give the same bits.
func TestLatticesEndToEnd(t *testing.T) {
	f, space := worded()
	budget := flags.Usually(300, 120)
	for _, name := range untwist.Strategies() {
		s, err := untwist.StrategyNamed(name, untwist.Knobs{})
		if err != nil {
			t.Fatal(err)
		}
		seen, twice := map[string]bool{}, 0
		o := untwist.Options{Parameters: space, Budget: budget, Seed: 2, Strategy: s}
		o.Seen = func(_ int, x []float64, _ objective.Answer) {
			for i := range space {
				if why := parameter.Space(space).Off(i, x[i]); why != "" {
					t.Errorf("%s: %s is %v, which %s", name, space[i].Name, x[i], why)
				}
			}
			if key := fmt.Sprint(x); seen[key] {
				twice++
			} else {
				seen[key] = true
			}
		}
		one, err := untwist.Minimize(t.Context(), f, o)
		if err != nil && name != "reparametrised" && name != "transformed" && name != "componentwise" { // for lack of coordinates
			t.Errorf("%s: %v", name, err)
			continue
		}
		if twice > 1 {
			t.Errorf("%s: %d points were asked twice", name, twice)
		}
		o.Seen, o.Workers, o.Journal.File = nil, 3, filepath.Join(t.TempDir(), "run.journal")
		for stop := 40; stop < budget; stop += 90 {
			ctx, cancel := context.WithCancel(t.Context())
			o.Progress = func(p untwist.Progress) {
				if p.Queries >= stop {
					cancel()
				}
			}
			_, _ = untwist.Minimize(ctx, f, o) // it is cut
			cancel()
		}
		o.Progress = nil
		other, _ := untwist.Minimize(t.Context(), f, o)
		if !slices.Equal(one.Point, other.Point) || one.BestQuery != other.BestQuery || one.Queries != other.Queries {
			t.Errorf("%s: %v after %d, and in pieces %v after %d", name, one.Point, one.BestQuery, other.Point, other.BestQuery)
		}
	}
}

// Residuals with an integer and a choice: y = a·t + n of the word "line", or a·t² + n of "square". 2t² + 5 is
// found to rounding, and with it how well a is determined: ∂r/∂a = t².
func TestLatticesFit(t *testing.T) {
	f := untwist.Vector(3, 6, func(x, r []float64) error {
		for i := range r {
			s := float64(i)
			r[i] = x[0]*[]float64{s, s * s}[int(x[2])] + x[1] - (2*s*s + 5)
		}
		return nil
	})
	space := []untwist.Parameter{
		{Name: "a", Min: new(-10.), Max: new(10.)}, {Name: "n", Min: new(0.), Max: new(20.), Integer: true}, {Name: "shape", Choices: []string{"line", "square"}},
	}
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{Parameters: space, Budget: 400})
	if err != nil || r.Value > 1e-16 || r.Point[1] != 5 || r.Point[2] != 1 {
		t.Errorf("%v at %v, %v", r.Value, r.Point, err)
	}
	if r.Fit == nil || !slices.Equal(r.Fit.Parameters, []int{0}) || len(r.Fit.Errors) != 1 || math.Abs(r.Fit.Jacobian[5][0]-25) > 1e-5 {
		t.Errorf("%+v", r.Fit)
	}
}

// A run of integers that has asked for all points has converged: nobody gave a tolerance.
func TestAllPointsAsked(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return (x[0]-2)*(x[0]-2) + x[1] })
	r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 100, Parameters: parameter.Space{
		{Name: "a", Min: new(0.), Max: new(4.), Integer: true}, {Name: "b", Min: new(0.), Max: new(3.), Integer: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != objective.Converged || r.StoppedBy() != "done" || !slices.Equal(r.Point, []float64{2, 0}) || r.Queries > 30 {
		t.Errorf("%v by %s at %v after %d queries", r.Status, r.StoppedBy(), r.Point, r.Queries)
	}
}
