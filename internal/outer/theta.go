package outer

import (
	"math"
	"slices"
)

// A Theta are the two numbers (γ, β) of ψ for values z in units of their spread:
//
//	ψ′(z) = (1 + βz)^(−γ/β).
//
// γ = 0 is the identity, β = 0 an exponential, γ = β a logarithm, all else are powers.
type Theta struct{ Gamma, Beta float64 }

const (
	// leastBeta and usualBeta keep 1 + βz above 0 for most values z, which are −1 to 3 or so, and mostGamma is the largest
	// ψ″/ψ′, and power of 1 + βz.
	leastBeta, usualBeta, mostGamma = -0.6, 0.9, 10
	// straight is the size of β, or of β−γ, below which a limit is taken.
	straight = 1e-9
	// nearPole is the least 1 + βz of values that were seen.
	nearPole = 2e-4
)

// Identity reports whether there is no map.
func (t Theta) Identity() bool { return t.Gamma == 0 }

// Map returns ψ for values around r that differ by about s.
func (t Theta) Map(r, s float64) *Map { return Power(r, s, -t.Gamma, t.Beta) }

// Of returns ψ(z) and ψ′(z), with ψ(0) = 0 so that it is exact there, where Map is at the end of a power. Where 1 + βz falls below
// nearPole, outside of what the map was made from, ψ goes on along its tangent.
func (t Theta) Of(z float64) (value, slope float64) {
	if t.Identity() {
		return z, 1
	}
	beyond, end := 0., (nearPole-1)/t.Beta
	if t.Beta*z < nearPole-1 {
		z, beyond = end, z-end
	}
	l := z // L = ln(1+βz)/β
	if math.Abs(t.Beta) > straight {
		l = math.Log1p(max(t.Beta*z, nearPole-1)) / t.Beta
	}
	omega := t.Beta - t.Gamma
	value = l
	if math.Abs(omega) > straight {
		value = math.Expm1(omega*l) / omega
	}
	slope = math.Exp(-t.Gamma * l)
	return value + float64(slope*beyond), slope
}

// Numbers returns γ and β, and Bounded makes a map of them again.
func (t Theta) Numbers() []float64 { return []float64{t.Gamma, t.Beta} }

// Size is by how much ψ′ changes about, as a part of it, where z changes by 1.
func (t Theta) Size() float64 { return math.Abs(t.Gamma) }

// Bend returns −ψ″/ψ′ at z.
func (t Theta) Bend(z float64) float64 { return t.Gamma / (1 + float64(t.Beta*z)) }

// OfBends returns maps with some −ψ″/ψ′ at some values, c_k(1 + βz_k) = γ: an exponential, and that by least squares.
func OfBends(c, z []float64, low float64) []Theta {
	n := float64(len(c))
	var cross, own, first, second float64 // of Σ (1, −c_kz_k)ᵀ(1, −c_kz_k) (γ, β)ᵀ = Σ (1, −c_kz_k)ᵀ c_k
	for k, v := range c {
		cross, own = cross-float64(v*z[k]), own+float64(v*z[k]*v*z[k])
		first, second = first+v, second-float64(v*v*z[k])
	}
	all := []Theta{{slices.Sorted(slices.Values(c))[len(c)/2], 0}}
	if det := float64(n*own) - float64(cross*cross); det > 0 {
		gamma, beta := (float64(own*first)-float64(cross*second))/det, (float64(n*second)-float64(cross*first))/det
		all = append(all, Theta{gamma, max(leastBeta, min(mostBeta(low), beta))})
	}
	return all
}

// Beside returns the maps with one number further by h.
func (t Theta) Beside(h float64) [2]Theta {
	return [2]Theta{{t.Gamma + h, t.Beta}, {t.Gamma, t.Beta + h}}
}

// Moved returns θ + δ, each number by at most so much, for values from low on.
func (t Theta) Moved(delta [2]float64, most, low float64) Theta {
	return Bounded([]float64{t.Gamma + max(-most, min(most, delta[0])), t.Beta + max(-most, min(most, delta[1]))}, low)
}

// Less returns θ − t.
func (t Theta) Less(by Theta) [2]float64 { return [2]float64{t.Gamma - by.Gamma, t.Beta - by.Beta} }

// Bounded returns the map nearest to some numbers whose slopes do not differ so much that most values, from low on, say nothing.
func Bounded(numbers []float64, low float64) Theta {
	beta := max(leastBeta, min(mostBeta(low), numbers[1]))
	most := mostGamma * max(1, beta)
	return Theta{max(-most, min(most, numbers[0])), beta}
}

// mostBeta is the largest β for which 1 + βz is above 0 for all values from low on.
func mostBeta(low float64) float64 {
	return max(usualBeta, (1-nearPole)/max(-low, math.SmallestNonzeroFloat64))
}

// Starts returns maps to begin with, for each of some β those with γ of either sign: own is the β of powers of f itself, and values are
// from low on.
func Starts(low, own float64) [][]Theta {
	most := mostBeta(low)
	var all [][]Theta
	for _, beta := range []float64{0, usualBeta / 2, max(leastBeta, min(most, own)), most / 4, most / 2, most, -usualBeta / 4, -usualBeta / 2} {
		var some []Theta
		for _, gamma := range []float64{1. / 27, 1. / 9, 1. / 3, 1, 3} {
			some = append(some, Theta{gamma, beta}, Theta{-gamma, beta})
		}
		all = append(all, some)
	}
	return all
}
