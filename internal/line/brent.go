package line

import "math"

// A brent minimises a function of one variable within a bracket a < x < b, f(x) no
// larger than at the ends, by R. Brent's method ("Algorithms for Minimization
// without Derivatives", 1973): parabolas through the three best points, and golden
// sections where a parabola does not help. It is turned inside out, so that many can
// be advanced together: next says where to look, and tell takes what was seen.
type brent struct {
	a, b       float64 // the bracket
	x, w, v    float64 // the best, second and third best point
	fx, fw, fv float64
	step, last float64 // this step and the one before
	u          float64 // where it looks
	tolerance  float64
}

// newBrent starts from a bracket of three samples. The first step can be that of a parabola.
func newBrent(a, x, b sample, tolerance float64) *brent {
	w, v := a, b
	if b.value < a.value {
		w, v = b, a
	}
	return &brent{
		a: a.t, b: b.t, x: x.t, w: w.t, v: v.t, fx: x.value, fw: w.value, fv: v.value,
		step: b.t - a.t, last: b.t - a.t, tolerance: tolerance,
	}
}

// golden is (3−√5)/2, the part of a bracket that a golden section cuts off.
const golden = 0.3819660112501051

// next returns where to look, and false if the minimum is known well enough.
func (s *brent) next() (float64, bool) {
	middle := float64((s.a + s.b) / 2)
	if math.Abs(s.x-middle) <= float64(2*s.tolerance)-float64((s.b-s.a)/2) {
		return s.x, false
	}
	step, parabola := 0.0, false
	if math.Abs(s.last) > s.tolerance {
		r := float64((s.x - s.w) * (s.fx - s.fv))
		q := float64((s.x - s.v) * (s.fx - s.fw))
		p := float64((s.x-s.v)*q) - float64((s.x-s.w)*r)
		q = 2 * (q - r)
		if q > 0 {
			p = -p
		}
		q = math.Abs(q)
		if math.Abs(p) < math.Abs(q*s.last/2) && p > q*(s.a-s.x) && p < q*(s.b-s.x) {
			step, parabola = p/q, true
			if u := s.x + step; u-s.a < 2*s.tolerance || s.b-u < 2*s.tolerance {
				step = math.Copysign(s.tolerance, middle-s.x) // where more is left
			}
		}
	}
	s.last = s.step
	if !parabola {
		s.last = s.b - s.x
		if s.x >= middle {
			s.last = s.a - s.x
		}
		step = golden * s.last
	}
	if math.Abs(step) < s.tolerance {
		step = math.Copysign(s.tolerance, step)
	}
	s.step = step
	s.u = s.x + step
	return s.u, true
}

// tell takes the value at the point that next has named. One that is not finite
// counts as large.
func (s *brent) tell(fu float64) {
	if math.IsNaN(fu) {
		fu = math.Inf(1)
	}
	if fu <= s.fx {
		if s.u >= s.x {
			s.a = s.x
		} else {
			s.b = s.x
		}
		s.v, s.fv, s.w, s.fw, s.x, s.fx = s.w, s.fw, s.x, s.fx, s.u, fu
		return
	}
	if s.u < s.x {
		s.a = s.u
	} else {
		s.b = s.u
	}
	switch {
	case fu <= s.fw || s.w == s.x:
		s.v, s.fv, s.w, s.fw = s.w, s.fw, s.u, fu
	case fu <= s.fv || s.v == s.x || s.v == s.w:
		s.v, s.fv = s.u, fu
	}
}
