package identify

import (
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/problem"
)

// Where there is no noise the model finds sums with fewer queries, to the tolerance that is asked for:
// under a map and in a span as well; and blocks are found as before.
func TestSums(t *testing.T) {
	const d = 12
	for name, c := range map[string]struct {
		spec      problem.Spec
		tolerance float64
		want      certify.Verdict
	}{
		"paper":          {problem.Spec{Name: "rastrigin"}, 0, certify.Separable},
		"to many digits": {problem.Spec{Name: "rastrigin"}, 1e-6, certify.Separable},
		"rotation":       {problem.Spec{Name: "levy", Mix: "orthogonal"}, 0, certify.Separable},
		"few components": {problem.Spec{Name: "styblinski-tang", Components: 5}, 0, certify.Separable},
		"map":            {problem.Spec{Name: "rastrigin", Blemishes: problem.Blemishes{Map: "log"}}, 0, certify.Separable},
		"blocks":         {problem.Spec{Name: "rosenbrock-pairs"}, 0, certify.Blocks},
	} {
		c.spec.Dim, c.spec.Seed = d, 3
		p, err := problem.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		asked := func(s Survey) (*Finding, int) {
			meter := query.NewMeter(p, 1<<40)
			found, err := s.Identify(ctx, meter, Request{Box: p.Domain(), Seed: c.spec.Seed})
			if err != nil {
				t.Fatal(err)
			}
			return found, meter.Queries()
		}
		limit := 0.005
		if c.tolerance > 0 {
			limit = 10 * c.tolerance
		}
		_, before := asked(Survey{})
		found, queries := asked(Survey{Tolerance: c.tolerance})
		t.Logf("%s: %d queries, %d before", name, queries, before)
		if v := found.Certificate.Verdict; v != c.want {
			t.Errorf("%s: %v", name, found.Certificate)
			continue
		}
		if c.want == certify.Blocks {
			if queries > before+before/5 {
				t.Errorf("%s: %d queries, %d before", name, queries, before)
			}
			continue
		}
		if e := frame.Compare(p.Frame(), found.Frame).Error(); !(e < limit) || queries > before+before/20 {
			t.Errorf("%s: error %.1e, %d queries, %d before", name, e, queries, before)
		}
	}
}
