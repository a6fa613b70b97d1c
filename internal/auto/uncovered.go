package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Values that are printed with few digits may have noise that their rounding hides where they
// are large. Near a minimum of 0 they are small, every digit of them is there, and the noise
// is all that is left.

// uncovered looks whether f, which was rounded to few digits where it was measured, is random at
// the best point by more than that, and takes notice of it. It asks for that point four times
// if it is not.
func (r *run) uncovered(ctx context.Context) error {
	f := r.f
	if r.mapping != nil {
		f = r.mapping.f
	}
	n := f.noise
	if n == nil || n.kind != objective.Raster || f.best.Point == nil || f.best.Value == n.uncovered {
		return nil
	}
	x := [][]float64{slices.Clone(f.best.Point)}
	seen, err := f.repeat(ctx, x, atScan/2)
	if err == nil && seen[0].residual > 0 {
		var more []average
		if more, err = f.repeat(ctx, x, 2*atScan); err == nil {
			seen[0].join(more[0])
		}
	}
	n.uncovered = f.best.Value
	if err != nil {
		return err
	}
	if sigma := math.Sqrt(seen[0].variance()); sigma > f.sigma(seen[0].mean()) && !math.IsInf(sigma, 1) {
		n.rounded = f.grain
		f.grain.Kind, f.grain.Absolute = objective.RandomNoise, max(f.grain.Absolute, sigma)
		n.kind = objective.RandomNoise
		n.ahead()
	}
	if r.mapping != nil {
		r.f.queries = f.queries
		r.mapping.revalue(r.f)
	}
	return nil
}
