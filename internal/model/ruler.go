package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// A reading is a second difference, and its variance.
type reading struct{ d, variance float64 }

// A place is a point at which the curvatures of all components are known.
type place struct {
	x          []float64
	f, noise   float64   // the value after ψ, and its variance
	bend, last []reading // f_i″, and the last D_i(t)
}

// A ruler measures the length ℓ of components, in units of their rows: over a step of ℓ second differences
//
//	D_i(t) = (f(x + tu_i) − 2f(x) + f(x − tu_i))/t²
//
// change by three tenths of the curvature. As D_i(t) − f_i″ grows with t², a step t that is not far from ℓ tells it:
//
//	ℓ = t √(0.3/c),   c² = mean of ((D_i(t) − f_i″)² − noise) / max((f_i″)², (m_i/4)²),
//
// over some places, m_i the middle one of their curvatures: f may be much more curved far from its wells than near them,
// so that its changes are small for the one and large for the other. Where another step is tried it is held against that:
// f_i″ may have been wrong if the step was too long, and has more noise if it was too short. Where curvatures are known
// to be about 1, half of m_i² is that.
type ruler struct {
	s      *sampler
	frame  *Frame
	theta  Theta
	even   bool // curvatures are about 1
	places []place
}

const (
	// rulerPlaces is at how many points lengths are measured, and from how many f goes down: at one a ripple may be missed, at
	// three hardly.
	rulerPlaces = 3
	// faint and plain are the c between which a step tells ℓ; beyond them another is tried, by strides. Of a ripple
	// that is shorter than the step c is 1.
	faint, plain, strides = 0.05, 0.6, 3
	// outlier is the length of a component, in those of most others, from which on it does not matter how long
	// it is: where most components are rough, one that seems smooth was measured where it happens to be.
	outlier = 2
	// gentle is the least curvature that a change is a part of, as a part of the middle one.
	gentle = 0.25
)

// A gauge is what is known of one length.
type gauge struct {
	t      float64 // the step to try; 0: it is known
	lo, hi float64 // ℓ is longer than lo, and shorter than hi
	length float64
}

// lengths measures the length of every component, where first are about what they are.
func (r *ruler) lengths(first []float64) ([]float64, error) {
	all, widths := make([]gauge, len(first)), r.s.widths(r.frame.W)
	for i, l := range first {
		l = min(l, widths[i])
		all[i] = gauge{t: l, hi: math.Inf(1), length: l}
	}
	for {
		c, asked, err := r.changes(all)
		if err != nil {
			return nil, err
		}
		if !asked {
			break
		}
		var known []float64
		for i := range all {
			if g := &all[i]; g.t > 0 {
				g.tell(c[i], widths[i])
			}
			known = append(known, max(all[i].length, all[i].t)/widths[i])
		}
		usual := median(known)
		for i := range all {
			if g := &all[i]; g.t > outlier*usual*widths[i] && math.IsInf(g.hi, 1) {
				g.length, g.t = g.t, 0
			}
		}
	}
	out := make([]float64, len(all))
	for i, g := range all {
		out[i] = g.length
	}
	return out, nil
}

// down reports whether the step is shorter than one that was too long.
func (g *gauge) down() bool { return !math.IsInf(g.hi, 1) }

// tell takes notice of c, that of the longer step if the last was a shorter one, and chooses the next step, up to a
// width. NaN: nothing was seen.
func (g *gauge) tell(c, width float64) {
	t := g.t
	if g.down() {
		t = g.hi
	}
	switch {
	case math.IsNaN(c):
		g.length, g.t = max(g.length, g.lo), 0
	case c > plain && g.lo > 0:
		g.length, g.t = math.Sqrt(g.lo*t), 0
	case c > plain && g.t > shortest*width:
		g.hi, g.length, g.t = g.t, g.t/strides, g.t/strides
	case c <= faint && !g.down() && t < width:
		g.lo, g.length, g.t = t, t, min(strides*t, width)
	case c > faint:
		g.length, g.t = t*math.Sqrt(steady/c), 0
	default:
		g.length, g.t = t, 0
	}
}

// A spot is a second difference along component i at a place.
type spot struct {
	i int
	p *place
	t float64
}

