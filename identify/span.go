package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A span is the directions that f depends on: those in which it curves, an
// orthonormal basis of the span of the w_j, and the one orthogonal to them, if
// any, in which it is linear.
type span struct {
	curved *mat.Dense // m×d; nil: f is linear
	linear []float64  // of length 1; nil: none
}

// span finds the span from gradients: differences of two,
//
//	∇f(x) − ∇f(x') = Σ_j (f_j'(y_j) − f_j'(y_j')) w_j,
//
// lie in the span of the w_j whatever linear part f has, and are taken one at a
// time until f curves in no other direction. Each gradient costs 2d queries, m+1
// of them are needed. Beyond most curved directions, or d-1, it gives up and
// returns nil.
func (s *surveyor) span(most int) (*span, error) {
	d := s.f.Dim()
	step, err := s.step(hessian.Symmetric, nil)
	if err != nil {
		return nil, err
	}
	step /= 10 // what is best for second differences is too long for first ones
	first, err := s.gradient(step)
	if err != nil {
		return nil, err
	}
	found := &span{}
	var rows []float64
	for m := 0; ; m++ {
		complete, err := s.complete(found.curved)
		if err != nil {
			return nil, err
		}
		if complete {
			break
		}
		if m == min(most, d-1) {
			return nil, nil
		}
		g, err := s.gradient(step)
		if err != nil {
			return nil, err
		}
		kernel.AddScaled(g, -1, first)
		rows = append(rows, g...)
		found.curved = mat.NewDense(m+1, d, rows)
		kernel.Orthonormalise(found.curved.RawMatrix())
	}
	length := floats.Norm(first, 2)
	project(found.curved, first)
	if floats.Norm(first, 2) > 1e-6*length {
		kernel.Normalise(first)
		found.linear = first
		if straight, err := s.straight(first); !straight || err != nil {
			return nil, err // it bends after all: some w_j was missed
		}
	}
	if found.curved == nil && found.linear == nil {
		return nil, ErrConstant
	}
	return found, nil
}

// straight reports whether f is linear along v, far from some points.
func (s *surveyor) straight(v []float64) (bool, error) {
	for range looks {
		x, err := s.point()
		if err != nil {
			return false, err
		}
		u := slices.Clone(v)
		s.stretch(x, u)
		f, err := s.ask(3, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, float64(k-1), u)
		})
		if err != nil {
			return false, err
		}
		if up, down := f[2]-f[1], f[1]-f[0]; !(math.Abs(up-down) <= bent*(math.Abs(up)+math.Abs(down))) {
			return false, nil
		}
	}
	return true, nil
}

// bent is the second difference, as a part of first ones, from which on a
// function is not linear.
const bent = 1e-3

// project takes from v what lies in the span of the rows of q (nil: nothing),
// which are orthonormal.
func project(q *mat.Dense, v []float64) {
	if q == nil {
		return
	}
	m, _ := q.Dims()
	y := make([]float64, m)
	for range 2 { // once more for what rounding has left
		kernel.MulVec(y, q.RawMatrix(), v)
		for i := range m {
			kernel.AddScaled(v, -y[i], q.RawRowView(i))
		}
	}
}

// gradient returns a gradient at a random point.
func (s *surveyor) gradient(step float64) ([]float64, error) {
	d := s.f.Dim()
	for range attempts {
		x, err := s.point()
		if err != nil {
			return nil, err
		}
		values, err := s.ask(2*d, func(k int, row []float64) {
			copy(row, x)
			row[k/2] += [2]float64{step, -step}[k%2]
		})
		if err != nil {
			return nil, err
		}
		g, sum := make([]float64, d), 0.0
		for i := range g {
			g[i] = (values[2*i] - values[2*i+1]) / (2 * step)
			sum += g[i]
		}
		if sum-sum == 0 { // all are finite
			return g, nil
		}
	}
	return nil, ErrNotFinite
}

// complete reports whether f curves in no direction orthogonal to the rows of q.
func (s *surveyor) complete(q *mat.Dense) (bool, error) {
	d := s.f.Dim()
	if q != nil && q.RawMatrix().Rows == d {
		return true, nil
	}
	for range 2 {
		v := make([]float64, d)
		s.stream.Norm(v)
		project(q, v)
		x, err := s.point()
		if err != nil {
			return false, err
		}
		if flat, err := s.flat(x, v, 1e-8); !flat || err != nil {
			return false, err
		}
	}
	return true, nil
}
