package identify

import (
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/problem"
)

func coupledProblem(t *testing.T, name, mix, kind string, dim int, coupling float64, seed uint64) *problem.Problem {
	p, err := problem.New(problem.Spec{Name: name, Dim: dim, Mix: mix, Seed: seed, Blemishes: problem.Blemishes{Coupling: coupling, CouplingKind: kind}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Couplings of 10 % are found and measured: the number is within a factor of 2 of the same
// measure in the true frame, most of whose rows are found to a few hundredths. Few pairs
// carry them.
func TestNearlySeparable(t *testing.T) {
	d := flags.Usually(16, 8)
	for _, c := range flags.Sample([]struct{ name, mix, kind string }{
		{"rastrigin", "orthogonal", "sines"}, {"rastrigin", "paper", "products"}, {"levy", "orthogonal", "products"}, {"levy", "paper", "sines"},
	}, 1) {
		p := coupledProblem(t, c.name, c.mix, c.kind, d, 0.1, 2)
		meter := query.NewMeter(p, 100_000)
		found, err := Survey{}.Identify(ctx, meter, Request{Box: p.Domain(), Seed: 2})
		if err != nil || found.Certificate.Verdict != certify.NearlySeparable {
			t.Errorf("%+v: %v after %d queries, error %v", c, found.Certificate, meter.Queries(), err)
			continue
		}
		truth, err := certify.Test{Box: p.Domain(), Most: 400}.Splits(ctx, p, p.Frame(), nil)
		if ratio := found.Certificate.Coupling / truth.Coupling; err != nil || !(ratio > 0.5 && ratio < 2) {
			t.Errorf("%+v: couplings of %v, truth %v, error %v", c, found.Certificate.Coupling, truth.Coupling, err)
		}
		rows := slices.Sorted(slices.Values(frame.Compare(p.Frame(), found.Frame).Distance))
		if rows[d/2] > 0.03 { // Levy's first component is weak
			t.Errorf("%+v: rows are wrong by %v", c, rows)
		}
		if len(found.Pairs) != d*(d-1)/2 || len(certify.Carriers(found.Pairs)) > d*(d-1)/4 {
			t.Errorf("%+v: %d of %d pairs carry", c, len(certify.Carriers(found.Pairs)), len(found.Pairs))
		}
	}
}

// Rosenbrock's function is nearly separable beside its differences over the whole box, but
// its minimum lies in a curved valley.
func TestValleysDoNotNearlySeparate(t *testing.T) {
	p := mixedProblem(t, "rosenbrock", flags.Usually(18, 5))
	found, err := Survey{}.Identify(ctx, p, Request{Box: p.Domain(), Seed: 1})
	if err != nil || found.Certificate.Verdict != certify.NotSeparable {
		t.Errorf("%v, error %v", found.Certificate, err)
	}
}
