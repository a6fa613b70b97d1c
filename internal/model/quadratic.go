package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A quadratic under a map, f = φ(q), is known from one look. With ψ = φ⁻¹, and with the slope g and the Hessian H of
// ψ(f) at x,
//
//	ψ(f(x+t)) = ψ(f(x)) + ⟨g, t⟩ + ½⟨t, Ht⟩,
//
// so that all values that were asked before say whether f is one, and what ψ is, and no query is spent on it. Without a
// map ψ is the identity, which is tried first.
type parabola struct {
	s *sampler
	l *Look
	t *mat.Dense // the ways from x to other points, in steps of the look, as rows
	z []float64  // the values there
	// ⟨g, t⟩ and ½⟨t, Ht⟩ of f itself.
	first, second []float64
}

const (
	// mostSeen is how many values are kept: more say no more about two numbers.
	mostSeen = 256
	// predicted is the error of predicted values, as a part of how they vary, up to which f is a quadratic.
	predicted = 1e-3
	// loudly is by how much the error of a look may be more in values that are predicted far away.
	loudly = 3
)

// quadratic looks whether f is a quadratic under a map by what the newest look predicts. If so, and if that look is exact enough
// or another one will be more exact, it is all there is to learn from.
func (e *search) quadratic() bool {
	e.bowl = false
	l := e.looks[len(e.looks)-1]
	if e.bowls == lastLooks || !kernel.Finite(l.z[0][0]) {
		return false
	}
	e.bowls++
	enough := max(predicted, loudly*e.told)
	theta, misfit := e.parabola(l).fitted(e.theta, enough)
	if !(misfit <= predicted || misfit <= enough && theta.Identity()) {
		return false
	}
	was, now, tau := e.belief, *e.belief, l.tau
	e.belief = &now
	e.looks, e.theta, l.tau = []*Look{l}, theta, min(tau, misfit)
	e.forget()
	if e.bowl = e.first() && (e.need() <= 1 || loudly*e.widest() < median(e.errors())); !e.bowl {
		e.belief, l.tau = was, tau
	}
	return e.bowl
}

// widest returns the error of a look with steps as long as the box is wide, if it is one of noise.
func (e *search) widest() float64 {
	return forward.noise * e.s.sigma / square(median(e.s.widths(e.frame.W))/2)
}

// wide returns directions as long as the box is wide.
func (e *search) wide() *mat.Dense {
	r := e.s.widths(along(e.white).W)
	floats.Scale(0.5, r)
	return scaledRows(e.white, r)
}

// widen sets steps to those of wide, over which a quadratic misses nothing.
func (e *search) widen() {
	e.steps = &ladder{top: 1, caution: 1, curvature: square(median(e.s.widths(along(e.white).W)) / 2)}
	e.not.ell = e.s.widths(e.frame.W)
}

// parabola returns what a look predicts.
func (b *belief) parabola(l *Look) *parabola {
	n := len(b.s.values)
	t := mat.DenseCopyOf(b.s.inSpan(mat.NewDense(n, b.s.f.Dim(), b.s.seen)))
	p := &parabola{s: b.s, l: l}
	for k, v := range b.s.values {
		kernel.AddScaled(t.RawRowView(k), -1, l.x)
		p.z = append(p.z, (v-b.s.mid)/b.s.unit)
	}
	p.t = kernel.Times(t, inverse(l.steps))
	p.first, p.second = p.terms(Theta{})
	return p
}

// terms returns ⟨g, t⟩ and ½⟨t, Ht⟩ of ψ(f).
func (p *parabola) terms(theta Theta) (first, second []float64) {
	q := p.l.measure(p.s, theta)
	ht := kernel.Times(p.t, q.m)
	for k := range p.z {
		t := p.t.RawRowView(k)
		first, second = append(first, kernel.Dot(q.g, t)), append(second, kernel.Dot(ht.RawRowView(k), t)/2)
	}
	return first, second
}

// errors returns the errors of predicted values of ψ(f) − ψ(f(x)), as parts of how these vary.
func (p *parabola) errors(theta Theta, first, second []float64) []float64 {
	origin, _ := theta.Of(p.l.z[0][0])
	var sum, squares float64
	all := make([]float64, len(p.z))
	for k, z := range p.z {
		v, _ := theta.Of(z)
		v -= origin
		sum, squares, all[k] = sum+v, squares+square(v), v-first[k]-second[k]
	}
	n := float64(len(p.z))
	floats.Scale(1/math.Sqrt(squares-square(sum)/n), all)
	return all
}

// rough returns the errors by the terms of f itself: H of ψ(f) is ψ′(H − c ggᵀ), c = −ψ″/ψ′.
func (p *parabola) rough(theta Theta) []float64 {
	z := p.l.z[0][0]
	_, slope := theta.Of(z)
	c := theta.Bend(z)
	first, second := make([]float64, len(p.z)), make([]float64, len(p.z))
	for k, v := range p.first {
		first[k], second[k] = slope*v, slope*(p.second[k]-float64(c*v*v/2))
	}
	return p.errors(theta, first, second)
}

// fine returns the errors by the terms of ψ(f), in which differences miss nothing.
func (p *parabola) fine(theta Theta) []float64 {
	first, second := p.terms(theta)
	return p.errors(theta, first, second)
}

// fitted returns the map that predicts values best, and the error of that: none if its error is small enough, the one so far if
// one beside it is, or any.
func (p *parabola) fitted(theta Theta, enough float64) (Theta, float64) {
	if v := length(p.fine(Theta{})); v <= enough {
		return Theta{}, v
	}
	if !theta.Identity() {
		if t, v := p.descended(theta, p.fine); v <= predicted {
			return t, v
		}
	}
	best, least := Theta{}, math.Inf(1)
	for _, some := range outer.Starts(p.s.low, p.s.unit/p.s.mid) {
		from, nearest := Theta{}, math.Inf(1)
		for _, t := range some {
			if v := length(p.rough(t)); v < nearest {
				from, nearest = t, v
			}
		}
		if t, v := p.descended(from, p.rough); v < least {
			best, least = t, v
		}
	}
	if least > predicted {
		return best, least
	}
	return p.descended(best, p.fine)
}

// descended returns the map near θ with the least sum of squares of some errors, and its root.
func (p *parabola) descended(t Theta, errors func(Theta) []float64) (Theta, float64) {
	of := func(x []float64) Theta { return outer.Bounded(x, p.s.low) }
	x, left := outer.Descend(t.Numbers(), func(x []float64) []float64 { return errors(of(x)) })
	return of(x), length(left)
}
