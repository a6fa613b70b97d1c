package identify

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/outer"
	"gonum.org/v1/gonum/mat"
)

// A mapping is ψ∘f.
type mapping struct {
	unit
	psi *outer.Map
}

// Evaluate evaluates ψ(f).
func (m mapping) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := m.unit.Evaluate(ctx, points, values)
	for i := range values {
		values[i] = m.psi.Of(values[i])
	}
	return err
}

// mapped returns the ground with ψ(f) in place of f. Its grain is the largest that ψ makes of
// that of f, at some values. Its points are its own.
func (g *ground) mapped(psi *outer.Map, samples []outer.Sample) *ground {
	next := *g
	next.f = mapping{unit{g.f, 1}, psi}
	next.psi, next.plain, next.random, next.finite = psi, g, g.other, nil
	next.grain.Absolute = 0
	for _, s := range samples {
		next.grain.Absolute = max(next.grain.Absolute, psi.Slope(s.Value)*g.grain.Of(s.Value))
	}
	return &next
}

const (
	// signOfMap is the part of the couplings of Hessians that a map may leave unexplained.
	// With d = 10, of functions under a map a quarter was left or less, and mostly a
	// hundredth; of functions that separate without one mostly 0.8 and more.
	signOfMap = 0.5
	// alternations is how often numbers and coordinates are found in turn.
	alternations = 12
	// foundNumbers is the change of a number, as a part of it, at which that ends.
	foundNumbers = 1e-7
	// mapSplits is at how many squares of values a map is fitted.
	mapSplits = 16
	// clearly is the part of the mixed differences of f that those of ψ(f) may be.
	clearly = 1. / 3
)

// underMap proposes a frame of ψ(f), for an increasing ψ, if three Hessians show that there
// may be one. If not, or if ψ(f) does not pass a certificate, it returns an empty proposal;
// then everything is as it was before but for the queries.
func (p *proposer) underMap(chain hessian.Chain, without float64) (proposal, error) {
	if p.g.psi != nil || len(chain.Hessians) < 3 {
		return proposal{}, nil
	}
	samples := samplesOf(chain)
	first, left := outer.Numbers([3]outer.Sample(samples))
	if left > signOfMap {
		return proposal{}, nil
	}
	numbers, w, off := p.alternate(samples, first[:])
	if w == nil || off > signOfMap*without {
		return proposal{}, nil
	}
	f, err := frame.New(kernel.Times(w, chain.Base.Dual))
	if err != nil {
		return proposal{}, nil
	}
	corners, err := p.g.corners(f, certify.Singles(f.Components()), mapSplits)
	if err != nil || len(corners) < mapSplits/2 {
		return proposal{}, err
	}
	psi := outer.Fitted(corners, numbers)
	if psi == nil || outer.Coupling(psi, corners) > clearly*outer.Coupling(nil, corners) {
		return proposal{}, nil
	}
	return p.on(p.g.mapped(psi, samples), chain)
}

// withFirst returns a chain with the Hessian that has whitened its directions as well, which
// was taken along other ones.
func (p *proposer) withFirst(chain hessian.Chain) hessian.Chain {
	n := len(p.first.Points) - 1
	gradient, slopes := make([]float64, p.g.f.Dim()), make([]float64, len(p.first.Slopes[n]))
	kernel.MulVecT(gradient, p.first.Base.Dual.RawMatrix(), p.first.Slopes[n])
	kernel.MulVec(slopes, chain.Base.T.RawMatrix(), gradient)
	chain.Hessians = append(slices.Clip(chain.Hessians), chain.Base.Seen[0])
	chain.Points = append(slices.Clip(chain.Points), p.first.Points[n])
	chain.Values = append(slices.Clip(chain.Values), p.first.Values[n])
	chain.Slopes = append(slices.Clip(chain.Slopes), slopes)
	return chain
}

// coupled returns the size of what joint diagonalisation has left of a candidate's Hessians;
// an infinite one if there is none.
func coupled(c *candidate) float64 {
	if c == nil || c.couplings == nil {
		return math.Inf(1)
	}
	return mat.Norm(c.couplings, 2)
}

// samplesOf returns what a chain knows of f, along its directions.
func samplesOf(chain hessian.Chain) []outer.Sample {
	samples := make([]outer.Sample, len(chain.Hessians))
	for k, h := range chain.Hessians {
		samples[k] = outer.Sample{Value: chain.Values[k], Gradient: chain.Slopes[k], Hessian: h}
	}
	return samples
}

