package certify

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// script is randomness that repeats four numbers, and throws heads for ever.
type script struct {
	numbers [4]float64
	next    int
}

func (s *script) Float64() float64 { s.next++; return s.numbers[(s.next-1)%4] }
func (*script) NormFloat64() float64 {
	panic("a certificate needs no Gaussian number")
}
func (*script) IntN(int) int { return 0 }

// scripted draws x = (0, ½) and the other point (½, −½) of [-1, 1]², again and again, and
// splits the first component from the second.
func scripted() *script { return &script{numbers: [4]float64{0.5, 0.75, 0.75, 0.25}} }

// near reports whether two numbers are equal but for the 1e-9 of a step that is left out
// so that rounding stays within the bounds.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8 }

// By hand: f(x, y) = xy from (0, ½) by h_A = (½, 0) and h_B = (0, −1). M = h_A h_B = −½,
// D_A = ½·½ and D_B = 0, so that the coupling is 2. Alone, the first component's two
// differences are ¼ and −¼, which differ by ½: √(¼/⅛) = √2. Those of the second are 0
// and −½: 1. The first is the culprit.
func TestCouplingByHand(t *testing.T) {
	n := 0
	f := objective.Func(2, func(x []float64) float64 { n++; return x[0] * x[1] })
	c, err := Test{Random: scripted()}.Certify(ctx, f, frame.Identity(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !near(c.Coupling, 2) || !near(c.Alone, math.Sqrt2) || c.Culprit != 0 || c.Beyond != 0 || c.Verdict != NotSeparable {
		t.Errorf("%+v", c)
	}
	if want := 4*20 + 3*(2*2+2); n != want || c.Splits != 20 || c.Failed != 0 {
		t.Errorf("%d queries, want %d; %d splits", n, want, c.Splits)
	}
	// The values at x, x+h_A, x+h_B and x+h_A+h_B are 0, ¼, 0 and −¼. Rounding is that of
	// the two that are not 0, beside the one difference of ¼.
	if want := 0x1p-53 * math.Sqrt2; math.Abs(c.Rounding-want) > 1e-8*want {
		t.Errorf("rounding %g, want %g", c.Rounding, want)
	}
	s, err := Test{Random: scripted()}.Splits(ctx, f, nil, nil)
	if err != nil || !near(s.Coupling, 2) || s.Culprit != -1 || s.Verdict != NotSeparable {
		t.Errorf("splits of the coordinates: %+v, %v", s, err)
	}
}

// By hand: of f(x, y) = x + 2y a frame of x alone leaves out y. From (0, ½) to (½, −½) f
// changes by −1½, and by −2 on the part of the way that the frame leaves out:
// √(4/(2¼+4)) = 0.8.
func TestBeyondByHand(t *testing.T) {
	n := 0
	f := objective.Func(2, func(x []float64) float64 { n++; return x[0] + 2*x[1] })
	c, err := Test{Random: scripted()}.Certify(ctx, f, frame.Axes(2, []int{0}), nil)
	if err != nil || !near(c.Beyond, 0.8) || !c.LeavesOut() || c.Verdict != NotSeparable || n != 12 {
		t.Errorf("%+v after %d queries, error %v", c, n, err)
	}
}

func draw(t *testing.T, spec problem.Spec) *problem.Problem {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// perturbed returns the frame (I+E)⁻¹W for a random E of that size.
func perturbed(t *testing.T, w *frame.Frame, size float64, stream *rng.Stream) *frame.Frame {
	t.Helper()
	m := w.Components()
	e := mat.NewDense(m, m, nil)
	stream.Norm(e.RawMatrix().Data)
	e.Scale(size, e)
	for i := range m {
		e.Set(i, i, 1)
	}
	var rows mat.Dense
	if err := rows.Solve(e, w.Matrix()); err != nil {
		t.Fatal(err)
	}
	out, err := frame.New(&rows)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A frame from anywhere: the true one, one that is a little or much wrong, one with
// blocks, with the wrong blocks, with fewer components than dimensions, and with one of
// these missing. Every certificate costs what it says.
func TestFramesFromAnywhere(t *testing.T) {
	rastrigin := problem.Spec{Name: "rastrigin", Dim: 8}
	pairs := problem.Spec{Name: "rosenbrock-pairs", Dim: 8}
	few := problem.Spec{Name: "rastrigin", Dim: 8, Components: 3}
	right := func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), p.Blocks() }
	wrong := func(size float64) func(p *problem.Problem) (*frame.Frame, [][]int) {
		return func(p *problem.Problem) (*frame.Frame, [][]int) {
			return perturbed(t, p.Frame(), size, rng.Seed(1).Stream("e")), nil
		}
	}
	for name, c := range map[string]struct {
		spec  problem.Spec
		given func(p *problem.Problem) (*frame.Frame, [][]int)
		slack float64
		want  Verdict
	}{
		"the true frame":     {rastrigin, right, 0, Separable},
		"wrong by 1e-9":      {rastrigin, wrong(1e-9), 0, Separable},
		"wrong by 0.1":       {rastrigin, wrong(0.1), 0, NotSeparable},
		"wrong, and known":   {rastrigin, wrong(0.01), 0.1, Separable},
		"the coordinates":    {rastrigin, func(*problem.Problem) (*frame.Frame, [][]int) { return frame.Identity(8), nil }, 0, NotSeparable},
		"blocks":             {pairs, right, 0, Blocks},
		"blocks taken apart": {pairs, func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), nil }, 0, NotSeparable},
		"coarser blocks": {rastrigin, func(p *problem.Problem) (*frame.Frame, [][]int) {
			return p.Frame(), [][]int{{0, 1, 2}, {3, 4, 5, 6, 7}}
		}, 0, Blocks},
		"fewer components":     {few, right, 0, Separable},
		"a component left out": {few, func(p *problem.Problem) (*frame.Frame, [][]int) { return without(t, p.Frame()), nil }, 0, NotSeparable},
	} {
		for seed := range uint64(5) {
			c.spec.Seed = seed
			p := draw(t, c.spec)
			w, blocks := c.given(p)
			meter := query.NewMeter(p, 10_000)
			got, err := Test{Box: p.Domain(), Slack: c.slack, Seed: seed}.Certify(ctx, meter, w, blocks)
			if err != nil || got.Verdict != c.want {
				t.Errorf("%s, seed %d: %v, error %v", name, seed, got, err)
			}
			n := len(blocks)
			if blocks == nil {
				n = w.Components()
			}
			want := 4*20 + 3*(2*n+2)
			if w.Components() < 8 {
				want += 12
			}
			if meter.Queries() != want {
				t.Errorf("%s: %d queries, want %d", name, meter.Queries(), want)
			}
		}
	}
}

