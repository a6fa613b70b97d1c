package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gradients returns slopes of f at n points, a column each, times the step.
func gradients(s *sampler, by slopes, n int) (*mat.Dense, error) {
	x, looks := s.points(n, wider), make([]*Look, n)
	for k := range looks {
		looks[k] = s.bare(by.kind, by.along, by.steps, x.RawRowView(k))
	}
	if err := s.look(looks...); err != nil {
		return nil, err
	}
	g := mat.NewDense(len(by.steps), n, nil)
	for k, l := range looks {
		g.SetCol(k, l.slopes(s, Theta{}))
	}
	g.Scale(by.step, g)
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
		if v <= cut*amplified && (r == 0 || values[r-1] > apart*max(v, cut)) || r > 0 && values[r-1] > steepFall*v {
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

// steepFall is how much less gradients are than those that span f where rounding is all that is left: curvatures may differ very
// much from place to place.
const steepFall = 1e3

// reduce looks for few components, which gradients show: along r random directions at r+2 points
// they have the rank min(r, m). Less than r show few components. It returns what f depends on; nil: not on few.
func reduce(s *sampler, l *ladder) (*subspace, error) {
	d := s.f.Dim()
	for few := fewest; few < d && few <= max(fewest, d/4); few *= fewest {
		by := l.slopes(orthonormal(s, few, d), s.sigma, exactSlopes)
		g, err := gradients(s, by, few+2)
		if err != nil {
			return nil, err
		}
		if r, _ := rank(g, by.error); r < few {
			return spanOf(s, l.slopes(kernel.Identity(d), s.sigma, exactSlopes), r)
		}
	}
	return nil, nil
}

// A subspace is what f depends on: f(x) = g(Bᵀx) + <c, x>, with c orthogonal to B.
type subspace struct {
	span   *mat.Dense // B, d×m with orthonormal columns
	linear []float64  // c; nil: it is 0
}

// spanOf returns the subspace of m+2 gradients along d orthonormal directions: their differences span B, and the rest
// of their mean is c. Where noise leaves it open there are more of them. It returns nil if f depends on something else.
func spanOf(s *sampler, by slopes, m int) (*subspace, error) {
	d := s.f.Dim()
	if m == 0 || m >= d {
		return nil, nil
	}
	var all *mat.Dense
	error := by.error / by.step
	for range mostGradients {
		g, err := gradients(s, by, m+2)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = g
		} else {
			joined := &mat.Dense{}
			joined.Augment(all, g)
			all = joined
		}
		r, u := rank(all, by.error)
		if by.most > 0 {
			r = min(r, by.most)
		}
		if r == d {
			break
		}
		if _, n := all.Dims(); u == nil || r == 0 || by.most == 0 && r == n-1 { // there may be more components
			continue
		}
		rows := kernel.Times(mat.DenseCopyOf(u.Slice(0, r, 0, d)), by.along)
		if linear, err := linearBeyond(s, rows, error); err != nil {
			return nil, err
		} else if linear {
			c := kernel.Times(mat.NewDense(1, d, means(all)), by.along).RawRowView(0)
			kernel.Project(c, rows.RawMatrix())
			floats.Scale(1/by.step, c)
			if length(c) < amplified*error*math.Sqrt(float64(d)) {
				c = nil
			}
			return &subspace{transposed(rows), c}, nil
		}
		if error < exactSpan {
			break
		}
	}
	return nil, nil
}

// mostGradients is how many times gradients of all components are asked for, and exactSpan the error of slopes
// up to which more of them do not help.
const mostGradients, exactSpan = 3, 1e-3

// beyonds is at how many points it is tested that f is linear beyond a span. A second difference of leastBeyond, in units of the
// spread of f, is never too large, and one above predicted always. amplified is by how much chance makes errors larger: with two
// gradients more than components it was 30 at most.
const beyonds, leastBeyond, amplified = 4, 1e-11, 30

// linearBeyond reports whether f does not curve over the box along ways v that are orthogonal to
// some orthonormal rows, up to noise and the error ε of slopes: what short steps do not show, long ones may. A row that
// is known to ε of its slopes s is off by ε/s, so that f changes by ε|v|, and its second difference is (ε|v|)².
func linearBeyond(s *sampler, rows *mat.Dense, slopes float64) (bool, error) {
	x, to := s.points(beyonds, middle), s.points(beyonds, middle)
	sides := []float64{-1, 0, 1}
	var points [][]float64
	most := 0.0
	for k := range beyonds {
		v := to.RawRowView(k)
		kernel.AddScaled(v, -1, x.RawRowView(k))
		kernel.Project(v, rows.RawMatrix())
		part := s.around(x.RawRowView(k), v)
		for _, side := range sides {
			points = append(points, beside(x.RawRowView(k), part*side, v))
		}
		most += square(max(leastBeyond, min(predicted, square(amplified*slopes*part*length(v)))))
	}
	z, err := s.at(points)
	if err != nil {
		return false, err
	}
	sum, noise := 0.0, 0.0
	for three := range slices.Chunk(z, len(sides)) {
		if second := (three[0] - three[1]) + (three[2] - three[1]); kernel.Finite(second) {
			sum += square(second)
			noise += square(s.noise(three[0])) + square(2*s.noise(three[1])) + square(s.noise(three[2]))
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

// slopes are how slopes are measured.
type slopes struct {
	along *mat.Dense // orthonormal directions
	steps []float64  // along each of them
	kind  *kind
	step  float64 // the usual one
	error float64 // of step times slope, from which on it is one
	most  int     // how many components are known to be at most; 0: all
}

// exactSlopes is the error of slopes that is small enough to see components of about the same size, as a part of what
// they change by over ℓ.
const exactSlopes = 1e-6

// slopes returns how slopes along some directions are measured with an error that is small enough, or the least. Over t
// they have the errors
//
//	√(σ²/2t² + (f‴t²/6)²) on both sides, √(2σ²/t² + (f″t/2)²) forward.
func (l *ladder) slopes(along *mat.Dense, sigma, enough float64) slopes {
	least := func(k *kind, noise float64, missed func(t float64) float64) (slopes, float64) {
		t, error := leastOver(l.top*square(shortest), l.top/2, func(t float64) float64 { return math.Hypot(noise, missed(t)) / t })
		return slopes{along: along, kind: k, step: t, error: math.Hypot(significant*noise, 3*missed(t))}, error
	}
	by, error := least(oneSide, math.Sqrt2*sigma, func(t float64) float64 { return l.curvature * t * t / 2 })
	if !(error <= enough*l.curvature*l.length()) {
		by, _ = least(bothSides, math.Sqrt(0.5)*sigma, func(t float64) float64 { return interpolated(l.odd, 1, t) * t * t / 6 }) // a forward second difference misses f‴t
	}
	by.steps = slices.Repeat([]float64{by.step}, along.RawMatrix().Rows)
	return by
}

// within returns how slopes are measured forward where a rough span is known, the last m of the directions, and by what
// part it is off: the truncation ct/2 along the span is off by that part only, and beyond it, with steps s, that is its square.
func (l *ladder) within(along *mat.Dense, m int, sigma, rough float64) slopes {
	by := l.slopes(along, sigma, 0)
	inside, across := 2*math.Sqrt(sigma/l.curvature), min(by.step/math.Sqrt(rough), l.top)
	for i := range by.steps {
		if by.steps[i] = inside; i < len(by.steps)-m {
			by.steps[i] = across
		}
	}
	by.kind, by.most = oneSide, m
	by.error = math.Hypot(by.error*by.step/across, by.step*l.curvature*rough*(inside+float64(rough*across)))
	return by
}
