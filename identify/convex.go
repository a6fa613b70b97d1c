package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
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

// basin tells Survey.Pause, before more looks, if the first one speaks for a single minimum:
// whoever wants no more than that needs no coordinates.
func (m *modelling) basin(next model.Next) error {
	t, seen := next.White(), next.Last()
	rows, d := t.Dims()
	if rows < d || seen.X == nil || !convex(seen) || !next.Alone(seen) {
		return nil
	}
	half := make([]float64, d)
	for k := range half {
		half[k] = (m.g.box.Hi[k] - m.g.box.Lo[k]) / 2
	}
	lambda, v, hv := make([]float64, d), make([]float64, d), make([]float64, d) // curvatures along directions of length 1
	for i := range lambda {
		floats.DivTo(v, t.RawRowView(i), half)
		kernel.MulVec(hv, seen.Hessian.RawMatrix(), v)
		lambda[i] = math.Abs(kernel.Dot(v, hv)) / kernel.Dot(t.RawRowView(i), t.RawRowView(i))
	}
	sorted := slices.Sorted(slices.Values(lambda))
	usual, top := sorted[len(sorted)/2], sorted[len(sorted)-1]
	for i, c := range lambda { // where a Hessian is very small it is mostly error
		row := t.RawRowView(i)
		floats.Scale(math.Sqrt(usual/max(c, gentleAlong*top))/floats.Norm(row, 2), row)
	}
	return m.Pause(Next{Basin: &Basin{Point: slices.Clone(seen.X), Along: t, Curvature: usual / m.g.factor}})
}

// gentle is the part of the largest curvature below which one is mostly error.
const gentle = 1e-3

// gentleAlong is the part of the largest curvature that every direction counts with at least.
const gentleAlong = 1e-4

// convex reports whether f curves upwards along all directions that are level, ⟨g, t⟩ = 0,
// but for the errors of the Hessian. Of H = φ′A + c ggᵀ these see A alone, so that an outer
// map changes nothing.
func convex(l model.Sight) bool {
	m := len(l.Slopes)
	square := kernel.Dot(l.Slopes, l.Slopes)
	if !(square > 0) || math.IsInf(square, 1) {
		return false
	}
	// P = I − ggᵀ/‖g‖², PHP = H − g(Hg)ᵀ/‖g‖² − (Hg)gᵀ/‖g‖² + ⟨g, Hg⟩ggᵀ/‖g‖⁴.
	hg := make([]float64, m)
	kernel.MulVec(hg, l.Hessian.RawMatrix(), l.Slopes)
	steep := kernel.Dot(l.Slopes, hg) / square // the curvature along g
	kernel.AddScaled(hg, -steep/2, l.Slopes)
	level := mat.DenseCopyOf(l.Hessian)
	for i := range m {
		kernel.AddScaled(level.RawRowView(i), -l.Slopes[i]/square, hg)
		kernel.AddScaled(level.RawRowView(i), -hg[i]/square, l.Slopes)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(kernel.Symmetrised(level, 1), false) {
		return false
	}
	lambda := eigen.Values(nil)
	return lambda[m-1] > 0 && lambda[0] >= -gentle*max(lambda[m-1], math.Abs(steep))
}
