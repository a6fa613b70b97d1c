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
	// vague is the median error of E from which on it is, too.
	vague = 0.2
	// A map has to explain nine tenths of the misfit, and half of it where there are as many as
	// manyLooks: looser rules invent maps.
	explained, explainedByMany = 0.1, 0.5
	manyLooks                  = 5
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
	b.kappa = make([]float64, len(b.looks))
	best := b.candidate(b.frame, b.theta, b.looks, len(short) < len(b.looks))
	if len(short) == len(b.looks) && (best.misfit > misfitting || median(b.errors()) > vague) {
		best = b.restarted(best, short)
	}
	if best.frame == nil {
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

func (b *belief) candidate(f *Frame, theta Theta, looks []*Look, held bool) candidate {
	f = b.gaussNewton(f, theta, looks, mostSweeps, settled, held)
	return candidate{f, theta, b.misfit(f, theta, looks)}
}

// restarted returns the best of a candidate and of those from joint diagonalisation.
func (b *belief) restarted(from candidate, short []*Look) candidate {
	maps := []Theta{b.theta}
	if !b.theta.identity() {
		maps = append(maps, Theta{})
	}
	if len(short) > 2 && from.misfit > misfitting {
		maps = append(maps, b.maps(short[len(short)-3:])...)
	}
	plain, best := from, from
	for _, theta := range maps {
		f := b.diagonalised(theta, short)
		if f == nil {
			continue
		}
		c := b.candidate(f, theta, short, false)
		if c.misfit < best.misfit {
			best = c
		}
		if theta == b.theta && c.misfit < plain.misfit {
			plain = c
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

// first makes a frame of one look: that in which it is diagonal.
func (b *belief) first() bool {
	l := b.looks[0]
	lambda, x := eigen(l.measure(b.s, b.theta).m)
	if lambda == nil {
		return false
	}
	most := 0.0
	for _, v := range lambda {
		most = max(most, math.Abs(v))
	}
	s := make([]float64, b.m)
	for i, v := range lambda {
		s[i] = 1 / math.Sqrt(max(math.Abs(v), most*flat, tiny))
	}
	f := along(scaledRows(kernel.Times(x, l.steps), s))
	if f == nil {
		return false
	}
	b.frame, b.kappa = f, []float64{0}
	eq := b.equations(b.frame, b.theta, b.looks)
	if eq == nil {
		return false
	}
	b.known = system{m: b.m, eq: eq, kappa: b.kappa}.solve().own
	b.uncertain(b.known)
	return true
}

// flat is how small an eigenvalue may be beside the largest one.
const flat = 1e-12

// fit learns E, θ and κ of all looks, around a frame that fits them.
func (b *belief) fit() bool {
	looks := len(b.looks)
	held := len(b.short()) < looks
	const rounds = 4 // κ and θ depend on each other
	for round := range rounds {
		eq := b.equations(b.frame, b.theta, b.looks)
		if eq == nil {
			return false
		}
		sys := system{m: b.m, eq: eq, kappa: b.kappa}
		if looks > 2 && round < rounds-1 {
			sys.slopes = b.slopes(b.frame, b.theta, b.looks, eq)
			if out := sys.solve(); b.mapped(out) {
				b.theta, b.ofTheta = b.theta.moved(out.theta, 0.3), sym2{1, 0, 1}.plus(out.ofTheta)
				if f := b.gaussNewton(b.frame, b.theta, b.looks, mostSweeps/2, settled, held); f != nil {
					b.frame = f
				}
				if eq = b.equations(b.frame, b.theta, b.looks); eq == nil {
					return false
				}
			}
		}
		out := system{m: b.m, eq: eq, kappa: b.kappa}.solve()
		b.known = out.own
		b.uncertain(b.known)
		if round == 0 {
			b.surprise = 1
			if looks > 2 {
				b.surprise = meanSquare(out) * freedom(looks)
				b.misfits = b.surprise
			}
		}
		if looks > 2 {
			for k := range b.kappa {
				b.kappa[k] = excess(out, eq, k, freedom(looks))
			}
		}
	}
	if looks < 3 { // two looks fit any function
		b.not.eff = off(b.m, func(int, int) float64 { return prior })
	}
	f := b.scaled(b.frame, b.theta, b.looks)
	if f == nil {
		return false
	}
	b.frame = f
	return true
}

// mapped reports whether a solution bears out that there is a map.
func (b *belief) mapped(out solution) bool {
	return !b.theta.identity() || out.gain > max(certain, meanSquare(out)*float64(len(out.residual)*len(out.own.info)))
}

// moved returns θ + δ, each number by at most so much.
func (t Theta) moved(delta [2]float64, most float64) Theta {
	g, h := max(-most, min(most, delta[0])), max(-most, min(most, delta[1]))
	return Theta{t.Gamma + g, max(leastBeta, min(mostBeta, t.Beta+h))}
}

// leastBeta and mostBeta keep 1 + βz above 0 for most values z, which are −1 to 3 or so.
const leastBeta, mostBeta = -0.6, 0.9

// meanSquare returns the mean of (R/s)² that a solution leaves.
func meanSquare(out solution) float64 {
	sum, n := 0.0, 0
	for k, all := range out.residual {
		for p, r := range all {
			sum += float64(r * r * out.weight[k][p])
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// excess returns κ of a look: what its residuals have beyond their variance, if that is
// significant. Pairs of little curvature say little.
func excess(out solution, eq []equation, k int, freedom float64) float64 {
	least := 0.05 * median(out.scale[k])
	var square2, variance, chi, n float64
	eachPair(dimOf(eq[k]), func(i, j, p int) {
		if scale := out.scale[k][p]; scale > least && out.weight[k][p] > 0 {
			r2, v := square(out.residual[k][p])*freedom, eq[k].s2.At(i, j)
			square2, variance, chi, n = square2+r2/scale, variance+v/scale, chi+r2/v, n+1
		}
	})
	if n == 0 || chi/n <= 1+float64(5*math.Sqrt(2/n)) || square2 <= variance {
		return 0
	}
	return math.Sqrt((square2 - variance) / n)
}

// dimOf returns how many components an equation is about.
func dimOf(q equation) int {
	m, _ := q.r.Dims()
	return m
}

// toSteps returns A with steps S = S′A⁻¹, the change from the coordinates of some directions (as
// rows) to those of the steps of a look: H = AᵀMA.
func (l *Look) toSteps(directions *mat.Dense) *mat.Dense {
	inv := inverse(l.steps)
	if inv == nil {
		return nil
	}
	return transposed(kernel.Times(directions, inv))
}

// diagonalised returns the frame that diagonalises short looks together; nil: there is none.
// Looks count by how exact they are.
func (b *belief) diagonalised(theta Theta, short []*Look) *Frame {
	t := short[len(short)-1].steps
	var all []*mat.Dense
	var weights []float64
	for _, l := range short {
		a := l.toSteps(t)
		if a == nil {
			continue
		}
		q := l.measure(b.s, theta)
		h := congruent(q.m, a)
		size := norm(h)
		noise, _ := q.noise()
		h.Scale(1/max(size, tiny), h)
		all = append(all, h)
		weights = append(weights, 1/math.Sqrt(1e-30+noise*square(square(spectral(a)))/square(size)))
	}
	if len(all) < 2 {
		return nil
	}
	typical := median(weights)
	for k, h := range all {
		h.Scale(min(1, weights[k]/typical), h)
	}
	joint, err := jointdiag.Diagonalise(all, b.s.random)
	if err != nil {
		return nil
	}
	inv := inverse(joint.W)
	if inv == nil {
		return nil
	}
	return along(kernel.Times(transposed(inv), t))
}

// spectral returns the largest singular value.
func spectral(a *mat.Dense) float64 {
	values, _ := eigen(kernel.Times(transposed(a), a))
	if values == nil {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, values[len(values)-1]))
}
