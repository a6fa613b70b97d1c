package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

const (
	// misfitting is the misfit from which on a frame is looked for from the beginning: by noise
	// alone it is about 1.
	misfitting = 3
	// better is the misfit of a frame from the beginning, as a part of what it was: few pairs may be wrong.
	better = 0.99
	// A map has to explain nine tenths of the misfit, and half of it where there are as many as
	// manyLooks: looser rules invent maps.
	explained, explainedByMany = 0.1, 0.5
	manyLooks                  = 5
	// fitAnything looks fit any function, and lastLooks show whether something is wrong: no frame, a map, a quadratic, blocks.
	fitAnything, lastLooks = 2, fitAnything + 1
	// A map has to explain more than certain of Σχ².
	certain = 40
)

// learn finds the best frame of all looks: from the frame so far, and if that does not fit, by
// joint diagonalisation, with and without a map.
func (b *belief) learn() bool {
	if len(b.looks) == 1 {
		return b.first()
	}
	short := b.short()
	b.kappa, b.not.first = make([]float64, len(b.looks)), true
	best := b.candidate(b.frame, b.theta, b.looks)
	if best.misfit > misfitting || b.pair > 0 || median(b.errors()) > usable || len(short) > manyLooks && quantile(b.errors(), 1) > usable {
		best.misfit = b.misfit(best.frame, best.theta, short)
		if other := b.restarted(best, short); other.misfit < better*best.misfit {
			best, b.looks, b.kappa = other, short, make([]float64, len(short)) // others are about a wrong frame
		}
	}
	if math.IsInf(best.misfit, 1) {
		return false
	}
	b.frame, b.theta = best.frame, best.theta
	return b.fit()
}

// A candidate is a frame and a map, and how well they fit.
type candidate struct {
	frame  *Frame
	theta  Theta
	misfit float64
}

func (b *belief) candidate(f *Frame, theta Theta, looks []*Look) candidate {
	f = b.gaussNewton(f, theta, looks, mostSweeps)
	return candidate{f, theta, b.misfit(f, theta, looks)}
}

// restarted returns the best of a candidate and of those from joint diagonalisation.
func (b *belief) restarted(from candidate, short []*Look) candidate {
	maps := []Theta{b.theta}
	if !b.theta.Identity() {
		maps = append(maps, Theta{})
	}
	last := short[max(0, len(short)-lastLooks):] // along the best directions
	if len(last) == lastLooks && from.misfit > misfitting {
		maps = append(maps, b.maps(last)...)
	}
	plain, best := from, from
	for _, theta := range maps {
		sets := [][]*Look{short}
		if len(short) > lastLooks {
			sets = append(sets, last)
		}
		for _, some := range sets {
			f, _ := b.joint(theta, some)
			c := b.candidate(f, theta, short)
			if c.misfit < best.misfit {
				best = c
			}
			if theta == b.theta && c.misfit < plain.misfit {
				plain = c
			}
		}
	}
	enough := explained
	if len(short) >= manyLooks {
		enough = explainedByMany
	}
	if best.theta != b.theta && !(best.misfit < enough*plain.misfit && best.misfit < misfitting) {
		return plain
	}
	return best
}

// first makes a frame of one look: that with orthogonal rows in which it is diagonal.
func (b *belief) first() bool {
	lambda, x := eigen(b.looks[0].hessian(b.s, b.theta, kernel.Identity(b.m)).Dense)
	if lambda == nil {
		return false
	}
	most := max(math.Abs(lambda[0]), math.Abs(lambda[b.m-1]))
	s := make([]float64, b.m)
	for i, v := range lambda {
		s[i] = 1 / math.Sqrt(max(math.Abs(v), most*nothing, tiny))
	}
	b.frame, b.kappa, b.surprise = along(scaledRows(x, s)), []float64{0}, 1
	eq := b.equations(b.frame, b.theta, b.looks)
	if eq == nil {
		return false
	}
	b.known = system{eq: eq}.solve().own
	b.uncertain(b.known)
	return true
}

// fit learns E, θ and κ of all looks, around a frame that fits them.
func (b *belief) fit() bool {
	looks := len(b.looks)
	linearised := func() []equation {
		eq := coupled(b.equations(b.frame, b.theta, b.looks), b.kappa)
		if eq != nil && looks > fitAnything {
			b.slopes(b.frame, b.theta, b.looks, eq)
		}
		return eq
	}
	const rounds = 4 // κ and θ depend on each other
	for round := range rounds {
		sys := system{eq: linearised(), free: looks > fitAnything && round < rounds-1}
		if sys.eq == nil {
			return false
		}
		out := sys.solve()
		if next, ok := b.turned(b.theta, out, furthest); sys.free && ok {
			b.theta = next
			if f := b.gaussNewton(b.frame, b.theta, b.looks, mostSweeps/2); f.regular() {
				b.frame = f
			}
			if sys.eq = linearised(); sys.eq == nil {
				return false
			}
		}
		if sys.free {
			sys.free = false
			out = sys.solve()
		}
		b.ofTheta, b.known = out.ofTheta, out.total
		b.uncertain(b.known)
		if round == 0 {
			b.surprise = 1
			if looks > 2 {
				b.surprise = meanSquare(out) * freedom(looks)
				b.misfits = b.surprise
			}
		}
		if looks > 2 {
			b.kappa = out.excesses()
			b.pair = out.pair(make([]float64, len(out.own)), freedom(looks))
		}
	}
	if looks <= fitAnything {
		b.not.eff = off(b.m, func(int, int) float64 { return prior })
	}
	b.frame = b.scaled(b.frame, b.theta, b.looks)
	return true
}

// turned returns the map that a solution leads to, each number at most so much further, if it bears one out: otherwise the one there
// was, and false.
func (b *belief) turned(theta Theta, out solution, most float64) (Theta, bool) {
	left := meanSquare(out) * float64(len(out.rows)*len(out.own))
	if !kernel.Finite(out.theta[0]+out.theta[1]) || theta.Identity() && out.gain <= max(certain, left) {
		return theta, false
	}
	next := theta.Moved(out.theta, most, b.s.low)
	return next, next != theta
}

// joint returns the frame that diagonalises short looks together, and C, what that leaves of pairs, as a part of
// their curvatures. Looks count by how exact they are.
func (b *belief) joint(theta Theta, short []*Look) (*Frame, *mat.Dense) {
	t := short[len(short)-1].steps
	all, weights := b.hessians(theta, short, t)
	if len(all) < 2 {
		return along(nowhere(b.m)), nil
	}
	typical := median(weights)
	for k, h := range all {
		h.Scale(min(1, weights[k]/typical), h)
	}
	joint, err := jointdiag.Diagonalise(all, b.s.random)
	if err != nil {
		return along(nowhere(b.m)), nil
	}
	return along(kernel.Times(transposed(inverse(joint.W)), t)), off(b.m, joint.Couplings().At)
}

// hessians returns those of short looks along some directions, each as a part of its size, and how exact they are.
func (b *belief) hessians(theta Theta, short []*Look, t *mat.Dense) (all []*mat.Dense, weights []float64) {
	for _, l := range short {
		h := l.hessian(b.s, theta, t)
		size := norm(h.Dense)
		h.Scale(1/max(size, tiny), h.Dense)
		all = append(all, h.Dense)
		weights = append(weights, 1/math.Sqrt(1e-30+h.variance()/square(size)))
	}
	return all, weights
}
