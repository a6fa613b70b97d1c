package auto

import "math"

// A stencil is three points of a component, x − h, x and x + h along u_j, and the step that
// a parabola through them proposes.
//
// The length h follows the steps: it is a part of the last one. So its error, which is of
// the order of h² for a smooth f_j, shrinks with the square of the step, and where f_j has
// no second derivative, as |y| or an oscillating function, the three points still shrink
// around the minimum, by a factor in each round.
type stencil struct {
	h     float64 // 0: x is on a face
	reach float64 // the longest step; +∞: a quadratic has no limit

	up, down float64 // f(x+h) − f(x) and f(x−h) − f(x)
	seen     float64 // f(x) when it was measured
	bend     float64 // f_j″ as it was measured

	t, gain float64 // the step proposed, and what it gains if f_j is a parabola
	last    float64 // the length of the step before; 0: none
	rest    bool    // the minimum is known to rounding
}

const (
	// shrink limits how much shorter h becomes in one step.
	shrink = 1. / 16
	// grow is how far the next step may go, in lengths of this one, and how much longer
	// h becomes where f does not change over it.
	grow = 4
	// downhill is how far a step goes where f_j″ ≤ 0, as a part of its reach.
	downhill = 1. / 4
	// sure is how far a parabola's rise over h stays above what counts as none: then
	// rounding moves its vertex by little.
	sure = 128
	// quick is the part of a step that is left of it in the next one where a parabola
	// fits well, at most.
	quick = 1. / 4
)

// propose says where the minimum of the component is. none is the difference of values
// that counts as none, scale the component's.
//
// With a = f(x+h) − f(x) and b = f(x−h) − f(x) the parabola's vertex is at
//
//	t = h (b − a) / (2 (a + b)),   and gains (b − a)² / (8 (a + b)).
//
// Where a + b ≤ 0 there is none: then the step goes downhill.
func (s *stencil) propose(none, scale float64) {
	a, b := s.up, s.down
	s.t, s.gain, s.rest = 0, 0, false
	bend := a + b
	switch {
	case !(s.h > 0):
		s.rest = true // on a face
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		s.aside()
	case math.Abs(a) <= none && math.Abs(b) <= none:
		s.rest = s.h >= scale || s.last > 0
	case bend > 0 && (bend > none || min(a, b) >= 0):
		s.t = s.h * (b - a) / (2 * bend)
		s.gain = float64((b-a)*(b-a)) / (8 * bend)
		if math.Abs(s.t) > s.reach { // of which f(x) − f(x+t) = −t slope − t² bend/2
			s.t = math.Copysign(s.reach, s.t)
			part := s.reach / s.h
			s.gain = float64(part*math.Abs(b-a)/2) - float64(part*part*bend/2)
		}
		s.rest = s.gain <= none && min(a, b) >= 0
	default:
		s.t = math.Copysign(downhill*min(s.reach, max(s.h, scale)), b-a)
		s.gain = max(-a, -b)
	}
}

// aside goes to the finite side if that is lower: f has failed on the other one.
func (s *stencil) aside() {
	if s.up < 0 && !math.IsInf(s.up, 0) {
		s.t, s.gain = s.h, -s.up
	} else if s.down < 0 && !math.IsInf(s.down, 0) {
		s.t, s.gain = -s.h, -s.down
	}
}

// follow chooses h for the point to which the proposed step has led.
func (s *stencil) follow(none, scale float64) {
	length, bend := math.Abs(s.t), s.up+s.down
	switch {
	case math.IsInf(s.reach, 1): // the longer the better
		return
	case length == 0 && math.Max(math.Abs(s.up), math.Abs(s.down)) <= none:
		s.h = min(grow*s.h, scale) // f does not change over h
		return
	case math.IsInf(bend, 0) || math.IsNaN(bend):
		s.h *= quick
	default:
		part := quick // of the step, which is left of it
		if s.last > 0 {
			part = min(max(quick, length/s.last), 1)
		}
		least := s.h * shrink
		if bend > 0 { // the rise over the next h is at least sure times what counts as none
			least = max(least, s.h*min(1, math.Sqrt(sure*none/bend)))
		}
		s.h = max(part*length, least)
	}
	s.last = length
	s.reach = grow * max(length, s.h)
}

// measure takes the values beside x. One that is not a number counts as large.
func (s *stencil) measure(fx, up, down float64) {
	s.seen, s.up, s.down = fx, up-fx, down-fx
	if math.IsNaN(s.up) {
		s.up = math.Inf(1)
	}
	if math.IsNaN(s.down) {
		s.down = math.Inf(1)
	}
	s.bend = (s.up + s.down) / float64(s.h*s.h)
}

// judge takes what the proposed step gains alone, and returns the gain of the step that is
// taken instead if that is too little: to the lower end of the stencil, or none. Three equal
// values are a plateau, which leads nowhere.
func (s *stencil) judge(gain, none, scale float64) float64 {
	side := s.up
	if s.t < 0 {
		side = s.down
	}
	switch {
	case s.rest:
		s.t = 0
		return 0
	case gain >= addUp*s.gain && gain > 0:
		s.follow(none, scale)
		return gain
	case math.Abs(gain) <= none && math.Abs(side) <= none:
		s.t, s.rest = 0, s.t != 0
		s.follow(none, scale)
		return 0
	}
	failed := math.Abs(s.t)
	s.t, gain = 0, 0
	if low := min(s.up, s.down); low < 0 {
		s.t, gain = s.h, -low
		if s.down < s.up {
			s.t = -s.h
		}
	}
	s.h = max(s.h*shrink, quick*min(failed, s.h))
	s.last, s.reach = failed, grow*max(math.Abs(s.t), s.h)
	return gain
}
