package outer

import (
	"math"
	"testing"

	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// drawPower draws a map of the family.
func drawPower(t *rapid.T) *Map {
	return Power(rapid.Float64Range(-10, 10).Draw(t, "r"), math.Exp(rapid.Float64Range(-5, 5).Draw(t, "log s")),
		rapid.Float64Range(-2, 2).Draw(t, "gamma"), rapid.Float64Range(-0.99, 0.99).Draw(t, "kappa"))
}

// φ(ψ(f)) is f, to what ψ can tell apart.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawPower(t)
		lo, hi := m.Range()
		f := lo + (hi-lo)*rapid.Float64Range(0, 1).Draw(t, "place")
		got := m.Inverse(m.Of(f))
		if rounding := 1e-13 * (math.Abs(m.Of(f))/m.Slope(f) + math.Abs(f) + m.s); math.Abs(got-f) > rounding {
			t.Fatalf("φ(ψ(%v)) = %v", f, got)
		}
	})
	if got := Power(0, 1, 1, 0).Inverse(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("φ(+Inf) = %v", got)
	}
}

// The grain of ψ(f) covers what an error of f makes of ψ(f) at both ends.
func TestGrainUnderAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawPower(t)
		of := objective.Grain{Relative: 1e-9, Absolute: rapid.SampledFrom([]float64{0, 1e-8}).Draw(t, "absolute")}
		lo, hi := m.Range()
		got := m.Grain(of, lo, hi)
		for _, f := range []float64{lo, hi} {
			if moved := math.Abs(m.Of(f+of.Of(f)) - m.Of(f)); moved > 1.01*got.Of(m.Of(f))+1e-12*m.s {
				t.Fatalf("at %v ψ moves by %v, its grain is %v", f, moved, got.Of(m.Of(f)))
			}
		}
	})
}

// A map that replaces another keeps the unit.
func TestReplaceKeepsTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := Under{Map: drawPower(t), Factor: 3}
		lo, hi := u.Map.Range()
		before := u.Of(hi) - u.Of(lo)
		u.Replace(fromPole((lo+hi)/2, (hi-lo)/2, lo-1, 2), lo, hi)
		if after := u.Of(hi) - u.Of(lo); math.Abs(after-before) > 1e-9*before {
			t.Fatalf("a difference of %v became %v", before, after)
		}
	})
}
