package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A run of CMA-ES that has come down to the noise wanders about. Near a minimum every smooth f separates, along the axes of
// its Hessian, and the covariance to which CMA-ES has adapted has the same axes. So Newton steps along them, from many
// differences, go on where CMA-ES cannot.

const (
	// finishPart is the part of the budget that such steps may take.
	finishPart = 1. / 20
	// atNoise is by how many σ the values of a generation differ at most if the run has come
	// down to the noise: those of noise alone differ by three or four.
	atNoise = 12
	// outside is the length of the first pairs, in standard deviations of the points.
	outside = 3
)

// finish takes Newton steps from where the best run of CMA-ES has come down to the noise, and
// from where blocks have, with up to so many queries.
func (r *run) finish(ctx context.Context, most int) error {
	var points [][]float64
	var at []*coordinates
	if met := r.f.noise.met; met != nil {
		points, at = append(points, met), append(at, axes(nil, r.task.Bounds, r.f.Dim()))
	}
	if all := best(r.fallback.trails()); len(all) > 0 && all[0].spread <= atNoise*r.f.sigma(all[0].value) && !r.beaten() {
		points, at = append(points, all[0].mean), append(at, axes(all[0].covariance, r.task.Bounds, r.f.Dim()))
	}
	before := r.f.now
	defer func() { r.f.begin(before, 0) }()
	for k, point := range points {
		r.f.stage(polishing)
		x := slices.Clone(point)
		clamp(x, r.task.Bounds)
		if err := r.finishFrom(ctx, x, at[k], most/len(points)); err != nil {
			return err
		}
	}
	return nil
}

// beaten reports whether another search has come lower than CMA-ES by far more than noise.
func (r *run) beaten() bool {
	least := r.fallback.leastOfCMAES()
	return least-r.f.best.Value > atNoise*r.f.sigma(least)
}

// hessians is how often the Hessian is measured, each time along the axes of the one before:
// those along which f curves little are seen only when the others are known.
const hessians = 3

