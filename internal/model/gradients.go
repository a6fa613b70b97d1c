package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// gradients returns the slopes of f over t along some directions (rows), times t, at n points,
// a column each, for 2 queries a slope.
func gradients(s *sampler, directions *mat.Dense, n int, t float64) (*mat.Dense, error) {
	rows, d := directions.Dims()
	x := s.points(n, wider)
	g := mat.NewDense(rows, n, nil)
	points := mat.NewDense(2*n*rows, d, nil)
	for k := range n {
		for i := range rows {
			step := scaledRows(directions.Slice(i, i+1, 0, d).(*mat.Dense), []float64{t}).RawRowView(0)
			g.Set(i, k, s.around(x.RawRowView(k), step))
			for side, sign := range []float64{1, -1} {
				row := points.RawRowView((2*k+side)*rows + i)
				copy(row, x.RawRowView(k))
				kernel.AddScaled(row, sign*g.At(i, k), step)
			}
		}
	}
	z, err := s.ask(points)
	if err != nil {
		return nil, err
	}
	for k := range n {
		for i := range rows {
			g.Set(i, k, (z[2*k*rows+i]-z[(2*k+1)*rows+i])/2/g.At(i, k))
		}
	}
	return g, nil
}

// fewest is how many components are looked for first.
const fewest = 4

// wider is the part of the box from which points of gradients are drawn.
const wider = 0.8

// rank returns the rank of the columns of g, their mean taken off, above noise and truncation,
// and their left singular vectors as rows; all rows, and nil, if noise does not let tell.
func rank(g *mat.Dense, noise float64) (int, *mat.Dense) {
	rows, n := g.Dims()
	centred := mat.NewDense(rows, n, nil)
	for i := range rows {
		mean := 0.0
		for _, v := range g.RawRowView(i) {
			mean += v / float64(n)
		}
		for k, v := range g.RawRowView(i) {
			centred.Set(i, k, v-mean)
		}
	}
	var svd mat.SVD
	if !kernel.AllFinite(centred) || !svd.Factorize(centred, mat.SVDThinU) {
		return rows, nil
	}
	var u mat.Dense
	svd.UTo(&u)
	r, least := 0, math.Inf(1)
	cut := noise * math.Sqrt(float64(max(rows, n)))
	for _, v := range svd.Values(nil) {
		if v > cut {
			r, least = r+1, v
		}
	}
	if least < apart*cut { // others may be hidden by noise
		return rows, nil
	}
	return r, transposed(&u)
}

// apart is how many times the error of gradients the least of them must be that span f, so that
// there is no other one below.
const apart = 5

// reduce looks for few components, which gradients show: along r random directions at r+2 points
// they have the rank min(r, m). Less than r show few components, whose span m+3 whole gradients
// have. It returns their span, d×m; nil: there are not few.
func reduce(s *sampler, l *ladder) (*mat.Dense, error) {
	d := s.f.Dim()
	t, noise := l.slopes(s.sigma)
	for few := fewest; few < d && few <= max(fewest, d/4); few *= 4 {
		g, err := gradients(s, orthonormal(s, few, d), few+2, t)
		if err != nil {
			return nil, err
		}
		if r, _ := rank(g, noise); r < few {
			return spanOf(s, l, r)
		}
	}
	return nil, nil
}

// spanOf returns the span of m+3 whole gradients, d×m, if they have the rank m; nil: they have not.
func spanOf(s *sampler, l *ladder, m int) (*mat.Dense, error) {
	d := s.f.Dim()
	t, noise := l.slopes(s.sigma)
	if m == 0 || m+2 >= d {
		return nil, nil
	}
	g, err := gradients(s, kernel.Identity(d), m+3, t)
	if err != nil {
		return nil, err
	}
	all, u := rank(g, noise)
	if u == nil || all == 0 || all > m+1 {
		return nil, nil
	}
	rows := mat.DenseCopyOf(u.Slice(0, all, 0, d))
	if alone, err := constantBeyond(s, rows); !alone || err != nil {
		return nil, err
	}
	return transposed(rows), nil
}

// beyonds is at how many points it is tested that f is constant beyond a span, and beyond is the
// change of f, in units of its spread, that the error of the span may make.
const beyonds, beyond = 4, 0.02

// constantBeyond reports whether f does not change over the box along ways that are orthogonal to
// some orthonormal rows, up to noise and a little: what short steps do not show, long ones may.
func constantBeyond(s *sampler, rows *mat.Dense) (bool, error) {
	x, to := s.points(beyonds, middle), s.points(beyonds, middle)
	_, d := x.Dims()
	points := mat.NewDense(2*beyonds, d, nil)
	for k := range beyonds {
		v := to.RawRowView(k)
		kernel.AddScaled(v, -1, x.RawRowView(k))
		kernel.Project(v, rows.RawMatrix())
		copy(points.RawRowView(2*k), x.RawRowView(k))
		copy(points.RawRowView(2*k+1), x.RawRowView(k))
		kernel.AddScaled(points.RawRowView(2*k+1), s.reach(x.RawRowView(k), v, 1), v)
	}
	z, err := s.ask(points)
	if err != nil {
		return false, err
	}
	sum, noise := 0.0, 0.0
	for k := range beyonds {
		if change := z[2*k+1] - z[2*k]; kernel.Finite(change) {
			sum += square(change)
			noise += square(s.noise(z[2*k])) + square(s.noise(z[2*k+1]))
		}
	}
	return sum <= float64(square(significant)*noise)+float64(beyonds*square(beyond)), nil
}

// orthonormal returns n random orthonormal directions.
func orthonormal(s *sampler, n, d int) *mat.Dense {
	q := mat.NewDense(n, d, nil)
	for i := range n {
		s.random.Norm(q.RawRowView(i))
	}
	kernel.Orthonormalise(q.RawMatrix())
	return q
}

// slopes returns the step of a slope with the least error, and the error of t times the slope from
// which on it is one.
func (l *ladder) slopes(sigma float64) (step, errors float64) {
	missed := 0.0
	least := math.Inf(1)
	for t := range steps(l.top/2*shortest, l.top/2) {
		// A slope misses f‴t²/6, a forward difference f‴t.
		tau := interpolated(l.odd, 1, t) * t / 6
		if v := math.Hypot(math.Sqrt(0.5)*sigma/t, tau); v < least {
			step, missed, least = t, tau*t, v
		}
	}
	return step, math.Hypot(4*sigma*math.Sqrt(0.5), 3*missed)
}
