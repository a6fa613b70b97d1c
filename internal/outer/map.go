// Package outer undoes an outer map: a root, a logarithm or any other increasing
// function around a sum. Numbers go in, a map comes out; no function is asked for
// anything.
//
// If f = φ(v) with v(x) = Σ_j f_j(⟨w_j, x⟩) and φ increasing, then ψ(f) is a sum again,
// ψ = φ⁻¹. For a root, a square, a logarithm, an exponential, and any other power of v or
// of v plus a constant,
//
//	ψ′ = (1 + κt)^(γ/κ),   t = (f − r)/s.
//
// Power makes the map of these numbers, which package model finds with the frame. Fitted finds
// it in a frame that is known, from four values of f at the corners of some boxes.
package outer

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// A Map is an increasing function ψ that undoes an outer map φ: if f = φ(v), ψ(f) = v up to
// scale and a constant. With t = (f − r)/s, for values f around r that differ by about s,
//
//	ψ′ = e^{γL},   L = log(1 + κt)/κ   (t if κ = 0),
//	ψ  = s e^{ωL}/ω,   ω = κ + γ       (sL if ω = 0),
//
// so that 1/c = −ψ′/ψ″ = −s(1 + κt)/γ is linear in f. It is the power (1 + κt)^p with
// p = ω/κ: p = 2 undoes a root, p = ½ a square, p = 0 an exponential, and κ = 0, which is
// e^{γt}, undoes a logarithm. γ = 0 is the identity.
//
// Far away, where powers would end, overflow or vanish, ψ goes on along its tangent. So it
// is increasing everywhere, and finite wherever f is. Its zero value is not ready to use;
// Fitted and Power make a Map. A Map does not change once it is made.
type Map struct {
	r, s         float64 // the values by which it was fitted: their middle and their spread
	gamma, kappa float64
}

// Power returns the map with ψ′ = (1 + κt)^(γ/κ), t = (f − r)/s; κ = 0: e^{γt}.
func Power(r, s, gamma, kappa float64) *Map { return &Map{r: r, s: s, gamma: gamma, kappa: kappa} }

// The tangents begin where 1 + κt falls to e^-poleward, and where ψ′ or ψ would be above
// e^farthest or below e^-farthest.
const (
	poleward = 42
	farthest = 300
)

// steep is the |κ| from which on 1 + κt is computed from the place where it is 0, which is
// more exact near that place, and the ω from which on ψ is computed without a constant, so
// that it is exact near its lower end.
const steep = 0.25

// ends returns the least and the largest L before the tangents.
func (m *Map) ends() (lo, hi float64) {
	hi = farthest / max(math.Abs(m.gamma), math.Abs(m.kappa+m.gamma), 1)
	lo = -hi
	if m.kappa > 0 {
		lo = max(lo, -poleward/m.kappa)
	}
	if m.kappa < 0 {
		hi = min(hi, -poleward/m.kappa)
	}
	return lo, hi
}

// length returns L at a value of f.
func (m *Map) length(f float64) float64 {
	t := (f - m.r) / m.s
	switch {
	case m.kappa == 0:
		return t
	case math.Abs(m.kappa) >= steep:
		x := (f - m.Pole()) * (m.kappa / m.s)
		if !(x > 0) {
			return math.Copysign(math.Inf(1), -m.kappa)
		}
		return kernel.LogOf(x) / m.kappa
	}
	return log1p(m.kappa*t) / m.kappa
}

// at returns the value of f at which L has that value.
func (m *Map) at(l float64) float64 {
	if m.kappa == 0 {
		return m.r + float64(m.s*l)
	}
	return m.r + float64(m.s*expm1(m.kappa*l)/m.kappa)
}

// Pole is the value of f at which the power is 0 or infinite, r − s/κ; an infinite one if
// there is none.
func (m *Map) Pole() float64 {
	if m.kappa == 0 {
		return math.Inf(-1)
	}
	return m.r - float64(m.s/m.kappa)
}

// law returns ψ and ψ′ of the family of powers, with tangents.
func (m *Map) law(f float64) (value, slope float64) {
	l := m.length(f)
	lo, hi := m.ends()
	if l > lo && l < hi {
		return m.s * m.raised(l), kernel.ExpOf(m.gamma * l)
	}
	end := min(max(l, lo), hi)
	slope = kernel.ExpOf(m.gamma * end)
	return float64(m.s*m.raised(end)) + float64(slope*(f-m.at(end))), slope
}

// raised returns e^{ωL}/ω; less 1/ω, so that it is near L, where ω is small.
func (m *Map) raised(l float64) float64 {
	omega := m.kappa + m.gamma
	switch {
	case omega == 0:
		return l
	case omega >= steep:
		return kernel.ExpOf(omega*l) / omega
	}
	return expm1(omega*l) / omega
}

// Of returns ψ(f). What is NaN or infinite stays as it is.
func (m *Map) Of(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	value, _ := m.law(f)
	return min(max(value, -math.MaxFloat64), math.MaxFloat64)
}

// Slope returns ψ′(f), which is above 0; 1 where f is not finite.
func (m *Map) Slope(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 1
	}
	_, slope := m.law(f)
	return slope
}

// Scaled returns the map for the values of f multiplied by factor > 0: its ψ(factor·f) is
// factor·ψ(f).
func (m *Map) Scaled(factor float64) *Map {
	next := *m
	next.r, next.s = m.r*factor, m.s*factor
	return &next
}

// log1p returns log(1+x), exact for small x too: the error of u = 1+x cancels.
func log1p(x float64) float64 {
	u := 1 + x
	switch {
	case u == 1:
		return x
	case !(u > 0):
		return math.Inf(-1)
	}
	return kernel.LogOf(u) * (x / (u - 1))
}

// expm1 returns eˣ − 1, exact for small x too, likewise.
func expm1(x float64) float64 {
	u := kernel.ExpOf(x)
	switch {
	case u == 1:
		return x
	case math.Abs(x) > 1:
		return u - 1
	}
	return (u - 1) * (x / kernel.LogOf(u))
}

// The names of outer maps φ.
const (
	Root        = "root"
	Square      = "square"
	Logarithm   = "logarithm"
	Exponential = "exponential"
	PowerLaw    = "power"
	Some        = "some increasing map"
)

// like is how far the exponent of a map may be from that of a named one, as a part of it.
const like = 0.05

// Name returns the nearest name of φ, the map that ψ undoes: Root, Square, Logarithm,
// Exponential, PowerLaw, or Some if it is nothing like a power.
func (m *Map) Name() string {
	switch q := m.Exponent(); {
	case math.IsNaN(q):
		return Some
	case math.Abs(q) <= like:
		return Logarithm
	case math.Abs(1/q) <= like:
		return Exponential
	case math.Abs(q-0.5) <= like*0.5:
		return Root
	case math.Abs(q-2) <= like*2:
		return Square
	}
	return PowerLaw
}

// Exponent returns q if φ is the power v^q, up to constants and scales: ½ for a root, 2 for
// a square, 0 for a logarithm, which is the limit of small powers, and +Inf for an
// exponential. It is NaN for other maps.
func (m *Map) Exponent() float64 {
	omega := m.kappa + m.gamma
	if omega == 0 {
		return math.Inf(1)
	}
	return m.kappa / omega
}
