package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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
func (b basis) whitened() (basis, error) {
	m, _ := b.t.Dims()
	square := mat.NewDense(m, m, nil)
	for _, h := range b.seen {
		kernel.MulT(square.RawMatrix(), 1, h.RawMatrix(), h.RawMatrix(), 1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric(square, 1/float64(len(b.seen))), true) {
		return b, ErrNotFinite
	}
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
	if median == 0 {
		return b, ErrSingular
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
	return next, nil
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

// couplings returns rms_k |H_ij|/√|H_ii H_jj|, 0 on the diagonal.
func couplings(hessians []*mat.Dense) *mat.Dense {
	m, _ := hessians[0].Dims()
	c := mat.NewDense(m, m, nil)
	for _, h := range hessians {
		for i := range m {
			for j := range m {
				if unit := math.Abs(h.At(i, i) * h.At(j, j)); i != j && unit > 0 {
					c.Set(i, j, c.At(i, j)+square(h.At(i, j))/unit)
				}
			}
		}
	}
	c.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v / float64(len(hessians))) }, c)
	return c
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

// eye returns the identity.
func eye(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}

// reversed returns x in reverse order.
func reversed(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Reverse(x)
	return x
}
