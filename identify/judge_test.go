package identify

import (
	"errors"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

func mixedProblem(t *testing.T, name string, d int) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A frame from elsewhere in which f separates but for couplings is known as such.
func TestJudgeNearly(t *testing.T) {
	p := coupledProblem(t, "rastrigin", "paper", "sines", 10, 0.1, 2)
	got, err := Survey{Measures: 1}.Judge(ctx, p, p.Frame(), nil, Request{Box: p.Domain(), Seed: 1})
	if err != nil || got.Certificate.Verdict != certify.NearlySeparable || len(got.Pairs) != 10*9/2 {
		t.Errorf("%v, %d pairs, error %v", got.Certificate, len(got.Pairs), err)
	}
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
		meter := query.NewMeter(p, 10_000)
		f, blocks := c.f(p)
		got, err := Survey{Measures: 3}.Judge(ctx, meter, f, blocks, Request{Box: p.Domain(), Seed: 1})
		if err != nil || got.Certificate.Verdict != c.want || got.Frame != f {
			t.Errorf("%s: %v, want %v, error %v", c.name, got.Certificate, c.want, err)
		}
		if len(got.Scale) != 8 || meter.Queries() > 2000 {
			t.Errorf("%s: scales %v after %d queries", c.name, got.Scale, meter.Queries())
		}
	}
	p := mixedProblem(t, "rastrigin", 8)
	if _, err := (Survey{Measures: 3}).Judge(ctx, query.NewMeter(p, 50), p.Frame(), nil, Request{Box: p.Domain(), Seed: 1}); !errors.Is(err, objective.ErrBudget) {
		t.Errorf("error %v", err)
	}
}

// The survey pauses before every part that may not help, for the first time when the first looks contradict each other; an
// error ends it.
func TestPause(t *testing.T) {
	stop, d := errors.New("enough"), flags.Usually(12, 4)
	for _, c := range flags.Sample([]struct {
		name      string
		contested bool
	}{{"rastrigin", false}, {"ackley", true}, {"rosenbrock", true}, {"rosenbrock-pairs", true}, {"squared-norm", false}}, 2) {
		name, contested := c.name, c.contested
		p := mixedProblem(t, name, d)
		meter := query.NewMeter(p, 100_000)
		var pauses, spent []int // how many queries the parts take, and those before each
		s, request := Survey{Measures: 3}, Request{Box: p.Domain(), Seed: 1}
		s.Pause = func(next Next) error {
			if next.Basin != nil {
				return nil
			}
			pauses, spent = append(pauses, next.Queries), append(spent, meter.Queries())
			return nil
		}
		if _, err := s.Identify(ctx, meter, request); err != nil || (len(pauses) > 0) != contested {
			t.Errorf("%s: %d pauses, error %v", name, len(pauses), err)
		}
		if !contested {
			continue
		}
		if spent[0] > 1500 {
			t.Errorf("%s: it pauses after %d queries", name, spent[0])
		}
		if slices.Min(pauses) <= 0 {
			t.Errorf("%s: parts of %v queries", name, pauses)
		}
		s.Pause = func(Next) error { return stop }
		if _, err := s.Identify(ctx, p, request); !errors.Is(err, stop) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
