// Package quadratic solves small convex quadratic programs:
//
//	minimise gᵀp + ½·pᵀBp + μ·Σ_k t_k
//	subject to A·p ≤ b, C·p ≤ e + t, t ≥ 0, lo ≤ p ≤ hi.
//
// B is positive definite. The rows of C are soft: they may be violated, at the price μ a unit, so that
// the program always has a solution if A and the box have one. Start with Solve.
//
// It is the primal-dual method of S. Mehrotra, "On the implementation of a primal-dual interior point
// method", 1992, in the form of J. Nocedal and S. Wright, Numerical Optimization, section 16.6, with t
// eliminated.
package quadratic

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Program is a quadratic program.
type Program struct {
	G      []float64
	B      *mat.SymDense
	A      [][]float64 // hard rows
	Right  []float64   // b
	C      [][]float64 // soft rows
	Soft   []float64   // e
	Mu     float64     // μ
	Lo, Hi []float64   // may be infinite
}

// A Solution is p, and the multipliers of the hard and of the soft rows.
type Solution struct {
	P          []float64
	Hard, Soft []float64
}

const (
	most      = 80    // iterations; some 20 are usual
	tolerance = 1e-11 // of the residuals and the complementarity, as a part of the data's size
	short     = 0.995 // of the way to the boundary
	hopeless  = 0.1   // a step of the predictor below this says nothing of the second order
)

// A row is one inequality a·p − (the slack of soft row k) ≤ h. a is nil for −t ≤ 0.
type row struct {
	a    []float64
	unit int // ±(i+1): a is ±e_i, and a is nil; 0: it is not
	soft int // −1: it has none
	h    float64
}

// times returns a·p − t.
func (r *row) times(p, t []float64) (v float64) {
	switch {
	case r.unit > 0:
		v = p[r.unit-1]
	case r.unit < 0:
		v = -p[-r.unit-1]
	case r.a != nil:
		v = floats.Dot(r.a, p)
	}
	if r.soft >= 0 {
		v -= t[r.soft]
	}
	return v
}

// add adds v·a to p and −v to t.
func (r *row) add(v float64, p, t []float64) {
	switch {
	case r.unit > 0:
		p[r.unit-1] += v
	case r.unit < 0:
		p[-r.unit-1] -= v
	case r.a != nil:
		floats.AddScaled(p, v, r.a)
	}
	if r.soft >= 0 {
		t[r.soft] -= v
	}
}

// rows returns all inequalities: hard, soft, t ≥ 0, the box.
func (q *Program) rows() (all []row) {
	for i, a := range q.A {
		all = append(all, row{a: a, soft: -1, h: q.Right[i]})
	}
	for k, c := range q.C {
		all = append(all, row{a: c, soft: k, h: q.Soft[k]})
	}
	for k := range q.C {
		all = append(all, row{soft: k})
	}
	for i := range q.G {
		if !math.IsInf(q.Hi[i], 1) {
			all = append(all, row{unit: i + 1, soft: -1, h: q.Hi[i]})
		}
		if !math.IsInf(q.Lo[i], -1) {
			all = append(all, row{unit: -(i + 1), soft: -1, h: -q.Lo[i]})
		}
	}
	return all
}

// Solve solves the program. It reports whether it has: the hard rows and the box may have no point in
// common. If the iterates run into the boundary, it begins again further away from it.
func Solve(q Program) (s Solution, ok bool) {
	for away := 1.; away <= furthest && !ok; away *= further {
		s, ok = q.solve(away)
	}
	return s, ok
}

const further, furthest = 30., 30. * 30 * 30

