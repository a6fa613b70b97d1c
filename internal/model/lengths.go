package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// curvatures measures those of all components at all places, by second differences with the steps t_i.
func (r *ruler) curvatures(t []float64) error {
	return r.ask(t, func(at spot, d, variance float64) {
		if variance < at.p.errors[at.i] {
			at.p.bend[at.i], at.p.errors[at.i] = d, variance
		}
	})
}

// at adds a place at which f is known.
func (r *ruler) at(x []float64, z float64) *place {
	m, _ := r.frame.W.Dims()
	f, slope := r.theta.Of(z)
	p := place{x: x, f: f, noise: square(slope * r.s.noise(z)), bend: make([]float64, m), errors: make([]float64, m), last: make([]float64, m), noises: make([]float64, m)}
	for i := range m {
		p.errors[i], p.noises[i] = math.Inf(1), math.Inf(1)
	}
	r.places = append(r.places, p)
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
				p.bend[i], p.errors[i] = q.v.At(i, i), q.s2.At(i, i)
				if p.errors[i] > square(faint) { // curvatures are about 1, and measured again where a faint change is lost
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
