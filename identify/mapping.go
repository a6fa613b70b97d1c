package identify

import (
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// mapped returns a sampler with ψ(f) in place of f. Its grain is the largest that ψ makes of
// that of f, at some values.
func mapped(g *sampler, psi *outer.Map, values []float64) *sampler {
	next := *g
	next.f = outer.Under{Objective: g.f, Map: psi, Factor: 1}
	next.grain = objective.Grain{Relative: objective.Rounding.Relative, Kind: g.grain.Kind}
	for _, v := range values {
		next.grain.Absolute = max(next.grain.Absolute, psi.Slope(v)*g.grain.Of(v))
	}
	return &next
}
