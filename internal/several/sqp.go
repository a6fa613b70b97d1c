package several

import (
	"math"

	"github.com/untwist/untwist/internal/quadratic"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A constraint is sign·(output − limit) ≤ 0, or = 0.
type constraint struct {
	output int
	sign   float64
	limit  float64
	equal  bool
}

// A place is a point y that was evaluated: f, and the constraints there.
type place struct {
	y       []float64
	f       float64
	c       []float64
	numbers []float64 // nil: f has failed
}

// An sqp is a descent by sequential quadratic programming with the merit
//
//	φ(y) = f(y) + μ·Σ max(0, c_k(y)),
//
// with |c_k| for equations: a step p minimises its model, gᵀp + ½pᵀBp + μ·Σ max(0, c_k + a_kᵀp), within
// the polytope and |p_i| ≤ Δ. Gradients come from one batch of differences. B approximates the Hessian of
// the Lagrangian by damped BFGS updates (J. Nocedal and S. Wright, Numerical Optimization, procedure
// 18.2); with residuals it is 2·JᵀJ. A step that fails because the constraints are curved is corrected
// once (section 18.3). f and the constraints are scaled by their first gradients.
type sqp struct {
	*limits
	at      place
	g       []float64   // of f
	a       [][]float64 // of the constraints
	jac     *mat.Dense  // of the residuals; nil: there are none
	b       *mat.SymDense
	first   bool // B was not updated yet
	scale   float64
	weight  []float64
	mu      float64
	radius  float64 // Δ
	h       float64 // step of differences
	l       []float64
	hard    []float64 // multipliers of the polytope's rows
	stalled int
}

const (
	firstRadius = 0.25  // of half the start box
	leastRadius = 1e-9  // a step below it is none
	firstMu     = 10    // multipliers are about 1, since all gradients are
	mostMu      = 1e8   // no constraint is worth more
	diffStep    = 1e-7  // near √ε
	moreStep    = 100.  // the step of differences grows by this where f turns out to be noisy
	mostStep    = 1e-2  // and no further
	gainTol     = 1e-10 // a step that promises to gain less, as a part of φ, is the last
	atBound     = 1e-8  // a step of an interior-point method ends this near to a bound that it means
	mostSteps   = 200
)

// descend descends from a place. It reports whether it has come to an end.
func (s *sqp) descend(from place) (done bool, err error) {
	s.at, s.radius, s.h, s.mu = from, firstRadius, diffStep, firstMu
	if err := s.differentiate(); err != nil {
		return false, err
	}
	s.rescale()
	s.reset()
	for range mostSteps {
		if done, err = s.step(); done || err != nil {
			return done, err
		}
	}
	return true, nil
}

// rescale scales f and the constraints by their gradients.
func (s *sqp) rescale() {
	s.scale = 1 / max(floats.Norm(s.g, 2), math.Abs(s.at.f)*1e-6, 1e-300)
	s.weight = make([]float64, len(s.a))
	for k, a := range s.a {
		if n := floats.Norm(a, 2); n > 0 {
			s.weight[k] = 1 / n
		} else {
			s.weight[k] = 1 / max(math.Abs(s.constraints[k].limit), 1e-6)
		}
	}
}

// reset forgets B.
func (s *sqp) reset() {
	n := s.space.dim()
	s.b, s.first = mat.NewSymDense(n, nil), true
	for i := range n {
		s.b.SetSym(i, i, 1)
	}
}

// violation returns Σ max(0, w·c) of constraints.
func (s *sqp) violation(c []float64) (sum float64) {
	for k, v := range c {
		if v = s.weight[k] * v; s.constraints[k].equal {
			v = math.Abs(v)
		}
		sum += max(0, v)
	}
	return sum
}

// merit returns φ of a place.
func (s *sqp) merit(p place) float64 {
	if p.numbers == nil {
		return math.Inf(1)
	}
	return s.scale*p.f + s.mu*s.violation(p.c)
}

// step makes one step. It reports whether there is nothing more to gain.
func (s *sqp) step() (done bool, err error) {
	if s.jac != nil {
		s.gaussNewton()
	}
	p, promised, ok := s.propose(s.at.c)
	if !ok {
		return true, nil
	}
	size := max(1, math.Abs(s.merit(s.at)))
	if promised <= gainTol*size {
		if s.violation(s.at.c) > gainTol && s.mu < mostMu {
			s.mu *= 10
			return false, nil
		}
		return true, nil
	}
	before, was := s.merit(s.at), s.at
	next, err := s.try(p)
	if err != nil {
		return false, err
	}
	ratio := (before - s.merit(next)) / promised
	if ratio < 0.25 && next.numbers != nil && s.violation(next.c) > s.violation(was.c) {
		again, better, err := s.correct(p, next, before, promised)
		if err != nil {
			return false, err
		}
		if better > ratio {
			next, ratio = again, better
		}
	}
	length := 0.
	for k := range next.y {
		length = max(length, math.Abs(next.y[k]-was.y[k]))
	}
	switch {
	case !(ratio >= 0.25):
		s.radius = min(s.radius, length) / 3
	case ratio > 0.75 && length > 0.9*s.radius:
		s.radius = min(2*s.radius, 2)
	}
	if !(ratio > 1e-4) {
		return s.refuse()
	}
	gained := before - s.merit(next)
	if s.stalled++; gained > 1e-8*size {
		s.stalled = 0
	}
	return s.stalled >= 3, s.move(next)
}

// refuse ends a descent whose steps have become too short. If they should not have failed, differences
// are taken with a larger step first: f may be noisy.
func (s *sqp) refuse() (done bool, err error) {
	if s.radius >= leastRadius {
		return false, nil
	}
	if s.h >= mostStep {
		return true, nil
	}
	s.h *= moreStep
	s.radius = max(firstRadius/10, s.h)
	s.reset()
	return false, s.differentiate()
}

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
	for _, l := range s.l {
		if math.Abs(l) > 0.9*s.mu && s.mu < mostMu {
			s.mu *= 10
			break
		}
	}
	return p, promised, true
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
		case p[k] < 0 && y[k]-s.space.lo[k] < atBound:
			y[k] = s.space.lo[k]
		case p[k] > 0 && s.space.hi[k]-y[k] < atBound:
			y[k] = s.space.hi[k]
		}
	}
	places, err := s.evaluate([][]float64{s.space.inside(y)})
	if err != nil {
		return place{}, err
	}
	return places[0], nil
}

// move goes to a place, takes differences there and updates B.
func (s *sqp) move(to place) error {
	step := append([]float64(nil), to.y...)
	floats.Sub(step, s.at.y)
	before := s.lagrangian()
	s.at = to
	if err := s.differentiate(); err != nil {
		return err
	}
	by := s.lagrangian()
	floats.Sub(by, before)
	if s.jac == nil {
		s.update(step, by)
	}
	return nil
}

// lagrangian returns the gradient of f + Σ l·c.
func (s *sqp) lagrangian() []float64 {
	g := make([]float64, len(s.g))
	floats.AddScaled(g, s.scale, s.g)
	for k, a := range s.a {
		floats.AddScaled(g, s.weight[k]*s.l[k], a)
	}
	return g
}
