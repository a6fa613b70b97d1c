package identify

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/powermethod"
	"gonum.org/v1/gonum/mat"
)

// wave is a mixed function of two coordinates on [-1, 1]², Σ cos(3y_j) + y_j².
func wave() (objective.Objective, *frame.Frame) {
	w, err := frame.New(mat.NewDense(2, 2, []float64{1, 2, -1, 3}))
	if err != nil {
		panic(err)
	}
	return objective.Func(2, func(x []float64) float64 {
		sum := 0.0
		for j := range 2 {
			y := w.Matrix().At(j, 0)*x[0] + w.Matrix().At(j, 1)*x[1]
			sum += math.Cos(3*y) + y*y
		}
		return sum
	}), w
}

// Zero values work: both identifiers find the frame of a function on [-1, 1]^d, and the survey
// with a budget that is enough does so too.
func TestZeroValuesWork(t *testing.T) {
	f, truth := wave()
	for _, by := range []Identifier{Survey{}, Survey{Budget: 100_000}, Survey{Measures: 2}, Paper{}} {
		found, err := by.Identify(ctx, f, Request{})
		if err != nil {
			t.Fatalf("%s: %v", by.Name(), err)
		}
		if c := frame.Compare(truth, found.Frame); c.Error() > 1e-4 || found.Certificate.Verdict != certify.Separable {
			t.Errorf("%s: error %g, %v", by.Name(), c.Error(), found.Certificate)
		}
	}
	judged, err := Survey{}.Judge(ctx, f, truth, nil, Request{})
	if err != nil || judged.Certificate.Verdict != certify.Separable || judged.Frame != truth {
		t.Errorf("judged: %v, error %v", judged.Certificate, err)
	}
}

// A budget that is too small for anything is an error that says so, and costs little.
func TestSurveyWithASmallBudget(t *testing.T) {
	p := draw(t, "rastrigin", 20, "paper", 0)
	for _, budget := range []int{1, 50, leastQuadratic(20) - 1, leastQuadratic(20), Least(20) - 1} {
		meter := query.NewMeter(p, 1<<40)
		found, err := Survey{Budget: budget}.Identify(ctx, meter, Request{Box: p.Domain()})
		if !errors.Is(err, ErrSmallBudget) || found == nil || meter.Queries() > max(budget, 1000) {
			t.Errorf("budget %d: error %v after %d queries", budget, err, meter.Queries())
		}
	}
	if _, err := (Survey{Budget: Least(20)}).Identify(ctx, p, Request{Box: p.Domain()}); err != nil {
		t.Errorf("with %d queries: %v", Least(20), err)
	}
}

// Bad options are errors that name the field, before any query, and the Finding is not nil.
func TestBadOptions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		by     Identifier
		r      Request
		option string
		words  string
	}{
		{Survey{Tolerance: -1}, Request{}, "Tolerance", "-1"},
		{Survey{Tolerance: nan}, Request{}, "Tolerance", "NaN"},
		{Survey{Tolerance: inf}, Request{}, "Tolerance", "Inf"},
		{Survey{Measures: -1}, Request{}, "Measures", "-1"},
		{Survey{Budget: -1}, Request{}, "Budget", "-1"},
		{Paper{Samples: -1}, Request{}, "Samples", "-1"},
		{Paper{Step: -1}, Request{}, "Step", "-1"},
		{Paper{Step: inf}, Request{}, "Step", "Inf"},
		{Paper{}, Request{Bounds: objective.Cube(2, -3, 3)}, "Bounds", "the paper's way does not take any"},
		{Paper{}, Request{Bounds: objective.Box{Lo: []float64{-inf, -inf}, Hi: []float64{inf, 5}}}, "Bounds", "the paper's way does not take any"},
		{Paper{}, Request{Box: objective.Box{Lo: []float64{0, 0}, Hi: []float64{1, 2}}}, "Box", "coordinate 2: 0:2 is not as wide as the first"},
	} {
		refuses(t, c.by, c.r, c.option, c.words)
	}
	for _, by := range identifiers {
		for _, c := range []struct {
			r      Request
			option string
			words  string
		}{
			{Request{Box: objective.Cube(3, -1, 1)}, "Box", "3 lower and 3 upper limits for 2 coordinates"},
			{Request{Box: objective.Box{Lo: []float64{0, 0}}}, "Box", "2 lower and 0 upper"},
			{Request{Box: objective.Cube(2, 0, inf)}, "Box", "need a width"},
			{Request{Box: objective.Cube(2, nan, 1)}, "Box", "NaN"},
			{Request{Box: objective.Cube(2, 1, 1)}, "Box", "LO < HI"},
			{Request{Bounds: objective.Cube(1, 0, 1)}, "Bounds", "1 lower and 1 upper"},
			{Request{Bounds: objective.Cube(2, 0, 3)}, "Box", "must lie within the bounds; coordinate 1: -1:1 is not within 0:3"},
		} {
			refuses(t, by, c.r, c.option, c.words)
		}
	}
}

