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

// One model finds sums, under a map and in a span as well, to the tolerance that is asked for.
// How many queries that takes is a median of three, or of one where tests are quick.
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
		limit := right
		if c.tolerance > 0 {
			limit = 10 * c.tolerance
		}
		var queries []int
		for seed := range uint64(flags.Usually(3, 1)) {
			c.spec.Dim, c.spec.Seed = flags.Usually(12, 6), seed+3
			p, err := problem.New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			meter := query.NewMeter(p, 1<<40)
			found, err := Survey{Tolerance: c.tolerance}.Identify(ctx, meter, Request{Box: p.Domain(), Seed: c.spec.Seed})
			if err != nil {
				t.Fatal(err)
			}
			if e := frame.Compare(p.Frame(), found.Frame).Error(); !(e < limit) || found.Certificate.Verdict != certify.Separable {
				t.Errorf("%s, seed %d: error %.1e, %v", name, seed, e, found.Certificate)
			}
			queries = append(queries, meter.Queries())
		}
		if slices.Sort(queries); queries[len(queries)/2] > c.most*flags.Usually(4, 3)/4 {
			t.Errorf("%s: %d queries", name, queries)
		}
	}
}
