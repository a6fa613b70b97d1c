package strategy

import (
	"context"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// With a share of 0 strategy online is cbo, to the bit. So it is if what its first β takes is more
// than a twentieth of the budget: seven Hessians of d² + d + 1 queries, and twice three lines of 37
// to choose a step.
func TestOnlineIsCBO(t *testing.T) {
	values := func(s Strategy, budget int) (all []float64) {
		f := objective.Batch(3, func(points *mat.Dense, values []float64) {
			for i := range values {
				x := points.RawRowView(i)
				values[i] = x[0]*x[0] + (x[1]-x[0])*(x[1]-x[0]) + x[2]*x[2]*x[2]*x[2]
			}
			all = append(all, values...)
		})
		if _, err := s.Minimize(context.Background(), query.NewMeter(f, budget), Task{Budget: budget, Seed: 4}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	const least = 20 * (7*(3*3+3+1) + 2*3*37)
	for _, c := range []struct {
		online Online
		budget int
		same   bool
	}{
		{Online{Share: new(0.0)}, least, true},
		{Online{}, least - 1, true},
		{Online{}, least, false},
	} {
		if slices.Equal(values(c.online, c.budget), values(CBO{}, c.budget)) != c.same {
			t.Errorf("share %v, budget %d: that it is cbo is not %t", c.online.Share, c.budget, c.same)
		}
	}
}
