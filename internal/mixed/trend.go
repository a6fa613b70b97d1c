package mixed

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// A trend is one parabola over all coordinates that have an order, with the choices as they are,
//
//	m(x) = c + gᵀx + ½·xᵀHx,
//
// fitted by least squares to the lowest values that were asked, wherever they are, with weights that fall with the value.
// With more coordinates than a region has it says which values of many lattices go together.
type trend struct {
	*search
	g []float64
	h [][]float64
}

const (
	mostTrended = 60 // with more coordinates a fit takes seconds
	drawn       = 2  // random points for each coefficient, before the first fit
	vain        = 8  // fits in a row that gain nothing end it
	fromLowest  = 2  // searches for the least m for each coordinate from the lowest points; and one from a random point
)

// follow asks where the trend of the lowest values is least, and when that leads no further, by turns with that of the
// values nearest to the best.
func (w *search) follow() error {
	if w.best.z == nil || w.task.NoiseLevel > 0 {
		return nil
	}
	n, p := len(w.ordered), coefficients(len(w.ordered))
	if n <= mostOrdered || n > mostTrended || float64(w.queries+2*drawn*p) > trended*float64(w.task.Budget) {
		return nil
	}
	w.task.Stage(toSample)
	points := make([][]float64, drawn*p)
	for i := range points {
		points[i] = w.onto(w.draw(), w.best.z)
	}
	if _, err := w.ask(points); err != nil {
		return err
	}
	w.task.Stage(byModel)
	for idle := 0; idle < vain; idle++ {
		was := w.best.value
		if _, err := w.ask(w.trend(idle%2 == 1).least()); err != nil {
			return err
		}
		if w.best.value < was {
			idle = idle%2 - 1 // the same again
		}
	}
	return nil
}

// trend fits a parabola to the lowest values, or the nearest.
func (w *search) trend(near bool) *trend {
	n, p := len(w.ordered), coefficients(len(w.ordered))
	known := slices.DeleteFunc(slices.Clone(w.asked), func(m memo) bool { return !slices.Equal(m.z, w.onto(slices.Clone(m.z), w.best.z)) })
	if near {
		known = nearest(known, w.encode(w.best.z), perModel*p)
	}
	known = first(known, perModel*p, lowest)
	unit := max(known[min(p, len(known)-1)].value-w.best.value, math.SmallestNonzeroFloat64)
	s := &sample{n: n}
	for _, m := range known {
		y := (m.value - w.best.value) / unit
		s.features = append(s.features, featuresOf(pick(m.z, w.ordered), make([]float64, 0, p)))
		s.values, s.weights = append(s.values, y), append(s.weights, 1/(1+y*y))
	}
	e := newEquations(n)
	e.addAll(s)
	c := e.solution()
	t := &trend{w, c[1 : n+1], make([][]float64, n)}
	for i := range t.h {
		t.h[i] = make([]float64, n)
	}
	c = c[n+1:]
	for i := range n {
		t.h[i][i] = c[0]
		for j, v := range c[1 : i+1] {
			t.h[i][j], t.h[j][i] = v, v
		}
		c = c[i+1:]
	}
	return t
}

// least returns local minima of the trend that were not asked, the lowest, at most as many as there are coordinates: from the
// lowest points that were asked, and from random ones.
func (t *trend) least() (points [][]float64) {
	n := len(t.ordered)
	seen := map[string]bool{}
	for _, m := range t.asked {
		seen[key(m.z)] = true
	}
	begin := t.elite(fromLowest * n)
	for range n {
		begin = append(begin, t.draw())
	}
	type bottom struct {
		z     []float64
		value float64
	}
	var bottoms []bottom
	for _, z := range begin {
		x := pick(z, t.ordered)
		t.descend(x)
		z = slices.Clone(t.best.z)
		for i, k := range t.ordered {
			z[k] = x[i]
		}
		z = t.onto(z, t.best.z) // x is a sum, and not on the lattices to the bit
		if id := key(z); !seen[id] {
			seen[id] = true
			bottoms = append(bottoms, bottom{z, t.at(x)})
		}
	}
	slices.SortStableFunc(bottoms, func(a, b bottom) int { return cmp.Compare(a.value, b.value) })
	for _, b := range bottoms[:min(n, len(bottoms))] {
		points = append(points, b.z)
	}
	return points
}

// A change moves coordinate i by a, and j by b. It lowers m by its gain.
type change struct {
	i, j       int
	a, b, gain float64
}

// mostChanges is how many changes for each coordinate a search for the least m makes at most.
const mostChanges = 100

// descend goes down from x by the best change of a coordinate, and where there is none of two, one of them along a lattice.
func (t *trend) descend(x []float64) {
	s := make([]float64, len(x)) // the slope, g + Hx
	for i := range s {
		s[i] = t.g[i] + kernel.Dot(t.h[i], x)
	}
	move := func(i int, by float64) {
		x[i] += by
		kernel.AddScaled(s, by, t.h[i])
	}
	for range mostChanges * len(x) {
		c := t.one(x, s)
		if c.gain <= telling {
			c = t.two(x, s)
		}
		if c.gain <= telling {
			return
		}
		move(c.i, c.a)
		move(c.j, c.b)
	}
}

// at returns m(x) − c.
func (t *trend) at(x []float64) float64 {
	v := kernel.Dot(t.g, x)
	for i, row := range t.h {
		v += float64(x[i] * kernel.Dot(row, x) / 2)
	}
	return v
}

// one returns the best change of a coordinate.
func (t *trend) one(x, s []float64) (best change) {
	for i := range x {
		if a, gain := t.bottom(i, x[i], s[i]); gain > best.gain {
			best = change{i: i, a: a, gain: gain}
		}
	}
	return best
}

// two returns the best change of two coordinates, i along its lattice, and j to where m is least then.
func (t *trend) two(x, s []float64) (best change) {
	for i := range x {
		for _, v := range t.task.Lattices[t.ordered[i]].Values {
			a := v - x[i]
			rise := float64(s[i]*a) + float64(t.h[i][i]*a*a)/2
			for j := range x {
				if b, gain := t.bottom(j, x[j], s[j]+float64(t.h[i][j]*a)); j != i && gain-rise > best.gain {
					best = change{i, j, a, b, gain - rise}
				}
			}
		}
	}
	return best
}

// bottom returns the best change of coordinate i from v, where the slope is s, and by how much m falls: to the least m along
// it, −s/h_ii, or to an end.
func (t *trend) bottom(i int, v, s float64) (a, gain float64) {
	h := t.h[i][i]
	try := func(u float64) {
		if fall := -float64(s*(u-v)) - float64(h*(u-v)*(u-v))/2; fall > gain {
			a, gain = u-v, fall
		}
	}
	lo, hi := t.ends(t.ordered[i])
	try(lo)
	try(hi)
	if h > 0 {
		u := min(max(v-s/h, lo), hi)
		if l := t.task.Lattices[t.ordered[i]].Values; len(l) > 0 {
			j, _ := slices.BinarySearch(l, u)
			try(l[max(j-1, 0)])
			u = l[min(j, len(l)-1)]
		}
		try(u)
	}
	return a, gain
}
