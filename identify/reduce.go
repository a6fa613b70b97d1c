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
// s > m. It returns such an s, or 0. Of a budget it spends an eighth at most.
func (s *surveyor) few(budget int) (int, error) {
	d := s.f.Dim()
	for n := 4; n <= d/4 && (budget == 0 || n*n <= budget/8); n *= 4 {
		t := sphere(n, d, s.stream)
		kernel.Orthonormalise(t.RawMatrix())
		step, err := s.step(hessian.Symmetric, t)
		if err != nil {
			return 0, err
		}
		x, err := s.point()
		if err != nil {
			return 0, err
		}
		e, err := hessian.Symmetric.At(s.ctx, s.f, x, t, step)
		if err != nil {
			return 0, err
		}
		if e.Missing > 0 {
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
		if k > 0 { // x, x ± v, x ± other
			kernel.AddScaled(row, [2]float64{-1, 1}[k%2], [2][]float64{v, other}[(k-1)/2])
		}
	})
	if err != nil {
		return false, err
	}
	bend := math.Abs(second(values[1:], values[0], 1))
	usual := math.Abs(second(values[3:], values[0], 1))
	if math.IsInf(usual, 0) || math.IsNaN(usual) {
		return false, nil // no evidence
	}
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

// suspect looks for signs that f has fewer components than dimensions in the
// first Hessian: a gap in its spectrum before at least so many eigenvalues, and
// beyond it less than part of the usual curvature. If there are any it returns
// the span, nil if there is no smaller one.
func (r *road) suspect(first *chain, white basis, least int, part float64) (*span, error) {
	d := len(white.lambda)
	top := white.lambda[d-1]
	if !(top*square(first.step) > 0x1p-44*math.Abs(first.value)) { // no curvature but rounding
		r.stage("reduction")
		return r.span(d)
	}
	null, widest := 0, 10.0
	for k := least; k < d; k++ {
		if gap := white.lambda[k] / max(white.lambda[k-1], 1e-13*top); gap > widest {
			null, widest = k, gap
		}
	}
	// A weak component or two may stand below the gap.
	for last := null - 3; null > max(0, last) && null >= least; null-- {
		v, mix := make([]float64, d), make([]float64, null)
		r.stream.Norm(mix)
		for i, a := range mix {
			u := white.t.RawRowView(i)
			kernel.AddScaled(v, a/floats.Norm(u, 2), u)
		}
		flat, err := r.flat(first.points[0], v, part)
		if err != nil {
			return nil, err
		}
		if flat {
			r.stage("reduction")
			return r.span(d - null + 2)
		}
	}
	return nil, nil
}

// uncurved surveys a function that has no curvature.
func (r *road) uncurved() error {
	r.stage("reduction")
	s, err := r.span(0)
	if err != nil {
		return err
	}
	if s == nil {
		return ErrSingular
	}
	return r.survey(s)
}
