package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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
func (p *proposer) quadratic(white hessian.Basis, chain hessian.Chain, once bool) (proposal, hessian.Basis, error) {
	m := len(white.Lambda)
	for again := 0; ; again++ {
		lambda := mat.NewDense(1, m, nil)
		for i := range m {
			lambda.Set(0, i, white.Seen[0].At(i, i))
		}
		p.seen = white
		c := fromHessians(p.g, kernel.Identity(m), lambda, white, chain.Points)
		if c == nil {
			return proposal{}, white, nil
		}
		c, err := p.settler.offer(c, 1)
		switch {
		case err != nil:
			return proposal{}, white, err
		case c.check.worst() <= p.enough():
			same, err := sameEverywhere(p.g, c)
			if same || err != nil || c.check.worst() <= defaultTolerance { // nothing to refine
				return proposal{settled: c, quadratic: same}, white, err
			}
		}
		switch {
		case c.check.typical() > nearly && p.g.psi == nil || again == againMost || once:
			return proposal{}, white, nil
		}
		if again == 0 && p.g.psi == nil {
			if under, err := p.bowl(chain, true); under.done() || err != nil {
				return under, white, err
			}
			if latest(chain).misfit(p.g.asked, 2*chain.Step) > noParabola {
				if err := basin(p, white); err != nil {
					return proposal{}, white, err
				}
			}
		}
		white.Seen = nil // a Hessian along worse directions would spoil it
		if chain, err = p.g.chain(hessian.Forward, white); err != nil {
			return proposal{}, white, err
		}
		if chain, err = p.g.extended(chain, 1); err != nil {
			return proposal{}, white, err
		}
		if white, err = whitened(chain); err != nil {
			return proposal{}, white, err
		}
		p.step, p.first = chain.Step, chain
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

// fewSteps is the error of the frame of a quadratic under a map that is small enough: Newton
// steps converge fast with it.
const fewSteps = 1e-4

// enough is the error of the frame of a quadratic that is small enough.
func (p *proposer) enough() float64 {
	if p.g.psi != nil {
		return fewSteps
	}
	return max(defaultTolerance, p.settler.tolerance)
}
