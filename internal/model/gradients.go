package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gradients returns the slopes of f along some directions (rows), times the step, at n points, a column each: by
// differences of both sides, or forward, from x itself.
func gradients(s *sampler, directions *mat.Dense, n int, by slope) (*mat.Dense, error) {
	rows, d := directions.Dims()
	x := s.points(n, wider)
	g := mat.NewDense(rows, n, nil) // parts of the step that are within the bounds
	each := rows + 1                // queries of a point
	if by.both {
		each = 2 * rows
	}
	points := mat.NewDense(n*each, d, nil)
	for k := range n {
		for i := range each {
			copy(points.RawRowView(k*each+i), x.RawRowView(k))
		}
		for i := range rows {
			step := scaledRows(directions.Slice(i, i+1, 0, d).(*mat.Dense), []float64{by.step}).RawRowView(0)
			g.Set(i, k, s.around(x.RawRowView(k), step))
			kernel.AddScaled(points.RawRowView(k*each+i), g.At(i, k), step)
			if by.both {
				kernel.AddScaled(points.RawRowView(k*each+rows+i), -g.At(i, k), step)
			}
		}
	}
	z, err := s.ask(points)
	if err != nil {
		return nil, err
	}
	for k := range n {
		at := z[k*each : (k+1)*each]
		for i := range rows {
			d := at[i] - at[rows]
			if by.both {
				d = (at[i] - at[rows+i]) / 2
			}
			g.Set(i, k, d/g.At(i, k))
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
	centred := mat.DenseCopyOf(g)
	for i, mean := range means(g) {
		floats.AddConst(-mean, centred.RawRowView(i))
	}
	var svd mat.SVD
	if !kernel.AllFinite(centred) || !svd.Factorize(centred, mat.SVDThinU) {
		return rows, nil
	}
	var left mat.Dense
	svd.UTo(&left)
	values := svd.Values(nil)
	cut := noise * math.Sqrt(float64(max(rows, n)))
	for r, v := range values { // the first that may be noise, beside one that is not
		if v <= cut*loud && (r == 0 || values[r-1] > apart*max(v, cut)) || r > 0 && values[r-1] > steepFall*v {
			return r, transposed(&left)
		}
	}
	if values[len(values)-1] > apart*cut {
		return len(values), transposed(&left)
	}
	return rows, nil
}

// means returns the mean of each row.
func means(g *mat.Dense) []float64 {
	rows, n := g.Dims()
	all := make([]float64, rows)
	for i := range all {
		all[i] = floats.Sum(g.RawRowView(i)) / float64(n)
	}
	return all
}

// apart is how many times the error of gradients the least of them must be that span f, so that
// there is no other one below.
const apart = 5

// loud is by how much the rounding of gradients may be above the noise of values, and steepFall how much less they
// are than those that span f where they are all that is left: curvatures may differ very much from place to place.
const loud, steepFall = 30, 1e3

// reduce looks for few components, which gradients show: along r random directions at r+2 points
// they have the rank min(r, m). Less than r show few components. It returns what f depends on; nil: not on few.
func reduce(s *sampler, l *ladder) (*subspace, error) {
	d := s.f.Dim()
	by := l.slopes(s.sigma, exactSlopes)
	for few := fewest; few < d && few <= max(fewest, d/4); few *= 4 {
		g, err := gradients(s, orthonormal(s, few, d), few+2, by)
		if err != nil {
			return nil, err
		}
		if r, _ := rank(g, by.error); r < few {
			return spanOf(s, by, r)
		}
	}
	return nil, nil
}

// A subspace is what f depends on: f(x) = g(Bᵀx) + <c, x>, with c orthogonal to B.
type subspace struct {
	span   *mat.Dense // B, d×m with orthonormal columns
	linear []float64  // c; nil: it is 0
}

// spanOf returns the subspace of m+2 whole gradients: their differences span B, and the rest of their mean is c. Where
// noise leaves it open there are more of them. It returns nil if f depends on something else.
func spanOf(s *sampler, by slope, m int) (*subspace, error) {
	d := s.f.Dim()
	if m == 0 || m >= d {
		return nil, nil
	}
	var all *mat.Dense
	for range mostGradients {
		g, err := gradients(s, kernel.Identity(d), m+2, by)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = g
		} else {
			all = transposed(stacked([]*mat.Dense{transposed(all), transposed(g)}))
		}
		r, u := rank(all, by.error)
		if r == d {
			break
		}
		if u == nil || r == 0 {
			continue
		}
		rows := mat.DenseCopyOf(u.Slice(0, r, 0, d))
		c := means(all)
		kernel.Project(c, rows.RawMatrix())
		floats.Scale(1/by.step, c)
		for _, linear := range [][]float64{nil, c} {
			if alone, err := linearBeyond(s, rows, linear, by.error/by.step); alone || err != nil {
				return &subspace{transposed(rows), linear}, err
			}
		}
		if by.error/by.step < exactSpan {
			break
		}
	}
	return nil, nil
}

// mostGradients is how many times gradients of all components are asked for, and exactSpan the error of slopes
// up to which more of them do not help.
const mostGradients, exactSpan = 3, 1e-3

// beyonds is at how many points it is tested that f is linear beyond a span, and beyond the change of f, in units of
// its spread, that is too large in any case. amplified is by how much chance makes errors larger: with two gradients
// more than components it was 30 and less, mostly.
const beyonds, beyond, amplified = 4, 0.02, 100

// linearBeyond reports whether f changes over the box by <c, v> along ways v that are orthogonal to
// some orthonormal rows, up to noise and the error of slopes: what short steps do not show, long ones may. A row that
// is known to ε of its slopes s is off by ε/s, and f changes by s times that: by ε|v| for all of them, and more where slopes were small by chance.
func linearBeyond(s *sampler, rows *mat.Dense, c []float64, slopes float64) (bool, error) {
	x, to := s.points(beyonds, middle), s.points(beyonds, middle)
	_, d := x.Dims()
	points, expected, most := mat.NewDense(2*beyonds, d, nil), make([]float64, beyonds), 0.0
	for k := range beyonds {
		v := to.RawRowView(k)
		kernel.AddScaled(v, -1, x.RawRowView(k))
		kernel.Project(v, rows.RawMatrix())
		copy(points.RawRowView(2*k), x.RawRowView(k))
		copy(points.RawRowView(2*k+1), x.RawRowView(k))
		part := s.reach(x.RawRowView(k), v, 1)
		kernel.AddScaled(points.RawRowView(2*k+1), part, v)
		most += square(min(beyond, amplified*slopes*part*length(v)))
		if c != nil {
			expected[k] = part * kernel.Dot(c, v)
		}
	}
	z, err := s.ask(points)
	if err != nil {
		return false, err
	}
	sum, noise := 0.0, 0.0
	for k := range beyonds {
		if change := z[2*k+1] - z[2*k] - expected[k]; kernel.Finite(change) {
			sum += square(change)
			noise += square(s.noise(z[2*k])) + square(s.noise(z[2*k+1]))
		}
	}
	return sum <= float64(square(significant)*noise)+most, nil
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

// A slope is how slopes are measured: over which step, on both sides or forward, and the error of step times slope
// from which on it is one.
type slope struct {
	step  float64
	both  bool
	error float64
}

// exactSlopes is the error of slopes that is small enough to see components of about the same size, as a part of what
// they change by over ℓ.
const exactSlopes = 1e-6

// slopes returns how slopes are measured with an error that is small enough, or the least. Over t they have the errors
//
//	√(σ²/2t² + (f‴t²/6)²) on both sides, √(2σ²/t² + (f″t/2)²) forward.
func (l *ladder) slopes(sigma, enough float64) slope {
	var two [2]slope
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for t := range steps(l.top*square(shortest), l.top/2) {
		// A forward second difference misses f‴t.
		errors := [2]struct{ noise, missed float64 }{{math.Sqrt2 * sigma, l.curvature * t * t / 2}, {math.Sqrt(0.5) * sigma, interpolated(l.odd, 1, t) * t * t / 6}}
		for k, e := range errors {
			if v := math.Hypot(e.noise, e.missed) / t; v < least[k] {
				two[k], least[k] = slope{t, k == 1, math.Hypot(4*e.noise, 3*e.missed)}, v
			}
		}
	}
	if least[0] <= enough*l.curvature*l.length() {
		return two[0]
	}
	return two[1]
}
