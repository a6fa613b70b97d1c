package identify

import (
	"iter"
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Basin is a point at which f looks as if it had one minimum: it is convex there, if not
// after an outer map, and no value that is known speaks against it.
type Basin struct {
	Point     []float64
	Along     *mat.Dense // directions, a row each, along which f curves alike
	Curvature float64    // so much
}

// basin tells Survey.Pause, before more Hessians, if the first one speaks for a single minimum:
// whoever wants no more than that needs no coordinates.
func basin(p *proposer, white hessian.Basis) error {
	if p.told || p.pause == nil || p.g.valley != nil || p.g.psi != nil || p.g.grain.Noisy() {
		return nil
	}
	p.told = true
	l := latest(p.first)
	if !l.convex() || !l.alone(p.g.asked, 2*p.first.Step) {
		return nil
	}
	m := len(white.Lambda)
	top := white.Lambda[m-1]
	along := mat.DenseCopyOf(white.T)
	for i := range m { // where a Hessian is that small it is mostly error
		if gentlest := gentleAlong * top; white.Lambda[i] < gentlest {
			floats.Scale(math.Sqrt(max(white.Lambda[i], leastLambda*top)/gentlest), along.RawRowView(i))
		}
	}
	if err := p.pause(Doubt{Basin: &Basin{Point: slices.Clone(l.x), Along: along, Curvature: white.Lambda[m/2] / p.g.factor}}); err != nil {
		return err
	}
	p.stage(hessians)
	return nil
}

const (
	// gentleAlong is the part of the largest curvature below which that along a direction
	// counts as more.
	gentleAlong = 1e-4
	leastLambda = 1e-9
)

// convex reports whether f curves upwards along all directions that are level, ⟨g, t⟩ = 0,
// but for the errors of the Hessian. Of H = φ′A + c ggᵀ these see A alone, so that an outer
// map changes nothing.
func (l local) convex() bool {
	m := len(l.Gradient)
	square := kernel.Dot(l.Gradient, l.Gradient)
	if !(square > 0) || math.IsInf(square, 1) {
		return false
	}
	// P = I − ggᵀ/‖g‖², PHP = H − g(Hg)ᵀ/‖g‖² − (Hg)gᵀ/‖g‖² + ⟨g, Hg⟩ggᵀ/‖g‖⁴.
	hg := make([]float64, m)
	kernel.MulVec(hg, l.Hessian.RawMatrix(), l.Gradient)
	steep := kernel.Dot(l.Gradient, hg) / square // the curvature along g
	kernel.AddScaled(hg, -steep/2, l.Gradient)
	level := mat.DenseCopyOf(l.Hessian)
	for i := range m {
		kernel.AddScaled(level.RawRowView(i), -l.Gradient[i]/square, hg)
		kernel.AddScaled(level.RawRowView(i), -hg[i]/square, l.Gradient)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(kernel.Symmetrised(level, 1), false) {
		return false
	}
	lambda := eigen.Values(nil)
	return lambda[m-1] > 0 && lambda[0] >= -gentle*max(lambda[m-1], math.Abs(steep))
}

// noParabola is the misfit from which on f is no quadratic. Of quadratics it was 1e-6 or less.
const noParabola = 0.01

// misfit returns how far values at points that are not as near as a stencil are from those of
// the parabola, as a part of how far they are from their mean, both in the mean square.
func (l local) misfit(points []asked, near float64) float64 {
	var off, f []float64
	for t, v := range l.further(points, near) {
		ht := make([]float64, len(t))
		kernel.MulVec(ht, l.Hessian.RawMatrix(), t)
		off, f = append(off, l.Value+kernel.Dot(l.Gradient, t)+float64(kernel.Dot(t, ht)/2)-v), append(f, v)
	}
	floats.AddConst(-floats.Sum(f)/float64(len(f)), f)
	return kernel.Dot(off, off) / kernel.Dot(f, f)
}

// alone reports whether all points that are lower than x, and not as near as a stencil, are on
// the side to which f falls. If one is not there is a hill on the way to it.
func (l local) alone(points []asked, near float64) bool {
	for t, v := range l.further(points, near) {
		if v < l.Value && kernel.Dot(l.Gradient, t) > 0 {
			return false
		}
	}
	return true
}

// further returns the points that are not as near as a stencil, as steps from x along the
// directions, with their values.
func (l local) further(points []asked, near float64) iter.Seq2[[]float64, float64] {
	return func(yield func(t []float64, v float64) bool) {
		for _, p := range points {
			step := slices.Clone(p.x)
			kernel.AddScaled(step, -1, l.x)
			if floats.Norm(step, math.Inf(1)) <= near {
				continue
			}
			t := make([]float64, len(l.Gradient))
			kernel.MulVec(t, l.base.Dual.RawMatrix(), step)
			if !yield(t, p.f) {
				return
			}
		}
	}
}
