package model

import "math"

// A Theta are the two numbers (γ, β) of ψ, which undoes the map φ:
//
//	ψ′(z) = (1 + βz)^(−γ/β),   ψ(0) = 0.
//
// γ = 0 is the identity, β = 0 an exponential, γ = β a logarithm, all else are powers. z are
// values in units of their spread.
type Theta struct{ Gamma, Beta float64 }

// identity reports whether there is no map.
func (t Theta) identity() bool { return t.Gamma == 0 }

const (
	// pole is the βz below which ψ goes on along its tangent: 1 + βz stays away from 0, where a value
	// is outside of what the map was made from.
	pole = -0.9998
	// straight is the size of β, or of β−γ, below which a limit is taken.
	straight = 1e-9
	// thetaStep is the step of derivatives by θ: the truncation of a difference quotient is far below what θ is known to.
	thetaStep = 1e-4
)

// of returns ψ(z) and ψ′(z).
func (t Theta) of(z float64) (value, slope float64) {
	if t.identity() {
		return z, 1
	}
	beyond := 0.
	if u := t.Beta * z; u < pole {
		z, beyond = pole/t.Beta, z-pole/t.Beta
	}
	u := max(t.Beta*z, pole)
	l := z // ln(1+βz)/β
	if math.Abs(t.Beta) > straight {
		l = math.Log1p(u) / t.Beta
	}
	k := t.Beta - t.Gamma
	value = l
	if math.Abs(k) > straight {
		value = math.Expm1(k*l) / k
	}
	slope = math.Exp(k*l) / (1 + u)
	return value + float64(slope*beyond), slope
}
