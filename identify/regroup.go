package identify

import (
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// largest returns the size of the largest block.
func largest(blocks [][]int) int {
	most := 0
	for _, b := range blocks {
		most = max(most, len(b))
	}
	return most
}

// thresholds are the couplings left by joint diagonalisation above which components
// may belong together. Within a block they stand at 1e-2 to 1e-1, between blocks at
// 1e-6 to 1e-8 where the Hessians are exact.
var thresholds = []float64{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4}

// farApart is the error up to which blocks are taken without a look at coarser ones. On
// the suite, the right blocks had typical errors of 1e-6 or less, and blocks of functions
// that have none 7e-3 and more.
const farApart = apart / 20

// regroup offers the finest blocks of at most so many components that are far
// apart by the check, or else apart; nil if there are none. They are the
// connected components of the pairs whose coupling is above a threshold.
func (s *settler) regroup(c *candidate, most int) (*candidate, error) {
	before := len(c.blocks)
	var finest *candidate
	for _, threshold := range thresholds {
		blocks := jointdiag.Blocks(c.couplings, threshold)
		if len(blocks) == before {
			continue
		}
		if before = len(blocks); before == 1 || largest(blocks) > most {
			break
		}
		next, err := s.offer(c.withBlocks(blocks), checkPoints)
		if err != nil || next.check.worst() <= farApart {
			return next, err
		}
		if finest == nil && next.check.worst() <= apart {
			finest = next
		}
	}
	return finest, nil
}

const (
	// stuck is how many times the typical error, or the tolerance, an error is that
	// refinement should have mended: it is no error but a coupling.
	stuck = 100
	// weak is the part of a component's strongest coupling below which another one does
	// not count: it may be an effect of the strong one.
	weak = 0.1
)

// join joins blocks that refinement could not bring apart, if they are not most of all
// blocks: each with that to which it couples most, and with others to which it couples
// nearly as much. It returns nil if there are none.
func (s *settler) join(c *candidate) (*candidate, error) {
	least := stuck * max(c.check.typical(), s.tolerance)
	var culprits [][]int
	for b, block := range c.blocks {
		if c.check.residue[b] > c.check.floor && c.check.err(b) > least {
			culprits = append(culprits, block)
		}
	}
	if n := len(culprits); n < 2 || n > max(2, len(c.blocks)/2) {
		return nil, nil
	}
	groups := allGroups(culprits)
	pairs := pairsOf(groups)
	coupling, err := couplings(s.g, c, groups, pairs)
	if err != nil {
		return nil, err
	}
	m := len(c.spread)
	strongest := make([]float64, m)
	for k, q := range pairs {
		for _, i := range q {
			strongest[i] = max(strongest[i], coupling[k])
		}
	}
	joined := mat.NewDense(m, m, nil) // 1: joined
	for _, block := range c.blocks {
		for _, i := range block {
			joined.Set(block[0], i, 1)
		}
	}
	for k, q := range pairs {
		if coupling[k] > weak*min(strongest[q[0]], strongest[q[1]]) {
			joined.Set(q[0], q[1], 1)
		}
	}
	blocks := jointdiag.Blocks(joined, 0)
	if len(blocks) == len(c.blocks) || len(blocks) == 1 {
		return nil, nil
	}
	return c.withBlocks(blocks).checked(s.g, checkPoints)
}

// couplings returns how strongly some pairs couple, |M_ij|/(√(f_i″f_j″) h_i h_j), the
// largest of some designs.
func couplings(g *ground, c *candidate, groups []*group, pairs [][2]int) ([]float64, error) {
	coupling := make([]float64, len(pairs))
	designs, err := newDesigns(g, c, looks)
	if err != nil {
		return nil, err
	}
	if err := measure(g, c, designs, groups); err != nil {
		return nil, err
	}
	for _, d := range designs {
		for k, q := range pairs {
			unit := math.Sqrt(c.curvature[q[0]]*c.curvature[q[1]]) * d.h[q[0]] * d.h[q[1]]
			coupling[k] = max(coupling[k], math.Abs(orZero(d.m[k]/unit)))
		}
	}
	return coupling, nil
}

// split tries to split every block of more than one component, by joint
// diagonalisation of Hessians within it, where couplings stay below a threshold. It
// returns the candidate with what was asked for, and the finer one; nil if there is
// nothing to split.
func (s *settler) split(c *candidate, threshold float64) (now, finer *candidate, err error) {
	if largest(c.blocks) == 1 {
		return c, nil, nil
	}
	if c, err = c.withInside(s.g); err != nil {
		return nil, nil, err
	}
	s.know(c)
	w := mat.DenseCopyOf(c.frame.Matrix())
	var blocks [][]int
	for _, block := range c.blocks {
		turn, parts := fallApart(s.g, c, block, threshold)
		if len(parts) == 1 {
			blocks = append(blocks, block)
			continue
		}
		rows := mat.NewDense(len(block), s.g.f.Dim(), nil)
		for k, i := range block {
			rows.SetRow(k, c.frame.Matrix().RawRowView(i))
		}
		rows = kernel.Times(turn, rows)
		for k, i := range block {
			w.SetRow(i, rows.RawRowView(k))
		}
		for _, part := range parts {
			for k, i := range part {
				part[k] = block[i]
			}
			blocks = append(blocks, part)
		}
	}
	if len(blocks) == len(c.blocks) {
		return c, nil, nil
	}
	f, err := frame.New(w)
	if err != nil {
		return c, nil, nil
	}
	if finer, err = newCandidate(s.g, f, blocks).looked(s.g); err != nil {
		return nil, nil, err
	}
	if finer, err = finer.withSteps(s.g, s.measures); err != nil {
		return nil, nil, err
	}
	finer, err = finer.checked(s.g, checkPoints)
	return c, finer, err
}

// within is from how many Hessians blocks are split: as many as the longest chain has.
const within = 8

// withInside returns the candidate with Hessians in its coordinates, without their
// entries between blocks. They are asked for once.
func (c *candidate) withInside(g *ground) (*candidate, error) {
	if c.inside != nil {
		return c, nil
	}
	directions := mat.DenseCopyOf(c.u)
	for i, eps := range c.eps {
		floats.Scale(eps, directions.RawRowView(i))
	}
	next := *c
	for failed := 0; len(next.inside) < within; {
		x, err := g.point()
		if err != nil {
			return nil, err
		}
		e, err := hessian.Symmetric.Within(g.ctx, g.f, x, directions, 1, c.blocks)
		if err != nil {
			return nil, err
		}
		if e.Missing > 0 {
			if failed++; failed > len(next.inside)+hessian.Wasted {
				return nil, ErrNotFinite
			}
			continue
		}
		for i := range c.eps {
			row := e.Hessian.RawRowView(i)
			for k := range row {
				row[k] /= c.eps[i] * c.eps[k]
			}
		}
		next.inside = append(next.inside, e.Hessian)
	}
	return &next, nil
}

// fallApart returns the W̃ that diagonalises a block's Hessians together, as far
// as that goes, and the parts that no longer couple.
func fallApart(g *ground, c *candidate, block []int, threshold float64) (*mat.Dense, [][]int) {
	if len(block) > 1 {
		var own []*mat.Dense
		for _, h := range c.inside {
			own = append(own, submatrix(h, block))
		}
		if j, err := jointdiag.Diagonalise(own, g.random); err == nil {
			return j.W, jointdiag.Blocks(j.Couplings(), threshold)
		}
	}
	return nil, make([][]int, 1)
}

// submatrix returns the rows and columns of m that belong to a block.
func submatrix(m *mat.Dense, block []int) *mat.Dense {
	s := mat.NewDense(len(block), len(block), nil)
	for a, i := range block {
		for b, j := range block {
			s.Set(a, b, m.At(i, j))
		}
	}
	return s
}
