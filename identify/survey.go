package identify

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A surveyor asks for values of f.
type surveyor struct {
	ctx    context.Context
	f      objective.Objective
	inner  hessian.Box   // where points are drawn
	bounds objective.Box // nothing outside is asked
	stream *rng.Stream
	reach  float64 // how far composed points may be from drawn ones, 1: all the way
}

// ask evaluates f at n points, which fill writes one by one.
func (s *surveyor) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	return objective.Ask(s.ctx, s.f, n, fill)
}

// point draws a point.
func (s *surveyor) point() []float64 {
	x := make([]float64, s.f.Dim())
	s.inner.Draw(x, s.stream)
	return x
}

// spread returns the standard deviation of ⟨w, x⟩ over the inner box.
func (s *surveyor) spread(w []float64) float64 {
	sum := 0.0
	for k, v := range w {
		half := v * (s.inner.Hi[k] - s.inner.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / 3)
}

// A basis is m directions T_1, …, T_m, their duals, ⟨T_i, T*_j⟩ = δ_ij, and the
// Hessians seen so far, along these directions.
type basis struct {
	t, dual *mat.Dense
	seen    []*mat.Dense
	lambda  []float64 // of the last whitening, ascending
}

// whitened returns directions T = VΛ^-½, S = VΛVᵀ, along which the Hessians
// seen have the same size on average,
//
//	S² = mean_k H_k²,
//
// scaled so that the median of Λ stays.
func (b basis) whitened() basis {
	m, _ := b.t.Dims()
	square := mat.NewDense(m, m, nil)
	for _, h := range b.seen {
		kernel.MulT(square.RawMatrix(), 1, h.RawMatrix(), h.RawMatrix(), 1)
	}
	var eigen mat.EigenSym
	eigen.Factorize(symmetric(square, 1/float64(len(b.seen))), true)
	lambda := eigen.Values(nil) // Λ², ascending
	for i, v := range lambda {
		lambda[i] = math.Sqrt(max(v, 0))
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	median := lambda[m/2]
	if median == 0 {
		median = lambda[m-1]
	}
	a, dual := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil) // Λ^-½Vᵀ, Λ^½Vᵀ
	for i := range m {
		scale := math.Sqrt(max(lambda[i], 1e-9*lambda[m-1]) / median)
		for k := range m {
			a.Set(i, k, v.At(k, i)/scale)
			dual.Set(i, k, v.At(k, i)*scale)
		}
	}
	next := basis{t: product(a, b.t), dual: product(dual, b.dual), lambda: lambda}
	for _, h := range b.seen {
		turned := mat.NewDense(m, m, nil)
		kernel.MulT(turned.RawMatrix(), 1, product(a, h).RawMatrix(), a.RawMatrix(), 0)
		next.seen = append(next.seen, turned)
	}
	return next
}

// scaled returns the basis with its i-th direction multiplied by factor[i].
func (b basis) scaled(factor []float64) basis {
	next := basis{t: mat.DenseCopyOf(b.t), dual: mat.DenseCopyOf(b.dual), lambda: b.lambda}
	for i, v := range factor {
		floats.Scale(v, next.t.RawRowView(i))
		floats.Scale(1/v, next.dual.RawRowView(i))
	}
	for _, h := range b.seen {
		turned := mat.DenseCopyOf(h)
		for i := range factor {
			row := turned.RawRowView(i)
			for k := range row {
				row[k] *= factor[i] * factor[k]
			}
		}
		next.seen = append(next.seen, turned)
	}
	return next
}

// inFrame returns the couplings of the Hessians seen, in the coordinates of a
// frame: walking along u_j is walking along Σ_i a_ij T_i, a = T*W̃†.
func (b basis) inFrame(f *frame.Frame) *mat.Dense {
	a := product(b.dual, f.Inverse())
	var turned []*mat.Dense
	for _, h := range b.seen {
		m := &mat.Dense{}
		m.Product(a.T(), h, a)
		turned = append(turned, m)
	}
	return couplings(turned)
}

// product returns ab.
func product(a, b *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	_, k := b.Dims()
	c := mat.NewDense(n, k, nil)
	kernel.Mul(c.RawMatrix(), 1, a.RawMatrix(), b.RawMatrix(), 0)
	return c
}

// symmetric returns a·(m+mᵀ)/2.
func symmetric(m *mat.Dense, a float64) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a*(m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

const lines = 4 // along which a step is chosen

// step chooses the step for a stencil along random combinations of the
// directions t (nil: the coordinates) at random points.
func (s *surveyor) step(st hessian.Stencil, t *mat.Dense) (float64, error) {
	points, directions := mat.NewDense(lines, s.f.Dim(), nil), sphere(lines, s.f.Dim(), s.stream)
	if t != nil {
		m, _ := t.Dims()
		directions = product(sphere(lines, m, s.stream), t)
	}
	for i := range lines {
		points.SetRow(i, s.point())
	}
	return st.Step(s.ctx, s.f, points, directions, s.furthest(points, directions))
}

// furthest returns the longest multiple of any of the directions, twice over,
// that fits between the points and the bounds, at most 1.
func (s *surveyor) furthest(points, directions *mat.Dense) float64 {
	most := 1.0
	n, _ := directions.Dims()
	for i := range n {
		most = min(most, s.room(points.RawRowView(i), directions.RawRowView(i))/2)
	}
	return most
}

// attempts is how often something that met values that are not finite is tried
// again elsewhere.
const attempts = 5

// Why nothing could be identified.
var (
	ErrConstant  = errors.New("identify: f is constant where it was sampled")
	ErrNotFinite = errors.New("identify: f is not finite at too many of the points that a difference needs")
)
