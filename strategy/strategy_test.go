package strategy

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/objective"
)

// What every strategy has to do is in conformance_test.go of the root package.

// Particles are reflected where there are bounds and clipped where there are
// none, and never further than 1e8 half-widths away.
func TestInside(t *testing.T) {
	inf := math.Inf(1)
	if d := inside(objective.Cube(3, -inf, inf)); d != (cbo.Clip{Radius: 1e8}) {
		t.Errorf("without bounds: %v", d)
	}
	half := objective.Box{Lo: []float64{-inf, -2}, Hi: []float64{inf, inf}}
	d, ok := inside(half).(cbo.Reflect)
	if !ok || !slices.Equal(d.Box.Lo, []float64{-1e8, -2}) || !slices.Equal(d.Box.Hi, []float64{1e8, 1e8}) {
		t.Errorf("with bounds %v: %v", half, d)
	}
}
