package several

import (
	"math"

	"github.com/untwist/untwist/internal/quadratic"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A proposal is a step p that minimises the model of φ for some μ, the multipliers of the constraints and
// of the polytope's rows, and what the model says of it: by how much f changes, and the violation after it.
type proposal struct {
	p, l, hard      []float64
	value, violated float64
}

// propose returns the step that minimises the model of φ for constraints c, and what it promises to gain.
// It keeps the multipliers. μ is raised as long as that makes the step violate less: within Δ there may be
// no step that violates nothing. Far above the multipliers it is lowered, since a merit that is mostly
// violation has steps follow curved constraints inch by inch.
func (s *sqp) propose(c []float64) (p []float64, promised float64, ok bool) {
	best, ok := s.solve(c, s.mu)
	if !ok {
		return nil, 0, false
	}
	for most(best.l) > 0.9*s.mu && s.mu < mostMu {
		more, ok := s.solve(c, 10*s.mu)
		if !ok || more.violated > 0.9*best.violated {
			break
		}
		best, s.mu = more, 10*s.mu
	}
	if most(best.l) < 0.05*s.mu && s.mu > firstMu && s.fresh {
		s.mu /= 10
	}
	s.l, s.hard = best.l, best.hard
	return best.p, s.mu*(s.violation(c)-best.violated) - best.value, true
}

func most(all []float64) float64 { return floats.Norm(all, math.Inf(1)) }

// solve minimises the model of φ for constraints c and a weight μ, over p/Δ, which is about 1.
func (s *sqp) solve(c []float64, mu float64) (out proposal, ok bool) {
	n := s.space.dim()
	q := quadratic.Program{B: mat.NewSymDense(n, nil), Mu: mu, A: s.space.rows}
	q.B.ScaleSym(s.radius, s.b)
	for i, v := range s.g {
		q.G = append(q.G, s.scale*v)
		q.Lo = append(q.Lo, max(-1, (s.space.lo[i]-s.at.y[i])/s.radius))
		q.Hi = append(q.Hi, min(1, (s.space.hi[i]-s.at.y[i])/s.radius))
	}
	for i, a := range s.space.rows {
		q.Right = append(q.Right, max(0, s.space.right[i]-floats.Dot(a, s.at.y))/s.radius)
	}
	var sides []int // of which constraint a soft row is
	for k, a := range s.a {
		for _, sign := range []float64{1, -1} {
			if sign < 0 && !s.constraints[k].equal {
				break
			}
			row := make([]float64, n)
			floats.AddScaled(row, sign*s.weight[k], a)
			q.C, q.Soft, sides = append(q.C, row), append(q.Soft, -sign*s.weight[k]*c[k]/s.radius), append(sides, k)
		}
	}
	solved, ok := quadratic.Solve(q)
	if !ok {
		return out, false
	}
	floats.Scale(s.radius, solved.P)
	out = proposal{p: solved.P, hard: solved.Hard, l: make([]float64, len(s.a))}
	for i, k := range sides {
		sign := 1.
		if i > 0 && sides[i-1] == k {
			sign = -1
		}
		out.l[k] += sign * solved.Soft[i]
	}
	v := mat.NewVecDense(n, out.p)
	out.value = s.scale*floats.Dot(s.g, out.p) + mat.Inner(v, s.b, v)/2
	after := make([]float64, len(s.a))
	for k, a := range s.a {
		after[k] = c[k] + floats.Dot(a, out.p)
	}
	out.violated = s.violation(after)
	return out, true
}

// correct tries a step once more, for what the constraints are after it.
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
