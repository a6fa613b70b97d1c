package identify

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/objective"
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

// A local is what a look says about f at a point x: its value, its slopes and its Hessian, in some units of x.
type local struct {
	Value    float64
	Gradient []float64
	Hessian  *mat.Dense
	x        []float64
	units    []float64
}

// basin tells Survey.Pause, before more looks, if the first one speaks for a single minimum:
// whoever wants no more than that needs no coordinates.
func (m *modelling) basin(next model.Next) error {
	t, seen := next.White(), next.Last()
	rows, d := t.Dims()
	if rows < d || seen.X == nil {
		return nil
	}
	half := make([]float64, d)
	for k := range half {
		half[k] = (m.g.box.Hi[k] - m.g.box.Lo[k]) / 2
	}
	l := local{seen.Value, seen.Slopes, seen.Hessian, seen.X, half}
	if !l.convex() || !l.alone(m.seen.asked, asNear*halfWidth(m.g.box)) {
		return nil
	}
	lambda, v, hv := make([]float64, d), make([]float64, d), make([]float64, d) // curvatures along directions of length 1
	for i := range lambda {
		floats.DivTo(v, t.RawRowView(i), half)
		kernel.MulVec(hv, l.Hessian.RawMatrix(), v)
		lambda[i] = math.Abs(kernel.Dot(v, hv)) / kernel.Dot(t.RawRowView(i), t.RawRowView(i))
	}
	sorted := slices.Sorted(slices.Values(lambda))
	usual, top := sorted[len(sorted)/2], sorted[len(sorted)-1]
	for i, c := range lambda { // where a Hessian is very small it is mostly error
		row := t.RawRowView(i)
		floats.Scale(math.Sqrt(usual/max(c, gentleAlong*top))/floats.Norm(row, 2), row)
	}
	return m.Pause(Doubt{Basin: &Basin{Point: slices.Clone(l.x), Along: t, Curvature: usual / m.g.factor}})
}

// asNear is how near points are that were asked for a Hessian, as a part of half the width of the box.
const asNear = 1e-3

// gentle is the part of the largest curvature below which one is mostly error.
const gentle = 1e-3

// A recorder is f, and remembers the first points that were asked, and their values.
type recorder struct {
	objective.Objective
	asked   []asked
	queries int
}

// An asked point, and the value of f there.
type asked struct {
	x []float64
	f float64
}

// recalled is how many points are remembered.
const recalled = 256

// Evaluate evaluates f.
func (r *recorder) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := r.Objective.Evaluate(ctx, points, values)
	r.queries += len(values)
	for k, v := range values {
		if len(r.asked) == recalled {
			break
		}
		r.asked = append(r.asked, asked{slices.Clone(points.RawRowView(k)), v})
	}
	return err
}

// gentleAlong is the part of the largest curvature that every direction counts with at least.
const gentleAlong = 1e-4

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

// further returns the points that are not as near as a stencil, as steps from x, with their values.
func (l local) further(points []asked, near float64) iter.Seq2[[]float64, float64] {
	return func(yield func(t []float64, v float64) bool) {
		for _, p := range points {
			step := slices.Clone(p.x)
			kernel.AddScaled(step, -1, l.x)
			if floats.Norm(step, math.Inf(1)) <= near {
				continue
			}
			floats.Div(step, l.units)
			if !yield(step, p.f) {
				return
			}
		}
	}
}
