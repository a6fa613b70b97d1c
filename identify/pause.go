package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Next is what a survey knows before a part of which it is not known whether it helps: where
// looks contradict each other in every frame, or where there is noise.
type Next struct {
	// Queries is about how many the part takes.
	Queries int
	// Even says that nothing speaks against the part but that there is noise. The other fields but Queries and
	// Forecast are empty.
	Even bool
	// Forecast is about how many queries the survey takes in all; 0: there is no saying.
	Forecast int
	// Basin, if not nil, says that f looks as if it had one minimum. The part that follows
	// is known to help, but whoever wants that minimum only may come to it sooner without
	// coordinates. The other fields are empty.
	Basin *Basin
}

// before is called before looks: it may end the survey, for want of a budget, and lets others go first.
func (w *work) before(next model.Next) error {
	noisy := w.g.grain.Noisy()
	// Without a first look f is not seen to be quadratic, and without a second one nothing else.
	if least := []int{leastQuadratic(next.Components), Least(next.Components)}[min(next.Looks, 1)]; !noisy && w.Budget > 0 && w.Budget < least {
		return ErrSmallBudget
	}
	if w.Pause == nil {
		return nil
	}
	defer w.stage(hessians)
	switch {
	case next.Contradicted && (noisy || next.Components == w.g.f.Dim()):
		return w.Pause(Next{Queries: next.Queries})
	case noisy:
		return w.Pause(Next{Queries: next.Queries, Even: true, Forecast: w.forecast})
	case next.Looks == 1:
		return w.basin(next)
	}
	return nil
}

// Least is how many queries it takes at least to find d coordinates and to use them: about as many as rastrigin
// takes in all, more than half of them for three Hessians by forward differences, their steps, and a certificate.
// Where a survey finds nothing that is known after some three fifths of what it would have taken.
func Least(d int) int { return 7*d*d/4 + 120*d + 200 }

// leastQuadratic is how many it takes at least to find out that f is quadratic and to use
// that: d²/2 for a Hessian by forward differences, and the rest for its step and a check.
// Where f is not quadratic that is a quarter of the budget, or less.
func leastQuadratic(d int) int { return d*d/2 + 110*d }

// leastAsGiven is how many it takes at least to measure the scales of coordinates that
// separate f as they are, 28 for each at two points, and to search along them.
func leastAsGiven(d int) int { return min(160*d, Least(d)) }

// MostNoisy is how many queries it takes at most to find d coordinates where f has noise, with a certificate
// and scales.
func MostNoisy(d int) int { return model.Most(d) + 120*d }

// A Basin is a point at which f looks as if it had one minimum: it is convex there, if not
// after an outer map, and no value that is known speaks against it.
type Basin struct {
	Point     []float64
	Along     *mat.Dense // directions, a row each, along which f curves alike
	Curvature float64    // so much
}

// basin tells Survey.Pause, before more looks, if the first one speaks for a single minimum:
// whoever wants no more than that needs no coordinates.
func (w *work) basin(next model.Next) error {
	t, seen := next.White(), next.Last()
	rows, d := t.Dims()
	if rows < d || seen.X == nil || !convex(seen) || !next.Alone(seen) {
		return nil
	}
	half := make([]float64, d)
	for k := range half {
		half[k] = (w.g.box.Hi[k] - w.g.box.Lo[k]) / 2
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
	return w.Pause(Next{Basin: &Basin{Point: slices.Clone(seen.X), Along: t, Curvature: usual / w.g.factor}})
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
