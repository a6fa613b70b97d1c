package problem

import (
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// fewBlocks and manyBlocks are the sizes of the blocks of large-scale test functions, those with
// 700 single variables at d = 1,000 and those without.
var (
	fewBlocks  = []int{50, 25, 25, 100, 50, 25, 25}
	manyBlocks = []int{50, 50, 25, 25, 100, 100, 25, 25, 50, 25, 100, 25, 100, 50, 25, 25, 25, 100, 50, 25}
)

// sizes returns the sizes of the blocks. Those that have no room in d are left out, and the last one
// is cut off.
func (s Spec) sizes() (sizes []int) {
	all := fewBlocks
	if s.BlockCount == len(manyBlocks) {
		all = manyBlocks
	}
	left := s.Dim
	for _, n := range all {
		if n = min(n, left); n > 0 {
			sizes = append(sizes, n)
			left -= n
		}
	}
	return sizes
}

// A weighted function is Σ_B w_B g_B(R_B(x−o)_B) over random blocks B of variables and the single
// variables that are left over, for which R is the identity and w = 1. The weights are 10^(3ξ), ξ
// Gaussian, the rotations R_B uniform, and o is uniform on 0.8 of the domain.
type weighted struct {
	order     []int            // variables, block after block
	o         []float64        // in this order
	rotations []blas64.General // the transposes of the R_B
	weights   []float64        // w_B of every component
	at        []float64        // (k−1)/(n−1) for the k-th of n components of a block
}

func drawWeighted(d drawing) *weighted {
	n, reach := d.spec.Dim, 0.8*d.domain.Hi[0]
	f := &weighted{order: d.params.Perm(n), o: d.uniform(-reach, reach), weights: ones(n)}
	first := 0
	for _, size := range d.spec.sizes() {
		f.rotations = append(f.rotations, orthogonal(size, size, d.params).RawMatrix()) // as random as its transpose
		w := weight(d.params.NormFloat64())
		for k := range size {
			f.weights[first+k] = w
		}
		f.at = append(f.at, spread(size)...)
		first += size
	}
	f.at = append(f.at, spread(n-first)...)
	return f
}

// weight returns 10^(3ξ).
func weight(xi float64) float64 {
	if xi < 0 {
		return 1 / power(1000, -xi)
	}
	return power(1000, xi)
}

// function returns f with a g of the turned coordinates.
func (f *weighted) function(g func(dst []float64, r room)) function {
	d := len(f.order)
	x := make([]float64, d)
	for k, i := range f.order {
		x[i] = f.o[k]
	}
	return function{
		batch: func(dst []float64, x blas64.General, s *scratch) {
			r := newRoom(s, len(dst))
			f.turn(&r, x)
			g(dst, r)
		},
		work: roomWork(d), minimiser: x, point: x, blocks: singles(d), frame: f.matrix,
	}
}

// turn sets z = R(x−o), block after block.
func (f *weighted) turn(r *room, x blas64.General) {
	for i := range x.Rows {
		z, x := rows(r.v, i, 1).Data, rows(x, i, 1).Data
		for k, variable := range f.order {
			z[k] = x[variable] - f.o[k]
		}
		copy(rows(r.z, i, 1).Data, z) // the single variables stay as they are
	}
	first := 0
	for _, rotation := range f.rotations {
		n := rotation.Rows
		kernel.Mul(columns(r.z, first, n), 1, columns(r.v, first, n), rotation, 0)
		first += n
	}
}

// matrix returns the rows of R as rows of d numbers.
func (f *weighted) matrix() *mat.Dense {
	d := len(f.order)
	w := mat.NewDense(d, d, nil)
	first := 0
	for _, rotation := range f.rotations {
		for j := range rotation.Rows {
			for k := range rotation.Rows {
				w.Set(first+j, f.order[first+k], rotation.Data[k*rotation.Stride+j])
			}
		}
		first += rotation.Rows
	}
	for _, j := range ranks.First(d)[first:] {
		w.Set(j, f.order[j], 1)
	}
	return w
}

// blocksElliptic: g(z) = Σ 10^(6(k−1)/(n−1)) T_osc(z_k)².
func blocksElliptic(d drawing) function {
	f := drawWeighted(d)
	w := make([]float64, len(f.at))
	for k, at := range f.at {
		w[k] = f.weights[k] * power(1e6, at)
	}
	return f.function(func(dst []float64, r room) {
		r.oscillate()
		r.squares(dst, w)
	})
}

// blocksRastrigin: g(z) = Σ y_k² + 10 − 10 cos 2πy_k, y_k = 10^(½(k−1)/(n−1)) T_asy^0.2(T_osc(z))_k.
func blocksRastrigin(d drawing) function {
	f := drawWeighted(d)
	stretched, beta := make(diagonal, len(f.at)), scaled(0.2, f.at)
	for k, at := range f.at {
		stretched[k] = power(10, at/2)
	}
	return f.function(func(dst []float64, r room) {
		r.oscillate()
		r.asymmetric(beta)
		r.apply(stretched)
		r.rastrigin(dst, f.weights)
	})
}
