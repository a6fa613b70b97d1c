package outer

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// ψ′ is the derivative of ψ and 1 at 0, −ψ″/ψ′ that of ψ′, and β = γ is a logarithm.
func TestTheta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		theta := Theta{rapid.Float64Range(-1, 1).Draw(t, "γ"), rapid.Float64Range(-0.5, 0.9).Draw(t, "β")}
		z := rapid.Float64Range(-2, 1).Draw(t, "z")
		const h = 1e-6
		hi, steeper := theta.Of(z + h)
		lo, _ := theta.Of(z - h)
		if theta.Beta*z < -0.6 { // differences are not exact near the pole
			return
		}
		_, slope := theta.Of(z)
		if math.Abs((hi-lo)/(2*h)-slope) > 1e-8*max(1, slope) {
			t.Fatalf("ψ′ = %v, by differences %v", slope, (hi-lo)/(2*h))
		}
		if bend := (slope - steeper) / h / slope; math.Abs(bend-theta.Bend(z)) > 1e-4 {
			t.Fatalf("−ψ″/ψ′ = %v, by differences %v", theta.Bend(z), bend)
		}
		if _, one := theta.Of(0); math.Abs(one-1) > 1e-15 {
			t.Fatalf("ψ′(0) = %v", one)
		}
		log := Theta{theta.Beta, theta.Beta}
		if v, _ := log.Of(z); math.Abs(v*theta.Beta-math.Log1p(theta.Beta*z)) > 1e-12 && theta.Beta != 0 {
			t.Fatalf("β = γ = %v: ψ = %v", theta.Beta, v)
		}
	})
}

// By hand: c = 1, 2 and 4 at z = 1, 0 and −½ are those of γ = 2, β = 1.
func TestOfBends(t *testing.T) {
	all := OfBends([]float64{1, 2, 4}, []float64{1, 0, -0.5}, -0.5)
	if all[0] != (Theta{2, 0}) || len(all) != 2 || math.Abs(all[1].Gamma-2)+math.Abs(all[1].Beta-1) > 1e-12 {
		t.Errorf("%v", all)
	}
}
