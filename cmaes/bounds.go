package cmaes

import (
	"math"

	"github.com/untwist/untwist/objective"
)

// A fold maps all of space into a box. It is the identity except in a margin, where it
// bends quadratically so that it is smooth. Beyond the margin it is mirrored. The search
// moves in all of space, and its distribution is not distorted, not even in a corner.
// (This is Hansen's "linear-quadratic" transformation for bounds.)
type fold struct {
	box    objective.Box
	margin objective.Box // the widths of the margins
	free   bool
}

// The margin at a bound b is (1 + |b|)/marginPart wide, as in Hansen's programs, but at
// most half of the box.
const marginPart = 20

func newFold(box objective.Box) fold {
	n := len(box.Lo)
	f := fold{box, objective.Cube(n, 0, 0), true}
	for i := range n {
		lo, hi := box.Lo[i], box.Hi[i]
		f.free = f.free && math.IsInf(lo, -1) && math.IsInf(hi, 1)
		f.margin.Lo[i] = min((hi-lo)/2, (1+math.Abs(lo))/marginPart)
		f.margin.Hi[i] = min((hi-lo)/2, (1+math.Abs(hi))/marginPart)
	}
	return f
}

// into sets x to the image of u.
func (f fold) into(x, u []float64) {
	if f.free {
		copy(x, u)
		return
	}
	for i, v := range u {
		x[i] = f.one(v, i)
	}
}

// one maps the i-th coordinate.
func (f fold) one(v float64, i int) float64 {
	lo, hi, a, b := f.box.Lo[i], f.box.Hi[i], f.margin.Lo[i], f.margin.Hi[i]
	if !math.IsInf(lo, -1) && !math.IsInf(hi, 1) { // the map is periodic
		low, period := lo-a, 2*(hi+b-(lo-a))
		v = low + math.Mod(v-low, period)
		if v < low {
			v += period
		}
		if top := hi + b; v > top {
			v = top - (v - top)
		}
	}
	switch {
	case !math.IsInf(lo, -1) && v < lo-a:
		v = lo - a + (lo - a - v)
	case !math.IsInf(hi, 1) && v > hi+b:
		v = hi + b - (v - hi - b)
	}
	switch {
	case v < lo+a:
		v = lo + float64((v-(lo-a))*(v-(lo-a))/(4*a))
	case v > hi-b:
		v = hi - float64((v-(hi+b))*(v-(hi+b))/(4*b))
	}
	return min(max(v, lo), hi)
}

// back returns a u that is mapped to x, or to the point inside that is nearest to x.
func (f fold) back(x []float64) []float64 {
	u := make([]float64, len(x))
	for i, v := range x {
		lo, hi, a, b := f.box.Lo[i], f.box.Hi[i], f.margin.Lo[i], f.margin.Hi[i]
		v = min(max(v, lo), hi)
		switch {
		case v < lo+a:
			u[i] = lo - a + 2*math.Sqrt(a*(v-lo))
		case v > hi-b:
			u[i] = hi + b - 2*math.Sqrt(b*(hi-v))
		default:
			u[i] = v
		}
	}
	return u
}
