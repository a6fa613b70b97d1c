package identify

import (
	"errors"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

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
		want certify.Verdict
	}{
		{"rastrigin", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), nil }, certify.Separable},
		{"rastrigin", func(p *problem.Problem) (*frame.Frame, [][]int) { return frame.Identity(8), nil }, certify.NotSeparable},
		{"rosenbrock-pairs", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), p.Blocks() }, certify.Blocks},
		{"rosenbrock-pairs", func(p *problem.Problem) (*frame.Frame, [][]int) { return p.Frame(), nil }, certify.NotSeparable},
	} {
		p := mixedProblem(t, c.name, 8)
		meter := objective.NewMeter(p, 10_000)
		f, blocks := c.f(p)
		got, err := Survey{Measures: 3}.Judge(ctx, meter, f, blocks, Request{Box: p.Domain(), Seed: 1})
		if err != nil || got.Certificate.Verdict != c.want || got.Frame != f {
			t.Errorf("%s: %v, want %v, error %v", c.name, got.Certificate, c.want, err)
		}
		if len(got.Scale) != 8 || meter.Queries() > 1000 {
			t.Errorf("%s: scales %v after %d queries", c.name, got.Scale, meter.Queries())
		}
	}
	p := mixedProblem(t, "rastrigin", 8)
	if _, err := (Survey{Measures: 3}).Judge(ctx, objective.NewMeter(p, 50), p.Frame(), nil, Request{Box: p.Domain(), Seed: 1}); !errors.Is(err, objective.ErrBudget) {
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
		s, request := Survey{Measures: 3}, Request{Box: p.Domain(), Seed: 1}
		s.Pause = func(doubt Doubt) error {
			inverse := doubt.Inverse
			if pauses++; pauses == 1 {
				spent = meter.Queries()
			}
			if !new(mat.Cholesky).Factorize(inverse) || inverse.SymmetricDim() != 12 {
				t.Errorf("%s: not positive definite", name)
			}
			return nil
		}
		if _, err := s.Identify(ctx, meter, request); err != nil || pauses < often[0] || pauses > often[1] {
			t.Errorf("%s: %d pauses, error %v", name, pauses, err)
		}
		if spent > 1500 {
			t.Errorf("%s: it pauses after %d queries", name, spent)
		}
		if pauses > 0 {
			s.Pause = func(Doubt) error { return stop }
			if _, err := s.Identify(ctx, p, request); !errors.Is(err, stop) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}
