package powermethod

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Method is the subspace power method of Algorithm 1: from random starts on the
// sphere, L steps of gradient ascent on ‖P_𝒲̂(v⊗v)‖_F²,
//
//	v ← Π(v + γ∇‖P_𝒲̂(v⊗v)‖_F²) = Π(v + 4γ P_𝒲̂(v⊗v)v),   Π(x) = x/‖x‖.
//
// (On the sphere that is a step along the Riemannian gradient
// g − ⟨g, v⟩v, g = 4P_𝒲̂(v⊗v)v, of length γ/(1 + γ⟨g, v⟩).) Where the w_j are
// nearly orthogonal its limits are the ±w_j and some spurious points of lower
// value (the second proposition of section 2.2).
//
// A step costs md² + 2md multiply-adds for each start: at d = m = 100, 800
// starts and 200 steps take some seconds.
type Method struct {
	Gamma    float64 // γ ≥ ½; 0: 1
	Restarts int     // 0: 8m
	Steps    int     // L; 0: 200

	// Reject is the value ‖P_𝒲̂(v⊗v)‖_F² below which a limit counts as spurious;
	// 0: none does, as in the paper's experiment.
	Reject float64

	// Deflate starts again, as often as it finds something new, in what is left
	// of 𝒲̂ without the directions found. Fewer restarts suffice then.
	Deflate bool
}

// alike is |⟨v, w⟩| from which on two directions count as one.
const alike = 0.99

func (p Method) complete(m int) Method {
	if p.Gamma == 0 {
		p.Gamma = 1
	}
	if p.Restarts == 0 {
		p.Restarts = 8 * m
	}
	if p.Steps == 0 {
		p.Steps = 200
	}
	return p
}

// Directions returns the directions that the method finds in s, a row each, at
// least one and at most min(m, d): of more those of the highest values, since
// spurious ones have lower ones. (The paper's experiment does not say what it does
// then.) It ends early with ctx.
func (p Method) Directions(ctx context.Context, s *Subspace, random objective.Random) (*mat.Dense, error) {
	p = p.complete(s.Rank())
	found := &selection{d: s.d}
	for rest := s; rest != nil; rest = s.without(found.rows) {
		v := rng.Sphere(p.Restarts, s.d, random)
		if err := p.ascend(ctx, rest, v); err != nil {
			return nil, err
		}
		if rest != s { // in the whole of 𝒲̂ the maximisers are the w_j themselves
			if err := p.ascend(ctx, s, v); err != nil {
				return nil, err
			}
		}
		before := len(found.rows)
		found.add(v, s, p.Reject)
		if !p.Deflate || len(found.rows) == before || len(found.rows) >= s.Rank() {
			break
		}
	}
	if len(found.rows) == 0 {
		return nil, fmt.Errorf("powermethod: none of %d starts came to a value of %g", p.Restarts, p.Reject)
	}
	return found.matrix(s), nil
}

// startsAtOnce is how many starts are moved together: their products with all
// B_k, m·d numbers for each, stay in the cache.
const startsAtOnce = 128

// ascend moves every row of v by p.Steps steps.
func (p Method) ascend(ctx context.Context, s *Subspace, v *mat.Dense) error {
	n, d := v.Dims()
	m := s.Rank()
	beside := s.beside()
	z := make([]float64, startsAtOnce*m*d)
	c, g := make([]float64, m), make([]float64, d)
	for lo := 0; lo < n; lo += startsAtOnce {
		rows := min(startsAtOnce, n-lo)
		part := blas64.General{Rows: rows, Cols: d, Stride: d, Data: v.RawMatrix().Data[lo*d:]}
		zs := blas64.General{Rows: rows, Cols: m * d, Stride: m * d, Data: z}
		for range p.Steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			kernel.Mul(zs, 1, part, beside.RawMatrix(), 0)
			for r := range rows {
				vr := part.Data[r*d : (r+1)*d]
				// Row k of zr is B_k v: c_k = vᵀB_k v and g = Σ c_k B_k v.
				zr := blas64.General{Rows: m, Cols: d, Stride: d, Data: z[r*m*d : (r+1)*m*d]}
				kernel.MulVec(c, zr, vr)
				kernel.MulVecT(g, zr, c)
				kernel.AddScaled(vr, 4*p.Gamma, g)
				kernel.Normalise(vr)
			}
		}
	}
	return nil
}

