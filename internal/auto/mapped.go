package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/nearby"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Where f separates after an outer map, it is ψ(f) that is a sum. So the search along the coordinates found, all of along.go,
// works on ψ(f): gains add up there, and parabolas fit that do not fit f. ψ is increasing, so that no minimum moves. The
// queries are those of f, which has its own best point, first value and limit, in its own unit.

// A mapping is ψ(f) as a run searches it.
type mapping struct {
	f     *watched     // f itself
	under *outer.Under // ψ(f); ψ may change
	tried float64      // f where ψ was fitted last; NaN: not yet

	asked  bool      // a descent has asked f itself near the point found
	rounds []float64 // f after each round of the search
}

// mapped returns the run with ψ(f) in place of f.
func (r *run) mapped(m *outer.Map) *run {
	next := *r
	next.mapping = &mapping{f: r.f, under: &outer.Under{Objective: counted{r.f}, Map: m, Factor: 1}, tried: math.NaN()}
	next.f = &watched{Objective: next.mapping.under, enter: r.f.stage, noise: r.f.noise, spread: math.Inf(1), queries: r.f.queries, walls: r.f.walls}
	next.f.under = next.mapping
	next.f.again = nearby.New(counted{next.f})
	next.f.best.Point = slices.Clone(r.f.best.Point)
	next.mapping.revalue(next.f)
	return &next
}

// revalue says in the unit of ψ(f) what was seen of f so far.
func (m *mapping) revalue(w *watched) {
	w.best.Value, w.first = m.under.Of(m.f.best.Value), m.under.Of(m.f.first)
	w.grain = m.under.Map.Grain(m.f.grain, m.f.best.Value, m.f.first).Scaled(m.under.Factor)
}

// none returns how much ψ(f) = v rises where f rises by a part of the way that it has come from its
// first value, and the grain of ψ(f) there.
func (m *mapping) none(v, part float64) (least, grain float64) {
	f := m.f.best.Value
	if v != m.under.Of(f) {
		f = m.under.Map.Inverse(v / m.under.Factor)
	}
	least = float64(m.under.Of(f+float64(part*math.Abs(m.f.first-f)))) - v
	slope := m.under.Factor * m.under.Map.Slope(f)
	return least, max(slope*m.f.grain.Of(f), objective.Rounding.Of(v))
}

// A map that was found in the whole of the start box need not be exact near the minimum, where values are lower than all that
// were seen: a root is steep there, and a little beside its end it is wrong altogether. So before it is polished, ψ is fitted
// to squares around the point found. Their sides are from twice the components' scales down to where f hardly changes, each a
// quarter of the one before, so many of each. The smaller the squares, the nearer to the minimum they see, and the search has
// come nearer each time.
const (
	besideFirst = 2
	besideSizes = 12
	besideEach  = 2
)

// seenBeside is how many grains values have to differ by to say something about ψ.
const seenBeside = 1000

// better is the part of the mixed differences of ψ(f) that another ψ may leave at most to be taken in its place.
const better = 0.5

// remap fits ψ again around the best point. Without a map it does nothing.
func (r *run) remap(ctx context.Context, at *coordinates) error {
	m, blocks := r.mapping, at.all()
	if m == nil || m.f.best.Value == m.tried || len(blocks) < 2 {
		return nil
	}
	m.tried = m.f.best.Value
	r.f.stage(polishing)
	here := m.f.best.Clone()
	stream := rng.Seed(r.task.Seed).Stream("auto", "map")
	var points [][]float64
	part := float64(besideFirst)
	for k := range besideEach * besideSizes {
		if k > 0 && k%besideEach == 0 {
			part *= quarter
		}
		a, b := stream.IntN(len(blocks)), stream.IntN(len(blocks)-1)
		if b >= a {
			b++
		}
		var steps [2][]float64
		for side, block := range [][]int{blocks[a], blocks[b]} {
			steps[side] = at.beside(here.Point, block[stream.IntN(len(block))], part, stream)
		}
		for _, corner := range []int{1, 2, 1 | 2} {
			x := slices.Clone(here.Point)
			for side, step := range steps {
				if corner>>side&1 == 1 {
					kernel.AddScaled(x, 1, step)
				}
			}
			points = append(points, x)
		}
	}
	values, err := query.Ask(ctx, counted{m.f}, len(points), func(k int, row []float64) { copy(row, points[k]) })
	if err != nil {
		return err
	}
	var corners []outer.Corners
	for c := (outer.Corners{here.Value}); len(values) > 0; values = values[len(c)-1:] {
		copy(c[1:], values)
		if !slices.ContainsFunc(c[:], notFinite) && slices.Max(c[:])-slices.Min(c[:]) > seenBeside*m.f.grain.Of(here.Value) {
			corners = append(corners, c)
		}
	}
	m.refit(corners)
	m.follow(r.f)
	return nil
}

