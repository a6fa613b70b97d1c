package mixed

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/several"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// slack is by how much the rounding of a sum may exceed a linear limit, as a part of its size.
const slack = 1e-12

// excess returns by how much a point is above a linear limit, or below it (negative); 0: it keeps to it.
func excess(l strategy.Limit, z []float64) float64 {
	sum, size := 0., 1.
	for k, c := range l.Coefficients {
		sum += float64(c * z[k])
		size = max(size, math.Abs(c*z[k]))
	}
	over := max(sum-l.Hi, 0) + min(sum-l.Lo, 0)
	if math.Abs(over) <= slack*size {
		return 0
	}
	return over
}

// violates reports whether a point violates a linear limit.
func (w *search) violates(z []float64) bool {
	return w.said != nil && slices.ContainsFunc(w.said.Limits, func(l strategy.Limit) bool { return excess(l, z) != 0 })
}

// far is more than any two values of a lattice are apart.
const far = 1e9

// mended returns a point that keeps to the linear limits, near to one that may not: one coordinate after
// the other, in random order, takes as much of what is too much as it can. So two numbers of a sum that is given
// are changed together. It may still violate some.
func (w *search) mended(z []float64) []float64 {
	if !w.violates(z) {
		return z
	}
	z = slices.Clone(z)
	for _, k := range w.random.Perm(len(z)) {
		for _, l := range w.said.Limits {
			over, c := excess(l, z), l.Coefficients[k]
			if over == 0 || c == 0 {
				continue
			}
			to := min(max(z[k]-over/c, w.task.Bounds.Lo[k]), w.task.Bounds.Hi[k])
			values := w.task.Lattices[k].Values
			if z[k] = to; len(values) == 0 {
				continue
			}
			best := math.Inf(1)
			for _, v := range values { // the nearest that is enough, or else that which is most
				at := slices.Clone(z)
				at[k] = v
				short := math.Abs(v - to)
				if excess(l, at)*over > 0 {
					short += far
				}
				if short < best {
					best, z[k] = short, v
				}
			}
		}
	}
	return z
}

// judge says by how much places exceed the limits of outputs, and keeps the best.
func (w *search) judge(all []place, rows [][]float64) {
	for i := range all {
		p := &all[i]
		if len(rows) == len(all) && rows[i] == nil {
			p.value = math.Inf(1)
		} else if len(rows) == len(all) {
			p.over = w.over(rows[i])
			w.asked = append(w.asked, memo{slices.Clone(p.z), w.encode(p.z), p.value, w.above(rows[i])})
		}
		if p.better(w.best) {
			w.best = *p
		}
	}
}

// recent judges the last batch of a section, keeps its best place in end, and returns its numbers.
func (s *section) recent(end *place) [][]float64 {
	rows := s.w.said.Recent()
	s.w.judge(s.batch, rows)
	for _, p := range s.batch {
		if p.better(*end) {
			*end = p
		}
	}
	s.batch = nil
	return rows
}

// over returns by how much numbers exceed their limits.
func (w *search) over(numbers []float64) float64 {
	return query.Excess(w.said.Outputs, numbers[max(w.said.Residuals, 1):], w.said.Within)
}

// above returns by how much outputs are above each of their limits; below them, for those that are to be above.
func (w *search) above(numbers []float64) (all []float64) {
	for k, o := range w.said.Outputs {
		v := numbers[max(w.said.Residuals, 1)+k]
		for i, limit := range []*float64{o.Max, o.Equal, o.Min, o.Equal} {
			if limit != nil && i < 2 {
				all = append(all, v-*limit)
			} else if limit != nil {
				all = append(all, *limit-v)
			}
		}
	}
	return all
}

// legSeveral is how many queries for each continuous parameter package several gets at a setting.
const legSeveral = 30

// downSeveral goes down by package several, at the setting of a place.
func (w *search) downSeveral(at, beat place) (place, error) {
	s := w.at(at.z)
	n := len(w.free)
	leg := legSeveral * (n + 1)
	if beat.z != nil {
		leg /= 3
	}
	said := *w.said
	said.Limits = nil
	for _, l := range w.said.Limits {
		inner := strategy.Limit{Coefficients: s.inner(l.Coefficients), Lo: l.Lo, Hi: l.Hi}
		for _, k := range w.discrete {
			inner.Lo -= float64(l.Coefficients[k] * at.z[k])
			inner.Hi -= float64(l.Coefficients[k] * at.z[k])
		}
		said.Limits = append(said.Limits, inner)
	}
	end := at
	said.Recent = func() [][]float64 { return s.recent(&end) }
	meter := query.NewMeter(s, leg)
	out, err := several.Strategy{}.Minimize(w.ctx, meter, strategy.Task{
		Bounds: s.bounds(), Budget: leg, Seed: w.task.Seed, Stage: w.task.Stage, Parallel: w.task.Parallel, Several: &said,
		Points: mat.NewDense(1, n, s.inner(at.z)),
	})
	if bad := new(objective.OptionError); errors.As(err, &bad) { // no point of this setting keeps to the limits
		return at, nil
	}
	if end.better(at) && !w.best.better(end) {
		w.multipliers = out.Multipliers
	}
	if out.Fit != nil && !w.best.better(end) {
		w.fit = &strategy.Fit{Point: s.outer(out.Fit.Point), Residuals: out.Fit.Residuals, Jacobian: out.Fit.Jacobian, Coordinates: w.free}
	}
	if err == nil {
		err = s.ended
	}
	return end, err
}

// above fits a piece to what outputs are above each of their limits by, in units of a quarter of these.
func (r *region) above(near []neighbour, s sample) (all []pieces) {
	for k := range near[0].above {
		e, unit := newEquations(s.n), max(quarter(near, func(v neighbour) float64 { return v.above[k] }), 1e-300)
		for i, v := range near {
			y := v.above[k] / unit
			e.add(s.features[i], v.weight(y), y)
		}
		all = append(all, pieces{e.solution()})
	}
	return all
}

// exceeded returns by how much the models of outputs exceed their limits at most.
func (r *region) exceeded(features []float64) (most float64) {
	for _, m := range r.limits {
		v, _ := m.at(features)
		most = max(most, v)
	}
	return most
}
