package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A refiner refines a frame of a function with noise.
type refiner struct {
	g         *ground
	b         *belief // what is known about the frame's error
	tolerance float64 // of that

	// doubt is called so many times if the model does not hold after some rounds, and returns the
	// frame with which they begin again; nil: they go on.
	doubt  func(c *candidate) (*candidate, error)
	doubts int
}

// fromHessians learns what the Hessians say of which a frame was made, and returns E: with
// a = T*W̃†, noise of variance s² in the entries of one H has the variance
//
//	s²((aᵀa)_ii (aᵀa)_jj + (aᵀa)_ij²)
//
// in those of aᵀHa, and M_ij = E_ij H_ii + E_ji H_jj.
func (r refiner) fromHessians(c *candidate, chain hessian.Chain) *mat.Dense {
	g, b := r.g, r.b
	noise := entryNoise(g, chain)
	a := kernel.Times(c.seen.Dual, c.frame.Inverse())
	var aa mat.Dense
	aa.Mul(a.T(), a)
	all := c.seen.InCoordinates(c.frame)
	return b.learn(func(k int, _ *mat.Dense) []equation {
		i, j, ratio := b.pairs[k][0], b.pairs[k][1], b.ratio(k)
		size := math.Sqrt(float64(aa.At(i, i)*aa.At(j, j)) + square(aa.At(i, j)))
		var rows []equation
		for k, h := range all {
			s := noise[k]
			sigma := s * size
			rows = append(rows, equation{
				v: h.At(i, i) * ratio / sigma, w: h.At(j, j) / ratio / sigma, m: h.At(i, j) / sigma,
				vv: 2 * square(s*aa.At(i, i)*ratio/sigma), ww: 2 * square(s*aa.At(j, j)/ratio/sigma),
			})
		}
		return rows
	})
}

// fromDesigns learns what designs say and returns E: M_ij has the variance of four values, of
// which three are means, and Δ_i, from four values, that of one over ε_i².
func (r refiner) fromDesigns(c *candidate, designs []*design) *mat.Dense {
	g, b := r.g, r.b
	squares := &leastSquares{at: places(c.blocks), unit: b.unit, designs: designs}
	variance := func(v float64) float64 { return square(sigmaOf(g, v)) }
	var second func(k, i, j int) float64
	var of *mat.Dense // whose terms of second order these are
	return b.learn(func(k int, e *mat.Dense) []equation {
		i, j, ratio := b.pairs[k][0], b.pairs[k][1], b.ratio(k)
		if e != of {
			second, of = squares.secondOrder(e), e
		}
		var rows []equation
		for t, d := range designs {
			sigma := math.Sqrt((variance(d.f0)+variance(d.fi[i])+variance(d.fi[j]))/repeats(g) + variance(d.fi[i]+d.fi[j]-d.f0))
			m := d.m[k]
			if e != nil {
				m -= second(t, i, j)
			}
			v, w := d.h[j]*ratio/sigma, d.h[i]/ratio/sigma
			q := equation{v * d.delta[i][0], w * d.delta[j][0], m / sigma,
				variance(d.f0) * square(v/c.eps[i]), variance(d.f0) * square(w/c.eps[j])}
			if kernel.Finite(q.v) && kernel.Finite(q.w) && kernel.Finite(q.m) {
				rows = append(rows, q)
			}
		}
		return rows
	})
}

const (
	noisyDesigns = 3 // in a round
	noisyRounds  = 10
	// longerBy is by how much steps grow from round to round at most, and grownBy by how much
	// at least to have grown.
	longerBy = 2
	grownBy  = 1.1
	// movedBy is the part of its scale by which E may move a component over a step of another.
	movedBy = 0.15
	// littleMoved is the part of its scale by which E moves a component that does no harm.
	littleMoved = 0.01
	// idleRounds is after how many rounds it is clear whether they are worth it: whether they
	// make the usual error smaller by this factor.
	idleRounds = 3
	// trialRounds is after how many rounds that do not fit a doubt is raised.
	trialRounds = 2
	worthIt     = 0.8
)

// rounds refines a frame by designs with longer and longer steps: an error E_ij moves
// component i by E_ij h_j, so that the better a frame is known the longer steps may be, and
// the less noise is beside what they do. It ends when steps grow no more and E is small
// enough, or when E would do no harm over the whole box; when more rounds hardly make it
// smaller, or when the model does not hold.
func (r refiner) rounds(c *candidate) (*candidate, error) {
	b := r.b
	last := scaledBy(1/longerBy, b.scale)
	least, idle := math.Inf(1), 0 // the usual error; rounds that have not made it much smaller
	for round := range noisyRounds {
		h := r.steps(c, scaledBy(longerBy, last))
		e, err := r.ask(c, h)
		if err != nil {
			return c, err
		}
		next := b.redrawn(r.g, c, e)
		if next == nil {
			return c, nil
		}
		next.h = c.h
		c = next
		grown := floats.Sum(h) > grownBy*floats.Sum(last)
		if last = h; b.fits() && b.error() <= r.tolerance && (!grown || r.harmless(c)) {
			break
		}
		if idle++; b.usual() < worthIt*least {
			least, idle = b.usual(), 0
		}
		vain := b.typical() > doubtful && (r.g.psi == nil || idle > 0) // where a map is off a little rounds help
		if round+1 >= trialRounds && r.doubts > 0 && !b.fits() && !b.limitedByNoise() {
			r.doubts--
			again, err := r.doubt(c)
			if err != nil {
				return c, err
			}
			if again != nil {
				return r.rounds(again)
			}
		}
		if vain || idle >= idleRounds {
			break
		}
	}
	return c, nil
}

