package auto

import (
	"cmp"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

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

// mostTrails is how many runs are remembered besides those that are under way.
const mostTrails = 3

// follow takes the mean of a generation, its points, and the median of its values.
func (t *trail) follow(s cmaes.State, median float64) {
	m := s.Mean
	t.generations++
	if t.generations == 1 {
		t.mean, t.value, t.covariance = slices.Clone(m), median, mat.NewSymDense(len(m), nil)
	}
	t.spread = s.Spread
	part := min(1, trailPart/float64(t.generations))
	for i, v := range m {
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
	for i := range raw.Data {
		raw.Data[i] *= 1 - part
	}
	for _, x := range points {
		for i := range away {
			away[i] = x[i] - middle[i]
		}
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

// began begins the trail of another run.
func (t *trails) began(cmaes.Plan) {
	if t.now.mean != nil {
		t.past = best(append(t.past, t.now))
	}
	t.now = trail{}
}

// observe follows a generation.
func (t *trails) observe(s cmaes.State) { t.now.follow(s, t.median) }

// told takes the values of a generation, before it is observed.
func (t *trails) told(values []float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	t.median = sorted[len(sorted)/2]
}

// best returns the best of some trails.
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
