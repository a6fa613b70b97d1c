package untwist_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

func mixed(t testing.TB, name string, d int, seed uint64) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The frame is in the user's coordinates, whatever their units. The start box here
// has very different widths and is far from the origin.
func TestProbeInTheUsersUnits(t *testing.T) {
	p := mixed(t, "rastrigin", 6, 2)
	scale := []float64{1e-6, 1, 1e3, 1e-2, 50, 1e8}
	shift := []float64{0, 1e3, -1e6, 7, 0, 1e9}
	f := objective.Func(6, func(x []float64) float64 {
		z := mat.NewDense(1, 6, nil)
		for i := range x {
			z.Set(0, i, (x[i]-shift[i])/scale[i])
		}
		v := []float64{0}
		if err := p.Evaluate(context.Background(), z, v); err != nil {
			panic(err)
		}
		return v[0]
	})
	start := objective.Cube(6, 0, 0)
	w := mat.DenseCopyOf(p.Frame().Matrix())
	for i := range scale {
		start.Lo[i], start.Hi[i] = shift[i]-5*scale[i], shift[i]+5*scale[i]
		for j := range 6 {
			w.Set(j, i, w.At(j, i)/scale[i])
		}
	}
	truth, err := frame.New(w)
	if errors.Is(err, frame.ErrDependent) {
		t.Fatal(err)
	}
	got, err := untwist.Probe(context.Background(), f, untwist.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if c := frame.Compare(truth, got.Frame); c.Error() > 1e-6 || got.Certificate.Verdict != certify.Separable {
		t.Errorf("error %g, %v", c.Error(), got)
	}
}

// Probe gives the same bits for any number of workers. All queries are counted, and the
// stages add up to them. The best point that was evaluated is kept.
func TestProbeCountsAndRepeats(t *testing.T) {
	p := mixed(t, "levy", 8, 1)
	var asked int
	counting := objective.Batch(8, func(points *mat.Dense, values []float64) {
		asked += len(values)
		if err := p.Evaluate(context.Background(), points, values); err != nil {
			panic(err)
		}
	})
	one, err := untwist.Probe(context.Background(), counting, untwist.Options{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, s := range one.Stages {
		total += s.Queries
	}
	if one.Queries != asked || total != asked || one.Status != objective.Converged || one.Seed != 9 || one.Budget != 500*64 {
		t.Errorf("%d queries, %d in stages, %d asked, %v, seed %d, budget %d", one.Queries, total, asked, one.Status, one.Seed, one.Budget)
	}
	v := []float64{0}
	if err := p.Evaluate(context.Background(), mat.NewDense(1, 8, one.Point), v); err != nil || v[0] != one.Value {
		t.Errorf("f is %v at the best point, %v was reported", v[0], one.Value)
	}
	four, err := untwist.Probe(context.Background(), p, untwist.Options{Seed: 9, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(one.Frame.Matrix(), four.Frame.Matrix()) || one.Certificate != four.Certificate || !cmp.Equal(one.Stages, four.Stages) {
		t.Error("four workers find other bits than one")
	}
}

func TestProbeEnds(t *testing.T) {
	p := mixed(t, "rastrigin", 8, 1)
	for _, budget := range []int{1, 7, 8, 9, 100, 500, 700} {
		got, err := untwist.Probe(context.Background(), p, untwist.Options{Budget: budget})
		if err != nil || got.Status != objective.BudgetSpent || got.Queries != budget || got.Certificate.Verdict != certify.Unknown {
			t.Errorf("budget %d: %v, %v, %d queries, error %v", budget, got, got.Status, got.Queries, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	got, err := untwist.Probe(ctx, p, untwist.Options{Progress: func(p untwist.Progress) {
		if p.Queries > 300 {
			cancel()
		}
	}})
	if err != nil || got.Status != objective.Cancelled || got.Queries < 300 {
		t.Errorf("%v, %d queries, error %v", got.Status, got.Queries, err)
	}
	broken := errors.New("the simulator is gone")
	n := 0
	failing := objective.Batch(8, func(points *mat.Dense, values []float64) {
		if n++; n > 5 {
			panic(broken)
		}
		if err := p.Evaluate(context.Background(), points, values); err != nil {
			panic(err)
		}
	})
	if got, err := untwist.Probe(context.Background(), failing, untwist.Options{}); !errors.Is(err, broken) || got.Status != objective.Failed {
		t.Errorf("%v, error %v", got.Status, err)
	}
}

func TestProbeRefuses(t *testing.T) {
	p := mixed(t, "rastrigin", 3, 0)
	for name, o := range map[string]untwist.Options{
		"Points": {Points: [][]float64{{1, 2, 3}}},
		"Target": {Target: new(0.)},
		"Budget": {Budget: -1},
		"Start":  {Start: objective.Cube(2, 0, 1)},
	} {
		var bad *untwist.OptionError
		if _, err := untwist.Probe(context.Background(), p, o); !errors.As(err, &bad) || bad.Option != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := untwist.Probe(context.Background(), nil, untwist.Options{}); err == nil {
		t.Error("no objective was probed")
	}
	constant := objective.Func(3, func([]float64) float64 { return 1 })
	if _, err := untwist.Probe(context.Background(), constant, untwist.Options{}); !errors.Is(err, identify.ErrConstant) {
		t.Errorf("error %v", err)
	}
	nowhere := objective.Func(3, func([]float64) float64 { return math.NaN() })
	if got, err := untwist.Probe(context.Background(), nowhere, untwist.Options{}); !errors.Is(err, untwist.ErrAllFailed) || got.Failed != 20+3 {
		t.Errorf("%d failed, error %v", got.Failed, err)
	}
}

// What is said in words.
func TestFindingsInWords(t *testing.T) {
	for _, c := range flags.Sample([]struct{ name, want string }{
		{"rastrigin", "separable in 6 rotated coordinates (mixed differences are "},
		{"squared-norm", "separable in 6 rotated coordinates, a quadratic (mixed"},
		{"ackley", "not separable in any coordinates that were tried (mixed"},
		{"rosenbrock-pairs", "separable into 3 blocks made up of 6 rotated coordinates (mixed"},
	}, 2) {
		got, err := untwist.Probe(context.Background(), mixed(t, c.name, 6, 1), untwist.Options{})
		if err != nil || !strings.HasPrefix(got.String(), c.want) {
			t.Errorf("%s: %v, error %v", c.name, got, err)
		}
	}
	got, err := untwist.Probe(context.Background(), mixed(t, "rastrigin", 6, 1), untwist.Options{Budget: 20})
	if err != nil || !strings.HasPrefix(got.String(), "no coordinates were found") {
		t.Errorf("%v, error %v", got, err)
	}
}

// What interacts is told in the user's parameters, without those that are fixed.
func TestInteractions(t *testing.T) {
	names := []untwist.Parameter{}
	for i := range 30 {
		names = append(names, untwist.Parameter{Name: string(rune('a' + i)), Min: new(-2.0), Max: new(2.0)})
	}
	names[3].Fixed, names[3].Min, names[3].Max = new(1.0), nil, nil
	f := objective.Func(30, func(x []float64) (sum float64) {
		for i := 4; i < 28; i += 2 {
			sum += math.Cos(x[i] * x[i+1])
		}
		return sum + x[0]*x[3] + 1e-20*x[1]
	})
	got, err := untwist.Interactions(t.Context(), f, untwist.Options{Parameters: names, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	g := got.Interactions
	if len(g.Groups) != 12 || !cmp.Equal(g.Groups[0], []int{3, 4}) || !cmp.Equal(g.Alone, []int{0}) || !cmp.Equal(g.Unseen, []int{1, 2, 27, 28}) {
		t.Errorf("%+v", g)
	}
	if got.Status != objective.Converged || g.Queries+14 != got.Queries || g.Edges != 12 || got.Frame != nil {
		t.Errorf("%s after %d queries: %v", got.Status, got.Queries, got)
	}
	for option, o := range map[string]untwist.Options{"Identifier": {Identifier: identify.Survey{}}, "Target": {Target: new(1.0)}} {
		_, err := untwist.Interactions(t.Context(), f, o)
		var bad *untwist.OptionError
		if !errors.As(err, &bad) || bad.Option != option {
			t.Errorf("error %v, want one of %s", err, option)
		}
	}
}
