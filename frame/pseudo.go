package frame

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// leastSingular is the part of the largest singular value at or below which others count as
// zero in Pseudo: the default of numpy.linalg.pinv, which the paper's experiment uses.
const leastSingular = 1e-15

// Pseudo makes a frame as New does. But where New returns ErrDependent, it takes the
// pseudo-inverse without the singular values that are zero to working precision,
//
//	W̃† = Σ_{σ_i > 1e-15 σ_1} v_i u_iᵀ/σ_i,   W̃ = Σ_i σ_i u_i v_iᵀ.
//
// Then W̃W̃† is not I: walking along u_j changes other coordinates too. This is for
// comparisons with the paper's experiment, which does so.
func Pseudo(w mat.Matrix) (*Frame, error) {
	f, err := New(w)
	if err == nil || !errors.Is(err, ErrDependent) {
		return f, err
	}
	f = &Frame{w: unitRows(w), dependent: true}
	var svd mat.SVD
	if !svd.Factorize(f.w, mat.SVDThin) {
		return nil, err
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	sigma := svd.Values(nil)
	n := len(sigma)
	for i, s := range sigma {
		by := 0.0
		if s > leastSingular*sigma[0] {
			by = 1 / s
		}
		for k := range v.RawMatrix().Rows {
			v.Set(k, i, v.At(k, i)*by)
		}
	}
	f.pinv = new(mat.Dense)
	f.pinv.Mul(v.Slice(0, v.RawMatrix().Rows, 0, n), u.Slice(0, u.RawMatrix().Rows, 0, n).T())
	if math.IsNaN(mat.Sum(f.pinv)) {
		return nil, err
	}
	f.wT, f.pinvT = mat.DenseCopyOf(f.w.T()), mat.DenseCopyOf(f.pinv.T())
	return f, nil
}