// refuses checks that an identifier refuses an option by name.
func refuses(t *testing.T, by Identifier, r Request, option, words string) {
	t.Helper()
	f := objective.Func(2, func([]float64) float64 { t.Error("f was asked"); return 0 })
	found, err := by.Identify(ctx, f, r)
	var bad *objective.OptionError
	if !errors.As(err, &bad) || bad.Option != option || !strings.Contains(bad.Reason, words) {
		t.Errorf("%+v, %+v: error %v, want %s: … %s …", by, r, err, option, words)
	}
	if found == nil || found.Frame != nil || found.Certificate.Verdict != certify.Unknown || found.Linear != -1 {
		t.Errorf("%+v: finding %+v", by, found)
	}
}

// Judge refuses frames and blocks that do not fit f, before any query.
func TestJudgeRefuses(t *testing.T) {
	f := objective.Func(2, func([]float64) float64 { t.Error("f was asked"); return 0 })
	for _, c := range []struct {
		given  *frame.Frame
		blocks [][]int
		option string
	}{
		{nil, nil, "Frame"},
		{frame.Identity(3), nil, "Frame"},
		{frame.Identity(2), [][]int{{0}}, "Blocks"},
		{frame.Identity(2), [][]int{{0}, {0}}, "Blocks"},
	} {
		found, err := Survey{}.Judge(ctx, f, c.given, c.blocks, Request{})
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || found == nil {
			t.Errorf("%v: error %v, want one of %s", c.blocks, err, c.option)
		}
	}
}

// The names are those of the flag --identifier, the default first, and a name always means the
// zero value but for the selection that it names; its settings are those of the paper's experiment for "paper".
func TestNamed(t *testing.T) {
	if names := Names(); !slices.Equal(names, []string{"survey", "paper", "paper-all-limits"}) {
		t.Errorf("%v", names)
	}
	for name, want := range map[string]Identifier{
		"survey": Survey{}, "paper": Paper{}, "paper-all-limits": Paper{Power: powermethod.Method{Selection: powermethod.AllLimits{}}},
	} {
		got, err := Named(name)
		if err != nil || !reflect.DeepEqual(got, want) || got.Name() != name {
			t.Errorf("%s: %+v, error %v", name, got, err)
		}
	}
	for _, name := range []string{"", "Survey", "power"} {
		var bad *objective.OptionError
		if got, err := Named(name); got != nil || !errors.As(err, &bad) || !strings.Contains(bad.Reason, "survey, paper") {
			t.Errorf("%q: %v, error %v", name, got, err)
		}
	}
}

// Section 4, in coordinates in which the paper's start box [-5.12, 5.12]^d is [-1, 1]^d:
// 150 Hessians at d = 100, from a ball of radius 20, ε = 1e-3, singular values of the
// Hessians above 1e-3, 800 starts of 200 steps with γ = 1, none rejected, no deflation,
// and directions that are missing filled up.
func TestPaperIsTheExperiment(t *testing.T) {
	p, err := Paper{}.complete(100)
	if err != nil {
		t.Fatal(err)
	}
	ball, ok := p.Region.(hessian.Ball)
	if !ok || math.Abs(ball.Radius*5.12-20) > 1e-14 {
		t.Errorf("region %+v", p.Region)
	}
	if p.Samples != 150 || math.Abs(p.Step*5.12-1e-3) > 1e-18 || p.Unfilled {
		t.Errorf("%+v", p)
	}
	// H in units of the box is 5.12² times H.
	if above, ok := p.Rank.(powermethod.Above); !ok || math.Abs(float64(above)/5.12/5.12-1e-3) > 1e-17 {
		t.Errorf("rank %v", p.Rank)
	}
	if want := (powermethod.Method{Restarts: 800}); p.Power != want {
		t.Errorf("power method %+v, want %+v", p.Power, want)
	}
}

