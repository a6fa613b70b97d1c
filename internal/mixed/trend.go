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
	all    []int // the coordinates
	lo, hi []float64
	g      []float64
	h      [][]float64
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
	r := w.region(w.best, wide)
	n, p := len(r.all), coefficients(len(r.all))
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
		if _, err := w.ask(w.trend(r.all, idle%2 == 1).least()); err != nil {
			return err
		}
		if w.best.value < was {
			idle = idle%2 - 1 // the same again
		}
	}
	return nil
}

// trend fits a parabola to the lowest values, or the nearest.
func (w *search) trend(all []int, nearest bool) *trend {
	n, p := len(all), coefficients(len(all))
	t := &trend{search: w, all: all}
	t.lo, t.hi = t.pick(w.task.Bounds.Lo), t.pick(w.task.Bounds.Hi)
	for i, k := range all {
		if l := w.task.Lattices[k].Values; len(l) > 0 {
			t.lo[i], t.hi[i] = l[0], l[len(l)-1]
		}
	}
	known := slices.DeleteFunc(slices.Clone(w.asked), func(m memo) bool { return !slices.Equal(m.z, w.onto(slices.Clone(m.z), w.best.z)) })
	lowest := func(a, b memo) int { return cmp.Compare(a.value, b.value) }
	if nearest {
		at := w.encode(w.best.z)
		slices.SortStableFunc(known, func(a, b memo) int { return cmp.Compare(distance2(a.u, at), distance2(b.u, at)) })
	} else {
		slices.SortStableFunc(known, lowest)
	}
	known = known[:min(perModel*p, len(known))]
	slices.SortStableFunc(known, lowest)
	unit := max(known[min(p, len(known)-1)].value-w.best.value, math.SmallestNonzeroFloat64)
	s := &sample{n: n}
	for _, m := range known {
		y := (m.value - w.best.value) / unit
		s.features = append(s.features, featuresOf(t.pick(m.z), make([]float64, 0, p)))
		s.values, s.weights = append(s.values, y), append(s.weights, 1/(1+y*y))
	}
	e := newEquations(n)
	e.addAll(s)
	c := e.solution()
	t.g, t.h = c[1:n+1], make([][]float64, n)
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

// pick returns the coordinates of the trend.
func (t *trend) pick(z []float64) (x []float64) {
	for _, k := range t.all {
		x = append(x, z[k])
	}
	return x
}

// least returns local minima of the trend that were not asked, the lowest, at most as many as there are coordinates: from the
// lowest points that were asked, and from random ones.
func (t *trend) least() (points [][]float64) {
	n := len(t.all)
	seen := map[string]bool{}
	for _, m := range t.asked {
		seen[key(m.z)] = true
	}
	begin := t.elite(fromLowest * n)
	for range n {
		begin = append(begin, t.draw())
	}
	value := map[*float64]float64{}
	for _, z := range begin {
		x := t.pick(z)
		t.descend(x)
		z = slices.Clone(t.best.z)
		for i, k := range t.all {
			z[k] = x[i]
		}
		z = t.onto(z, t.best.z) // x is a sum, and not on the lattices to the bit
		if id := key(z); !seen[id] {
			seen[id], value[&z[0]] = true, t.at(x)
			points = append(points, z)
		}
	}
	slices.SortStableFunc(points, func(a, b []float64) int { return cmp.Compare(value[&a[0]], value[&b[0]]) })
	return points[:min(n, len(points))]
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
		for _, v := range t.task.Lattices[t.all[i]].Values {
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
	try(t.lo[i])
	try(t.hi[i])
	if h > 0 {
		u := min(max(v-s/h, t.lo[i]), t.hi[i])
		if l := t.task.Lattices[t.all[i]].Values; len(l) > 0 {
			j, _ := slices.BinarySearch(l, u)
			try(l[max(j-1, 0)])
			u = l[min(j, len(l)-1)]
		}
		try(u)
	}
	return a, gain
}