// alternate finds the numbers c_k of samples and the coordinates W in turn, from given
// numbers.
func (p *proposer) alternate(samples []outer.Sample, c []float64) (numbers []outer.Number, w *mat.Dense, off float64) {
	for range alternations {
		without := make([]*mat.Dense, len(samples))
		for k, s := range samples {
			without[k] = s.Without(c[k])
		}
		j, err := jointdiag.Diagonalise(without, p.g.other)
		if err != nil {
			return numbers, w, off
		}
		w, off = j.W, mat.Norm(j.Couplings(), 2)
		var inverse mat.Dense
		if err := inverse.Inverse(w); err != nil {
			return nil, nil, 0
		}
		change, most := 0.0, 0.0
		numbers = outer.Given(samples, &inverse, nil)
		for k, n := range numbers {
			change, most = max(change, math.Abs(n.C-c[k])), max(most, math.Abs(n.C))
			c[k] = n.C
		}
		if change <= foundNumbers*most {
			break
		}
	}
	return numbers, w, off
}

// on goes on with the ordinary road on the ground of ψ(f), from Hessians of f.
func (p *proposer) on(g *ground, chain hessian.Chain) (proposal, error) {
	s := &settler{g: g, tolerance: p.settler.tolerance, thorough: p.settler.thorough, measures: p.settler.measures, stage: p.stage, doubt: p.doubt}
	by := &proposer{g: g, settler: s, pause: p.pause, stage: p.stage, white: p.white, step: p.step, exact: p.exact}
	there := chain
	there.Base.Seen, there.Hessians = nil, nil
	for k, h := range chain.Hessians {
		sample := outer.Sample{Gradient: chain.Slopes[k], Hessian: h}
		of := sample.Without(g.psi.Number(chain.Values[k]))
		of.Scale(g.psi.Slope(chain.Values[k]), of)
		there.Hessians = append(there.Hessians, of)
	}
	there.Base.Seen = there.Hessians
	by.seen = there.Own()
	c, err := by.diagonal(there.Hessians, there, checkPoints)
	if c == nil || err != nil {
		return proposal{}, err
	}
	settled := c
	if c.check.worst() > defaultTolerance {
		settled = nil
		if c.check.usable() {
			if !g.psi.Exact() && c.check.worst() > s.tolerance {
				if c, err = s.remapped(c); err != nil {
					return proposal{}, err
				}
			}
			if settled, _, err = s.settle(c); err != nil {
				return proposal{}, err
			}
		}
	}
	if settled == nil && !p.exact && likely(c, uncoupledForward) {
		return p.certifiedOn(by)
	}
	return p.accept(by, proposal{settled: settled})
}

// certifiedOn goes on by symmetric differences on the ground of ψ(f).
func (p *proposer) certifiedOn(by *proposer) (proposal, error) {
	proposed, err := by.symmetric(by.white)
	if err != nil {
		return proposal{}, err
	}
	return p.accept(by, proposed)
}

// accept returns a proposal on another ground if it passes a certificate there, and
// otherwise an empty one.
func (p *proposer) accept(by *proposer, proposed proposal) (proposal, error) {
	c := proposed.settled
	if c == nil {
		return proposal{}, nil
	}
	k, err := by.g.test(by.settler.tolerance, false).Certify(by.g.ctx, by.g.f, c.frame, c.blocks)
	if err != nil || k.Verdict != certify.Separable && k.Verdict != certify.Blocks {
		return proposal{}, err
	}
	p.seen, p.settler.best = by.seen, by.settler.best
	proposed.ground = by.g
	return proposed, nil
}

// remapped fits the map of the ground anew by a better frame, if there is one, and returns
// the candidate checked under it.
func (s *settler) remapped(c *candidate) (*candidate, error) {
	g := s.g
	if g.psi == nil {
		return c, nil
	}
	pairs, err := c.crosses(g)
	if err != nil || len(pairs) == 0 {
		return c, err
	}
	psi := outer.FittedBeside(pairs, g.psi)
	if psi == nil || outer.Left(psi, pairs) >= outer.Left(g.psi, pairs) {
		return c, nil
	}
	g.f, g.psi = mapping{unit{g.plain.f, 1}, psi}, psi
	return c.checked(g, checkPoints)
}

const (
	mostCrossed = 12 // pairs along which squares are taken
	eachCrossed = 5  // squares along each
)

