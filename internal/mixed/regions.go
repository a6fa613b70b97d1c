package mixed

import (
	"math"
	"slices"
)

// few is how many values a lattice may have so that its neighbours are searched as if they were choices. Of one
// that has more they differ so little that the model of a region tells which is better.
const few = 8

// regions searches a region around the best place, and then those of other choices and of neighbours on
// lattices of few values, until none of them leads further. A search is given up as soon as it no longer
// gains as much as it is behind.
func (w *search) regions() error {
	if n := len(w.region(w.best, wide).all); n == 0 || n > mostOrdered || w.best.z == nil || w.task.NoiseLevel > 0 {
		return nil
	}
	if err := w.around(w.best, math.Inf(1)); err != nil {
		return err
	}
	done := map[string]bool{}
	for base := (place{}); w.best.better(base); {
		base = w.best
		for _, z := range w.siblings(base.z) {
			if done[w.key(z)] {
				continue
			}
			done[w.key(z)] = true
			all, err := w.ask([][]float64{z})
			if err == nil && len(all) > 0 {
				err = w.around(all[0], base.value)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// siblings returns a point with one choice changed, or with one coordinate on the next value of few, for each.
func (w *search) siblings(z []float64) (points [][]float64) {
	for _, k := range w.discrete {
		l := w.task.Lattices[k]
		at := slices.Index(l.Values, z[k])
		for j, v := range l.Values {
			if next := j == at-1 || j == at+1; next && len(l.Values) <= few || l.Unordered && j != at {
				p := slices.Clone(z)
				p[k] = v
				points = append(points, p)
			}
		}
	}
	return points
}

// around searches regions around a place, which is to come below a value, until one of them gains next to nothing and
// no neighbour on a lattice of many values does.
func (w *search) around(at place, beat float64) error {
	r := w.region(at, wide)
	for {
		was := r.at
		err := r.descend(fine, beat)
		gain, behind := was.value-r.at.value, r.at.value-beat
		if err != nil || behind > 0 && gain < behind {
			return err
		}
		if r.radius = wide; gain > worth*r.unit {
			continue
		}
		next, err := w.sideways(r.at)
		if err != nil || !next.better(r.at) {
			return err
		}
		r = w.region(next, half)
	}
}

// sideways goes to a neighbour on one of the lattices of many values, to where the model of the region is
// least there, and down from it if that is not better yet. It returns the first place that is.
func (w *search) sideways(at place) (place, error) {
	for _, k := range w.discrete {
		l := w.task.Lattices[k]
		if l.Unordered || len(l.Values) <= few {
			continue
		}
		i := slices.Index(l.Values, at.z[k])
		for _, v := range slices.Concat(l.Values[max(i-1, 0):i], l.Values[i+1:min(i+2, len(l.Values))]) {
			r := w.region(at, half)
			r.release()
			z, _, _ := r.pin(k, v).promise()
			if w.has(z) {
				continue
			}
			all, err := w.ask([][]float64{z})
			if err != nil || len(all) == 0 || all[0].better(at) {
				return first(at, all), err
			}
			r = w.region(all[0], half/2)
			if err := r.descend(2*fine, at.value); err != nil || r.at.better(at) {
				return r.at, err
			}
		}
	}
	return at, nil
}

// first returns the first of some places, or otherwise another one.
func first(otherwise place, some []place) place {
	if len(some) > 0 {
		return some[0]
	}
	return otherwise
}
