package strategy

import (
	"context"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// With a share of 0 strategy online is cbo, to the bit.
func TestOnlineWithoutAShareIsCBO(t *testing.T) {
	values := func(s Strategy) (all []float64) {
		f := objective.Batch(3, func(points *mat.Dense, values []float64) {
			for i := range values {
				x := points.RawRowView(i)
				values[i] = x[0]*x[0] + (x[1]-x[0])*(x[1]-x[0]) + x[2]*x[2]*x[2]*x[2]
			}
			all = append(all, values...)
		})
		if _, err := s.Minimize(context.Background(), objective.NewMeter(f, 3000), Task{Budget: 3000, Seed: 4}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if !slices.Equal(values(Online{Share: new(0.0)}), values(CBO{})) {
		t.Error("with share 0 it differs from cbo")
	}
	if slices.Equal(values(Online{}), values(CBO{})) {
		t.Error("with its own share it does not differ")
	}
}