// crosses asks for f itself at squares along some pairs of components of different blocks,
// from points of the inner box. Squares at which f fails are left out, and pairs with less
// than four.
func (c *candidate) crosses(g *ground) ([][]outer.Cross, error) {
	order := g.other.Perm(len(c.spread))
	var pairs [][2]int
	of := blockNumbers(c.blocks)
	for k := 0; k+1 < len(order) && len(pairs) < mostCrossed; k += 2 {
		if i, j := order[k], order[k+1]; of[i] != of[j] {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	const each = 8
	squares := make([]outer.Cross, len(pairs)*eachCrossed)
	var x []float64
	values, err := g.plain.ask(each*len(squares), func(k int, row []float64) {
		s, p := &squares[k/each], pairs[k/each/eachCrossed]
		if k%each == 0 {
			x = make([]float64, len(row))
			g.inner.Draw(x, g.other)
			for side, i := range p {
				most := min(longestSide*c.spread[i], g.room(x, c.u.RawRowView(i))/mustFit)
				s.H[side] = most * (shortStep + float64((1-shortStep)*g.other.Float64()))
				if g.other.IntN(2) == 1 {
					s.H[side] = -s.H[side]
				}
				s.Eps[side] = math.Copysign(min(c.eps[i], most), s.H[side])
			}
		}
		copy(row, x)
		for side, t := range crossSteps[k%each] {
			kernel.AddScaled(row, float64(t[0]*s.H[side])+float64(t[1]*s.Eps[side]), c.u.RawRowView(p[side]))
		}
	})
	if err != nil {
		return nil, err
	}
	var out [][]outer.Cross
	for n := range pairs {
		var whole []outer.Cross
		for k := n * eachCrossed; k < (n+1)*eachCrossed; k++ {
			s, v := squares[k], values[each*k:each*(k+1)]
			if s.Corners, s.Beside = outer.Corners(v[:4]), [4]float64(v[4:]); allFinite(v) {
				whole = append(whole, s)
			}
		}
		if len(whole) >= eachCrossed-1 {
			out = append(out, whole)
		}
	}
	return out, nil
}

// longestSide is the longest side of a square, in spreads.
const longestSide = 2

// crossSteps are the multiples of h and ε of the two components at the points of a Cross.
var crossSteps = [8][2][2]float64{
	{{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}, {{1, 0}, {1, 0}},
	{{0, 1}, {0, 0}}, {{1, 1}, {0, 0}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, 1}},
}

// allFinite reports whether all numbers are finite.
func allFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return !kernel.Finite(x) })
}

// blockNumbers returns the block of each component.
func blockNumbers(blocks [][]int) []int {
	of := make([]int, len(slices.Concat(blocks...)))
	for b, block := range blocks {
		for _, i := range block {
			of[i] = b
		}
	}
	return of
}

// corners asks for f itself at x, x+a, x+b and x+a+b for n points x of the box, with steps a
// and b along some blocks of a frame and along the others. Both are projections of the
// way to other points, so that they are no longer than the box is wide. Where f fails there
// are fewer.
func (g *ground) corners(w *frame.Frame, blocks [][]int, n int) ([]outer.Corners, error) {
	u := w.Directions()
	var x [4][]float64
	values, err := g.ask(4*n, func(k int, row []float64) {
		if k%4 == 0 {
			x = g.square(u, blocks)
		}
		copy(row, x[k%4])
	})
	if err != nil {
		return nil, err
	}
	var all []outer.Corners
	for k := range n {
		c := outer.Corners(values[4*k : 4*k+4])
		if allFinite(c[:]) {
			all = append(all, c)
		}
	}
	return all, nil
}

// square draws the four points of a square.
func (g *ground) square(u *mat.Dense, blocks [][]int) [4][]float64 {
	d := g.f.Dim()
	var sides [2][]int
	for {
		sides = [2][]int{}
		for _, block := range blocks {
			side := g.other.IntN(2)
			sides[side] = append(sides[side], block...)
		}
		if len(sides[0]) > 0 && len(sides[1]) > 0 || len(blocks) < 2 {
			break
		}
	}
	x := make([]float64, d)
	g.inner.Draw(x, g.other)
	var steps [2][]float64
	for side, of := range sides {
		steps[side] = make([]float64, d)
		if len(of) == 0 {
			continue
		}
		q := mat.NewDense(len(of), d, nil)
		for k, i := range of {
			q.SetRow(k, u.RawRowView(i))
		}
		kernel.Orthonormalise(q.RawMatrix())
		way, rest := make([]float64, d), make([]float64, d)
		g.box.Draw(way, g.other)
		kernel.AddScaled(way, -1, x)
		copy(rest, way)
		kernel.Project(rest, q.RawMatrix())
		kernel.AddScaled(way, -1, rest)
		kernel.AddScaled(steps[side], min(1, g.room(x, way)/roomFor), way)
	}
	var out [4][]float64
	for k := range out {
		out[k] = make([]float64, d)
		copy(out[k], x)
		for side, step := range steps {
			if k>>side&1 == 1 {
				kernel.AddScaled(out[k], 1, step)
			}
		}
	}
	return out
}
