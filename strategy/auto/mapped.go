package auto

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/nearby"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/outer"
)

// Where f separates after an outer map, it is ψ(f) that is a sum. So the search along the
// coordinates found, all of along.go, works on ψ(f): gains add up there, and parabolas fit
// that would not fit f. ψ is increasing, so that no minimum moves. The queries are those of
// f: f has its own best point, first value and limit, in its own unit.

// mapped returns the run with ψ(f) in place of f.
func (r *run) mapped(m *outer.Map) *run {
	next := *r
	next.f = r.f.mapped(m)
	return &next
}

// mapped returns ψ(f), watched, with what was seen of f so far.
func (w *watched) mapped(m *outer.Map) *watched {
	next := &watched{
		Objective: outer.Under{Objective: counted{w}, Map: m}, stage: w.stage,
		grain: m.Grain(w.grain, w.best.Value, w.first),
		best:  objective.Best{Point: slices.Clone(w.best.Point), Value: m.Of(w.best.Value)},
		first: m.Of(w.first), spread: math.Inf(1), queries: w.queries, walls: w.walls,
	}
	next.again = nearby.New(counted{next})
	return next
}

// unmapped turns profiles of ψ(f) into those of f: how much f rises along a component from the
// point found, φ(ψ(f) + v) − f.
func (r *run) unmapped(m *outer.Map) {
	least := r.f.best.Value
	above := func(v float64) float64 { return max(m.Inverse(m.Of(least)+v)-least, 0) }
	for k, p := range r.learnt.Profiles {
		p.Value, p.Wells = slices.Clone(p.Value), slices.Clone(p.Wells)
		for i, v := range p.Value {
			p.Value[i] = above(v)
		}
		for i, w := range p.Wells {
			p.Wells[i] = line.Well{Y: w.Y, Value: above(w.Value)}
		}
		r.learnt.Profiles[k] = p
	}
}
