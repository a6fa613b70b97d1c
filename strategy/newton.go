package strategy

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// polish takes Newton steps in the frame, where the Hessian is diagonal, from the
// best point, as long as they help: with differences over a part 1/parts[0] of
// each component's scale, then over 1/parts[1] of it, and so on, since the slope
// by differences over ε is wrong by ε²f‴/6.
func (s *sweeper) polish(parts []float64) error {
	if len(s.singles) == 0 {
		return nil
	}
	s.task.Stage(objective.Stage{Name: "polish", Purpose: objective.AlongThem})
	for _, part := range parts {
		for range 60 {
			before := s.f.best.Value
			if _, err := s.newton(s.f.best, part); err != nil {
				return err
			}
			if !(before-s.f.best.Value > s.f.tolerance()) {
				break
			}
		}
	}
	return nil
}

// newton takes one step from a point
//
//	t_j = −f_j′/f_j″   along u_j,
//
// at most the scale of the component, and that far downhill where f_j″ ≤ 0. It returns
// the point it came to, the same if none was better.
func (s *sweeper) newton(from objective.Best, part float64) (objective.Best, error) {
	x, fx := slices.Clone(from.Point), from.Value
	eps := s.steps(x, part)
	values, err := s.beside(x, eps)
	if err != nil {
		return from, err
	}
	if s.found.Quadratic && !s.hollow && hollow(fx, values) {
		s.hollow = true
		return from, nil
	}
	step := make([]float64, len(x))
	for k, j := range s.singles {
		scale := s.found.Scale[j]
		up, down := values[2*k]-fx, values[2*k+1]-fx
		slope, bend := (up-down)/(2*eps[k]), (up+down)/(eps[k]*eps[k])
		t := -math.Copysign(scale/4, slope)
		if bend > 0 {
			if t = -slope / bend; !s.found.Quadratic || s.hollow {
				t = min(max(t, -scale), scale)
			}
		}
		if !(eps[k] > 0) || math.IsNaN(t) || math.IsInf(slope, 0) {
			continue // on a face, or f failed beside x
		}
		kernel.AddScaled(step, t, s.u.RawRowView(j))
	}
	return s.descend(objective.Best{Point: x, Value: fx}, step)
}

// hollow reports whether one of the second differences is not above rounding.
func hollow(fx float64, values []float64) bool {
	for k := 0; k < len(values); k += 2 {
		if !((values[k]-fx)+(values[k+1]-fx) > 0x1p-48*math.Abs(fx)) {
			return true
		}
	}
	return false
}

// steps returns a part of each component's scale, or what fits between x and the
// bounds: 0 on a face.
func (s *sweeper) steps(x []float64, part float64) []float64 {
	eps := make([]float64, len(s.singles))
	for k, j := range s.singles {
		least, most := limits(s.task.Bounds, x, s.u.RawRowView(j))
		eps[k] = min(s.found.Scale[j]/part, -least, most)
	}
	return eps
}

// beside returns f at x + ε_k u_k and x − ε_k u_k for each component.
func (s *sweeper) beside(x, eps []float64) ([]float64, error) {
	return objective.Ask(s.ctx, s.f, 2*len(eps), func(k int, row []float64) {
		copy(row, x)
		kernel.AddScaled(row, [2]float64{1, -1}[k%2]*eps[k/2], s.u.RawRowView(s.singles[k/2]))
	})
}

// descend asks for x + step, and if that is no better than x for shorter steps together,
// all of them within the bounds. It returns the best of them, or x.
func (a *auto) descend(x objective.Best, step []float64) (objective.Best, error) {
	best := objective.Best{Point: slices.Clone(x.Point), Value: x.Value}
	_, most := limits(a.task.Bounds, x.Point, step)
	for _, parts := range [][]float64{{1}, {0.5, 0.25, 0.1, 0.01}} {
		var points [][]float64
		values, err := objective.Ask(a.ctx, a.f, len(parts), func(k int, row []float64) {
			copy(row, x.Point)
			kernel.AddScaled(row, min(parts[k], most), step)
			points = append(points, slices.Clone(row))
		})
		if err != nil {
			return best, err
		}
		for k, v := range values {
			best.Offer(points[k], v)
		}
		if best.Value < x.Value {
			break
		}
	}
	return best, nil
}

// limits returns how far one may go from x along u within bounds.
func limits(bounds objective.Box, x, u []float64) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for k, v := range u {
		lo, hi := (bounds.Lo[k]-x[k])/v, (bounds.Hi[k]-x[k])/v
		if v < 0 {
			lo, hi = hi, lo
		}
		if v != 0 {
			least, most = max(least, lo), min(most, hi)
		}
	}
	return min(least, 0), max(most, 0)
}