// finishFrom takes Newton steps from x with up to so many queries, along the axes of the
// Hessian there, which are found from others.
func (r *run) finishFrom(ctx context.Context, x []float64, at *coordinates, most int) error {
	d, end := r.f.Dim(), r.f.queries+most
	for range hessians {
		if r.task.Bounded() || end-r.f.queries < 2*d*d {
			break
		}
		s := newNewton(r.f, at, x, false)
		s.free = true
		if err := s.feel(ctx); err != nil || s.fails() {
			return err
		}
		conjugate, err := s.conjugate(ctx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(conjugate.scale, func(v float64) bool { return !(v > 0) || math.IsInf(v, 1) }) {
			break // squares of f's values overflow or vanish
		}
		at = conjugate
	}
	s := newNewton(r.f, at, x, false)
	s.free = true
	err := s.descend(ctx, r.small(), end-r.f.queries)
	r.f.noise.end(s.x)
	return err
}

// feel makes pairs as long as it takes to see the curvature of all components.
func (s *newton) feel(ctx context.Context) error {
	for range mostTurns {
		if err := s.measure(ctx, 1); err != nil {
			return err
		}
		if _, left := s.propose(); !math.IsInf(left, 1) || s.fails() {
			break
		}
	}
	return nil
}

// conjugate returns coordinates in which the Hessian at x is diagonal. Its elements come from
//
//	f(x + h_i u_i + h_j u_j) + f(x − h_i u_i − h_j u_j) − 2f(x) = c_i h_i² + c_j h_j² + 2 H_ij h_i h_j.
//
// With D = diag c and D^−½ H D^−½ = QΛQᵀ they are those along Σ_j Q_jk c_j^−½ u_j.
func (s *newton) conjugate(ctx context.Context) (*coordinates, error) {
	m := len(s.side)
	var points [][]float64
	for i := range m {
		for j := range i {
			for _, sign := range []float64{1, -1} {
				x := slices.Clone(s.x)
				s.at.move(x, sign*s.side[i].h, s.at.singles[i])
				s.at.move(x, sign*s.side[j].h, s.at.singles[j])
				points = append(points, x)
			}
		}
	}
	values, err := s.f.ask(ctx, points...)
	if err != nil {
		return nil, err
	}
	scaled, largest := mat.NewSymDense(m, nil), 0.0
	for i, a := range s.side {
		largest = max(largest, a.c)
		scaled.SetSym(i, i, 1)
		for j, b := range s.side[:i] {
			rise := values[0] + values[1] - float64(2*s.fx.mean())
			values = values[2:]
			mixed := (rise - float64(a.c*a.h*a.h) - float64(b.c*b.h*b.h)) / (2 * a.h * b.h)
			if v := mixed / math.Sqrt(a.c*b.c); !math.IsNaN(v) && a.c > 0 && b.c > 0 {
				scaled.SetSym(i, j, min(max(v, -1), 1))
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return s.at, nil
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	at := alongAxes(s.at.bounds, mat.NewDense(m, s.f.Dim(), nil))
	_, exponent := math.Frexp(largest)
	unit := math.Ldexp(1, exponent) // of curvatures: their roots do not depend on the unit of f
	for k, lambda := range eigen.Values(nil) {
		row := at.u.RawRowView(k)
		for j := range m {
			kernel.AddScaled(row, q.At(j, k)/math.Sqrt(max(s.side[j].c/unit, flattest)), s.at.u.RawRowView(s.at.singles[j]))
		}
		norm := math.Sqrt(kernel.Dot(row, row))
		for i := range row {
			row[i] /= norm
		}
		// f rises by some σ over the first pairs.
		c := max(lambda, leastAxis) * unit / float64(norm*norm)
		at.scale[k] = firstPairs * math.Sqrt(2*s.f.sigma(s.fx.mean())/c)
	}
	return at, nil
}

const (
	// leastAxis is the least eigenvalue of a scaled Hessian that is not noise.
	leastAxis = 0.1
	// flattest is the least curvature of a component, as a part of the largest.
	flattest = 0x1p-100
)

// axes are coordinates along the axes of a covariance, with scales that are made for first
// pairs. If there is none they are those given, and the pairs are tiny.
func axes(covariance *mat.SymDense, bounds objective.Box, d int) *coordinates {
	at := alongAxes(bounds, mat.NewDense(d, d, nil))
	var eigen mat.EigenSym
	if covariance == nil || !eigen.Factorize(covariance, true) || !(eigen.Values(nil)[0] > 0) {
		for j := range d {
			at.u.Set(j, j, 1)
			at.scale[j] = firstPairs * nearAway
		}
		return at
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	at.u.Copy(v.T())
	for j, lambda := range eigen.Values(nil) {
		at.scale[j] = firstPairs * outside * math.Sqrt(lambda)
	}
	return at
}

// alongAxes are coordinates along orthonormal rows, or such as are scaled themselves.
func alongAxes(bounds objective.Box, u *mat.Dense) *coordinates {
	m, _ := u.Dims()
	return &coordinates{w: u, u: u, bounds: bounds, scale: make([]float64, m), singles: ranks.First(m)}
}

// A trail is where the mean of a run of CMA-ES has gone. Under noise the mean wanders about
// the minimum, and its average over the last part of the run is nearer to it:
//
//	x̄_n = x̄_{n−1} + min(1, p/n) (m_n − x̄_{n−1}),   p = 6,
//
// in which generation k has a weight like k⁵. The same average of the generations' medians says how good the run is, and that
// of the points' covariances about their own mean how f curves there: CMA-ES adapts it to the level sets.
type trail struct {
	generations int
	mean        []float64     // x̄
	value       float64       // the average of the medians
	spread      float64       // by how much the values of the last generation differ
	covariance  *mat.SymDense // of the points
}

// trailPart is p: the average is over the last sixth of a run or so.
const trailPart = 6

// mostTrails is how many runs are remembered that have ended.
const mostTrails = 3

// follow takes the mean of a generation, its points, and the median of its values.
func (t *trail) follow(s cmaes.State, median float64) {
	if t.generations++; t.generations == 1 {
		t.mean, t.value, t.covariance = slices.Clone(s.Mean), median, mat.NewSymDense(len(s.Mean), nil)
	}
	t.spread = s.Spread
	part := min(1, trailPart/float64(t.generations))
	for i, v := range s.Mean {
		t.mean[i] += float64(part * (v - t.mean[i]))
	}
	t.value += float64(part * (median - t.value))
	t.spreadOut(s.Points, part)
}

// spreadOut takes the covariance of points about their mean into the average.
func (t *trail) spreadOut(points [][]float64, part float64) {
	n, d := float64(len(points)), len(t.mean)
	middle, away := make([]float64, d), make([]float64, d)
	for _, x := range points {
		kernel.AddScaled(middle, 1/n, x)
	}
	raw := t.covariance.RawSymmetric()
	floats.Scale(1-part, raw.Data)
	for _, x := range points {
		floats.SubTo(away, x, middle)
		for i, v := range away {
			kernel.AddScaled(raw.Data[i*raw.Stride+i:i*raw.Stride+d], part*v/(n-1), away[i:])
		}
	}
}

// trails are those of the runs of a contender.
type trails struct {
	now    trail
	median float64 // of the values of the generation that was asked for last
	past   []trail // the best of those before, the best first
}

func (t *trails) began(cmaes.Plan) {
	if t.now.mean != nil {
		t.past = best(append(t.past, t.now))
	}
	t.now = trail{}
}

func (t *trails) observe(s cmaes.State) { t.now.follow(s, t.median) }

// told takes the values of a generation, before it is observed.
func (t *trails) told(values []float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	t.median = sorted[len(sorted)/2]
}

func best(all []trail) []trail {
	slices.SortStableFunc(all, func(a, b trail) int { return cmp.Compare(a.value, b.value) })
	return all[:min(len(all), mostTrails)]
}

// trails returns the best runs, the one that is under way first.
func (s *fallback) trails() []trail {
	if s.cmaes == nil || s.cmaes.trails == nil {
		return nil
	}
	t := s.cmaes.trails
	past := best(slices.Clone(t.past))
	if t.now.mean != nil {
		past = slices.Insert(past, 0, t.now)
	}
	return past
}
