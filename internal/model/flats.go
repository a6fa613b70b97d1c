package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// flats looks for directions in which f is constant: so many that have no curvature above the noise, and those that the first look
// suggests. A quadratic that is curved in all directions has none.
func (e *search) flats(flat int, gap float64) (done bool, err error) {
	if e.s.span != nil || e.bowl && flat == 0 {
		return false, nil
	}
	noisy, many := e.s.grain.Noisy(), gap > gaping && flat > 2 && len(e.looks) <= lastLooks
	switch {
	case noisy && many:
		return e.respan(flat)
	case !noisy && flat < e.m && (many && !e.bowl || len(e.looks) == 1):
		return e.suspect(flat)
	}
	return false, nil
}

// respan looks whether f is constant in so many directions, in which no look has shown any curvature. If so, it begins again in
// those that are left. The span of a look is off by its error, as a part of the least curvature.
func (e *search) respan(flat int) (done bool, err error) {
	least, most := e.white.RawRowView(flat), e.white.RawRowView(e.m-1)
	rough := e.told * kernel.Dot(least, least) / kernel.Dot(most, most)
	straight := e.straightens(flat)
	var of *subspace
	if straight {
		of, err = e.straightened(flat)
	} else if rough < roughSpan && !e.s.grain.Noisy() {
		rows := mat.DenseCopyOf(e.white)
		kernel.Orthonormalise(rows.RawMatrix())
		of, err = spanOf(e.s, e.steps.within(rows, e.m-flat, e.s.sigma, max(rough, e.s.sigma)), e.m-flat)
	}
	if of == nil && err == nil && !straight {
		of, err = spanOf(e.s, e.steps.slopes(kernel.Identity(e.m), e.s.sigma, 0), e.m-flat)
	}
	if of == nil || err != nil {
		return false, err
	}
	return true, e.inSpan(of)
}

// straightens reports whether so many directions are few enough to be straightened: two steps take less than half of a look.
func (e *search) straightens(flat int) bool {
	return !e.s.grain.Noisy() && 2*(2*flat+1)*(e.m-flat+1) < forward.queries(e.m)
}

// inSpan begins again in a subspace, beyond which f is linear.
func (e *search) inSpan(of *subspace) error {
	e.s.span, e.linear, e.spent = of.span, of.linear, e.s.queries
	e.belief, e.bowls = newBelief(e.s), 0
	e.white, e.clear = kernel.Identity(e.m), false
	return e.climb(e.frame, math.Inf(1), false)
}

// roughSpan is the error of the span of a look from which on it is of no use.
const roughSpan = 1e-2

// suspect looks for directions in which f is constant, or linear: of the first look, those below a gap of curvatures, or
// so many that have none above the noise. Over a long step f curves far less along them than along others.
func (e *search) suspect(flat int) (bool, error) {
	gap, enough := wideGap, leastBend
	for i := 1; i < e.m; i++ {
		if ratio := e.curvature(i) / e.curvature(i-1); ratio > gap {
			flat, gap, enough = i, ratio, fewBends
		}
	}
	for last := max(0, flat-weakest); flat > last; flat-- {
		bend, err := e.bends(flat)
		if err != nil {
			return false, err
		}
		tilt, most := e.told*e.curvature(e.m-1)/e.curvature(flat), enough
		switch {
		case e.bowl:
			most = nothing
		case e.straightens(flat): // each of the others may be off by tilt, in steps of which f curves by told
			most = max(leastBend, 2*float64(e.m)*e.told*min(1, tilt))
		case tilt < roughSpan:
			most = max(leastBend, square(2*tilt))
		case flat == 1:
			most = leastBend
		}
		if bend <= most {
			if done, err := e.respan(flat); done || err != nil {
				return done, err
			}
		}
	}
	return false, nil
}

// curvature returns that along a whitened direction as the user has it, up to a factor.
func (e *search) curvature(i int) float64 { return 1 / square(length(e.white.RawRowView(i))) }

const (
	// wideGap is the ratio of neighbouring curvatures from which on there is a gap, and weakest how many components
	// that are not flat may be below it.
	wideGap, weakest = 10., 3
	// leastBend is the part of the usual curvature that is left along directions in which f has none, unless the error of the
	// look leaves more, and fewBends the same of several below a gap, some of which may be curved. Of a quadratic, which bends
	// everywhere as it does at the look, nothing may be left.
	leastBend, fewBends = 1e-5, 0.03
)

// bends returns the second difference of ψ(f) over a long step along the first few directions, as a part of that along
// all.
func (e *search) bends(few int) (float64, error) {
	x, err := e.s.safe(middle)
	if err != nil {
		return 0, err
	}
	points := [][]float64{x}
	for _, n := range []int{few, e.m} {
		v := make([]float64, e.m)
		for i := range n {
			u := e.white.RawRowView(i)
			kernel.AddScaled(v, e.s.random.NormFloat64()/length(u), u)
		}
		floats.Scale(middle*math.Sqrt(float64(e.m))/length(v), v)
		part := e.s.around(x, v)
		points = append(points, beside(x, part, v), beside(x, -part, v))
	}
	z, err := e.s.at(points)
	if err != nil {
		return 0, err
	}
	z, _ = e.s.mapped(z, e.theta)
	bend := func(a, b float64) float64 { return math.Abs((a - z[0]) + (b - z[0])) }
	ratio := bend(z[1], z[2]) / max(bend(z[3], z[4]), tiny)
	if !kernel.Finite(ratio) {
		return 1, nil
	}
	return ratio, nil
}
