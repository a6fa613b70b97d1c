package problem

import (
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A linear is a linear map of R^d, made for batches of points.
type linear interface {
	dim() int
	// apply sets every row of dst to the image of the same row of src. room is as large
	// as dst, and its contents are lost.
	apply(dst, src, room blas64.General)
}

// dense is a map with a full matrix. It holds the transpose. dst must not overlap src.
type dense struct{ t *mat.Dense }

func newDense(m *mat.Dense) dense { return dense{mat.DenseCopyOf(m.T())} }

func (m dense) dim() int                         { return m.t.RawMatrix().Rows }
func (m dense) apply(dst, src, _ blas64.General) { kernel.Mul(dst, 1, src, m.t.RawMatrix(), 0) }

// diagonal is the map x_i → s_i x_i. src may be dst.
type diagonal []float64

func (s diagonal) dim() int { return len(s) }

func (s diagonal) apply(dst, src, _ blas64.General) {
	for i := range dst.Rows {
		kernel.Product(rows(dst, i, 1).Data, rows(src, i, 1).Data, s)
	}
}

// permuted is the map P_left·B·P_right, where B is block diagonal with orthogonal blocks.
// It costs d·blockSide multiplications a point, not d². src may be dst.
type permuted struct {
	left, right []int            // (Pv)_i = v_{p(i)}
	blocks      []blas64.General // the transposes of the blocks of B
}

func (p permuted) dim() int { return len(p.left) }

func (p permuted) apply(dst, src, room blas64.General) {
	for i := range dst.Rows {
		permute(rows(room, i, 1).Data, rows(src, i, 1).Data, p.right)
	}
	lo := 0
	for _, block := range p.blocks {
		kernel.Mul(columns(dst, lo, block.Rows), 1, columns(room, lo, block.Rows), block, 0)
		lo += block.Rows
	}
	for i := range dst.Rows {
		row, spare := rows(dst, i, 1).Data, rows(room, i, 1).Data
		copy(spare, row)
		permute(row, spare, p.left)
	}
}

func permute(dst, v []float64, p []int) {
	for i, k := range p {
		dst[i] = v[k]
	}
}

// columns returns n columns of m, beginning with column lo.
func columns(m blas64.General, lo, n int) blas64.General {
	m.Cols, m.Data = n, m.Data[lo:(m.Rows-1)*m.Stride+lo+n]
	return m
}

// A sequence applies maps that work in place, the last one first, as in a product of matrices.
type sequence []linear

func (s sequence) dim() int { return s[0].dim() }

func (s sequence) apply(dst, src, room blas64.General) {
	for k := len(s) - 1; k >= 0; k-- {
		s[k].apply(dst, src, room)
		src = dst
	}
}

// compose returns the product of maps. If one of them has a full matrix, so has the product.
func compose(maps ...linear) linear {
	for _, m := range maps {
		if _, full := m.(dense); !full {
			continue
		}
		product := matrix(maps[0])
		for _, next := range maps[1:] {
			product = kernel.Times(product, matrix(next))
		}
		return newDense(product)
	}
	return sequence(maps)
}

// matrix returns the matrix of a map. Its columns are the images of the axes.
func matrix(m linear) *mat.Dense {
	if full, ok := m.(dense); ok {
		return mat.DenseCopyOf(full.t.T())
	}
	d := m.dim()
	images, room := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	m.apply(images.RawMatrix(), kernel.Identity(d).RawMatrix(), room.RawMatrix())
	return mat.DenseCopyOf(images.T())
}

// rotation draws an orthogonal map with the uniform (Haar) distribution.
func rotation(d int, r *rng.Stream) linear { return newDense(orthogonal(d, d, r)) }

// blockSide is the number of rows of a block of a block rotation, as in the suite
// bbob-largescale. The last block may be smaller.
const blockSide = 40

// blockRotation draws P_left·B·P_right: the blocks of B have the uniform distribution, the
// permutations are truncated.
func blockRotation(d int, r *rng.Stream) linear {
	p := permuted{left: truncated(d, r), right: truncated(d, r)}
	for lo := 0; lo < d; lo += blockSide {
		n := min(blockSide, d-lo)
		p.blocks = append(p.blocks, orthogonal(n, n, r).RawMatrix()) // as random as its transpose
	}
	return p
}

// truncated draws a permutation made of d swaps: every place, in random order, is swapped
// with another one that is at most d/3 away, the distance in bbob-largescale.
func truncated(d int, r *rng.Stream) []int {
	p := ranks.First(d)
	reach := max(1, d/3)
	for _, i := range r.Perm(d) {
		lo, hi := max(0, i-reach), min(d-1, i+reach)
		j := lo + r.IntN(hi-lo)
		if j >= i { // never i itself
			j++
		}
		p[i], p[j] = p[j], p[i]
	}
	return p
}
