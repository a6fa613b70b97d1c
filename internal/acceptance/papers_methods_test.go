package acceptance

import (
	"errors"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// The paper's three methods solve mixed Rastrigin by either road and with the true frame.
// CBO on f does not.
func TestPapersMethods(t *testing.T) {
	p := mixed(t, "rastrigin", flags.Usually(8, 5), 1)
	for _, s := range []strategy.Strategy{strategy.Reparametrised{}, strategy.Transformed{}, strategy.Componentwise{}, strategy.CBO{}} {
		for name, o := range map[string]untwist.Options{
			"by the survey": {Identifier: identify.Survey{}}, "by the paper's road": {Identifier: identify.Paper{}}, "the true frame": {Frame: p.Frame()},
		} {
			if s.Name() == "cbo" {
				if o.Frame == nil {
					continue // CBO takes neither a road nor a frame, so once is enough
				}
				o.Frame = nil
			}
			o.Strategy, o.Start, o.Seed, o.Budget, o.Target = s, p.Domain(), 1, 200_000, new(p.Minimum()+0.005)
			r, err := untwist.Minimize(ctx, p, o)
			if err != nil || (r.Status == objective.TargetReached) != (s.Name() != "cbo") {
				t.Errorf("%s, %s: gap %v after %d queries, %v, error %v", s.Name(), name, r.Value-p.Minimum(), r.Queries, r.Status, err)
			}
			if found := r.Structure != nil && r.Structure.Frame != nil; found != (s.Name() != "cbo") {
				t.Errorf("%s, %s: a frame is in the Result: %v", s.Name(), name, found)
			}
		}
	}
}

// On the squared norm the paper's road finds nothing, as the paper says.
func TestPapersMethodsOnTheSquaredNorm(t *testing.T) {
	p := mixed(t, "squared-norm", 12, 1)
	for _, s := range []strategy.Strategy{strategy.Reparametrised{}, strategy.Transformed{}} {
		o := untwist.Options{Strategy: s, Start: p.Domain(), Seed: 1, Budget: 100_000, Target: new(0.005)}
		if r, err := untwist.Minimize(ctx, p, o); err != nil || r.Status != objective.TargetReached {
			t.Errorf("%s by the survey: %v, %v, error %v", s.Name(), r.Value, r.Status, err)
		}
		o.Identifier = identify.Paper{}
		if r, err := untwist.Minimize(ctx, p, o); err != nil || r.Structure.Certificate.Verdict == "separable" {
			t.Errorf("%s by the paper's road: %v, %v, error %v", s.Name(), r.Structure, r.Status, err)
		}
	}
}

// With fewer components than dimensions, the part of x that f ignores stays at 0 in the
// box's units.
func TestPapersMethodsWithFewComponents(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 12, Components: 3, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []strategy.Strategy{strategy.Reparametrised{}, strategy.Transformed{}, strategy.Componentwise{}} {
		o := untwist.Options{Strategy: s, Start: p.Domain(), Frame: p.Frame(), Seed: 1, Budget: 100_000, Target: new(p.Minimum() + 0.005)}
		r, err := untwist.Minimize(ctx, p, o)
		if err != nil || r.Status != objective.TargetReached {
			t.Errorf("%s: gap %v, %v, error %v", s.Name(), r.Value-p.Minimum(), r.Status, err)
			continue
		}
		y := make([]float64, 3)
		for j := range y {
			for k, v := range p.Frame().Matrix().RawRowView(j) {
				y[j] += v * r.Point[k]
			}
		}
		for k, v := range r.Point { // x = W̃†y
			for j := range y {
				v -= p.Frame().Inverse().At(k, j) * y[j]
			}
			if v > 1e-9 || v < -1e-9 {
				t.Errorf("%s: coordinate %d has moved by %v where f does not depend on it", s.Name(), k, v)
			}
		}
	}
}

// Strategies that search in the given coordinates refuse others before the first query.
func TestStrategiesRefuseCoordinates(t *testing.T) {
	p := mixed(t, "rastrigin", 4, 1)
	for _, s := range []strategy.Strategy{strategy.CBO{}, strategy.IsotropicCBO{}, strategy.CMAES{}} {
		for option, o := range map[string]untwist.Options{
			"Identifier": {Identifier: identify.Paper{}},
			"Frame":      {Frame: p.Frame()},
		} {
			o.Strategy, o.Budget = s, 100
			r, err := untwist.Minimize(ctx, p, o)
			var bad *untwist.OptionError
			if want := "strategy " + s.Name() + " searches in the coordinates given"; !errors.As(err, &bad) || bad.Option != option || bad.Reason != want || r.Queries != 0 {
				t.Errorf("%s: error %v after %d queries", option, err, r.Queries)
			}
		}
	}
}