// without returns the frame without its last row.
func without(t *testing.T, w *frame.Frame) *frame.Frame {
	t.Helper()
	out, err := frame.New(w.Matrix().Slice(0, w.Components()-1, 0, w.Dim()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The same seed gives the same certificate, another one other numbers, and so does a
// stream that was given.
func TestCertificatesAreDeterministic(t *testing.T) {
	p := draw(t, problem.Spec{Name: "ackley", Dim: 4})
	certify := func(test Test) Certificate {
		c, err := test.Certify(ctx, p, frame.Identity(4), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a := certify(Test{Seed: 1})
	if certify(Test{Seed: 1}) != a || certify(Test{Seed: 2}) == a {
		t.Error("the seed does not decide")
	}
	if certify(Test{Seed: 5, Random: rng.Seed(1).Stream("certify")}) != a {
		t.Error("a stream that was given is not used")
	}
}

// Nothing outside the bounds is asked for, and certificates are right all the same, also
// where a frame leaves out directions.
func TestCertifyWithinBounds(t *testing.T) {
	for seed := range uint64(10) {
		p := draw(t, problem.Spec{Name: "rastrigin", Dim: 6, Components: 4, Seed: seed})
		bounds := objective.Cube(6, -1, 2)
		f := objective.Batch(6, func(points *mat.Dense, values []float64) {
			for i := range values {
				if !bounds.Contains(points.RawRowView(i)) {
					t.Fatalf("%v was asked for", points.RawRowView(i))
				}
			}
			if err := p.Evaluate(ctx, points, values); err != nil {
				t.Fatal(err)
			}
		})
		c, err := Test{Box: bounds, Bounds: bounds, Seed: seed}.Certify(ctx, f, p.Frame(), nil)
		if err != nil || c.Verdict != Separable {
			t.Errorf("seed %d: %v, error %v", seed, c, err)
		}
	}
}

// Where f fails, the verdict is unknown, or rests on what is left; an error of f comes
// with what is known by then.
func TestCertifyWhereFFails(t *testing.T) {
	nowhere := objective.Func(3, func([]float64) float64 { return math.NaN() })
	c, err := Test{}.Certify(ctx, nowhere, frame.Identity(3), nil)
	if err != nil || c.Verdict != Unknown || c.Splits != 0 || c.Failed == 0 {
		t.Errorf("%+v, error %v", c, err)
	}
	square := func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }
	half := objective.Func(3, func(x []float64) float64 {
		if x[0] > 0.5 {
			return math.Inf(1)
		}
		return square(x)
	})
	c, err = Test{}.Certify(ctx, half, frame.Identity(3), nil)
	if err != nil || c.Verdict != Separable || c.Failed == 0 {
		t.Errorf("%+v, error %v", c, err)
	}
	meter := query.NewMeter(objective.Func(3, square), 90)
	c, err = Test{}.Certify(ctx, meter, frame.Identity(3), nil)
	if !errors.Is(err, objective.ErrBudget) || c.Splits != 20 || c.Verdict != Unknown {
		t.Errorf("%+v, error %v", c, err)
	}
}

// Bad options are errors that name the field, before any query.
func TestBadOptions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		test   Test
		w      *frame.Frame
		blocks [][]int
		option string
		words  string
	}{
		{Test{}, nil, nil, "Frame", "is nil"},
		{Test{}, frame.Identity(3), nil, "Frame", "it has 3 coordinates, and f 2"},
		{Test{}, frame.Identity(2), [][]int{{0}}, "Blocks", "the blocks hold 1 of 2 components"},
		{Test{}, frame.Identity(2), [][]int{{0, 2}}, "Blocks", "component 2"},
		{Test{}, frame.Identity(2), [][]int{{0}, {0, 1}}, "Blocks", "component 0"},
		{Test{}, frame.Identity(2), [][]int{{0, 1}, {}}, "Blocks", "a block is empty"},
		{Test{}, frame.Identity(2), [][]int{}, "Blocks", "the blocks hold 0 of 2"},
		{Test{Box: objective.Cube(3, -1, 1)}, frame.Identity(2), nil, "Box", "3 lower and 3 upper limits for 2 coordinates"},
		{Test{Box: objective.Cube(2, 1, 1)}, frame.Identity(2), nil, "Box", "LO < HI"},
		{Test{Box: objective.Cube(2, nan, 1)}, frame.Identity(2), nil, "Box", "NaN:1"},
		{Test{Box: objective.Cube(2, 0, inf)}, frame.Identity(2), nil, "Box", "need a width"},
		{Test{Bounds: objective.Cube(1, 0, 1)}, frame.Identity(2), nil, "Bounds", "1 lower and 1 upper"},
		{Test{Bounds: objective.Cube(2, 0, 3)}, frame.Identity(2), nil, "Box", "must lie within the bounds; coordinate 1: -1:1 is not within 0:3"},
		{Test{Slack: -1}, frame.Identity(2), nil, "Slack", "-1"},
		{Test{Slack: nan}, frame.Identity(2), nil, "Slack", "NaN"},
		{Test{Grain: objective.Grain{Absolute: -1}}, frame.Identity(2), nil, "Grain", "-1"},
	} {
		f := objective.Func(2, func([]float64) float64 { t.Fatal("f was asked"); return 0 })
		got, err := c.test.Certify(ctx, f, c.w, c.blocks)
		check := func(err error) {
			var option *objective.OptionError
			if !errors.As(err, &option) || option.Option != c.option || !strings.Contains(option.Reason, c.words) || got != None() {
				t.Errorf("%+v: error %v, want %s: … %s …", c, err, c.option, c.words)
			}
		}
		check(err)
		if c.w != nil {
			_, err = c.test.Splits(ctx, f, c.w, c.blocks)
			check(err)
		}
	}
	// A box that sticks out of the bounds by rounding is not a bad one.
	f := objective.Func(2, func(x []float64) float64 { return x[0] })
	if _, err := (Test{Bounds: objective.Cube(2, -1+1e-12, 1)}).Certify(ctx, f, frame.Identity(2), nil); err != nil {
		t.Error(err)
	}
}

// Splits takes a frame with blocks, a frame without, and blocks of the coordinates.
func TestSplits(t *testing.T) {
	f := objective.Func(3, func(x []float64) float64 { return x[0]*x[1] + x[2]*x[2] })
	for name, c := range map[string]struct {
		w      *frame.Frame
		blocks [][]int
		want   Verdict
	}{
		"coordinates":              {nil, nil, NotSeparable},
		"blocks of coordinates":    {nil, [][]int{{0, 1}, {2}}, Blocks},
		"a frame":                  {frame.Identity(3), nil, NotSeparable},
		"a frame and its blocks":   {frame.Identity(3), [][]int{{0, 1}, {2}}, Blocks},
		"a frame and wrong blocks": {frame.Identity(3), [][]int{{0}, {1, 2}}, NotSeparable},
		"everything is one block":  {nil, [][]int{{0, 1, 2}}, NotSeparable},
		"one component of three":   {frame.Axes(3, []int{2}), nil, Separable}, // what it leaves out is not looked at
	} {
		meter := query.NewMeter(f, 1000)
		got, err := Test{Seed: 4}.Splits(ctx, meter, c.w, c.blocks)
		if err != nil || got.Verdict != c.want || meter.Queries() != 4*got.Splits {
			t.Errorf("%s: %v after %d queries, error %v", name, got, meter.Queries(), err)
		}
	}
}
