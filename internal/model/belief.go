package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

// A Theta are the numbers of ψ.
type Theta = outer.Theta

// thetaStep is the step of derivatives by θ. Values of ψ are rounded, and looks with steps of 1e-6 of the box raise that to 2e-5 of a
// curvature: over a much smaller step of θ a difference would be little else.
const thetaStep = 1e-2

// A belief is what looks have told so far: a frame whose components have curvature 1, the
// posterior of its error E, the map, and κ.
type belief struct {
	s     *sampler
	m     int
	looks []*Look
	frame *Frame
	theta Theta
	kappa []float64 // of the looks of the last fit

	known   posterior
	ofTheta sym2 // the information about θ
	not     uncertainty
	// surprise is exp(mean ln(1 + (R/s)²)) − 1 of the newest looks before they were learnt, about
	// 1 if all is as expected.
	surprise float64
	// misfits is the mean of (R/s)² that the last fit of all looks has left.
	misfits float64
	// pair is the largest κ that a single pair shows by itself.
	pair float64
}

func newBelief(s *sampler) *belief {
	m := s.dim()
	b := &belief{s: s, m: m, frame: along(kernel.Identity(m))}
	b.forget()
	b.setLength(math.Inf(1))
	return b
}

func (b *belief) setLength(l float64) { b.not.ell = slices.Repeat([]float64{l}, b.m) }

// forget goes back to the prior of E.
func (b *belief) forget() {
	b.known = make(posterior, pairCount(b.m))
	b.not.sd = off(b.m, func(int, int) float64 { return prior })
	b.not.eff, b.not.alike, b.not.first = b.not.sd, make([]bool, pairCount(b.m)), true
	b.surprise = math.Inf(1)
}

// uncertain sets what is not known by a posterior.
func (b *belief) uncertain(p posterior) {
	ell, theta := b.not.ell, sym2{}
	if !b.theta.Identity() {
		theta = b.ofTheta.covariance()
	}
	b.not = p.errors(b.m, theta)
	b.not.ell = ell
}

// errors returns the standard deviations of E of all pairs, in the direction in which mixed
// differences depend on it.
func (b *belief) errors() []float64 {
	var all []float64
	eachPair(b.m, func(i, j, _ int) { all = append(all, b.not.eff.At(i, j)) })
	return all
}

// coupling returns the median κ of the looks of the last fit.
func (b *belief) coupling() float64 { return median(b.kappa) }

// short returns the looks with short steps that have asked for all pairs, around points at which f has not failed.
func (b *belief) short() []*Look {
	var some []*Look
	for _, l := range b.looks {
		if l.kind != long && l.pairs == nil && kernel.Finite(l.z[0][0]) {
			some = append(some, l)
		}
	}
	return some
}

// equations returns those of some looks; nil: the frame is not regular.
func (b *belief) equations(f *Frame, theta Theta, looks []*Look) []equation {
	var all []equation
	for _, l := range looks {
		q := equationOf(l.measure(b.s, theta), l, f, b.not)
		if !kernel.AllFinite(q.r) {
			return nil
		}
		all = append(all, q)
	}
	return all
}

// slopes sets −∂R/∂γ and −∂R/∂β of the equations of some looks.
func (b *belief) slopes(f *Frame, t Theta, looks []*Look, eq []equation) {
	for k, next := range t.Beside(thetaStep) {
		for l, moved := range b.equations(f, next, looks) {
			eq[l].u[k] = off(b.m, func(i, j int) float64 { return (eq[l].r.At(i, j) - moved.r.At(i, j)) / thetaStep })
		}
	}
}

// coupled sets κ of each equation, where they are known.
func coupled(eq []equation, kappa []float64) []equation {
	if len(eq) == len(kappa) {
		for k := range eq {
			eq[k].kappa = kappa[k]
		}
	}
	return eq
}

// scaled returns the frame in which the mean square of each curvature over some short looks is 1. What a curvature
// owes to its error does not count, unless nothing else is seen.
func (b *belief) scaled(f *Frame, theta Theta, looks []*Look) *Frame {
	eq := b.equations(f, theta, looks)
	s := make([]float64, b.m)
	for i := range s {
		sum, least := 0.0, math.Inf(1)
		for _, q := range eq {
			c, variance := square(q.v.At(i, i)), q.s2.At(i, i)
			sum += max(0, c-variance) / float64(len(looks))
			least = min(least, c+variance)
		}
		if sum == 0 {
			sum = least
		}
		s[i] = 1 / math.Sqrt(math.Sqrt(sum)+tiny)
	}
	return along(scaledRows(f.U, s))
}

const (
	// boldest is the largest E of one step: I + E must stay invertible.
	boldest = 0.5
	// sweeps of Gauss–Newton end where negligible steps do not become less, as rounding is all that is left, or after
	// mostSweeps; so do others.
	mostSweeps = 40
)

// tame makes E smaller if it is too bold, and returns how large it was.
func tame(e *mat.Dense) float64 {
	big := largest(e)
	if big > boldest {
		e.Scale(boldest/big, e)
	}
	return big
}

// gaussNewton fits a frame to looks, from one that is roughly right.
func (b *belief) gaussNewton(f *Frame, theta Theta, looks []*Look, most int) *Frame {
	last := math.Inf(1)
	for sweep := range most {
		eq := coupled(b.equations(f, theta, looks), b.kappa)
		if eq == nil {
			break
		}
		e := system{eq: eq}.solve().e
		big := tame(e)
		f = f.corrected(e)
		if sweep < passes/2 { // the curvatures of a frame that is far off are not those of the components
			f = b.scaled(f, theta, looks)
		}
		if big < negligible && big > last/2 {
			break
		}
		last = big
	}
	return b.scaled(f, theta, looks)
}

// largest returns the largest |a_ij|.
func largest(a *mat.Dense) float64 {
	big := 0.0
	for _, v := range a.RawMatrix().Data {
		big = max(big, math.Abs(v))
	}
	return big
}

// misfit returns exp(mean ln(1 + χ²)) − 1 over all equations, χ² with the degrees of freedom
// that E leaves: a mean that few bad pairs do not decide.
func (b *belief) misfit(f *Frame, theta Theta, looks []*Look) float64 {
	eq := b.equations(f, theta, looks)
	if eq == nil {
		return math.Inf(1)
	}
	sum, all := 0.0, system{eq: eq}.solve().squares()
	for _, v := range all {
		sum += math.Log1p(v * freedom(len(looks)))
	}
	return math.Expm1(sum / float64(max(len(all), 1)))
}

// freedom returns K/(K−2): two numbers are fitted to the K equations of a pair. Two looks fit
// anything; they count as if a part of an equation were left.
func freedom(looks int) float64 { return float64(looks) / max(float64(looks-2), 0.7) }