// refit takes another ψ if that is clearly better at some corners around the best point, or if
// the end of a root is above the best value already.
func (m *mapping) refit(corners []outer.Corners) {
	old := m.under.Map
	least := better * outer.Coupling(old, corners)
	if old.Pole() >= m.f.best.Value && old.Pole() < m.f.first {
		least = math.Inf(1)
	}
	best := outer.Fitted(corners)
	if best == nil || !(outer.Coupling(best, corners) < least) {
		return
	}
	var highest []float64
	for _, c := range corners {
		highest = append(highest, slices.Max(c[:]))
	}
	slices.Sort(highest)
	m.under.Replace(best, highest[len(highest)/2], highest[len(highest)-1])
}

// beside returns a step of a part of its scale along component j, either way, within the bounds.
func (c *coordinates) beside(x []float64, j int, part float64, stream *rng.Stream) []float64 {
	t := part * c.scale[j] * (0.5 + float64(stream.Float64()))
	least, most := c.room(x, j)
	if stream.IntN(2) == 0 {
		t = -t
	}
	step := make([]float64, len(x))
	c.move(step, min(max(t, least/2), most/2), j)
	return step
}

// unmapped turns profiles of ψ(f) into those of f: how much f rises along a component from the point found, φ(ψ(f) + v) − f.
func (r *run) unmapped(m *outer.Map) {
	least := r.f.best.Value
	above := func(v float64) float64 { return max(m.Inverse(m.Of(least)+v)-least, 0) }
	for k, p := range r.learnt.Profiles {
		p.Value, p.Wells = slices.Clone(p.Value), slices.Clone(p.Wells)
		for i, v := range p.Value {
			p.Value[i] = above(v)
		}
		for i, w := range p.Wells {
			p.Wells[i] = frame.Well{Y: w.Y, Value: above(w.Value)}
		}
		r.learnt.Profiles[k] = p
	}
}

// Where ψ(f) is at its rounding f need not be: a root is steep near its minimum. What is left there is along components that
// are flat at the minimum, such as y⁴: a rough frame lets no step along them go as far as it should, since steep ones rise.
// So "converged" under a map needs evidence of f itself where there are such components: a run of CMA-ES on f from the point
// found, in these coordinates. It learns on its way down what the frame leaves.

// Where ψ(f) is at its rounding f need not be: a root is steep near its minimum. What is left there is along components that
// are flat at the minimum, such as y⁴: a rough frame lets no step along them go as far as it should, since steep ones rise.
// So "converged" under a map needs evidence of f itself where there are such components: a descent on f from the point found,
// in these coordinates. It learns on its way down what the frame leaves.

// underMap goes down on f itself from the best point, and reports whether there was something better. It does so once.
func (r *run) underMap(ctx context.Context, at *coordinates) (bool, error) {
	m := r.mapping
	if m == nil || m.asked || r.f.noise != nil {
		return false, nil
	}
	before := m.f.best.Value
	err := (&polisher{f: m.f, at: at, seed: r.task.Seed}).polish(ctx)
	m.asked = true
	m.follow(r.f)
	return before-m.f.best.Value > m.f.tolerance(), err
}

// follow tells ψ(f) what was asked of f itself.
func (m *mapping) follow(w *watched) {
	w.queries = m.f.queries
	w.best.Point = slices.Clone(m.f.best.Point)
	m.revalue(w)
}

// slowly is the part of the gain before that a round of the search gains if it comes to its end slowly.
const slowly = 1. / 4

// slow notes the end of a round, and reports whether f falls slowly from round to round. Without a map it does not.
func (m *mapping) slow() bool {
	if m == nil {
		return false
	}
	m.rounds = append(m.rounds, m.f.best.Value)
	n := len(m.rounds)
	return n > 2 && m.rounds[n-2]-m.rounds[n-1] > slowly*(m.rounds[n-3]-m.rounds[n-2])
}
