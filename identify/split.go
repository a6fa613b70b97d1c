package identify

import (
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const within = 8 // Hessians from which blocks are split

// split tries to split every block of more than one component, by joint
// diagonalisation of Hessians within it, where couplings stay below a threshold.
// It returns nil if there is nothing to split.
func (r *road) split(p *proposal, threshold float64) (*proposal, error) {
	if largest(p.chart.blocks) == 1 {
		return nil, nil
	}
	hessians, err := r.inside(p.chart)
	if err != nil {
		return nil, err
	}
	w := mat.DenseCopyOf(p.chart.frame.Matrix())
	var blocks [][]int
	for _, block := range p.chart.blocks {
		var within []*mat.Dense
		for _, h := range hessians {
			within = append(within, submatrix(h, block))
		}
		turn, parts := fallApart(within, threshold, r.stream)
		if len(parts) == 1 {
			blocks = append(blocks, block)
			continue
		}
		rows := mat.NewDense(len(block), r.f.Dim(), nil)
		for k, i := range block {
			rows.SetRow(k, p.chart.frame.Matrix().RawRowView(i))
		}
		rows = product(turn, rows)
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
	if len(blocks) == len(p.chart.blocks) {
		return nil, nil
	}
	f, err := frame.New(w)
	if err != nil {
		return nil, nil
	}
	c := r.newChart(f)
	c.blocks = blocks
	if err := r.look(c); err != nil {
		return nil, err
	}
	if err := r.measure(c); err != nil {
		return nil, err
	}
	return r.propose(c)
}

// inside returns Hessians in the coordinates of a chart, without their entries
// between blocks. They are asked for once.
func (r *road) inside(c *chart) ([]*mat.Dense, error) {
	if c.inside != nil {
		return c.inside, nil
	}
	directions := mat.DenseCopyOf(c.u)
	for i, eps := range c.eps {
		floats.Scale(eps, directions.RawRowView(i))
	}
	var all []*mat.Dense
	for failed := 0; len(all) < within; {
		x, err := r.point()
		if err != nil {
			return nil, err
		}
		e, err := hessian.Symmetric.Within(r.ctx, r.f, x, directions, 1, c.blocks)
		if err != nil {
			return nil, err
		}
		if e.Missing > 0 {
			if failed++; failed > len(all)+wasted {
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
		all = append(all, e.Hessian)
	}
	c.inside = all
	return all, nil
}

// fallApart returns the W̃ that diagonalises a block's Hessians together, as far
// as that goes, and the parts that no longer couple.
func fallApart(hessians []*mat.Dense, threshold float64, stream *rng.Stream) (*mat.Dense, [][]int) {
	n, _ := hessians[0].Dims()
	if n > 1 {
		if j, err := Diagonalise(hessians, stream); err == nil {
			return j.W, blocksAbove(j.Couplings(), threshold)
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

// look takes notice of second derivatives at random points.
func (s *surveyor) look(c *chart) error {
	for range looks {
		x, err := s.point()
		if err != nil {
			return err
		}
		values, err := s.ask(1+2*len(c.eps), func(k int, row []float64) {
			copy(row, x)
			if k > 0 {
				kernel.AddScaled(row, [2]float64{-1, 1}[k%2]*c.eps[(k-1)/2], c.u.RawRowView((k-1)/2))
			}
		})
		if err != nil {
			return err
		}
		y, lambda := make([]float64, len(c.eps)), make([]float64, len(c.eps))
		kernel.MulVec(y, c.frame.Matrix().RawMatrix(), x)
		for i := range lambda {
			lambda[i] = second(values[1+2*i:], values[0], c.eps[i])
		}
		c.see(y, lambda)
	}
	return nil
}
