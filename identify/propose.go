package identify

import (
	"errors"
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A proposer proposes frames from Hessians, more and more of them, and has them
// settled.
type proposer struct {
	g       *ground
	settler *settler
	pause   func(Doubt) error // nil: none
	stage   func(objective.Stage)
	white   hessian.Basis // the directions that the last Hessians have whitened
	seen    hessian.Basis // the last Hessians, for the record
	step    float64       // with which they were taken

	elsewhere func() error // looks where components curve, if few points see them; nil: does not
	unseen    bool         // the last frame has components that few points see
	exact     bool         // the last Hessians are by symmetric differences
	doubted   bool         // there was a doubt
}

// A proposal is what Hessians have led to: a candidate whose blocks are apart, or a
// smaller span in which to look instead, or neither.
type proposal struct {
	settled   *candidate
	quadratic bool // f has the same Hessian everywhere
	smaller   *span
}

// done reports whether the proposal ends the search.
func (p proposal) done() bool { return p.settled != nil || p.smaller != nil }

const (
	// nearly is the typical error of a frame from one Hessian up to which f may be
	// quadratic, and the rest be the fault of the Hessian. On the suite, frames of
	// quadratics were below it at once and at 1e-5 after one more Hessian, and those of
	// blocks and of functions that do not separate at 0.015 and more.
	nearly = 1e-2
	// againMost is how often a frame from one Hessian is bettered; quadratics of the
	// suite needed up to three.
	againMost = 3
	// sameEnough is the change of a second difference, as a part of it, up to which f
	// has the same Hessian at another point: far above what the error of the frame
	// makes of it, and far below what any ripple does.
	sameEnough = 1e-3
)

// quadratic proposes the frame in which one Hessian is diagonal: enough if the
// Hessian is the same everywhere. If that is nearly so it is done again, with a Hessian
// along the directions that were found, which are better each time, unless it shall look
// once only. It returns the directions too.
func (p *proposer) quadratic(white hessian.Basis, points [][]float64, once bool) (proposal, hessian.Basis, error) {
	m := len(white.Lambda)
	for again := 0; ; again++ {
		lambda := mat.NewDense(1, m, nil)
		for i := range m {
			lambda.Set(0, i, white.Seen[0].At(i, i))
		}
		p.seen = white
		c := fromHessians(p.g, kernel.Identity(m), lambda, white, points)
		if c == nil {
			return proposal{}, white, nil
		}
		c, err := p.settler.offer(c, 1)
		switch {
		case err != nil:
			return proposal{}, white, err
		case c.check.worst() <= max(defaultTolerance, p.settler.tolerance):
			same, err := sameEverywhere(p.g, c)
			if same || err != nil || c.check.worst() <= defaultTolerance { // nothing to refine
				return proposal{settled: c, quadratic: same}, white, err
			}
		}
		switch {
		case c.check.typical() > nearly || again == againMost || once:
			return proposal{}, white, nil
		}
		white.Seen = nil // a Hessian along worse directions would spoil it
		chain, err := p.g.chain(hessian.Forward, white)
		if err != nil {
			return proposal{}, white, err
		}
		if chain, err = p.g.extended(chain, 1); err != nil {
			return proposal{}, white, err
		}
		if white, err = whitened(chain); err != nil {
			return proposal{}, white, err
		}
		points, p.step = chain.Points, chain.Step
	}
}

// sameEverywhere reports whether f has the same Hessian at other points: there
// its second difference along Σ h_i u_i is Σ f_i″ h_i², f_i″ as it was seen. (A
// frame from one Hessian may be right for another reason: W may be orthogonal.)
func sameEverywhere(g *ground, c *candidate) (bool, error) {
	seen := c.sightings[len(c.sightings)-1].lambda
	points, err := g.points(looks)
	if err != nil {
		return false, err
	}
	var ways [][]float64
	var want, size []float64
	for _, x := range points {
		v, w, s := make([]float64, len(x)), 0.0, 0.0
		for i, h := range c.steps(g, x) {
			kernel.AddScaled(v, h, c.u.RawRowView(i))
			w += float64(seen[i] * h * h)
			s += float64(math.Abs(seen[i]) * h * h)
		}
		t := min(1, g.room(x, v))
		floats.Scale(t, v)
		ways, want, size = append(ways, v), append(want, float64(t*t*w)), append(size, float64(t*t*s))
	}
	f, err := threes(g, points, ways)
	if err != nil {
		return false, err
	}
	for k := range points {
		if got := f[k].second(); !(math.Abs(got-want[k]) <= sameEnough*size[k]) {
			return false, nil
		}
	}
	return true, nil
}

// diagonalise extends a chain to n Hessians and offers the frame that diagonalises
// them; nil if they are singular.
func (p *proposer) diagonalise(chain hessian.Chain, n int) (*candidate, hessian.Chain, error) {
	chain, err := p.g.extended(chain, n)
	if err != nil {
		return nil, chain, err
	}
	p.seen = chain.Own()
	points := min(n-1, checkPoints) // two Hessians diagonalise in any case: one look is enough
	c, err := p.diagonal(chain.Hessians, chain, points)
	return c, chain, err
}

// diagonal offers the frame that diagonalises Hessians along the directions of a chain,
// checked at some points; nil if there is none.
func (p *proposer) diagonal(hessians []*mat.Dense, chain hessian.Chain, points int) (*candidate, error) {
	j, err := jointdiag.Diagonalise(hessians, p.g.random)
	if errors.Is(err, jointdiag.ErrSingular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := fromHessians(p.g, j.W, j.Lambda, chain.Base, chain.Points)
	if c == nil {
		return nil, nil
	}
	coupled := *c
	coupled.couplings, coupled.seen = j.Couplings(), chain.Base
	coupled.seen.Seen = hessians
	p.unseen = unseen(&coupled)
	return p.settler.offer(&coupled, points)
}

// forwards is how many Hessians by forward differences there are at most, after the first
// one: with three there is something that joint diagonalisation may fail to do.
const forwards = 3

// forward proposes frames from two and three Hessians by forward differences. If they
// do not serve it returns directions that they have whitened.
func (p *proposer) forward(white hessian.Basis) (proposal, hessian.Basis, error) {
	p.white = white
	even, err := evened(p.g, white, p.step)
	if err != nil {
		return proposal{}, white, err
	}
	chain, err := p.g.chain(hessian.Forward, even)
	if err != nil {
		return proposal{}, white, err
	}
	p.step = chain.Step
	if chain, err = p.hopeless(chain, white); err != nil {
		return proposal{}, white, err
	}
	var c *candidate
	for n := 2; n <= forwards; n++ {
		c, chain, err = p.diagonalise(chain, n)
		switch {
		case err != nil:
			return proposal{}, white, err
		case c == nil:
		case c.check.worst() <= defaultTolerance: // nothing to refine
			return proposal{settled: c}, white, nil
		case n == forwards && c.check.usable():
			if err := p.hesitate(c); err != nil {
				return proposal{}, white, err
			}
			if settled, _, err := p.settler.settle(c); settled != nil || err != nil {
				return proposal{settled: settled}, white, err
			}
		case n == 2:
			if settled, err := p.settler.early(c); settled != nil || err != nil {
				return proposal{settled: settled}, white, err
			}
		}
	}
	if white, err = whitened(chain); err != nil {
		return proposal{}, white, err
	}
	p.white = white
	if !likely(c, uncoupledForward) {
		if err := p.doubt(lengths[0] * hessian.Symmetric.Queries(len(white.Lambda))); err != nil {
			return proposal{}, white, err
		}
	}
	return proposal{}, white, p.aside()
}

// lengths are how many Hessians by symmetric differences are tried.
var lengths = []int{3, 4, 5, 6, 8}

// blocksFrom is from how many Hessians on blocks are looked for: with three or four joint
// diagonalisation still finds something that looks diagonal.
const blocksFrom = 5

// ordinary is the size up to which blocks are believed as soon as they are found: an
// eighth of all components, and four in any case. Larger ones are what errors of the
// Hessians look like too.
func ordinary(m int) int { return max(4, m/8) }

// symmetric proposes frames from three to eight Hessians by symmetric differences, and
// looks for blocks from five on.
func (p *proposer) symmetric(white hessian.Basis) (proposal, error) {
	even, err := evened(p.g, white, p.step)
	if err != nil {
		return proposal{}, err
	}
	chain, err := p.g.chain(hessian.Symmetric, even)
	if err != nil {
		return proposal{}, err
	}
	p.exact = true
	m, _ := white.T.Dims()
	c, chain, err := p.diagonalise(chain, 2)
	if err != nil {
		return proposal{}, err
	}
	if settled, err := p.settler.early(c); settled != nil || err != nil {
		return proposal{settled: settled}, err
	}
	for k, n := range lengths {
		if p.settler.lost() {
			break
		}
		if k > 0 {
			if err := p.before(c, (n-lengths[k-1])*hessian.Symmetric.Queries(m)); err != nil {
				return proposal{}, err
			}
		}
		if c, chain, err = p.diagonalise(chain, n); err != nil {
			return proposal{}, err
		}
		if c != nil && c.check.usable() {
			settled, now, err := p.settler.settle(c)
			if settled != nil || err != nil {
				return proposal{settled: settled}, err
			}
			c = now
		}
		if n == lengths[0] {
			if smaller, err := p.reconsider(chain); smaller != nil || err != nil {
				return proposal{smaller: smaller}, err
			}
		}
		if c == nil || n < blocksFrom || p.settler.lost() {
			continue
		}
		most := ordinary(m)
		if n == lengths[len(lengths)-1] {
			most = m - 1 // large blocks are believed if all else fails
		}
		if c, err = p.settler.regroup(c, most); err != nil {
			return proposal{}, err
		}
		if c == nil {
			continue
		}
		if settled, _, err := p.settler.settle(c); settled != nil || err != nil {
			return proposal{settled: settled}, err
		}
	}
	return proposal{}, nil
}

// reconsider looks once more for signs of fewer components than dimensions, in
// Hessians that are more exact than the first. It returns nil if there are none.
func (p *proposer) reconsider(chain hessian.Chain) (*span, error) {
	b := chain.Own()
	m, d := b.T.Dims()
	white, err := b.Whitened()
	if m < d || err != nil {
		return nil, nil
	}
	return suspect(p.g, chain, white, many(d), p.stage)
}