// solve solves the program from slacks and multipliers of at least this size.
func (q *Program) solve(away float64) (Solution, bool) {
	w := &solver{Program: *q, row: q.rows()}
	n, m := len(q.G), len(w.row)
	w.p, w.t, w.s, w.l = make([]float64, n), make([]float64, len(q.C)), make([]float64, m), make([]float64, m)
	size := 1 + floats.Norm(q.G, math.Inf(1))
	for k := range w.t {
		w.t[k] = max(away, -2*q.Soft[k])
	}
	for i := range w.s {
		w.s[i], w.l[i] = max(away, w.row[i].h-w.row[i].times(w.p, w.t)), max(away, size/10)
		if w.row[i].soft >= 0 { // those of a soft row and of its t ≥ 0 add up to μ
			w.l[i] = q.Mu / 2
		}
	}
	best, p, l := math.Inf(1), make([]float64, n), make([]float64, m) // rounding may spoil later iterates
	for range most {
		r := w.residuals()
		if r < best {
			best = r
			copy(p, w.p)
			copy(l, w.l)
		}
		if good := best <= math.Sqrt(tolerance)*(size+q.Mu); best <= tolerance*(size+q.Mu) || good && r > best || !w.iterate() {
			break
		}
	}
	hard := len(q.A)
	return Solution{P: p, Hard: l[:hard], Soft: l[hard : hard+len(q.C)]}, best <= math.Sqrt(tolerance)*(size+q.Mu)
}

// A solver is at an iterate: p, t, the slacks s of the rows and their multipliers l.
type solver struct {
	Program
	row        []row
	p, t, s, l []float64
	dual, soft []float64 // residuals: g + Bp + Gᵀl of p, and that of t
	primal     []float64 // G·(p, t) + s − h
}

// residuals brings the residuals up to date, and returns the largest of them and of the
// complementarity.
func (w *solver) residuals() (most float64) {
	n := len(w.G)
	bp := mat.NewVecDense(n, nil)
	bp.MulVec(w.B, mat.NewVecDense(n, w.p))
	w.dual = append(w.dual[:0], w.G...)
	floats.Add(w.dual, bp.RawVector().Data)
	w.soft = w.soft[:0]
	for range w.t {
		w.soft = append(w.soft, w.Mu)
	}
	w.primal = w.primal[:0]
	for i := range w.row {
		w.row[i].add(w.l[i], w.dual, w.soft)
		v := w.row[i].times(w.p, w.t) + w.s[i] - w.row[i].h
		w.primal = append(w.primal, v)
		most = max(most, math.Abs(v), w.s[i]*w.l[i])
	}
	for _, v := range w.dual {
		most = max(most, math.Abs(v))
	}
	for _, v := range w.soft {
		most = max(most, math.Abs(v))
	}
	return most
}

// iterate makes one step of the predictor and the corrector. It reports whether it could.
func (w *solver) iterate() bool {
	m := len(w.row)
	if m == 0 {
		m = 1
	}
	gap := floats.Dot(w.s, w.l) / float64(m)
	chol, diagonal, ok := w.factorise()
	if !ok {
		return false
	}
	comp := make([]float64, len(w.row)) // the complementarity that is wanted to vanish
	for i := range comp {
		comp[i] = w.s[i] * w.l[i]
	}
	_, _, s, l := w.direction(chol, diagonal, comp)
	step := min(w.reach(w.s, s), w.reach(w.l, l))
	after := 0.
	for i := range comp {
		after += (w.s[i] + float64(step*s[i])) * (w.l[i] + float64(step*l[i]))
	}
	sigma := min(1, math.Pow(after/float64(m)/max(gap, math.SmallestNonzeroFloat64), 3))
	for i := range comp {
		if step > hopeless { // else the second order would mislead
			comp[i] += float64(s[i] * l[i])
		}
		comp[i] -= float64(sigma * gap)
	}
	p, t, s, l := w.direction(chol, diagonal, comp)
	step = min(1, short*min(w.reach(w.s, s), w.reach(w.l, l)))
	floats.AddScaled(w.p, step, p)
	floats.AddScaled(w.t, step, t)
	floats.AddScaled(w.s, step, s)
	floats.AddScaled(w.l, step, l)
	return step > tolerance
}

// reach returns how far a positive vector can go along a direction and stay so, at most 1/short.
func (w *solver) reach(v, d []float64) float64 {
	step := 1 / short
	for i, x := range d {
		if x < 0 {
			step = min(step, -v[i]/x)
		}
	}
	return step
}
