package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A straightening makes directions v in which f does not curve by the first look, which are off by its error, more exact. With
// the other whitened directions u_k and the point x of the look, the slopes
//
//	δ_k = ∂_k f(x+v) − ∂_k f(x)
//
// are those of what v is off by, the longer v the clearer, and a step of Newton's towards δ = 0 is v ← v − Σ_k (Bδ)_k u_k, where B is
// the inverse of the Hessian along the u_k.
type straightening struct {
	*search
	x      []float64
	v      *mat.Dense
	u      *mat.Dense
	t      []float64  // the steps along u of forward differences
	origin *mat.Dense // ∂_k f(x)
	b      *mat.Dense
	last   *mat.Dense // the last steps Bδ, for v of length 1, a row each
	slopes *mat.Dense // the last δ
}

// straightened returns the subspace beyond which f is linear, if that is so along as many directions as are flat by the first look;
// nil: it is not.
func (e *search) straightened(flat int) (*subspace, error) {
	s := &straightening{search: e, x: e.looks[0].x, t: slices.Repeat([]float64{2 * math.Sqrt(e.s.sigma)}, e.m-flat)} // noise and truncation of slopes are about the same
	others := mat.DenseCopyOf(e.white.Slice(flat, e.m, 0, e.m))
	s.v, s.u = mat.DenseCopyOf(e.white.Slice(0, flat, 0, e.m)), mat.DenseCopyOf(others)
	s.b = mat.NewDense(e.m-flat, e.m-flat, nil)
	h := e.looks[0].hessian(e.s, e.theta, e.white)
	for k := range e.m - flat {
		s.b.Set(k, k, 1/h.At(flat+k, flat+k))
	}
	var err error
	if s.origin, err = s.forward(mat.NewDense(1, e.m, nil)); err != nil {
		return nil, err
	}
	if straight, err := s.run(); !straight || err != nil {
		return nil, err
	}
	kernel.Orthonormalise(s.v.RawMatrix())
	for k := range e.m - flat {
		kernel.Project(others.RawRowView(k), s.v.RawMatrix())
	}
	kernel.Orthonormalise(others.RawMatrix())
	if linear, err := linearBeyond(e.s, others, 0); !linear || err != nil {
		return nil, err
	}
	c, known, err := s.linear()
	if !known || err != nil {
		return nil, err
	}
	return &subspace{transposed(others), c}, nil
}

// run reports whether directions can be made straight over the longest way: at first over a part of it, and whenever slopes are what is
// left along flat directions over one that is rungFactor times as long. What directions are off by makes as many times the slopes then,
// and what f curves by along them more. It takes no more queries than a look.
func (s *straightening) run() (bool, error) {
	const first = 1. / (rungFactor * rungFactor * rungFactor)
	part, before, since := first, math.Inf(1), s.search.s.queries
	for s.search.s.queries-since < forward.queries(s.m) {
		off, err := s.step(part)
		switch {
		case err != nil || !(off < before || off <= leastBend):
			return false, err
		case off > leastBend:
			before = off
		case part == 1:
			return kernel.AllFinite(s.v), nil
		default:
			part, before = min(1, rungFactor*part), rungFactor*off
		}
	}
	return false, nil
}

// step makes directions straighter over a part of the longest way, and returns the largest slope, in whitened units, before that.
func (s *straightening) step(part float64) (off float64, err error) {
	n, _ := s.v.Dims()
	ways := make([]float64, n)
	for i := range n {
		ways[i] = s.stretch(s.v.RawRowView(i), part)
	}
	slopes, err := s.forward(s.v)
	if err != nil {
		return 0, err
	}
	slopes.Apply(func(i, k int, v float64) float64 {
		delta := v - s.origin.At(0, k)
		off = math.Max(off, math.Abs(delta))
		return delta / ways[i]
	}, slopes)
	if s.last != nil {
		for i := range n {
			s.learn(s.last.RawRowView(i), slopes.RawRowView(i), s.slopes.RawRowView(i))
		}
	}
	s.last, s.slopes = kernel.Times(slopes, transposed(s.b)), slopes
	s.last.Scale(-1, s.last)
	for i := range n {
		for k, v := range s.last.RawRowView(i) {
			kernel.AddScaled(s.v.RawRowView(i), v*ways[i], s.u.RawRowView(k))
		}
	}
	return off, nil
}

// learn is Broyden's update of B after a step s by which slopes have changed by y,
//
//	B ← B + (s − By) sᵀB / sᵀBy.
func (s *straightening) learn(step, now, before []float64) {
	n := len(step)
	by, sb := make([]float64, n), make([]float64, n)
	for i := range n {
		row := s.b.RawRowView(i)
		by[i] = kernel.Dot(row, now) - kernel.Dot(row, before)
		kernel.AddScaled(sb, step[i], row)
	}
	scale := kernel.Dot(step, by)
	if scale == 0 {
		return
	}
	for i := range n {
		kernel.AddScaled(s.b.RawRowView(i), (step[i]-by[i])/scale, sb)
	}
}

// stretch makes v a part of the longest way from x, and back, within the box, and returns its length.
func (s *straightening) stretch(v []float64, part float64) float64 {
	floats.Scale(middle*math.Sqrt(float64(s.m))/length(v), v)
	floats.Scale(wider*part*s.s.around(s.x, v), v)
	return length(v)
}

// forward returns the slopes of ψ(f) along the u_k at x + v, a row for each v.
func (s *straightening) forward(v *mat.Dense) (*mat.Dense, error) {
	n, _ := v.Dims()
	looks := make([]*Look, n)
	for i := range looks {
		looks[i] = s.s.bare(oneSide, s.u, s.t, beside(s.x, 1, v.RawRowView(i)))
	}
	if err := s.s.look(looks...); err != nil {
		return nil, err
	}
	slopes := mat.NewDense(n, len(s.t), nil)
	for i, l := range looks {
		slopes.SetRow(i, l.slopes(s.s, s.theta))
	}
	return slopes, nil
}

// linear returns the slope of f within the span of the v, nil if it is 0, and whether it is known: f may fail.
func (s *straightening) linear() (c []float64, known bool, err error) {
	n, _ := s.v.Dims()
	var points [][]float64
	ways := make([]float64, n)
	for i := range n {
		v := slices.Clone(s.v.RawRowView(i))
		ways[i] = s.stretch(v, 1)
		points = append(points, beside(s.x, 1, v))
	}
	z, err := s.s.at(append(points, s.x))
	if err != nil {
		return nil, false, err
	}
	slope, some := make([]float64, s.m), false
	for i := range n {
		change := z[i] - z[n]
		if !kernel.Finite(change) {
			return nil, false, nil
		}
		some = some || math.Abs(change) > amplified*s.t[0]
		kernel.AddScaled(slope, change/ways[i], s.v.RawRowView(i))
	}
	if some {
		c = slope
	}
	return c, true, nil
}
