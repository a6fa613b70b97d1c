package mixed

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
)

// A region is a local search over all coordinates that have an order, with the choices as they are: it asks
// where a model of pieces, fitted to what was asked near by, is least within a trust region around the best
// place. Unlike a descent it goes along kinks, and to other values of a lattice together with what has to
// change with them (M. J. D. Powell, "The NEWUOA software for unconstrained optimization without
// derivatives", 2006, is its model for smooth functions).
type region struct {
	*search
	at     place
	radius float64

	free    []int // the ordered coordinates of the model: the others of them are held at bounds
	lengths []float64
	pinned  int // a coordinate that is held at a value; −1: none
	value   float64
	part    map[*float64]int // the pieces that values belonged to in the last model of two
	unit    float64          // of values in the first model
	limits  []pieces         // models of what outputs are above their limits by
}

const (
	mostOrdered = 12       // with more coordinates a model has too many coefficients
	wide, half  = 0.2, 0.1 // radii to begin with, in half-widths of the start box: at a place, and next to one that was searched
	widest      = 0.4
	fine        = 2e-3 // a radius below it is left to descents
	refused     = 3    // steps in vain make the region smaller
	perModel    = 3    // values for each coefficient
	distinct    = 0.03 // values nearer to each other than that, in radii, count once
	partitions  = 4    // of the values into two, from which pieces are fitted
	smooth      = 1e-8 // of the weighted squares, in units of values: what is left by one piece that needs no other
	telling     = 1e-5 // of what values differ by in the first region: a step that promises less is none
	worth       = 1e-3 // and a search that has gained less is not repeated
	central     = 100  // the weight of the place itself
	modelAsked  = 2000 // times: the model
	beyondAll   = 1e9  // more than a model is anywhere
)

func (w *search) region(at place, radius float64) *region {
	return &region{search: w, at: at, radius: radius, pinned: -1}
}

// pin holds a coordinate at a value.
func (r *region) pin(k int, value float64) *region {
	r.pinned, r.value = k, value
	return r
}

// hold leaves coordinates that are at a bound out of the model, if there are enough values with them there.
func (r *region) hold() {
	r.free = nil
	for _, k := range r.ordered {
		lo, hi := r.ends(k)
		if v := r.at.z[k]; v > lo && v < hi {
			r.free = append(r.free, k)
		}
	}
	r.measure()
	if n := len(r.free); n == 0 || len(r.near()) <= coefficients(n) {
		r.release()
	}
}

// release takes all coordinates into the model.
func (r *region) release() {
	r.free = r.ordered
	r.measure()
}

// measure sets the lengths of the region: the radius, and along a lattice at least to the next value.
func (r *region) measure() {
	r.lengths = nil
	for _, k := range r.free {
		length := r.radius
		if l := r.task.Lattices[k].Values; len(l) > 0 {
			gap, i := math.Inf(1), slices.Index(l, r.at.z[k])
			if i > 0 {
				gap = l[i] - l[i-1]
			}
			if i+1 < len(l) {
				gap = min(gap, l[i+1]-l[i])
			}
			length = max(length, gap)
		}
		r.lengths = append(r.lengths, length)
	}
}

// A neighbour is a value that was asked, at p in lengths of the region.
type neighbour struct {
	memo
	p   []float64
	far float64
}

// near returns what was asked nearest to the place, as much as a model needs.
func (r *region) near() (some []neighbour) {
	var all []neighbour
	for _, m := range r.asked {
		same := true
		for k, v := range m.z {
			same = same && (v == r.at.z[k] || slices.Contains(r.free, k))
		}
		if !same {
			continue
		}
		n := neighbour{memo: m}
		for j, k := range r.free {
			n.p = append(n.p, (m.z[k]-r.at.z[k])/r.lengths[j])
			n.far = max(n.far, math.Abs(n.p[j]))
		}
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(a, b neighbour) int { return cmp.Compare(a.far, b.far) })
	for _, n := range all {
		if len(some) == perModel*coefficients(len(r.free)) {
			break
		}
		if !slices.ContainsFunc(some, func(o neighbour) bool { return n.next(o) }) {
			some = append(some, n)
		}
	}
	return some
}

// next reports whether two values are so near to each other that one is enough.
func (n neighbour) next(to neighbour) bool {
	for j, v := range n.p {
		if math.Abs(v-to.p[j]) > distinct {
			return false
		}
	}
	return true
}

// weight is that of a value y in a model.
func (n neighbour) weight(y float64) float64 {
	if n.far == 0 {
		return central
	}
	far := n.far / 2
	return 1 / (1 + far*far*far*far) / (1 + y*y)
}

// quarter returns the size below which a quarter of some values are.
func quarter(near []neighbour, of func(neighbour) float64) float64 {
	sizes := lists.Map(near, func(v neighbour) float64 { return math.Abs(of(v)) })
	slices.Sort(sizes)
	return sizes[len(sizes)/4]
}