// beside returns the matrix (B_1 … B_m), d×md.
func (s *Subspace) beside() *mat.Dense {
	m := s.Rank()
	out := mat.NewDense(s.d, m*s.d, nil)
	for k := range m {
		for i := range s.d {
			copy(out.RawRowView(i)[k*s.d:], s.basis.RawRowView(k)[i*s.d:(i+1)*s.d])
		}
	}
	return out
}

// without returns the part of s that is orthogonal to v⊗v for all rows v, nil
// if there is none.
func (s *Subspace) without(rows [][]float64) *Subspace {
	m := s.Rank()
	if len(rows) >= m {
		return nil
	}
	// In the coordinates of the basis: the complement of c_k = ⟨B_k, v⊗v⟩.
	coordinates := mat.NewDense(m, len(rows), nil)
	z := make([]float64, s.d)
	for j, v := range rows {
		for k := range m {
			kernel.MulVec(z, mat.NewDense(s.d, s.d, s.basis.RawRowView(k)).RawMatrix(), v)
			coordinates.Set(k, j, kernel.Dot(z, v))
		}
	}
	var qr mat.QR
	qr.Factorize(coordinates)
	var q mat.Dense
	qr.QTo(&q)
	left := mat.DenseCopyOf(q.Slice(0, m, len(rows), m).T())
	rest := &Subspace{d: s.d, basis: mat.NewDense(m-len(rows), s.d*s.d, nil)}
	kernel.Mul(rest.basis.RawMatrix(), 1, left.RawMatrix(), s.basis.RawMatrix(), 0)
	return rest
}

// A selection collects directions that differ.
type selection struct {
	d    int
	rows [][]float64
}

// add takes the rows of v whose value in s is at least reject and that are not
// alike to one already there.
func (f *selection) add(v *mat.Dense, s *Subspace, reject float64) {
	n, _ := v.Dims()
	for i := range n {
		row := v.RawRowView(i)
		if f.has(row) || reject > 0 && s.Value(row) < reject {
			continue
		}
		f.rows = append(f.rows, append([]float64(nil), row...))
	}
}

func (f *selection) has(v []float64) bool {
	for _, w := range f.rows {
		if math.Abs(kernel.Dot(v, w)) >= alike {
			return true
		}
	}
	return false
}

// matrix returns at most min(m, d) directions, those with the highest values in s, in
// the order in which they were found.
func (f *selection) matrix(s *Subspace) *mat.Dense {
	n := min(s.Rank(), f.d, len(f.rows))
	values := make([]float64, len(f.rows))
	best := make([]int, len(f.rows))
	for i, row := range f.rows {
		values[i], best[i] = s.Value(row), i
	}
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	slices.Sort(best[:n])
	out := mat.NewDense(n, f.d, nil)
	for i, k := range best[:n] {
		out.SetRow(i, f.rows[k])
	}
	return out
}

// Complete adds random rows, orthonormal and orthogonal to those of w, until
// there are m: what the paper's experiment does where the method has found too
// few.
func Complete(w *mat.Dense, m int, random objective.Random) *mat.Dense {
	n, d := w.Dims()
	out := mat.NewDense(max(m, n), d, nil)
	out.Copy(w)
	basis := mat.DenseCopyOf(out)
	for i := n; i < m; i++ {
		row := basis.RawRowView(i)
		for k := range row {
			row[k] = random.NormFloat64()
		}
	}
	kernel.Orthonormalise(basis.RawMatrix())
	for i := n; i < m; i++ {
		out.SetRow(i, basis.RawRowView(i))
	}
	return out
}
