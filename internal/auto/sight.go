package auto

import (
	"cmp"
	"math"
	"slices"
)

// A sight is what is seen of a component, from x: the rise of f at t along u_j, ascending
// in t, 0 at 0.
type sight []glimpse

// A glimpse is a point of a line and how much higher f is there.
type glimpse struct{ t, rise float64 }

// A hill is what is seen of the hills along a component: how high they are, the largest fall
// on the way outwards, and how far away the first of them is, where f begins to fall. A
// function of one well has none.
type hill struct{ height, away float64 }

// ripple returns the hills that are seen.
func (s sight) ripple(none float64) hill {
	h := hill{0, math.Inf(1)}
	middle := slices.IndexFunc(s, func(p glimpse) bool { return p.t == 0 })
	for _, way := range []int{-1, 1} {
		top, first := 0.0, true
		for i := middle; i >= 0 && i < len(s); i += way {
			fall := top - s[i].rise
			h.height = max(h.height, fall)
			if fall > none && first {
				top := cmp.Or(s[i-way].t, s[i].t) // something deeper may be the first that is seen
				h.away, first = min(h.away, math.Abs(top)), false
			}
			top = max(top, s[i].rise)
		}
	}
	return h
}

// within returns where f may be lower than at x if hills are that high: as far as samples
// are no higher than that, and to the next.
func (s sight) within(height float64) (lo, hi float64) {
	low := func(p glimpse) bool { return p.t == 0 || p.rise <= height }
	first, last := slices.IndexFunc(s, low), len(s)-1
	for !low(s[last]) {
		last--
	}
	return s[max(first-1, 0)].t, s[min(last+1, len(s)-1)].t
}

// deeper reports whether f is lower somewhere.
func (s sight) deeper(none float64) bool {
	return slices.ContainsFunc(s, func(p glimpse) bool { return p.rise < -none })
}

const (
	// nextHills is how many hills outside a scan are looked at.
	nextHills = 4
	// told is by which part of the hills' height gains may be amiss.
	told = 1. / 16
)

// unseen returns the ranges of t, from x, that a scan has not seen closely enough. If it was
// too coarse, or its gains were amiss, or something deeper has turned up, that is all where
// f may be lower than at x; otherwise what was not scanned of that in the start box, which
// is where |y + t| ≤ extent, and the next hills.
func (s *scan) unseen(h hill, seen sight, y, extent, none float64) [][2]float64 {
	if s.step > h.away || s.amiss > told*h.height || seen.deeper(none) {
		lo, hi := seen.within(2 * h.height)
		return [][2]float64{{lo, hi}}
	}
	lo, hi := seen.within(h.height)
	lo, hi = max(lo, min(-extent-y, -nextHills*h.away)), min(hi, max(extent-y, nextHills*h.away))
	return [][2]float64{{lo, min(hi, s.lo-y)}, {max(lo, s.hi-y), hi}}
}

// last returns how far out s goes, on the side that goes less far, and first how far in, on
// the side that goes less far in.
func (s sight) last() float64 { return min(-s[0].t, s[len(s)-1].t) }

func (s sight) first() float64 {
	least := math.Inf(1)
	for _, p := range s {
		if p.t != 0 {
			least = min(least, math.Abs(p.t))
		}
	}
	return least
}

// low reports whether an end of s is no higher than hills.
func (s sight) low(height float64) bool {
	return s[0].t < 0 && s[0].rise <= height || s[len(s)-1].t > 0 && s[len(s)-1].rise <= height
}

// bent reports whether f rises at the first points on both sides by far less than a parabola
// of the curvature at x.
func (s sight) bent(curvature float64) bool {
	middle := slices.IndexFunc(s, func(p glimpse) bool { return p.t == 0 })
	if middle < 1 || middle+1 >= len(s) {
		return false
	}
	left, right := s[middle-1], s[middle+1]
	parabola := float64(curvature*left.t*left.t/2) + float64(curvature*right.t*right.t/2)
	return left.rise+right.rise < bentPart*parabola
}

// bentPart is how much less that is.
const bentPart = 1. / 4