// ask asks for the designs of a round, with steps of about h, and learns what they say.
func (r refiner) ask(c *candidate, h []float64) (*mat.Dense, error) {
	long := *c
	long.h = h
	designs, err := newDesigns(r.g, &long, noisyDesigns)
	if err != nil {
		return nil, err
	}
	if err := measure(r.g, &long, designs, allGroups(c.blocks)); err != nil {
		return nil, err
	}
	if err := averaged(r.g, designs); err != nil {
		return nil, err
	}
	return r.fromDesigns(c, designs), nil
}

// again is how often f(x) and f(x+S_i) of a design are asked for in all where noise is random:
// they are in all mixed differences of a component, and there are few of them.
const again = 4

// repeats returns how many values f(x) and f(x+S_i) are the means of.
func repeats(g *ground) float64 {
	if g.grain.Kind == objective.RandomNoise {
		return again
	}
	return 1
}

// averaged asks again for f(x) and f(x+S_i) of designs, and makes the mixed differences with the
// means.
func averaged(g *ground, designs []*design) error {
	more := int(repeats(g)) - 1
	if more == 0 {
		return nil
	}
	m := len(designs[0].h)
	each := more * (m + 1)
	values, err := g.ask(len(designs)*each, func(k int, x []float64) {
		d := designs[k/each]
		copy(x, d.x)
		if i := k%each/more - 1; i >= 0 {
			kernel.AddScaled(x, 1, d.steps.RawRowView(i))
		}
	})
	if err != nil {
		return err
	}
	for k, d := range designs {
		mean := func(first float64, i int) float64 {
			for _, v := range values[k*each+(i+1)*more:][:more] {
				first += v
			}
			return first / (1 + float64(more))
		}
		before, f0 := slices.Clone(d.fi), d.f0
		d.f0 = mean(f0, -1)
		for i := range d.fi {
			d.fi[i] = mean(d.fi[i], i)
		}
		n := 0
		for i := range m {
			for j := i + 1; j < m; j++ {
				d.m[n] += (before[i] - d.fi[i]) + (before[j] - d.fi[j]) - (f0 - d.f0)
				n++
			}
		}
	}
	return nil
}

// scaledBy returns x times t.
func scaledBy(t float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = t * v
	}
	return y
}

// steps returns steps for designs, at most so long and at most the spread: E_ij h_j, for two
// standard deviations of E_ij, stays a part of the scale of i. The scale of j is never
// too long.
func (r refiner) steps(c *candidate, most []float64) []float64 {
	b := r.b
	h := make([]float64, len(most))
	for j := range h {
		h[j] = min(most[j], c.spread[j])
	}
	for k, p := range b.pairs {
		i, j, ratio, cov := p[0], p[1], b.ratio(k), b.covariance(k)
		h[j] = min(h[j], movedBy*b.scale[i]/(math.Sqrt(cov.of(1, 0))*ratio))
		h[i] = min(h[i], movedBy*b.scale[j]/(math.Sqrt(cov.of(0, 1))/ratio))
	}
	for j := range h {
		h[j] = max(h[j], b.scale[j])
	}
	return h
}

// mixed returns the standard deviation of a mixed difference between points of the whole box,
// over random splits, that is due to the error of the frame: with h = W̃(z−x) and
// Δ_i = ∂_i f(z) − ∂_i f(x), each pair that is on different sides, every other one, adds
// E_ij h_j Δ_i + E_ji h_i Δ_j.
func (r refiner) mixed(c *candidate) (float64, error) {
	g, b := r.g, r.b
	m := len(b.unit)
	ends := make([][]float64, 2*looks)
	for k := range ends {
		ends[k] = g.anywhere()
	}
	step := func(x []float64, i int) float64 { return min(c.eps[i], g.room(x, c.u.RawRowView(i))) }
	values, err := g.ask(len(ends)*2*m, func(k int, row []float64) {
		copy(row, ends[k/(2*m)])
		i := k / 2 % m
		kernel.AddScaled(row, [2]float64{1, -1}[k%2]*step(ends[k/(2*m)], i), c.u.RawRowView(i))
	})
	if err != nil {
		return 0, err
	}
	slope := func(k, i int) float64 {
		v := values[2*(k*m+i):]
		return (v[0] - v[1]) / (2 * step(ends[k], i))
	}
	sum, n := 0.0, 0.0
	for k := 0; k < len(ends); k += 2 {
		way, h := slices.Clone(ends[k+1]), make([]float64, m)
		kernel.AddScaled(way, -1, ends[k])
		kernel.MulVec(h, c.frame.Matrix().RawMatrix(), way)
		one := 0.0
		for p, pair := range b.pairs {
			i, j, ratio := pair[0], pair[1], b.ratio(p)
			one += float64(b.covariance(p).of(h[j]*(slope(k+1, i)-slope(k, i))*ratio, h[i]*(slope(k+1, j)-slope(k, j))/ratio) / 2)
		}
		if kernel.Finite(one) {
			sum, n = sum+one, n+1
		}
	}
	return math.Sqrt(sum / max(1, n)), nil
}
