package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gradients returns the differences of f over some steps (rows) at n points, a column each: half of those from −step to step,
// for 2 queries each, or those from 0 to step, for one each and one a point.
func gradients(s *sampler, steps *mat.Dense, n int, both bool) (*mat.Dense, error) {
	rows, d := steps.Dims()
	x := s.points(n, wider)
	g := mat.NewDense(rows, n, nil)
	back := 1
	if both {
		back = rows
	}
	points := mat.NewDense(n*(rows+back), d, nil)
	for k := range n {
		for i := range rows + back {
			row := points.RawRowView(k*(rows+back) + i)
			if copy(row, x.RawRowView(k)); i < rows {
				g.Set(i, k, s.around(x.RawRowView(k), steps.RawRowView(i)))
				kernel.AddScaled(row, g.At(i, k), steps.RawRowView(i))
			} else if both {
				kernel.AddScaled(row, -g.At(i-rows, k), steps.RawRowView(i-rows))
			}
		}
	}
	z, err := s.ask(points)
	if err != nil {
		return nil, err
	}
	for k := range n {
		at := z[k*(rows+back) : (k+1)*(rows+back)]
		for i := range rows {
			change := at[i] - at[rows]
			if both {
				change = (at[i] - at[rows+i]) / 2
			}
			g.Set(i, k, change/g.At(i, k))
		}
	}
	return g, nil
}

// fewest is how many components are looked for first.
const fewest = 4

// wider is the part of the box from which points of gradients are drawn.
const wider = 0.8

// rank returns the rank of the columns of g, their mean taken off, above noise and truncation,
// their left singular vectors as rows, and the error of the least of them; all rows, and nil, if noise does not let tell.
func rank(g *mat.Dense, noise float64) (r int, u *mat.Dense, unsure float64) {
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
		return rows, nil, 1
	}
	var left mat.Dense
	svd.UTo(&left)
	values := svd.Values(nil)
	cut := noise * math.Sqrt(float64(max(rows, n)))
	for r, v := range values { // the first that may be noise, beside one that is not
		if v <= cut*loud && (r == 0 || values[r-1] > apart*max(v, cut)) {
			return r, transposed(&left), cut / max(values[max(r-1, 0)], tiny)
		}
	}
	if values[len(values)-1] > apart*cut {
		return len(values), transposed(&left), cut / values[len(values)-1]
	}
	return rows, nil, 1
}

// apart is how many times the error of gradients the least of them must be that span f, so that
// there is no other one below.
const apart = 5

// loud is by how much the rounding of gradients may be above the noise of values.
const loud = 30

// reduce looks for few components, which gradients show: along r random directions at r+2 points
// they have the rank min(r, m). Less than r show few components, whose span m+3 whole gradients
// have. It returns their span, d×m; nil: there are not few.
func reduce(s *sampler, l *ladder) (*mat.Dense, error) {
	d := s.f.Dim()
	t, noise := l.slopes(s.sigma)
	for few := fewest; few < d && few <= max(fewest, d/4); few *= 4 {
		g, err := gradients(s, scaled(orthonormal(s, few, d), t), few+2, true)
		if err != nil {
			return nil, err
		}
		if r, _, _ := rank(g, noise); r < few {
			return spanOf(s, l, r, nil, 0)
		}
	}
	return nil, nil
}

// spanOf returns the span of m+3 whole gradients, d×m, if they have the rank m; nil: they have not. If a rough span is known, the
// last m of orthonormal directions, and by what part it is off, differences need not be symmetric: their truncation ct/2 along the
// span is off by that part only, and beyond it, with steps s, that is its square.
func spanOf(s *sampler, l *ladder, m int, directions *mat.Dense, rough float64) (*mat.Dense, error) {
	d := s.f.Dim()
	if m == 0 || m >= d {
		return nil, nil
	}
	t, noise := l.slopes(s.sigma)
	along, across := t, t
	if directions == nil {
		directions = kernel.Identity(d)
	} else {
		along, across = 2*math.Sqrt(s.sigma/l.curvature), min(t/math.Sqrt(rough), l.top)
		noise = math.Hypot(noise*t/across, t*l.curvature*rough*(along+rough*across))
	}
	steps := make([]float64, d)
	for i := range steps {
		if steps[i] = along; i < d-m {
			steps[i] = across
		}
	}
	g, err := gradients(s, scaledRows(directions, steps), m+3, along == t)
	if err != nil {
		return nil, err
	}
	for i, step := range steps {
		floats.Scale(t/step, g.RawRowView(i))
	}
	all, u, unsure := rank(g, noise)
	if along != t { // more may be the error of differences
		all = min(all, m)
	}
	if u == nil || all == 0 || all > m+2 || all >= d {
		return nil, nil
	}
	rows := kernel.Times(mat.DenseCopyOf(u.Slice(0, all, 0, d)), directions)
	most := leastBeyond
	if s.grain.Noisy() {
		most = min(beyond, max(most, 10*unsure))
	}
	if alone, err := constantBeyond(s, rows, most); !alone || err != nil {
		return nil, err
	}
	return transposed(rows), nil
}

// beyonds is at how many points it is tested that f is constant beyond a span, and beyond is the
// change of f, in units of its spread, that the error of the span may make at most; leastBeyond is what it may in any case.
const beyonds, beyond, leastBeyond = 4, 0.02, 1e-6

// constantBeyond reports whether f does not change over the box along ways that are orthogonal to
// some orthonormal rows, up to noise and a little: what short steps do not show, long ones may.
func constantBeyond(s *sampler, rows *mat.Dense, beyond float64) (bool, error) {
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
