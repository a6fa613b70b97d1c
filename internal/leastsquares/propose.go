package leastsquares

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// propose returns the step p that minimises ‖r + J·p‖² within ‖D·p‖ ≤ Δ and the bounds, the gain that
// it promises, and whether Δ or a bound has bent it. Coordinates that the step would take out of the
// bounds end there, and the others are solved for again.
func (s *descent) propose(radius float64) (p []float64, predicted float64, bent bool) {
	d := len(s.X)
	p = make([]float64, d)
	g := s.gradient()
	var free []int
	for j := range d {
		if !s.held(j, g[j]) {
			free = append(free, j)
		}
	}
	r := mat.NewVecDense(len(s.R), nil) // r + J·p of the coordinates that are not free
	r.CopyVec(mat.NewVecDense(len(s.R), s.R))
	for len(free) > 0 {
		q, short := s.solve(free, r.RawVector().Data, radius)
		bent = bent || short
		var left []int
		for k, j := range free {
			to := s.X[j] + q[k]
			if to >= s.Lo[j] && to <= s.Hi[j] {
				p[j] = q[k]
				left = append(left, j)
				continue
			}
			p[j] = min(max(to, s.Lo[j]), s.Hi[j]) - s.X[j]
			r.AddScaledVec(r, p[j], s.J.ColView(j))
		}
		if len(left) == len(free) {
			break
		}
		free, bent = left, true
	}
	after := mat.NewVecDense(len(s.R), nil)
	after.MulVec(s.J, mat.NewVecDense(d, p))
	after.AddVec(after, mat.NewVecDense(len(s.R), s.R))
	return p, s.F - sumOfSquares(after.RawVector().Data), bent
}

// solve minimises ‖r + J·p‖² within ‖D·p‖ ≤ Δ over some coordinates, and reports whether Δ has made p
// shorter. With J·D⁻¹ = U·S·Vᵀ it is D·p = −V·S/(S² + λ)·Uᵀr with the least λ ≥ 0 that will do.
func (s *descent) solve(free []int, r []float64, radius float64) (p []float64, short bool) {
	a := mat.NewDense(len(r), len(free), nil)
	for i := range len(r) {
		for k, j := range free {
			a.Set(i, k, s.J.At(i, j)/s.d[j])
		}
	}
	var svd mat.SVD
	p = make([]float64, len(free))
	if !svd.Factorize(a, mat.SVDThin) {
		return p, false
	}
	values := svd.Values(nil)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	b := mat.NewVecDense(len(values), nil)
	b.MulVec(u.T(), mat.NewVecDense(len(r), r))
	y := make([]float64, len(values))
	at := func(lambda float64) float64 {
		for k, sigma := range values {
			y[k] = 0
			if w := float64(sigma*sigma) + lambda; w > 0 {
				y[k] = -sigma * b.AtVec(k) / w
			}
		}
		return floats.Norm(y, 2)
	}
	floor := values[0] * values[0] * rankTol * rankTol // directions that are not determined are left alone
	if at(floor) > radius {
		short = true
		lo, hi := math.Log(max(floor, math.SmallestNonzeroFloat64)), math.Log(max(floats.Norm(b.RawVector().Data, 2)*values[0]/radius, math.SmallestNonzeroFloat64))
		for range bisections {
			mid := (lo + hi) / 2
			if at(math.Exp(mid)) > radius {
				lo = mid
			} else {
				hi = mid
			}
		}
		at(math.Exp(hi))
	}
	q := mat.NewVecDense(len(free), nil)
	q.MulVec(&v, mat.NewVecDense(len(y), y))
	for k, j := range free {
		p[k] = q.AtVec(k) / s.d[j]
	}
	return p, short
}

const (
	rankTol    = 1e-13 // singular values below this part of the largest are 0, but for rounding
	bisections = 60    // of log λ, which has a range of 100 or so
)