// The paper's way looks at [-1, 1]^d when it is given another box of one width: the same
// function, moved and stretched, gives the same frame from as many queries.
func TestThePapersRoadInOtherBoxes(t *testing.T) {
	f, _ := wave()
	want, err := Paper{}.Identify(ctx, f, Request{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	moved := objective.Func(2, func(x []float64) float64 { // f((x−c)/2), c the centre of the box below
		values := make([]float64, 1)
		if err := f.Evaluate(ctx, mat.NewDense(1, 2, []float64{(x[0] + 5) / 2, (x[1] - 7./3) / 2}), values); err != nil {
			t.Fatal(err)
		}
		return values[0]
	})
	got, err := Paper{}.Identify(ctx, moved, Request{Box: objective.Box{Lo: []float64{-7, 1. / 3}, Hi: []float64{-3, 13. / 3}}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got.Frame.Matrix(), want.Frame.Matrix(), 1e-6) {
		t.Errorf("%v, want %v", mat.Formatted(got.Frame.Matrix()), mat.Formatted(want.Frame.Matrix()))
	}
}

// The spectrum says what its numbers are, by either identifier, and they descend.
func TestSpectrumKnowsItsKind(t *testing.T) {
	p := draw(t, "rastrigin", 6, "paper", 2)
	for _, c := range []struct {
		by     Identifier
		kind   Kind
		values int
	}{
		{Survey{}, Eigenvalues, 6},
		{Paper{}, SingularValues, 9}, // of 1.5d Hessians
	} {
		found, err := c.by.Identify(ctx, p, Request{Box: p.Domain()})
		if err != nil {
			t.Fatal(err)
		}
		s := found.Spectrum
		descending := slices.IsSortedFunc(s.Values, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		if s.Kind != c.kind || len(s.Values) != c.values || !descending || !(s.Values[0] > 0) {
			t.Errorf("%s: %q, %v", c.by.Name(), s.Kind, s.Values)
		}
	}
	// Where no Hessian was needed there is none.
	separable := draw(t, "rastrigin", 6, "none", 2)
	found, err := Survey{}.Identify(ctx, separable, Request{Box: separable.Domain()})
	if err != nil || found.Spectrum.Values != nil || found.Spectrum.Kind != "" {
		t.Errorf("%+v, error %v", found.Spectrum, err)
	}
	// It is kept where the identifier finds nothing: the Hessian of a quadratic spans one
	// dimension.
	found, err = Paper{Unfilled: true}.Identify(ctx, draw(t, "squared-norm", 6, "paper", 2), Request{})
	if !errors.Is(err, ErrOneDimensional) || found.Spectrum.Kind != SingularValues || found.Frame != nil {
		t.Errorf("%+v, error %v", found, err)
	}
}

// Each identifier says what it is doing, and why.
func TestStages(t *testing.T) {
	p := draw(t, "rastrigin", 6, "paper", 2)
	for _, c := range []struct {
		by   Identifier
		want []string
	}{
		{Survey{Measures: 1}, []string{"first look", "hessians", "certificate"}},
		{Paper{}, []string{"hessians", "power method", "certificate"}},
	} {
		var names []string
		_, err := c.by.Identify(ctx, p, Request{Box: p.Domain(), Stage: func(s objective.Stage) {
			names = append(names, s.Name)
			if want := map[bool]objective.Purpose{true: objective.ToCheck, false: objective.ToFind}[s.Name == "certificate"]; s.Purpose != want {
				t.Errorf("%s is %q", s.Name, s.Purpose)
			}
		}})
		if err != nil || !slices.Equal(names, c.want) {
			t.Errorf("%s: stages %q, error %v", c.by.Name(), names, err)
		}
	}
}

// A context that has ended, and an error of f, end both identifiers.
func TestRoadsEndWithTheirContext(t *testing.T) {
	f, _ := wave()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, by := range identifiers {
		if found, err := by.Identify(ended, query.NewMeter(f, 1<<40), Request{}); !errors.Is(err, context.Canceled) || found == nil {
			t.Errorf("%s: error %v", by.Name(), err)
		}
		if found, err := by.Identify(ctx, query.NewMeter(f, 5), Request{}); !errors.Is(err, objective.ErrBudget) || found == nil {
			t.Errorf("%s: error %v", by.Name(), err)
		}
	}
}
