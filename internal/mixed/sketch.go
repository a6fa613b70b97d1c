package mixed

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/lists"
)

const (
	modelled  = 120 // points that a surrogate goes through
	firstStep = 0.4 // standard deviation of candidates, in half-widths of the start box
	lastStep  = 1e-4
	// mostSketched is how many queries for each coordinate a surrogate proposes at most: it takes some
	// milliseconds for each.
	mostSketched = 20
	// candidatesOf is how many candidates there are for a query.
	candidatesOf = 800
)

// sketch asks one point after the other that a surrogate promises, among candidates near the best point
// (R. G. Regis, C. A. Shoemaker, "Combining radial basis function surrogates and dynamic coordinate search
// in high-dimensional expensive black-box optimization", 2013).
func (w *search) sketch() error {
	w.task.Stage(byModel)
	d := w.Dim()
	u := map[string]bool{}
	step, wins, losses := firstStep, 0, 0
	begin, budget := w.queries, min(mostSketched*d, w.task.Budget)
	trust := []float64{0.3, 0.5, 0.8, 0.95}
	for round := 0; step > lastStep && w.queries-begin < budget; round++ {
		points, values := w.near()
		s, ok := fitted(points, values)
		if !ok {
			return nil
		}
		share := min(20/float64(d), 1) * max(1-math.Log(float64(1+w.queries-begin))/math.Log(float64(max(budget, 3))), 0)
		var candidates [][]float64
		elite := w.elite(2 * d)
		for i := range candidatesOf {
			z := w.perturbed(w.best.z, step, share)
			if i%2 == 1 {
				z = w.shifted(w.best.z, elite)
			}
			if !u[key(z)] {
				candidates = append(candidates, z)
			}
		}
		if len(candidates) == 0 {
			step /= 2
			continue
		}
		z := w.chosen(candidates, s, trust[round%len(trust)])
		u[key(z)] = true
		was := w.best.value
		if _, err := w.ask([][]float64{z}); err != nil {
			return err
		}
		if w.best.value < was {
			wins, losses = wins+1, 0
		} else {
			wins, losses = 0, losses+1
		}
		if wins >= 3 {
			step, wins = min(2*step, firstStep), 0
		}
		if losses >= max(d, 5) {
			step, losses = step/2, 0
		}
	}
	return nil
}

// perturbed returns a point near z.
func (w *search) perturbed(z []float64, step, share float64) []float64 {
	out := slices.Clone(z)
	one := w.random.IntN(len(z))
	for k := range out {
		if k != one && w.random.Float64() >= share {
			continue
		}
		l := w.task.Lattices[k]
		v := z[k] + step*w.random.NormFloat64()
		switch {
		case len(l.Values) == 0:
			out[k] = min(max(v, w.task.Bounds.Lo[k]), w.task.Bounds.Hi[k])
		case l.Unordered:
			out[k] = l.Values[w.random.IntN(len(l.Values))]
		default:
			at := slices.Index(l.Values, z[k])
			j := at
			for i, x := range l.Values {
				if math.Abs(x-v) < math.Abs(l.Values[j]-v) {
					j = i
				}
			}
			if j == at {
				j = at + 1 - 2*w.random.IntN(2)
			}
			out[k] = l.Values[min(max(j, 0), len(l.Values)-1)]
		}
	}
	return out
}

// elite returns the best n points.
func (w *search) elite(n int) [][]float64 {
	return lists.Map(first(w.asked, n, lowest), func(m memo) []float64 { return m.z })
}

// Under noise so many points are compared, of so many for each of them with the lowest values.
const finalists, perFinalist = 8, 16

// likely returns the points that are likely the best under noise: of those with the lowest values the ones with the
// lowest means of the values nearest to them.
func (w *search) likely() [][]float64 {
	means := map[string]float64{}
	points := w.elite(finalists * perFinalist)
	for _, z := range points {
		u := w.encode(z)
		for _, m := range nearest(w.asked, u, 2*len(u)+1) {
			means[key(z)] += m.value
		}
	}
	slices.SortStableFunc(points, func(a, b []float64) int { return cmp.Compare(means[key(a)], means[key(b)]) })
	return points[:min(finalists, len(points))]
}

// shifted returns z moved by a part of the difference of two good points.
func (w *search) shifted(z []float64, elite [][]float64) []float64 {
	a, b := elite[w.random.IntN(len(elite))], elite[w.random.IntN(len(elite))]
	t := w.random.NormFloat64()
	out := slices.Clone(z)
	for k := range out {
		out[k] += t * (a[k] - b[k])
	}
	return w.onto(out, z)
}

// onto moves a point to the nearest within the bounds and on the lattices; choices are those of from.
func (w *search) onto(z, from []float64) []float64 {
	for k, l := range w.task.Lattices {
		switch {
		case len(l.Values) == 0:
			z[k] = min(max(z[k], w.task.Bounds.Lo[k]), w.task.Bounds.Hi[k])
		case l.Unordered:
			z[k] = from[k]
		default:
			j := 0
			for j+1 < len(l.Values) && z[k]-l.Values[j] > l.Values[j+1]-z[k] {
				j++
			}
			z[k] = l.Values[j]
		}
	}
	return z
}

// chosen returns the candidate with the best score: promise, and distance to what was asked.
func (w *search) chosen(candidates [][]float64, s surrogate, trust float64) []float64 {
	promise, far := make([]float64, len(candidates)), make([]float64, len(candidates))
	for i, z := range candidates {
		u := w.encode(z)
		promise[i], far[i] = s.at(u), math.Inf(1)
		for _, p := range s.points {
			far[i] = min(far[i], distance2(u, p))
		}
		far[i] = math.Sqrt(far[i])
	}
	lo, hi, near, wide := slices.Min(promise), slices.Max(promise), slices.Min(far), slices.Max(far)
	best, least := 0, math.Inf(1)
	for i := range candidates {
		score := 0.
		if hi > lo {
			score += trust * (promise[i] - lo) / (hi - lo)
		}
		if wide > near {
			score += (1 - trust) * (wide - far[i]) / (wide - near)
		}
		if score < least {
			best, least = i, score
		}
	}
	return candidates[best]
}

// near returns the points that were asked nearest to the best one, encoded, and their values, cut at the median.
func (w *search) near() ([][]float64, []float64) {
	var values []float64
	var points [][]float64
	for _, m := range nearest(w.asked, w.encode(w.best.z), modelled) {
		points, values = append(points, m.u), append(values, m.value)
	}
	sorted := slices.Sorted(slices.Values(values))
	for i := range values {
		values[i] = min(values[i], sorted[len(sorted)/2])
	}
	return points, values
}

// nearest returns the n values nearest to an encoded point.
func nearest(all []memo, u []float64, n int) []memo {
	return first(all, n, func(a, b memo) int { return cmp.Compare(distance2(a.u, u), distance2(b.u, u)) })
}

func lowest(a, b memo) int { return cmp.Compare(a.value, b.value) }

func first(all []memo, n int, order func(a, b memo) int) []memo {
	return slices.SortedStableFunc(slices.Values(all), order)[:min(n, len(all))]
}

type memo struct {
	z, u  []float64
	value float64
	above []float64 // by how much outputs are above each of their limits; negative: they keep to it
}
