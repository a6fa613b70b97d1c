package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A run of CMA-ES that has come down to the noise wanders about. Near a minimum every smooth
// f separates, along the axes of its Hessian, and the covariance to which CMA-ES has adapted
// has the same axes. So Newton steps along them, from many differences, go on where CMA-ES
// cannot.

const (
	// finishPart is the part of the budget that such steps may take.
	finishPart = 1. / 12
	// atNoise is by how many σ the values of a generation differ at most if the run has come
	// down to the noise: those of noise alone differ by three or four.
	atNoise = 12
	// outside is the length of the first pairs, in standard deviations of the points.
	outside = 3
)

// finish takes Newton steps from where the best run of CMA-ES has come down to the noise, with
// up to so many queries.
func (r *run) finish(ctx context.Context, most int) error {
	var from *trail
	for _, t := range r.fallback.trails() {
		if from == nil || t.value < from.value {
			from = &t
		}
	}
	if from != nil {
		dbg("finish: value %.3g spread %.3g gens %d most %d", from.value, from.spread, from.generations, most)
	}
	if from == nil || !(from.spread <= atNoise*r.f.sigma(from.value)) {
		return nil
	}
	at := axes(from.covariance, r.task.Bounds)
	if at == nil {
		return nil
	}
	before := r.f.now
	r.f.stage(polishing)
	defer r.f.stage(before)
	x := append([]float64(nil), from.mean...)
	clamp(x, r.task.Bounds)
	s := newSettler(r.f, at, x, false)
	s.free = true
	err := s.settle(ctx, r.small(), most)
	r.f.noise.end(s.x)
	return err
}

// axes are coordinates along the axes of a covariance, with scales that are made for first
// pairs; nil if there are none.
func axes(covariance *mat.SymDense, bounds objective.Box) *coordinates {
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	d := covariance.SymmetricDim()
	u := mat.DenseCopyOf(v.T())
	at := &coordinates{w: u, u: u, bounds: bounds, scale: make([]float64, d), singles: all(d)}
	for j, lambda := range eigen.Values(nil) {
		if !(lambda > 0) {
			return nil
		}
		at.scale[j] = firstPairs * outside * math.Sqrt(lambda)
	}
	return at
}
