package mixed

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/descent"
)

// improve goes along the lattices from a place, with the continuous parameters where they are, and down
// over these at the setting that it comes to, again and again. When that leads no further it goes, if it may, to
// settings that become better only after a descent of their own, and on with regions if it is the best place then. It ends
// where no setting does.
func (w *search) improve(at place, farther bool) error {
	if at.z == nil {
		return nil
	}
	for {
		next, others, err := w.along(at)
		if err == nil {
			next, err = w.down(next, next)
		}
		if err == nil && !next.better(at) && farther && (w.said == nil || !w.regional()) { // regions try other settings for less
			if next, err = w.beyond(at, others); err == nil && next.better(at) && !w.best.better(next) {
				if err = w.regions(); w.best.better(next) {
					next = w.best
				}
			}
		}
		if err == nil && !next.better(at) {
			next, err = w.down(at, place{})
		}
		if err != nil || !next.better(at) {
			return err
		}
		if at, err = w.further(at, next); err != nil {
			return err
		}
	}
}

// further goes on in the direction of a step, over lattices and continuous parameters together, as long as
// that leads down: a pattern move of R. Hooke and T. A. Jeeves, 1961.
func (w *search) further(from, to place) (place, error) {
	for reach := 1.; ; reach *= 2 {
		z := slices.Clone(to.z)
		for k := range z {
			z[k] += reach * (to.z[k] - from.z[k])
		}
		z = w.onto(z, to.z)
		all, err := w.ask([][]float64{z})
		if err != nil || len(all) == 0 || !all[0].better(to) {
			return to, err
		}
		from, to = to, all[0]
	}
}

// along goes along the lattices of all parameters with the continuous ones where they are, until that
// leads no further. It returns the best place, and the others that it came across at the end.
func (w *search) along(at place) (place, []place, error) {
	w.task.Stage(onLattices)
	for {
		var points [][]float64
		for _, k := range w.discrete {
			points = append(points, w.line(at.z, k)...)
		}
		all, err := w.ask(points)
		if err != nil {
			return at, nil, err
		}
		slices.SortStableFunc(all, compare)
		if len(all) == 0 || !all[0].better(at) {
			return at, all, nil
		}
		next, err := w.together(at, all)
		if err != nil {
			return at, nil, err
		}
		at = next
	}
}

// compare orders places, the best first.
func compare(a, b place) int {
	switch {
	case a.better(b):
		return -1
	case b.better(a):
		return 1
	}
	return 0
}

// together takes the best step of each parameter that gains something, all of them at once, then half of
// them and so on, and returns the best place.
func (w *search) together(at place, steps []place) (place, error) {
	best, z, taken := steps[0], slices.Clone(at.z), map[int]bool{}
	var order []int
	for _, s := range steps {
		k := slices.IndexFunc(w.discrete, func(k int) bool { return s.z[k] != at.z[k] })
		if s.better(at) && !taken[k] {
			taken[k] = true
			order = append(order, w.discrete[k])
			z[w.discrete[k]] = s.z[w.discrete[k]]
		}
	}
	for n := len(order); n > 1; n /= 2 {
		for _, k := range order[n:] {
			z[k] = at.z[k]
		}
		all, err := w.ask([][]float64{slices.Clone(z)})
		if err != nil {
			return best, err
		}
		if len(all) > 0 && all[0].better(best) {
			return all[0], nil
		}
	}
	return best, nil
}

// line returns the points along the lattice of one parameter: all choices, and of other lattices the
// values 1, 2, 4, … further.
func (w *search) line(z []float64, k int) (points [][]float64) {
	l := w.task.Lattices[k]
	at := slices.Index(l.Values, z[k])
	add := func(j int) {
		if j >= 0 && j < len(l.Values) && j != at {
			p := slices.Clone(z)
			p[k] = l.Values[j]
			points = append(points, p)
		}
	}
	if l.Unordered {
		for j := range l.Values {
			add(j)
		}
		return points
	}
	for step := 1; step < len(l.Values); step *= 2 {
		add(at - step)
		add(at + step)
	}
	return points
}

// beyond goes down from other settings, the most promising first, and returns the first place that is
// better; if there is none, at.
func (w *search) beyond(at place, others []place) (place, error) {
	if len(w.free) == 0 {
		return at, nil
	}
	for _, other := range others {
		if math.IsInf(other.value, 1) {
			break
		}
		end, err := w.down(other, at)
		if err != nil {
			return at, err
		}
		if end.better(at) {
			return end, nil
		}
	}
	return at, nil
}

// slow is the gain of a leg, as a part of that of a descent so far, at which other settings are tried before
// it goes on.
const slow = 0.1

// down goes down from a place over the continuous parameters. A descent that is to come below another
// place is given up when it no longer gains as much in a step as it is behind.
func (w *search) down(at, beat place) (place, error) {
	if len(w.free) == 0 {
		return at, nil
	}
	w.task.Stage(goingDown)
	if w.said != nil {
		return w.downSeveral(at, beat)
	}
	s := w.at(at.z)
	if beat.z != nil {
		s.beat, s.leg, s.best, s.last, s.first = beat.value, 2*(len(w.free)+2), at.value, at.value, at.value
	}
	found, err := descent.Minimize(w.ctx, s, descent.Config{
		Start: s.inner(at.z), Value: at.value, Bounds: s.bounds(), Grain: w.grain, Known: w.exact, Random: w.random,
	})
	if err != nil && !errors.Is(err, errEnough) {
		return at, err
	}
	w.grain = found.Grain
	if found.Value < at.value {
		at = place{z: s.outer(found.Point), value: found.Value}
	}
	return at, nil
}
