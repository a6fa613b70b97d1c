package several

import (
	"errors"
	"math"

	"github.com/untwist/untwist/internal/quadratic"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A polytope is where f may be asked: the bounds and the linear limits. Limits that are equations are
// eliminated: z = base + N·y with orthonormal columns N, and the search is in y. Without equations y = z.
type polytope struct {
	bounds objective.Box // of z
	equal  *mat.Dense    // the equations E·z = e, a row each, of length 1; nil: there are none
	level  []float64     // e
	base   []float64
	basis  *mat.Dense // N; nil: the identity
	// rows·y ≤ right and lo ≤ y ≤ hi are the limits in y.
	rows   [][]float64
	right  []float64
	lo, hi []float64
	centre []float64 // a point in y as far from all limits as was found
	of     []int     // the linear limit that a row belongs to; −1: a bound
	size   []float64 // the length of that limit's coefficients, by which the row is divided
}

// errNowhere says that no point keeps to the limits.
var errNowhere = errors.New("no point within the bounds keeps to all linear limits")

func newPolytope(task strategy.Task, d int) (*polytope, error) {
	p := &polytope{bounds: task.Bounds, base: make([]float64, d)}
	var equations [][]float64
	for _, l := range task.Several.Limits {
		if n := floats.Norm(l.Coefficients, 2); l.Lo == l.Hi && n > 0 {
			row := append([]float64(nil), l.Coefficients...)
			floats.Scale(1/n, row)
			equations, p.level = append(equations, row), append(p.level, l.Lo/n)
		}
	}
	if err := p.eliminate(equations, d); err != nil {
		return nil, err
	}
	for i, l := range task.Several.Limits {
		n := floats.Norm(l.Coefficients, 2)
		if n == 0 || l.Lo == l.Hi {
			continue
		}
		if !math.IsInf(l.Hi, 1) {
			p.add(l.Coefficients, l.Hi, 1/n, i)
		}
		if !math.IsInf(l.Lo, -1) {
			p.add(l.Coefficients, -l.Lo, -1/n, i)
		}
	}
	return p, p.middle()
}

// eliminate finds base and N, and the bounds in y.
func (p *polytope) eliminate(equations [][]float64, d int) error {
	p.lo, p.hi = p.bounds.Lo, p.bounds.Hi
	if len(equations) == 0 {
		return nil
	}
	p.equal = mat.NewDense(len(equations), d, nil)
	for i, row := range equations {
		p.equal.SetRow(i, row)
	}
	var svd mat.SVD
	if !svd.Factorize(p.equal, mat.SVDFull) {
		return errNowhere
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > dependent*values[0] {
		rank++
	}
	if rank == d {
		return errors.New("the linear limits leave one point at most")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for k := range rank {
		w := mat.Dot(u.ColView(k), mat.NewVecDense(len(p.level), p.level)) / values[k]
		floats.AddScaled(p.base, w, mat.Col(nil, k, &v))
	}
	for i, e := range p.level {
		if math.Abs(floats.Dot(p.equal.RawRowView(i), p.base)-e) > dependent*(1+math.Abs(e)) {
			return errNowhere
		}
	}
	p.basis = mat.DenseCopyOf(v.Slice(0, d, rank, d))
	n := d - rank
	p.lo, p.hi = make([]float64, n), make([]float64, n)
	for k := range n {
		p.lo[k], p.hi[k] = math.Inf(-1), math.Inf(1)
	}
	for i := range d {
		unit := make([]float64, d)
		unit[i] = 1
		if v := p.bounds.Hi[i]; !math.IsInf(v, 1) {
			p.add(unit, v, 1, -1)
		}
		if v := p.bounds.Lo[i]; !math.IsInf(v, -1) {
			p.add(unit, -v, -1, -1)
		}
	}
	return nil
}

// dependent is the part of the largest singular value below which an equation follows from the others.
const dependent = 1e-10

// add adds the row scale·a·z ≤ limit·|scale| in y.
func (p *polytope) add(a []float64, limit, scale float64, of int) {
	row := append([]float64(nil), a...)
	floats.Scale(scale, row)
	limit *= math.Abs(scale)
	if p.basis != nil {
		limit -= floats.Dot(row, p.base)
		y := mat.NewVecDense(len(p.lo), nil)
		y.MulVec(p.basis.T(), mat.NewVecDense(len(row), row))
		row = y.RawVector().Data
	}
	p.rows, p.right, p.of, p.size = append(p.rows, row), append(p.right, limit), append(p.of, of), append(p.size, math.Abs(scale))
}

func (p *polytope) dim() int { return len(p.lo) }

// inner returns y of z, and outer z of y. z keeps to the bounds exactly, and to the equations but for
// rounding.
func (p *polytope) inner(z []float64) []float64 {
	if p.basis == nil {
		return append([]float64(nil), z...)
	}
	by := append([]float64(nil), z...)
	floats.Sub(by, p.base)
	y := mat.NewVecDense(p.dim(), nil)
	y.MulVec(p.basis.T(), mat.NewVecDense(len(by), by))
	return y.RawVector().Data
}

func (p *polytope) outer(y []float64) []float64 {
	z := append([]float64(nil), y...)
	if p.basis != nil {
		v := mat.NewVecDense(len(p.base), nil)
		v.MulVec(p.basis, mat.NewVecDense(len(y), y))
		z = v.RawVector().Data
		floats.Add(z, p.base)
	}
	p.mend(z)
	return z
}

// mend moves z into the bounds, and what the equations lose by that and by rounding to the coordinates
// that are not at one.
func (p *polytope) mend(z []float64) {
	const rounds = 10 // each puts at least one more coordinate to its bound, or is the last but one
	for range rounds {
		free := make([]bool, len(z))
		for i := range z {
			z[i] = min(max(z[i], p.bounds.Lo[i]), p.bounds.Hi[i])
			free[i] = z[i] > p.bounds.Lo[i] && z[i] < p.bounds.Hi[i]
		}
		if p.equal == nil {
			return
		}
		missing := make([]float64, len(p.level))
		worst := 0.
		m := mat.NewDense(len(p.level), len(z), nil)
		for i, e := range p.level {
			missing[i] = e - floats.Dot(p.equal.RawRowView(i), z)
			worst = max(worst, math.Abs(missing[i])/(1+math.Abs(e)))
			for k := range z {
				if free[k] {
					m.Set(i, k, p.equal.At(i, k))
				}
			}
		}
		if worst < 1e-15 {
			return
		}
		var svd mat.SVD
		if !svd.Factorize(m, mat.SVDThin) {
			return
		}
		var by mat.VecDense
		rank := svd.Rank(dependent)
		if rank == 0 {
			return
		}
		svd.SolveVecTo(&by, mat.NewVecDense(len(missing), missing), rank)
		floats.Add(z, by.RawVector().Data)
	}
	for i := range z {
		z[i] = min(max(z[i], p.bounds.Lo[i]), p.bounds.Hi[i])
	}
}

// excess returns by how much y exceeds the limits at most; 0: it keeps to them.
func (p *polytope) excess(y []float64) (most float64) {
	for i, a := range p.rows {
		most = max(most, floats.Dot(a, y)-p.right[i])
	}
	for k, v := range y {
		most = max(most, v-p.hi[k], p.lo[k]-v)
	}
	return most
}

// project returns the point nearest to y that keeps to all limits by a margin. It reports whether there
// is one. The way there is solved for in units of its size, since a point may exceed a limit by rounding only.
func (p *polytope) project(y []float64, margin float64) ([]float64, bool) {
	over := p.excess(y) + margin
	if over == 0 {
		return append([]float64(nil), y...), true
	}
	n, unit := p.dim(), max(over, leastWay)
	q := quadratic.Program{G: make([]float64, n), B: mat.NewSymDense(n, nil), A: p.rows}
	for k, v := range y {
		q.B.SetSym(k, k, 1)
		q.Lo, q.Hi = append(q.Lo, (p.lo[k]+margin-v)/unit), append(q.Hi, (p.hi[k]-margin-v)/unit)
		if !(q.Lo[k] <= q.Hi[k]) {
			return nil, false
		}
	}
	for i, a := range p.rows {
		q.Right = append(q.Right, (p.right[i]-margin-floats.Dot(a, y))/unit)
	}
	s, ok := quadratic.Solve(q)
	if !ok {
		return nil, false
	}
	for k, v := range s.P {
		s.P[k] = min(max(y[k]+float64(unit*v), p.lo[k]), p.hi[k])
	}
	return s.P, true
}

// leastWay is the least unit: in lesser ones limits that do not matter would be too far away for rounding.
const leastWay = 1e-6

// inside returns the point of the polytope nearest to y, moved towards the centre as far as rounding
// needs it.
func (p *polytope) inside(y []float64) []float64 {
	if p.excess(y) == 0 {
		return y
	}
	near, ok := p.project(y, 0)
	if !ok {
		return append([]float64(nil), p.centre...)
	}
	for t := 1e-12; p.excess(near) > 0 && t < 1; t *= 10 {
		for k := range near {
			near[k] += float64(t * (p.centre[k] - near[k]))
		}
	}
	return near
}

// middle finds the centre: the point nearest to the middle of the start box by the largest margin of
// some that leaves one.
func (p *polytope) middle() error {
	y := p.inner(make([]float64, len(p.base)))
	for margin := 0.5; margin > 1e-9; margin /= 2 {
		if c, ok := p.project(y, margin); ok && p.excess(c) == 0 {
			p.centre = c
			return nil
		}
	}
	return errNowhere
}
