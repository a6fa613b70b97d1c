package grains_test

import (
	"math"
	"testing"

	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// By hand: a tenth of how far a value is from 5, and 0.01 at least. Without From it is a tenth of
// the value.
func TestGrainFromByHand(t *testing.T) {
	g := objective.Grain{Relative: 0.1, Absolute: 0.01, Kind: objective.RandomNoise}
	for v, want := range map[float64]float64{5: 0.01, 5.05: 0.01, 7: 0.2, 3: 0.2, -5: 1} {
		if got := g.From(5).Of(v); math.Abs(got-want) > 1e-15 {
			t.Errorf("of %v: %v, want %v", v, got, want)
		}
	}
	if got := g.Of(5); got != 0.5 {
		t.Errorf("%v, want 0.5", got)
	}
}

// From says what the grain of f + a constant is, in any unit.
func TestGrainFromAConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := objective.Grain{Relative: rapid.Float64Range(0, 1).Draw(t, "relative"), Absolute: rapid.Float64Range(0, 1).Draw(t, "absolute")}
		v, zero := rapid.Float64Range(-100, 100).Draw(t, "v"), rapid.Float64Range(-100, 100).Draw(t, "constant")
		factor := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "unit"))
		if got, want := g.From(zero).Scaled(factor).Of(factor*(v+zero)), factor*g.Of(v); math.Abs(got-want) > 1e-12*factor {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