// changes asks for second differences with all steps that are to be tried, and returns c of each; 0 where noise
// hides it, NaN where nothing is seen. It reports whether there were any.
func (r *ruler) changes(all []gauge) (c []float64, asked bool, err error) {
	t := make([]float64, len(all))
	for i, g := range all {
		t[i] = g.t
		asked = asked || t[i] > 0
	}
	seen := make([][]change, len(all))
	err = r.ask(t, func(at spot, now reading) {
		i, p := at.i, at.p
		near, far := p.bend[i], now
		if down := all[i].down(); down || p.last[i].variance < near.variance {
			if near = p.last[i]; down {
				near, far = now, near
			}
			far.d = near.d + float64((far.d-near.d)*(strides*strides)/(strides*strides-1)) // D(3t) − D(t) is 8/9 of what D(3t) misses
		}
		p.last[i] = now
		if noises := near.variance + far.variance; kernel.Finite(noises) { // f has not failed near it
			size := max(math.Abs(near.d), math.Abs(far.d)/2) // of a kink beside a place f″ is 0
			seen[i] = append(seen[i], change{square((far.d-near.d)*square(t[i]/at.t)) - float64(2*noises), square(size)})
		}
	})
	c = make([]float64, len(all))
	for i := range c {
		c[i] = r.mean(seen[i])
	}
	return c, asked, err
}

// A change is what a second difference has changed by at a place, squared and without noise, and the square of f_i″.
type change struct{ by, bend float64 }

// mean returns c, the root of the mean of changes as parts of curvatures; NaN if there is none.
func (r *ruler) mean(seen []change) float64 {
	bends := make([]float64, len(seen))
	for k, s := range seen {
		bends[k] = s.bend
	}
	middle, sum, n := median(bends), 0.0, 0
	if r.even {
		middle = (middle + 1) / 2
	}
	for _, s := range seen {
		if size := max(s.bend, float64(square(gentle)*middle)); size > 0 {
			sum += s.by / size
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Sqrt(max(0, sum) / float64(n))
}

// ask asks for second differences along all components at all places, with the steps t_i, shorter ones where the
// bounds are near; 0: along others only. It tells those of which both values are finite.
func (r *ruler) ask(t []float64, tell func(at spot, now reading)) error {
	var spots []spot
	var points [][]float64
	for k := range r.places {
		p := &r.places[k]
		for i, t := range t {
			step := beside(make([]float64, r.s.dim()), t, r.frame.U.RawRowView(i))
			part := r.s.around(p.x, step)
			if t == 0 || part < 0.5 {
				continue
			}
			spots = append(spots, spot{i, p, part * t})
			points = append(points, beside(p.x, part, step), beside(p.x, -part, step))
		}
	}
	if len(spots) == 0 {
		return nil
	}
	z, err := r.s.at(points)
	if err != nil {
		return err
	}
	for k, at := range spots {
		if now := r.second(*at.p, z[2*k:2*k+2], at.t); kernel.Finite(now.d) {
			tell(at, now)
		}
	}
	return nil
}

// second returns the second difference at a place from two values.
func (r *ruler) second(p place, z []float64, t float64) reading {
	d, variance := -float64(2*p.f), 4*p.noise
	for _, v := range z {
		if !kernel.Finite(v) {
			return reading{math.NaN(), 0}
		}
		f, slope := r.theta.Of(v)
		d += f
		variance += square(slope * r.s.noise(v))
	}
	return reading{d / square(t), variance / square(square(t))}
}

// curvatures measures those of all components at all places, by second differences with the steps t_i.
func (r *ruler) curvatures(t []float64) error {
	return r.ask(t, func(at spot, now reading) {
		if b := &at.p.bend[at.i]; now.variance < b.variance {
			*b = now
		}
	})
}

// at adds a place at which f is known.
func (r *ruler) at(x []float64, z float64) *place {
	m, _ := r.frame.W.Dims()
	f, slope := r.theta.Of(z)
	unknown := slices.Repeat([]reading{{0, math.Inf(1)}}, m)
	r.places = append(r.places, place{x, f, square(slope * r.s.noise(z)), unknown, slices.Clone(unknown)})
	return &r.places[len(r.places)-1]
}

// MeasureLengths measures Result.Scale, at the points of some looks.
func (r *Result) MeasureLengths() error {
	e := r.search
	looks := e.short()
	looks = looks[max(0, len(looks)-rulerPlaces):]
	by := ruler{s: e.s, frame: e.frame, theta: e.theta, even: true}
	again := make([]float64, e.m)
	for k, q := range e.equations(e.frame, e.theta, looks) {
		if z := looks[k].z[0][0]; kernel.Finite(z) {
			p := by.at(looks[k].x, z)
			for i := range e.m {
				p.bend[i] = reading{q.v.At(i, i), q.s2.At(i, i)}
				if p.bend[i].variance > square(faint) { // curvatures are about 1, and measured again where a faint change is lost
					again[i] = e.not.ell[i] / strides
				}
			}
		}
	}
	if err := by.curvatures(again); err != nil {
		return err
	}
	lengths, err := by.lengths(e.not.ell)
	if err == nil {
		r.scaled(lengths)
	}
	return err
}
