package several

import (
	"math"

	"github.com/untwist/untwist/internal/quadratic"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// propose returns the step that minimises the model of φ for constraints c, and what it promises to gain.
// It keeps the multipliers, and raises μ above them.
func (s *sqp) propose(c []float64) (p []float64, promised float64, ok bool) {
	n := s.space.dim()
	q := quadratic.Program{B: s.b, Mu: s.mu, A: s.space.rows}
	for i, v := range s.g {
		q.G = append(q.G, s.scale*v)
		q.Lo = append(q.Lo, max(-s.radius, s.space.lo[i]-s.at.y[i]))
		q.Hi = append(q.Hi, min(s.radius, s.space.hi[i]-s.at.y[i]))
	}
	for i, a := range s.space.rows {
		q.Right = append(q.Right, max(0, s.space.right[i]-floats.Dot(a, s.at.y)))
	}
	var sides []int // of which constraint a soft row is
	for k, a := range s.a {
		for _, sign := range []float64{1, -1} {
			if sign < 0 && !s.constraints[k].equal {
				break
			}
			row := make([]float64, n)
			floats.AddScaled(row, sign*s.weight[k], a)
			q.C, q.Soft, sides = append(q.C, row), append(q.Soft, -sign*s.weight[k]*c[k]), append(sides, k)
		}
	}
	solved, ok := quadratic.Solve(q)
	if !ok {
		return nil, 0, false
	}
	p, s.hard = solved.P, solved.Hard
	s.l = make([]float64, len(s.a))
	for i, k := range sides {
		sign := 1.
		if i > 0 && sides[i-1] == k {
			sign = -1
		}
		s.l[k] += sign * solved.Soft[i]
	}
	v := mat.NewVecDense(n, p)
	model := s.scale*floats.Dot(s.g, p) + mat.Inner(v, s.b, v)/2
	after := make([]float64, len(s.a))
	for k, a := range s.a {
		after[k] = c[k] + floats.Dot(a, p)
	}
	promised = s.mu*(s.violation(c)-s.violation(after)) - model
	s.reweigh()
	return p, promised, true
}

// reweigh keeps μ above the multipliers, and not far above: a merit that is mostly violation has steps
// follow curved constraints inch by inch.
func (s *sqp) reweigh() {
	most := 0.
	for _, l := range s.l {
		most = max(most, math.Abs(l))
	}
	switch {
	case most > 0.9*s.mu && s.mu < mostMu:
		s.mu *= 10
	case most < 0.05*s.mu && s.mu > firstMu && s.fresh:
		s.mu /= 10
	}
}

// correct tries the step once more, for what the constraints are after it.
func (s *sqp) correct(p []float64, next place, before, promised float64) (place, float64, error) {
	c := make([]float64, len(next.c))
	for k, a := range s.a {
		c[k] = next.c[k] - floats.Dot(a, p)
	}
	kept := s.l
	q, _, ok := s.propose(c)
	s.l = kept
	if !ok {
		return next, math.Inf(-1), nil
	}
	again, err := s.try(q)
	if err != nil {
		return next, 0, err
	}
	return again, (before - s.merit(again)) / promised, nil
}

// try evaluates f after a step.
func (s *sqp) try(p []float64) (place, error) {
	y := append([]float64(nil), s.at.y...)
	for k := range y { // a step that ends next to a bound ends there
		switch y[k] += p[k]; {
		case y[k]-s.space.lo[k] < atBound:
			y[k] = s.space.lo[k]
		case s.space.hi[k]-y[k] < atBound:
			y[k] = s.space.hi[k]
		}
	}
	places, err := s.evaluate([][]float64{s.space.inside(y)})
	if err != nil {
		return place{}, err
	}
	return places[0], nil
}
