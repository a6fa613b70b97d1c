package identify

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// hopeless interrupts the survey, and reports that, if the first Hessian, which has
// whitened the directions, and another do not nearly tell the frame though they are
// well-conditioned: it is not for want of accuracy then.
func (r *road) hopeless(c *chain, white *basis) (bool, error) {
	m := len(white.lambda)
	if r.pause == nil || white.lambda[m-1] > 1e3*white.lambda[0] {
		return false, nil
	}
	if err := r.extend(c, 1); err != nil {
		return false, err
	}
	j, err := Diagonalise([]*mat.Dense{c.hessian[0], white.seen[0]}, r.stream)
	if errors.Is(err, ErrSingular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	chart := r.chart(j.W, j.Lambda, c.base, c.points)
	if chart == nil {
		return false, nil
	}
	p, err := r.offer(chart, j, 1)
	if err != nil || p.check.typical() <= coarse/3 {
		return false, err
	}
	return true, r.interrupt(white)
}

// hesitate interrupts the survey if a frame that looks right near points is wrong
// from one end of the box to the other: refinement would be in vain.
func (r *road) hesitate(p *proposal, white *basis) error {
	if r.pause == nil {
		return nil
	}
	f := p.chart.frame
	c, err := r.splitting(f.Components(), func() (x, a, b []float64) { return r.halves(f, p.chart.blocks) })
	if err != nil || c.Coupling <= blatant {
		return err
	}
	return r.interrupt(white)
}

// blatant is the coupling of a frame that is not merely inexact.
const blatant = 0.3

// interrupt calls Survey.Pause if the directions span all of space.
func (r *road) interrupt(white *basis) error {
	if m, d := white.t.Dims(); r.pause == nil || m < d {
		return nil
	}
	inverse := product(mat.DenseCopyOf(white.t.T()), white.t) // TᵀT = VΛ⁻¹Vᵀ
	if err := r.pause(symmetric(inverse, 1)); err != nil {
		return err
	}
	r.stage("hessians")
	return nil
}
