package several

import (
	"math"

	"github.com/untwist/untwist/internal/leastsquares"
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
// 18.2); with residuals it is 2·JᵀJ. A step that fails because the constraints are curved is corrected,
// up to three times (section 18.3). f and the constraints are scaled by their first gradients.
type sqp struct {
	*limits
	at      place
	g       []float64   // of f
	a       [][]float64 // of the constraints
	jac     *mat.Dense  // of the residuals; nil: there are none
	b       *mat.SymDense
	scale   float64
	weight  []float64
	mu      float64
	radius  float64 // Δ
	h       float64 // step of differences
	l       []float64
	hard    []float64 // multipliers of the polytope's rows
	stalled int
	smooth  bool // it ended where no step promised anything,
	known   bool // or next to where another has

	leastsquares.Patience
	fresh bool    // the gradients are differences at the place
	age   int     // how many steps ago they were
	rate  float64 // what the last step with new gradients gained for each of its queries
	old   anchor  // where the last differences were taken
}

// An anchor is where differences were taken: a point and the gradients there.
type anchor struct {
	y, g []float64
	a    [][]float64
}

const (
	firstRadius = 0.25                  // of half the start box
	leastRadius = 1e-9                  // a step below it is none
	firstMu     = 10                    // multipliers are about 1, since all gradients are
	mostMu      = 1e8                   // no constraint is worth more
	diffStep    = 1.6858739404357612e-7 // near √ε, and not a round number
	moreStep    = 100.                  // the step of differences grows by this where f turns out to be noisy
	mostStep    = 1e-2                  // and no further
	gainTol     = 1e-10                 // a step that promises to gain less, as a part of φ, is the last
	atBound     = 1e-8                  // a step of an interior-point method ends this near to a bound that it means
	mostSteps   = 1000
	corrections = 3   // of a step, as long as each gains
	tooFar      = 10. // a gradient that has changed by more than this is scaled anew
)

func (s *sqp) descend(from place) error {
	s.at, s.radius, s.h, s.mu = from, firstRadius, diffStep, firstMu
	if err := s.differentiate(); err != nil {
		return err
	}
	s.reset()
	for range mostSteps {
		if done, err := s.step(); done || err != nil {
			return err
		}
	}
	return nil
}

// rescale scales f and each constraint by its gradient, if that is far from what it was scaled by. B, of
// the scaled Lagrangian, is scaled with f.
func (s *sqp) rescale() {
	far := func(now, was float64) bool { return now > tooFar*was || was > tooFar*now }
	if now := 1 / max(floats.Norm(s.g, 2), math.Abs(s.at.f)*1e-6, 1e-300); far(now, s.scale) {
		if s.b != nil {
			s.b.ScaleSym(now/s.scale, s.b)
		}
		s.scale = now
	}
	if s.weight == nil {
		s.weight = make([]float64, len(s.a))
	}
	for k, a := range s.a {
		now := 1 / max(math.Abs(s.constraints[k].limit), 1e-6)
		if n := floats.Norm(a, 2); n > 0 {
			now = 1 / n
		}
		if far(now, s.weight[k]) {
			s.weight[k] = now
		}
	}
}

func (s *sqp) reset() {
	n := s.space.dim()
	s.b = mat.NewSymDense(n, nil)
	for i := range n {
		s.b.SetSym(i, i, firstCurvature)
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
		switch {
		case !s.fresh:
			return false, s.differentiate()
		case s.violation(s.at.c) > gainTol && s.mu < mostMu:
			s.mu *= 10
			return false, nil
		}
		s.smooth = true
		return true, nil
	}
	before, was := s.merit(s.at), s.at
	next, err := s.try(p)
	if err != nil {
		return false, err
	}
	ratio := (before - s.merit(next)) / promised
	s.Note(s.fresh, ratio > 0.1, len(p))
	if !s.fresh && !(ratio > 0.1) { // the gradients are too old
		if s.merit(next) < before {
			s.at = next
		}
		return false, s.differentiate()
	}
	for range corrections {
		if ratio >= 0.25 || next.numbers == nil || s.violation(next.c) <= s.violation(was.c) {
			break
		}
		floats.SubTo(p, next.y, was.y)
		again, better, err := s.correct(p, next, before, promised)
		if err != nil {
			return false, err
		}
		if better <= ratio {
			break
		}
		next, ratio = again, better
	}
	length := floats.Distance(next.y, was.y, math.Inf(1))
	switch {
	case !(ratio >= 0.25):
		s.radius = min(s.radius, length) / 3
	case ratio > 0.75 && length > 0.9*s.radius:
		s.radius = min(2*s.radius, 2)
	}
	if !(ratio > 1e-4) {
		return s.refuse()
	}
	return s.accept(next, ratio, before-s.merit(next), size)
}

// accept goes to the place after a step that has gained so much, this part of what it promised. It
// reports whether there is nothing more to gain.
func (s *sqp) accept(next place, ratio, gained, size float64) (done bool, err error) {
	if s.stalled++; gained > gainTol*size {
		s.stalled = 0
	}
	if s.fresh {
		s.rate = gained / float64(len(next.y)+1)
	}
	// No more steps with old gradients than new ones cost.
	old := s.fresh && ratio > 0.5 && s.Over() || !s.fresh && gained >= s.rate && s.age < len(next.y)
	if s.smooth = s.stalled >= 3; s.smooth {
		s.at = next
		return true, nil
	}
	if s.known = s.found(next); s.known {
		s.smooth, s.at = true, next
		return true, nil
	}
	return false, s.move(next, old)
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
	s.old = anchor{}
	s.radius = max(firstRadius/10, s.h)
	s.reset()
	return false, s.differentiate()
}

// found reports whether a place is next to a minimum that another descent has come to.
func (s *sqp) found(p place) bool {
	for _, y := range s.minima {
		if floats.Distance(y, p.y, math.Inf(1)) < besides {
			return true
		}
	}
	return false
}

// move goes to a place. With old gradients it brings them up to date by what the step has shown, as if
// all were quadratic along it: a ← a + 2·(c⁺ − c − aᵀs)·s/sᵀs. Otherwise it takes differences there.
func (s *sqp) move(to place, old bool) error {
	step := append([]float64(nil), to.y...)
	floats.Sub(step, s.at.y)
	was := s.at
	s.at = to
	if !old {
		return s.differentiate()
	}
	square := floats.Dot(step, step)
	secant := func(g []float64, change float64) []float64 {
		g = append([]float64(nil), g...)
		floats.AddScaled(g, 2*(change-floats.Dot(g, step))/square, step)
		return g
	}
	s.g = secant(s.g, to.f-was.f)
	all := make([][]float64, len(s.a))
	for k, a := range s.a {
		all[k] = secant(a, to.c[k]-was.c[k])
	}
	s.a, s.fresh, s.age = all, false, s.age+1
	return nil
}

// lagrangian returns the gradient of f + Σ l·c, for these gradients.
func (s *sqp) lagrangian(of []float64, a [][]float64) []float64 {
	g := make([]float64, len(of))
	floats.AddScaled(g, s.scale, of)
	for k, a := range a {
		floats.AddScaled(g, s.weight[k]*s.l[k], a)
	}
	return g
}
