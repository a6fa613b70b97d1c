package identify

import (
	"context"

	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A mapping is ψ∘f.
type mapping struct {
	unit
	psi *outer.Map
}

// Evaluate evaluates ψ(f).
func (m mapping) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := m.unit.Evaluate(ctx, points, values)
	for i := range values {
		values[i] = m.psi.Of(values[i])
	}
	return err
}

// mapped returns a sampler with ψ(f) in place of f. Its grain is the largest that ψ makes of
// that of f, at some values.
func mapped(g *sampler, psi *outer.Map, values []float64) *sampler {
	next := *g
	next.f = mapping{unit{g.f, 1}, psi}
	next.grain = objective.Grain{Relative: objective.Rounding.Relative, Kind: g.grain.Kind}
	for _, v := range values {
		next.grain.Absolute = max(next.grain.Absolute, psi.Slope(v)*g.grain.Of(v))
	}
	return &next
}
