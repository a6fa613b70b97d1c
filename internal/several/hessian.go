package several

import (
	"math"

	"github.com/untwist/untwist/internal/leastsquares"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// update updates B by the damped formula of BFGS (Powell): with s the step, y the change of the
// gradient, and r = θ·y + (1 − θ)·B·s such that sᵀr ≥ 0.2·sᵀBs,
//
//	B ← B − B·s·sᵀB / sᵀBs + r·rᵀ / sᵀr.
func (s *sqp) update(step, by []float64) {
	n := len(step)
	p, y := mat.NewVecDense(n, step), mat.NewVecDense(n, by)
	bp := mat.NewVecDense(n, nil)
	bp.MulVec(s.b, p)
	pbp := mat.Dot(p, bp)
	if !(pbp > 0) {
		return
	}
	theta := 1.
	if sy := mat.Dot(p, y); sy < 0.2*pbp {
		theta = 0.8 * pbp / (pbp - sy)
	}
	r := mat.NewVecDense(n, nil)
	r.AddScaledVec(r, theta, y)
	r.AddScaledVec(r, 1-theta, bp)
	sr := mat.Dot(p, r)
	if !(sr > 0) || math.IsInf(sr, 1) {
		return
	}
	s.b.SymRankOne(s.b, -1/pbp, bp)
	s.b.SymRankOne(s.b, 1/sr, r)
	s.regular()
}

const (
	// firstCurvature is that of B at first, of f whose gradient has length 1: little, so that the region decides how far
	// the first steps go. 0.03 is about as good, 1 takes more evaluations.
	firstCurvature = 0.1
	// leastCurvature is that of a sum of squares without residuals.
	leastCurvature = 1e-4
)

// regular begins B anew if rounding has made it indefinite.
func (s *sqp) regular() {
	var chol mat.Cholesky
	if !chol.Factorize(s.b) {
		s.reset()
	}
}

// gaussNewton sets B to 2·JᵀJ of the residuals, and a little more so that it is definite.
func (s *sqp) gaussNewton() {
	n := s.space.dim()
	s.b = mat.NewSymDense(n, nil)
	s.b.SymOuterK(2*s.scale, s.jac.T())
	trace := mat.Trace(s.b)
	for i := range n {
		s.b.SetSym(i, i, s.b.At(i, i)+1e-8*max(trace/float64(n), leastCurvature))
	}
}

// differentiate takes the gradients at the place from one batch of differences along the coordinates.
// Where neither side of one is in the polytope, the point is moved towards the centre besides, and the
// gradients solve D·g = Δ, a row of D for each difference.
func (s *sqp) differentiate() error {
	n := s.space.dim()
	points := make([][]float64, n)
	d := mat.NewDense(n, n, nil)
	for j := range n {
		points[j] = s.beside(j)
		row := d.RawRowView(j)
		copy(row, points[j])
		floats.Sub(row, s.at.y)
		if floats.Norm(row, math.Inf(1)) == 0 {
			row[j] = s.h // nothing can be asked there: the difference counts as 0
		}
	}
	places, err := s.evaluate(points)
	if err != nil {
		return err
	}
	front := make([][]float64, 0, n) // the value or the residuals
	for _, p := range places {
		if p.numbers != nil {
			front = append(front, p.numbers[:s.front()])
		}
	}
	if s.h < mostStep && leastsquares.Grainy(s.at.numbers, front) {
		s.h = min(s.h*moreStep, mostStep)
		return s.differentiate()
	}
	residuals := s.said.Residuals
	m := 1 + len(s.at.c) + residuals
	delta := mat.NewDense(n, m, nil)
	for j, p := range places {
		if p.numbers == nil {
			continue
		}
		delta.Set(j, 0, p.f-s.at.f)
		for k := range p.c {
			delta.Set(j, 1+k, p.c[k]-s.at.c[k])
		}
		for i := range residuals {
			delta.Set(j, 1+len(p.c)+i, p.numbers[i]-s.at.numbers[i])
		}
	}
	var all mat.Dense
	_ = all.Solve(d, delta) // D is h·I, but for rows that lean towards the centre
	s.g = mat.Col(nil, 0, &all)
	s.a = make([][]float64, len(s.at.c))
	for k := range s.a {
		s.a[k] = mat.Col(nil, 1+k, &all)
	}
	if s.jac = nil; residuals > 0 {
		s.jac = mat.DenseCopyOf(all.Slice(0, n, m-residuals, m).(*mat.Dense).T())
		for i := range n { // more exact than the difference of the sum
			s.g[i] = 2 * mat.Dot(s.jac.ColView(i), mat.NewVecDense(residuals, s.at.numbers[:residuals]))
		}
	}
	s.fresh, s.age = true, 0
	s.rescale()
	s.curve()
	return nil
}

// curve updates B by how the gradients have changed since the last differences.
func (s *sqp) curve() {
	was := s.old
	s.old = anchor{s.at.y, s.g, s.a}
	if was.y == nil || s.l == nil || s.jac != nil {
		return
	}
	step := append([]float64(nil), s.at.y...)
	floats.Sub(step, was.y)
	if floats.Norm(step, 2) == 0 {
		return
	}
	by := s.lagrangian(s.g, s.a)
	floats.Sub(by, s.lagrangian(was.g, was.a))
	s.update(step, by)
}

// beside returns the point of the difference along a coordinate.
func (s *sqp) beside(j int) []float64 {
	h := s.h * max(1, math.Abs(s.at.y[j]))
	for lean := 0.; lean < 100; lean = 2*lean + 1 {
		for _, sign := range []float64{1, -1} {
			y := append([]float64(nil), s.at.y...)
			y[j] += sign * h
			for k := range y {
				y[k] += float64(lean * s.h * (s.space.centre[k] - s.at.y[k]))
			}
			if s.space.excess(y) == 0 {
				return y
			}
		}
	}
	return append([]float64(nil), s.at.y...)
}
