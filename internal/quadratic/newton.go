package quadratic

import "gonum.org/v1/gonum/mat"

// factorise factorises B + Gᵀ·diag(l/s)·G, reduced to p: the part of t is diagonal, and with the weights
// u of a soft row and v of its t ≥ 0 it leaves u·v/(u+v) of the row. It returns that part too.
func (w *solver) factorise() (*mat.Cholesky, []float64, bool) {
	n := len(w.G)
	k := mat.NewSymDense(n, nil)
	k.CopySym(w.B)
	diagonal := make([]float64, len(w.t)) // u + v
	for i := range w.row {
		if s := w.row[i].soft; s >= 0 {
			diagonal[s] += w.l[i] / w.s[i]
		}
	}
	for i := range w.row {
		r, u := &w.row[i], w.l[i]/w.s[i]
		if r.soft >= 0 && r.a != nil {
			u -= float64(u * u / diagonal[r.soft])
		}
		switch {
		case r.unit != 0:
			at := max(r.unit, -r.unit) - 1
			k.SetSym(at, at, k.At(at, at)+u)
		case r.a != nil:
			k.SymRankOne(k, max(u, 0), mat.NewVecDense(n, r.a))
		}
	}
	var chol mat.Cholesky
	return &chol, diagonal, chol.Factorize(k)
}

// direction solves Newton's equations for a complementarity that is to vanish:
//
//	B·dp + Gᵀdl = −dual,  G·(dp, dt) + ds = −primal,  l·ds + s·dl = −comp.
func (w *solver) direction(chol *mat.Cholesky, diagonal, comp []float64) (p, t, s, l []float64) {
	n := len(w.G)
	right, soft := make([]float64, n), make([]float64, len(w.t))
	for i, v := range w.dual {
		right[i] = -v
	}
	for k, v := range w.soft {
		soft[k] = -v
	}
	for i := range w.row {
		w.row[i].add(-(float64(w.l[i]*w.primal[i])-comp[i])/w.s[i], right, soft)
	}
	// Of t: diagonal·dt − u·(C·dp) = soft. Its part goes into the right side of p.
	for i := range w.row {
		if r := &w.row[i]; r.soft >= 0 && r.a != nil {
			u := w.l[i] / w.s[i]
			plain := *r
			plain.soft = -1
			plain.add(u*soft[r.soft]/diagonal[r.soft], right, nil)
		}
	}
	dp := mat.NewVecDense(n, nil)
	_ = chol.SolveVecTo(dp, mat.NewVecDense(n, right)) // an ill-conditioned one is corrected by the next iterate
	p, t = dp.RawVector().Data, make([]float64, len(w.t))
	for k := range t {
		t[k] = soft[k] / diagonal[k]
	}
	for i := range w.row {
		if r := &w.row[i]; r.soft >= 0 && r.a != nil {
			plain := *r
			plain.soft = -1
			t[r.soft] += float64(w.l[i] / w.s[i] * plain.times(p, nil) / diagonal[r.soft])
		}
	}
	s, l = make([]float64, len(w.row)), make([]float64, len(w.row))
	for i := range w.row {
		s[i] = -w.primal[i] - w.row[i].times(p, t)
		l[i] = -(comp[i] + float64(w.l[i]*s[i])) / w.s[i]
	}
	return p, t, s, l
}
