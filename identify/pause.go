package identify

import (
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Doubt is what a survey knows before a part that may well be in vain: three Hessians
// have not shown the frame, and not even that most components have nothing to do with
// each other; or a refinement makes no progress. Where there is noise Hessians contradict each
// other, or say little about most pairs.
type Doubt struct {
	// Queries is about how many the part takes.
	Queries int
	// Inverse is the inverse of the Hessians' mean size,
	//
	//	S⁻¹, S² = mean_k H_k²,
	//
	// up to a factor; nil: noise hides it.
	Inverse *mat.SymDense
	// Even says that nothing speaks against the part but that there is noise, or that f does
	// not separate exactly. The other fields but Queries and Forecast are empty.
	Even bool
	// Forecast is about how many queries the survey takes in all; 0: there is no saying.
	Forecast int
	// Resolved says that there is no doubt any more: what follows is a frame, if not one in
	// which f separates. The other fields are empty.
	Resolved bool
	// Basin, if not nil, says that f looks as if it had one minimum. The part that follows is
	// not in doubt, but whoever wants that minimum only may come to it sooner without
	// coordinates. The other fields are empty.
	Basin *Basin
}

// WellConditioned is the condition number of a Hessian up to which it is exact enough to
// show the frame, if there is one. For Rosenbrock's, Ackley's and Griewank's functions it
// was from 1.5 to 400 with orthogonal mixing matrices, and from 3,000 to 700,000 with the
// paper's (d = 10 and 40).
const WellConditioned = 1e3

const (
	// rough is the typical error from which on two such Hessians do not come near a
	// frame. On the suite (d = 10 and 20), functions that separate stood at 0.023 or
	// less, blocks at 0.16 and more, and functions of neither kind at 0.026 to 0.85.
	rough = 1. / 30
	// blatant is the coupling of a frame that is not merely inexact. On the suite (d =
	// 10 and 20), frames of functions that separate stood at 0.2 or less before
	// refinement, and those of functions that do not at 0.53 and more.
	blatant = 0.3
)

// hopeless interrupts the survey if two well-conditioned Hessians lead to a frame that is
// far from separating f, the first, which has whitened the directions, and another one, and
// a third one does not show blocks or a map either. It returns the chain with the other ones.
func (p *proposer) hopeless(chain hessian.Chain, white hessian.Basis) (proposal, hessian.Chain, error) {
	m := len(white.Lambda)
	if p.pause == nil || white.Lambda[m-1] > WellConditioned*white.Lambda[0] {
		return proposal{}, chain, nil
	}
	chain, err := p.g.extended(chain, 1)
	if err != nil {
		return proposal{}, chain, err
	}
	c, err := p.diagonal([]*mat.Dense{chain.Hessians[0], chain.Base.Seen[0]}, chain, 1)
	if c == nil || err != nil || c.check.typical() <= rough {
		return proposal{}, chain, err
	}
	if chain, err = p.g.extended(chain, 2); err != nil {
		return proposal{}, chain, err
	}
	c, err = p.diagonal(append(slices.Clone(chain.Hessians), chain.Base.Seen[0]), chain, 1)
	if err != nil || likely(c, uncoupledForward) {
		return proposal{}, chain, err
	}
	if mapped, err := (mapper{p}).single((mapper{p}).withFirst(chain), coupled(c)); mapped.done() || err != nil {
		return mapped, chain, err
	}
	return proposal{}, chain, p.doubt(hessian.Forward.Queries(m))
}

// hesitate interrupts the survey if a frame that looks right near points is wrong
// from one end of the box to the other, so that refinement would be in vain. First it looks
// whether a map is the reason, which costs nothing: the values are there.
func (p *proposer) hesitate(c *candidate, chain hessian.Chain) (proposal, error) {
	if p.pause == nil {
		return proposal{}, nil
	}
	f := &recorder{Objective: p.g.f}
	k, err := p.g.test(0, false).Splits(p.g.ctx, f, c.frame, c.blocks)
	if err != nil {
		return proposal{}, err
	}
	if g := undoneBy(p.g, f.corners()); g != nil {
		if mapped, err := (mapper{p}).on(g, chain); mapped.done() || err != nil {
			return mapped, err
		}
	}
	if k.Coupling <= blatant {
		return proposal{}, nil
	}
	m := len(c.spread)
	return proposal{}, p.doubt(wholeDesigns * m * m / 2)
}

// mostPairs is the part of all pairs of components that most of them are.
const mostPairs = 0.75

// What Hessians by forward and by symmetric differences leave of the coupling of a pair
// that does not couple.
const (
	uncoupledForward   = 3e-4
	uncoupledSymmetric = 1e-5
)

// looselyCoupled is the coupling up to which errors of Hessians may be all there is, if
// none is larger. Where f does not separate some stood at 0.04 and more.
const looselyCoupled = 1e-2

// hollowFrame is the typical error of a frame by a check from which on it has nothing to do
// with f. Blocks stood at 0.45 or less, however much their components couple.
const hollowFrame = 1

// likely reports whether joint diagonalisation has left most pairs of components
// uncoupled, or all of them loosely coupled: then f is likely to separate, into components
// or into small blocks.
func likely(c *candidate, uncoupled float64) bool {
	if c == nil || c.couplings == nil || c.check.typical() > hollowFrame {
		return false
	}
	var all []float64
	m, _ := c.couplings.Dims()
	for i := range m {
		all = append(all, c.couplings.RawRowView(i)[:i]...)
	}
	slices.Sort(all)
	n := len(all)
	return n > 0 && (all[int(mostPairs*float64(n-1))] <= uncoupled || all[n-1] <= looselyCoupled)
}

// doubt calls Survey.Pause before a part that takes so many queries, if the directions
// span all of space.
func (p *proposer) doubt(queries int) error {
	if m, d := p.white.T.Dims(); p.pause == nil || m < d {
		return nil
	}
	p.doubted = true
	inverse := kernel.Times(mat.DenseCopyOf(p.white.T.T()), p.white.T) // TᵀT = VΛ⁻¹Vᵀ
	if err := p.pause(Doubt{Queries: queries, Inverse: kernel.Symmetrised(inverse, 1)}); err != nil {
		return err
	}
	p.stage(hessians)
	return nil
}

// before is called before more Hessians by symmetric differences, which take so many queries.
// Where few points see the components it looks elsewhere, once: at once if there was no doubt
// so far.
func (p *proposer) before(c *candidate, queries int) error {
	if !p.doubted {
		if err := p.aside(); err != nil {
			return err
		}
	}
	if likely(c, uncoupledSymmetric) {
		return nil
	}
	if err := p.doubt(queries); err != nil {
		return err
	}
	return p.aside()
}

// aside looks elsewhere, if the Hessians are exact and few points see the components.
func (p *proposer) aside() error {
	p.looked = true
	if !p.unseen || p.elsewhere == nil || !p.exact && !wellConditioned(p.white) {
		return nil
	}
	return p.elsewhere()
}

// wellConditioned reports whether Hessians by forward differences along whitened directions are
// exact enough to show the frame, if there is one.
func wellConditioned(white hessian.Basis) bool {
	inverse := kernel.Times(mat.DenseCopyOf(white.T.T()), white.T) // as for a doubt
	return mat.Cond(inverse, 2) <= WellConditioned
}
