package model

import (
	"os"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sweeps are the lengths, as parts of the longest within the box, over which directions are straightened one after another.
var sweeps = []float64{0.01, 0.1, 1, 1, 1, 1}

// straightened returns the subspace beyond which f is linear along so many of the first whitened directions; nil: it is not. A direction v of
//
//	v ← v − Σ_k δ_k u_k
//
// is a step of Newton's towards δ = 0.
func (e *search) straightened(flat int) (*subspace, error) {
	l := e.looks[0]
	x, curvatures := l.x, e.curved(l)
	if curvatures == nil {
		return nil, nil
	}
	u := mat.DenseCopyOf(e.white.Slice(flat, e.m, 0, e.m))
	u.Scale(2*math.Sqrt(e.s.sigma), u) // noise and truncation of slopes are the same
	origin, err := e.forwards(u, x, mat.NewDense(1, e.m, nil))
	if err != nil {
		return nil, err
	}
	v := mat.DenseCopyOf(e.white.Slice(0, flat, 0, e.m))
	all := make([]secant, flat)
	for i := range all {
		all[i] = newSecant(curvatures[flat:])
	}
	for _, part := range sweeps {
		for i := range flat {
			e.stretch(v.RawRowView(i), x, part)
		}
		there, err := e.forwards(u, x, v)
		if err != nil {
			return nil, err
		}
		worst := 0.
		for i := range flat {
			slopes, way := there.RawRowView(i), length(v.RawRowView(i))
			for k := range slopes {
				slopes[k] = (slopes[k] - origin.At(0, k)) / (4 * e.s.sigma * way)
			}
			worst = max(worst, floats.Norm(slopes, math.Inf(1))*way)
			for k, by := range all[i].step(slopes) {
				kernel.AddScaled(v.RawRowView(i), by*way, u.RawRowView(k))
			}
		}
		e.say("  over %g off by %.2g, %v", part, worst*2*math.Sqrt(e.s.sigma), last3(there.RawRowView(0), 2*math.Sqrt(e.s.sigma)*length(v.RawRowView(0))))
	}
	if !kernel.AllFinite(v) {
		return nil, nil
	}
	kernel.Orthonormalise(v.RawMatrix())
	rows := mat.DenseCopyOf(e.white.Slice(flat, e.m, 0, e.m))
	for k := range e.m - flat {
		kernel.Project(rows.RawRowView(k), v.RawMatrix())
	}
	kernel.Orthonormalise(rows.RawMatrix())
	if linear, err := linearBeyond(e.s, rows, 0); err != nil || !linear {
		return nil, err
	}
	c, err := e.slope(x, v)
	return &subspace{transposed(rows), c}, err
}

// curved returns the curvatures at a look along the whitened directions, 1 or −1 at the first.
func (e *search) curved(l *Look) []float64 {
	a := l.toSteps(e.white)
	if a == nil {
		return nil
	}
	h := congruent(l.measure(e.s, e.theta).m, a)
	all := make([]float64, e.m)
	for i := range all {
		all[i] = h.At(i, i)
	}
	return all
}

// stretch makes v a part of the longest way from x within the box, both ways.
func (e *search) stretch(v, x []float64, part float64) {
	floats.Scale(middle*math.Sqrt(float64(e.m))/length(v), v)
	floats.Scale(wider*part*e.s.around(x, v), v)
}

// forwards returns the differences of ψ(f) along the rows of u at x + v, a row for each v.
func (e *search) forwards(u *mat.Dense, x []float64, v *mat.Dense) (*mat.Dense, error) {
	n, _ := v.Dims()
	m, _ := u.Dims()
	points := mat.NewDense(n*(m+1), e.m, nil)
	for i := range n {
		for k := range m + 1 {
			row := points.RawRowView(i*(m+1) + k)
			floats.AddTo(row, x, v.RawRowView(i))
			if k < m {
				floats.Add(row, u.RawRowView(k))
			}
		}
	}
	z, err := e.s.ask(points)
	if err != nil {
		return nil, err
	}
	z, _ = e.s.mapped(z, e.theta)
	all := mat.NewDense(n, m, nil)
	for i := range n {
		at := z[i*(m+1) : (i+1)*(m+1)]
		for k := range m {
			all.Set(i, k, at[k]-at[m])
		}
	}
	return all, nil
}

// slope returns that of f within the span of orthonormal v, in which f is linear; nil: it is 0.
func (e *search) slope(x []float64, v *mat.Dense) ([]float64, error) {
	n, _ := v.Dims()
	points := mat.NewDense(n+1, e.m, nil)
	ways := make([]float64, n+1)
	for i := range n + 1 {
		copy(points.RawRowView(i), x)
		if i < n {
			way := append([]float64(nil), v.RawRowView(i)...)
			e.stretch(way, x, 1)
			floats.Add(points.RawRowView(i), way)
			ways[i] = length(way)
		}
	}
	z, err := e.s.ask(points)
	if err != nil {
		return nil, err
	}
	c, some := make([]float64, e.m), false
	for i := range n {
		change := z[i] - z[n]
		some = some || math.Abs(change) > amplified*e.s.sigma
		kernel.AddScaled(c, change/ways[i], v.RawRowView(i))
	}
	if !some {
		return nil, nil
	}
	return c, nil
}

// A secant finds where a vector of slopes is 0, by Broyden's update of the inverse of its derivative,
//
//	B ← B + (s − By) sᵀB / (sᵀBy),   s the last step and y by how much slopes changed.
type secant struct {
	inverse      *mat.Dense
	last, slopes []float64
}

func newSecant(curvatures []float64) secant {
	b := mat.NewDense(len(curvatures), len(curvatures), nil)
	for i, c := range curvatures {
		b.Set(i, i, 1/c)
	}
	return secant{inverse: b}
}

// step returns the next step.
func (q *secant) step(slopes []float64) []float64 {
	n := len(slopes)
	now := mat.NewVecDense(n, append([]float64(nil), slopes...))
	if q.last != nil && os.Getenv("NB") == "" {
		var y, by, sb mat.VecDense
		s := mat.NewVecDense(n, q.last)
		y.SubVec(now, mat.NewVecDense(n, q.slopes))
		by.MulVec(q.inverse, &y)
		sb.MulVec(q.inverse.T(), s)
		if scale := mat.Dot(s, &by); scale != 0 {
			var left mat.VecDense
			left.SubVec(s, &by)
			q.inverse.RankOne(q.inverse, 1/scale, &left, &sb)
		}
	}
	var to mat.VecDense
	to.MulVec(q.inverse, now)
	to.ScaleVec(-1, &to)
	q.last, q.slopes = to.RawVector().Data, now.RawVector().Data
	return q.last
}

func last3(x []float64, by float64) []float64 {
	y := append([]float64(nil), x...)
	for i := range y {
		y[i] *= by
	}
	return y[:6]
}
