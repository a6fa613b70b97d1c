package auto

import (
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
)

// A deeper well that a rough frame makes seem higher is found: of (z² − 4)² + z/20 for each z of (I+E)x along the axes, from
// where one z is at 2 and the others are at −2.
func TestHiddenWells(t *testing.T) {
	const m, rough = 6, 0.02
	random := rng.Seed(1).Stream("test")
	mixed := kernel.Identity(m)
	for i := range m {
		for j := range m {
			mixed.Set(i, j, mixed.At(i, j)+float64(rough*random.NormFloat64()))
		}
	}
	f := watch(objective.Func(m, func(x []float64) float64 {
		sum := 0.0
		for i := range m {
			z := kernel.Dot(mixed.RawRowView(i), x)
			sum += (z*z-4)*(z*z-4) + z/20
		}
		return sum
	}), func(objective.Stage) {})
	found := &identify.Finding{Frame: frame.Identity(m), Scale: make([]float64, m)}
	profiles := make([]frame.Profile, m)
	start := make([]float64, m)
	for j := range m {
		found.Blocks, found.Scale[j], start[j] = append(found.Blocks, []int{j}), 1, -2
		profiles[j] = frame.Profile{Value: []float64{0, 16, 0}, Wells: []frame.Well{{Y: -2}, {Y: 2, Value: 0.2}}}
	}
	at := newCoordinates(found, objective.Cube(m, math.Inf(-1), math.Inf(1)))
	start[0] = 2
	if _, err := f.ask(ctx, start); err != nil {
		t.Fatal(err)
	}
	p := &polisher{f: f, at: at}
	if err := p.polish(ctx); err != nil {
		t.Fatal(err)
	}
	here := query.Best{Point: f.best.Point, Value: f.best.Value}
	if err := newWells(f, at, profiles).look(ctx); err != nil {
		t.Fatal(err)
	}
	if lower := here.Value - f.best.Value; math.Abs(lower-0.2) > 0.01 || floats.Max(f.best.Point) > -1.5 {
		t.Errorf("%v lower, at %v", lower, f.best.Point)
	}
}
