// Package jointdiag diagonalises several symmetric matrices together. Matrices go in,
// a matrix W̃ and couplings come out; no function is asked for anything, so that
// Hessians from anywhere will do, exact ones from automatic differentiation too.
//
// If f(x) = Σ_j f_j(⟨w_j, x⟩), every Hessian of f is
//
//	H_k = WᵀD_kW,   D_k diagonal,
//
// and the W that diagonalises some of them has the w_j for its rows. Start with
// Diagonalise. Where f is a sum of blocks, Couplings shows which rows belong together,
// and Blocks groups them.
package jointdiag

import (
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Joint is a matrix W̃ that diagonalises symmetric matrices H_1, …, H_K
// together: all W̃⁻ᵀH_kW̃⁻¹ are diagonal, or as nearly so as can be. If
// H_k = WᵀD_kW then W̃ = W up to order and scale of the rows.
type Joint struct {
	W      *mat.Dense   // W̃, d×d, its rows scaled so that λ_i has mean square 1
	M      []*mat.Dense // M_k = W̃⁻ᵀH_kW̃⁻¹
	Lambda *mat.Dense   // λ_ki = M_k[i,i], K×d
	Sweeps int

	hessians []*mat.Dense
}

// ErrSingular says that the Hessians have a direction in common in which none
// of them curves: f has fewer components than dimensions, or is flat there.
var ErrSingular = errors.New("jointdiag: in some direction no Hessian has curvature")

// ErrNotFinite says that an entry of a Hessian is NaN or infinite.
var ErrNotFinite = errors.New("jointdiag: a Hessian has an entry that is not a finite number")

const (
	maxSweeps = 60    // three to ten are usual; where f has blocks they end late or never
	settled   = 1e-13 // the largest |E_ij| at which sweeps end: rounding, since λ_i has mean square 1
	boldest   = 0.5   // the largest |E_ij| that a sweep goes: I+E must stay invertible

	// ridge, times the diagonal, and tiny are added to the diagonals of the least
	// squares, so that a pair that is not identifiable is left alone. A pair whose λ_i
	// and λ_j, as vectors over k, are more than 1e-6 from parallel hardly notices.
	ridge = 1e-12
	tiny  = 1e-300
)

// Diagonalise finds the W̃ of K ≥ 2 matrices. (Any two diagonalise together;
// with K ≥ 3 what is left off the diagonals is evidence.)
//
// It starts from the eigenvectors of a pencil, then sweeps: with
// M_k = W̃⁻ᵀH_kW̃⁻¹ = (I+E)ᵀD_k(I+E) and λ_k = diag M_k it solves for every pair
// i ≠ j the least squares
//
//	M_k[i,j] ≈ E_ij λ_ki + E_ji λ_kj   over k
//
// and sets W̃ ← (I+E)W̃. That converges quadratically. Where λ_i and λ_j are
// proportional over all k the pair is not identifiable, and need not be: any
// solution diagonalises.
//
// A sweep takes O(Kd³) time. The matrices are not changed. It panics if there are fewer
// than two, or if they are not square and of one size. The error is ErrNotFinite if an
// entry is not a finite number, and ErrSingular if there is no W̃. The starts are drawn
// from random, two numbers N(0, 1) for each matrix and start.
func Diagonalise(hessians []*mat.Dense, random objective.Random) (*Joint, error) {
	j, err := begin(hessians)
	if err != nil {
		return nil, err
	}
	if err := j.start(random); err != nil {
		return nil, err
	}
	return j, j.settle()
}

// Improve is Diagonalise from a W̃ that is known, w, instead of from a pencil: a few sweeps
// where w was made of some of the matrices. It draws nothing. w is not changed. It panics if
// w does not have the size of the matrices; the error is ErrSingular if w has no inverse.
func Improve(hessians []*mat.Dense, w *mat.Dense) (*Joint, error) {
	j, err := begin(hessians)
	if err != nil {
		return nil, err
	}
	d, _ := j.hessians[0].Dims()
	if rows, columns := w.Dims(); rows != d || columns != d {
		panic(fmt.Sprintf("jointdiag: w is %d×%d, need %d×%d", rows, columns, d, d))
	}
	if j.W = mat.DenseCopyOf(w); !kernel.AllFinite(j.W) {
		return nil, ErrNotFinite
	}
	if !j.transform() {
		return nil, ErrSingular
	}
	return j, j.settle()
}

// begin makes room for what is found of some matrices.
func begin(hessians []*mat.Dense) (*Joint, error) {
	hessians, d := compact(hessians)
	for _, h := range hessians {
		if !kernel.AllFinite(h) {
			return nil, ErrNotFinite
		}
	}
	j := &Joint{hessians: hessians, Lambda: mat.NewDense(len(hessians), d, nil)}
	for range hessians {
		j.M = append(j.M, mat.NewDense(d, d, nil))
	}
	return j, nil
}

// settle sweeps until W̃ hardly changes.
func (j *Joint) settle() error {
	for j.Sweeps < maxSweeps {
		step := j.sweep()
		j.Sweeps++
		if !j.transform() {
			return ErrSingular
		}
		if step < settled {
			break
		}
	}
	return nil
}

// compact returns the matrices without gaps between their rows, as slices of a larger
// one have, and d.
func compact(hessians []*mat.Dense) ([]*mat.Dense, int) {
	if len(hessians) < 2 {
		panic(fmt.Sprintf("jointdiag: need at least 2 matrices, not %d", len(hessians)))
	}
	d, _ := hessians[0].Dims()
	var all []*mat.Dense
	for k, h := range hessians {
		if rows, columns := h.Dims(); rows != d || columns != d {
			panic(fmt.Sprintf("jointdiag: matrix %d is %d×%d, need %d×%d", k+1, rows, columns, d, d))
		}
		if h.RawMatrix().Stride != d {
			h = mat.DenseCopyOf(h)
		}
		all = append(all, h)
	}
	return all, d
}

// transform computes the M_k and λ_k of W̃, whose rows it scales. It reports
// whether W̃ has an inverse.
func (j *Joint) transform() bool {
	d, _ := j.W.Dims()
	var inverse mat.Dense
	if err := inverse.Inverse(j.W); err != nil {
		return false
	}
	half, inverseT := mat.NewDense(d, d, nil), mat.DenseCopyOf(inverse.T())
	for k, h := range j.hessians {
		kernel.Mul(half.RawMatrix(), 1, h.RawMatrix(), inverse.RawMatrix(), 0)
		kernel.Mul(j.M[k].RawMatrix(), 1, inverseT.RawMatrix(), half.RawMatrix(), 0)
	}
	scale := make([]float64, d) // of the rows of W̃: λ_i has mean square scale⁴
	for i := range d {
		sum := 0.0
		for _, m := range j.M {
			sum = math.FMA(m.At(i, i), m.At(i, i), sum)
		}
		scale[i] = math.Sqrt(math.Sqrt(sum / float64(len(j.M))))
		if scale[i] == 0 {
			scale[i] = 1 // flat at all points; nothing to scale by
		}
		for k := range d {
			j.W.Set(i, k, j.W.At(i, k)*scale[i])
		}
	}
	for k, m := range j.M {
		for i := range d {
			row := m.RawRowView(i)
			for c := range row {
				row[c] /= scale[i] * scale[c]
			}
			j.Lambda.Set(k, i, row[i])
		}
	}
	return true
}

// sweep improves W̃ once and returns the largest |E_ij|.
func (j *Joint) sweep() float64 {
	d, _ := j.W.Dims()
	e := mat.NewDense(d, d, nil)
	largest := 0.0
	for a := range d {
		for b := a + 1; b < d; b++ {
			eab, eba := j.pair(a, b)
			e.Set(a, b, eab)
			e.Set(b, a, eba)
			largest = max(largest, math.Abs(eab), math.Abs(eba))
		}
	}
	next := mat.DenseCopyOf(j.W)
	kernel.Mul(next.RawMatrix(), min(1, boldest/largest), e.RawMatrix(), j.W.RawMatrix(), 1)
	j.W = next
	return largest
}

// pair returns E_ab and E_ba by least squares, regularised so that a pair that
// is not identifiable is left alone.
func (j *Joint) pair(a, b int) (eab, eba float64) {
	var gaa, gbb, gab, ra, rb float64
	for k, m := range j.M {
		la, lb := j.Lambda.At(k, a), j.Lambda.At(k, b)
		v := (m.At(a, b) + m.At(b, a)) / 2
		gaa = math.FMA(la, la, gaa)
		gbb = math.FMA(lb, lb, gbb)
		gab = math.FMA(la, lb, gab)
		ra = math.FMA(v, la, ra)
		rb = math.FMA(v, lb, rb)
	}
	gaa, gbb = float64(gaa*(1+ridge))+tiny, float64(gbb*(1+ridge))+tiny
	det := float64(gaa*gbb) - float64(gab*gab)
	return (float64(gbb*ra) - float64(gab*rb)) / det, (float64(gaa*rb) - float64(gab*ra)) / det
}

// off returns the sum of squares of what is not on the diagonals of the M_k.
func (j *Joint) off() float64 {
	sum := 0.0
	for _, m := range j.M {
		n, _ := m.Dims()
		for i := range n {
			for c, v := range m.RawRowView(i) {
				if c != i {
					sum = math.FMA(v, v, sum)
				}
			}
		}
	}
	return sum
}

// Couplings returns C_ij = rms_k M_k[i,j]: what joint diagonalisation leaves,
// relative to diagonals of mean square 1. It is 0, to the error of the
// Hessians, where i and j do not couple.
func (j *Joint) Couplings() *mat.Dense {
	d, _ := j.W.Dims()
	c := mat.NewDense(d, d, nil)
	for a := range d {
		for b := range d {
			if a == b {
				continue
			}
			sum := 0.0
			for _, m := range j.M {
				sum = math.FMA(m.At(a, b), m.At(a, b), sum)
			}
			c.Set(a, b, math.Sqrt(sum/float64(len(j.M))))
		}
	}
	return c
}