// model fits one piece, and two from some partitions of the values, and returns the best and the unit of
// its values. Weights fall with the distance beyond two lengths, and where f is much higher.
func (r *region) model() (pieces, float64) {
	near := r.near()
	n := len(r.free)
	s := sample{n: n, features: make([][]float64, len(near)), values: make([]float64, len(near)), weights: make([]float64, len(near))}
	unit := max(quarter(near, func(v neighbour) float64 { return v.value - r.at.value }), 1e-12*math.Abs(r.at.value), 1e-300)
	for i, v := range near {
		y := (v.value - r.at.value) / unit
		s.features[i], s.values[i], s.weights[i] = featuresOf(v.p, nil), y, v.weight(y)
	}
	part := make([]int, len(near))
	r.limits = r.above(near, s)
	best, least := s.fit(part, 1)
	for try := range partitions {
		if least <= smooth*floats.Sum(s.weights) {
			break
		}
		across := make([]float64, n)
		for j := range across {
			across[j] = r.random.NormFloat64()
		}
		for i, v := range near {
			if part[i] = 0; try == 0 && r.part != nil {
				part[i] = r.part[&v.z[0]]
			} else if kernel.Dot(v.p, across) > 0 {
				part[i] = 1
			}
		}
		if m, e := s.fit(part, 2); e < least {
			best, least, r.part = m, e, map[*float64]int{}
			for i, v := range near {
				r.part[&v.z[0]] = part[i]
			}
		}
	}
	return best, unit
}

// promise returns where the model is least in the region, by how much f falls there, and the unit of values.
func (r *region) promise() ([]float64, float64, float64) {
	m, unit := r.model()
	z, p := slices.Clone(r.at.z), make([]float64, len(r.free))
	var vary []int
	var lattices [][]float64
	var box objective.Box
	for j, k := range r.free {
		if k == r.pinned {
			z[k], p[j] = r.value, (r.value-r.at.z[k])/r.lengths[j]
			continue
		}
		at, length := r.at.z[k], r.lengths[j]
		lo, hi := max((r.task.Bounds.Lo[k]-at)/length, -1), min((r.task.Bounds.Hi[k]-at)/length, 1)
		var values []float64
		if l := r.task.Lattices[k].Values; len(l) > 0 {
			for _, v := range l {
				if p := (v - at) / length; math.Abs(p) < 1+slack {
					values = append(values, p)
				}
			}
			lo, hi = values[0], values[len(values)-1]
		}
		if hi > lo {
			vary, lattices = append(vary, j), append(lattices, values)
			box.Lo, box.Hi = append(box.Lo, lo), append(box.Hi, hi)
		}
	}
	if len(vary) == 0 {
		return z, 0, unit
	}
	var features []float64
	found, err := cmaes.Run(r.ctx, objective.Func(len(vary), func(x []float64) float64 {
		for a, j := range vary {
			p[j] = x[a]
		}
		features = featuresOf(p, features[:0])
		v, _ := m.at(features)
		if over := r.exceeded(features); over > 0 { // behind all that keep to the limits
			return beyondAll + over
		}
		return v
	}), cmaes.Config{Bounds: box, Lattices: lattices, Seed: r.random.Uint64(), Stop: cmaes.Stop{Queries: modelAsked, X: 1e-6}})
	if err != nil || found.Point == nil {
		return z, 0, unit
	}
	for a, j := range vary {
		z[r.free[j]] += r.lengths[j] * found.Point[a]
	}
	if found.Value > beyondAll {
		return r.onto(z, z), 0, unit
	} else if r.at.over > 1 {
		return r.onto(z, z), math.Inf(1), unit
	}
	return r.onto(z, z), -found.Value * unit, unit
}

// descend goes down until the region is as small as that, or as gains are too small to come below another value.
func (r *region) descend(smallest, beat float64) error {
	r.task.Stage(byModel)
	vain, asked, last := 0, r.queries, r.at.value
	for round := 1; r.radius > smallest; round++ {
		if r.queries-asked >= 2*(len(r.ordered)+2) {
			if behind := r.at.value - beat; r.at.over <= 1 && behind > 0 && last-r.at.value < behind {
				break
			}
			asked, last = r.queries, r.at.value
		}
		if r.release(); round%3 != 0 { // from time to time those at bounds may leave them
			r.hold()
		}
		z, gain, unit := r.promise()
		r.unit = cmp.Or(r.unit, unit)
		if gain <= telling*r.unit || r.has(z) {
			r.radius /= 2
			continue
		}
		all, err := r.ask([][]float64{z})
		if err != nil {
			return err
		}
		if len(all) == 0 || !all[0].better(r.at) {
			if vain++; vain >= refused {
				r.radius, vain = 0.6*r.radius, 0
			}
			continue
		}
		if r.at.value-all[0].value > gain/2 {
			r.radius = min(1.5*r.radius, widest)
		}
		r.at, vain = all[0], 0
	}
	return nil
}
