package identify

import (
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// surveyOf surveys a problem in its domain.
func surveyOf(p *problem.Problem) Survey {
	d := p.Dim()
	return Survey{Box: p.Domain(), Bounds: objective.Cube(d, math.Inf(-1), math.Inf(1)), Measures: 3}
}

func mixedProblem(t *testing.T, name string, d int) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A frame from elsewhere is certified, right or wrong, for few queries.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(p *problem.Problem) (*frame.Frame, [][]int)
		want Verdict
	}{
		{"rastrigin", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), nil }, Separable},
		{"rastrigin", func(p *problem.Problem) (*frame.Frame, [][]int) { return frame.Identity(8), nil }, NotSeparable},
		{"rosenbrock-pairs", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), p.Blocks() }, Blocked},
		{"rosenbrock-pairs", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), nil }, NotSeparable},
	} {
		p := mixedProblem(t, c.name, 8)
		meter := objective.NewMeter(p, 10_000)
		f, blocks := c.f(p)
		got, err := surveyOf(p).Judge(ctx, meter, f, blocks, rng.Seed(1))
		if err != nil || got.Certificate.Verdict != c.want || got.Frame != f {
			t.Errorf("%s: %v, want %v, error %v", c.name, got.Certificate, c.want, err)
		}
		if len(got.Scale) != 8 || meter.Queries() > 1000 {
			t.Errorf("%s: scales %v after %d queries", c.name, got.Scale, meter.Queries())
		}
	}
	p := mixedProblem(t, "rastrigin", 8)
	if _, err := surveyOf(p).Judge(ctx, objective.NewMeter(p, 50), p.Frame(), nil, rng.Seed(1)); !errors.Is(err, objective.ErrBudget) {
		t.Errorf("error %v", err)
	}
}

// The survey pauses before it spends much where cheap Hessians did not do, at most
// thrice, with a positive definite matrix; and its error ends it.
func TestPause(t *testing.T) {
	stop := errors.New("enough")
	for name, often := range map[string][2]int{"rastrigin": {0, 0}, "ackley": {1, 3}, "rosenbrock": {1, 3}, "rosenbrock-pairs": {1, 3}, "squared-norm": {0, 0}} {
		p := mixedProblem(t, name, 12)
		meter := objective.NewMeter(p, 100_000)
		pauses, spent := 0, 0
		s := surveyOf(p)
		s.Pause = func(inverse *mat.SymDense) error {
			if pauses++; pauses == 1 {
				spent = meter.Queries()
			}
			if !new(mat.Cholesky).Factorize(inverse) || inverse.SymmetricDim() != 12 {
				t.Errorf("%s: not positive definite", name)
			}
			return nil
		}
		if _, err := s.Identify(ctx, meter, rng.Seed(1)); err != nil || pauses < often[0] || pauses > often[1] {
			t.Errorf("%s: %d pauses, error %v", name, pauses, err)
		}
		if spent > 1500 {
			t.Errorf("%s: it pauses after %d queries", name, spent)
		}
		if pauses > 0 {
			s.Pause = func(*mat.SymDense) error { return stop }
			if _, err := s.Identify(ctx, p, rng.Seed(1)); !errors.Is(err, stop) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// A rough frame is called separable as far as its error allows, and no further.
func TestRoughCertificates(t *testing.T) {
	for _, c := range []struct {
		coupling, slack float64
		want            Verdict
	}{
		{1e-4, 0, Separable}, {5e-3, 0, NotSeparable}, {5e-3, 1e-7, NotSeparable},
		{5e-3, 6e-3, Separable}, {0.05, 6e-3, Separable}, {0.07, 6e-3, NotSeparable},
	} {
		k := Certificate{Coupling: c.coupling, Splits: splits}
		if k.decide(5, 5, c.slack); k.Verdict != c.want {
			t.Errorf("a coupling of %g in a frame right to %g: %v", c.coupling, c.slack, k.Verdict)
		}
	}
}
