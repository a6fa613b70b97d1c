package identify

import (
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/problem"
)

// One model finds sums, under a map and in a span as well, to the tolerance that is asked for, and blocks.
func TestSums(t *testing.T) {
	for name, c := range map[string]struct {
		spec      problem.Spec
		tolerance float64
		most      int
	}{
		"paper":          {problem.Spec{Name: "rastrigin"}, 0, 900},
		"to many digits": {problem.Spec{Name: "rastrigin"}, 1e-6, 1200},
		"rotation":       {problem.Spec{Name: "levy", Mix: "orthogonal"}, 0, 900},
		"few components": {problem.Spec{Name: "styblinski-tang", Components: 5}, 0, 1000},
		"map":            {problem.Spec{Name: "rastrigin", Blemishes: problem.Blemishes{Map: "log"}}, 0, 1200},
	} {
		c.spec.Dim, c.spec.Seed = flags.Usually(12, 8), 3
		p, err := problem.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		meter := query.NewMeter(p, 1<<40)
		found, err := Survey{Tolerance: c.tolerance}.Identify(ctx, meter, Request{Box: p.Domain(), Seed: c.spec.Seed})
		if err != nil {
			t.Fatal(err)
		}
		limit := right
		if c.tolerance > 0 {
			limit = 10 * c.tolerance
		}
		e := frame.Compare(p.Frame(), found.Frame).Error()
		if !(e < limit) || found.Certificate.Verdict != certify.Separable || meter.Queries() > c.most {
			t.Errorf("%s: error %.1e, %v, %d queries", name, e, found.Certificate, meter.Queries())
		}
	}
}
