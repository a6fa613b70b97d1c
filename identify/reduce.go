package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// few looks for signs that f has few components, m < d/4: the Hessian along s
// random directions has rank min(s, m), so that one along four directions, then
// sixteen, and so on, of which each costs s² + s + 1 queries, sees m as soon as
// s > m. It returns such an s, or 0.
func (s *surveyor) few() (int, error) {
	d := s.f.Dim()
	for n := 4; n <= d/4; n *= 4 {
		t := sphere(n, d, s.stream)
		kernel.Orthonormalise(t.RawMatrix())
		step, err := s.step(hessian.Symmetric, t)
		if err != nil {
			return 0, err
		}
		e, err := hessian.Symmetric.At(s.ctx, s.f, s.point(), t, step)
		if err != nil {
			return 0, err
		}
		if e.Failed > 0 {
			return 0, nil // no evidence
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(symmetric(e.Hessian, 1), true) {
			return 0, nil
		}
		values := eigen.Values(nil)
		flattest, largest := 0, 0.0
		for i, v := range values {
			if math.Abs(v) < math.Abs(values[flattest]) {
				flattest = i
			}
			largest = max(largest, math.Abs(v))
		}
		if math.Abs(values[flattest]) > 1e-3*largest {
			continue
		}
		// The flattest direction is flat to the accuracy of the Hessian. Is f?
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		v := make([]float64, d)
		kernel.MulVecT(v, t.RawMatrix(), mat.Col(nil, flattest, &vectors))
		flat, err := s.flat(e.Point, v, 1e-3)
		if err != nil {
			return 0, err
		}
		if flat {
			return n, nil
		}
	}
	return 0, nil
}

// flat reports whether f hardly curves from x along v: less than part of what it
// does along a random direction, or not more than its rounding.
func (s *surveyor) flat(x, v []float64, part float64) (bool, error) {
	other := make([]float64, len(x))
	s.stream.Norm(other)
	s.stretch(x, v)
	s.stretch(x, other)
	values, err := s.ask(5, func(k int, row []float64) {
		copy(row, x)
		switch k {
		case 1, 2:
			kernel.AddScaled(row, [3]float64{0, 1, -1}[k], v)
		case 3, 4:
			kernel.AddScaled(row, [5]float64{0, 0, 0, 1, -1}[k], other)
		}
	})
	if err != nil {
		return false, err
	}
	bend := math.Abs(second(values[1:], values[0], 1))
	usual := math.Abs(second(values[3:], values[0], 1))
	return bend <= part*usual || bend <= 0x1p-45*math.Abs(values[0]), nil
}

// stretch scales v so that it goes as far as the inner box is wide, but not
// outside the bounds either way.
func (s *surveyor) stretch(x, v []float64) {
	length, width := 0.0, 0.0
	for k, u := range v {
		half := (s.inner.Hi[k] - s.inner.Lo[k]) / 2
		length = math.FMA(u, u, length)
		width = math.FMA(half, half, width)
	}
	scale := min(math.Sqrt(width/length), s.room(x, v))
	for k := range v {
		v[k] *= scale
	}
}

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
	}
	if found.curved == nil && found.linear == nil {
		return nil, ErrConstant
	}
	return found, nil
}

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

// gradient returns a gradient at a random point at which f is finite.
func (s *surveyor) gradient(step float64) ([]float64, error) {
	d := s.f.Dim()
	for range attempts {
		x := s.point()
		values, err := s.ask(2*d, func(k int, row []float64) {
			copy(row, x)
			if k%2 == 0 {
				row[k/2] += step
			} else {
				row[k/2] -= step
			}
		})
		if err != nil {
			return nil, err
		}
		g := make([]float64, d)
		ok := true
		for i := range g {
			g[i] = (values[2*i] - values[2*i+1]) / (2 * step)
			ok = ok && !math.IsNaN(g[i]) && !math.IsInf(g[i], 0)
		}
		if ok {
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
		flat, err := s.flat(s.point(), v, 1e-6)
		if !flat || err != nil {
			return false, err
		}
	}
	return true, nil
}

// eye returns the identity.
func eye(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}
