package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
)

// linear is how large a second difference may be beside the first one if f is to pass for
// linear: far above rounding, and far below what a curved function has.
const linear = 1e-9

// slope looks whether f is linear along a line through the start box, which takes three
// queries. If it is, f may well be linear, and what is lowest is a corner:
//
//	x_k = −sign(∂f/∂x_k),
//
// of the start box, or of a box that is twice as large. It does not look with a small budget,
// or where coordinates are known.
func (r *run) slope(ctx context.Context) error {
	d := r.f.Dim()
	if r.task.Budget < perDimension*d || r.task.Frame != nil || r.task.Identifier != nil {
		return nil
	}
	x, v := make([]float64, d), make([]float64, d)
	stream := rng.Seed(r.task.Seed).Stream("auto", "slope")
	for k := range x { // not the middle of the start box, where the minima of examples are
		x[k], v[k] = float64(stream.Float64())-0.5, math.Copysign(0.5, float64(stream.Float64())-0.5)
	}
	beyond := func(t float64) []float64 {
		y := slices.Clone(x)
		for k := range y {
			y[k] += float64(t * v[k])
		}
		return y
	}
	line := [][]float64{x, beyond(1), beyond(-1)}
	if slices.ContainsFunc(line, func(y []float64) bool { return !r.task.Bounds.Contains(y) }) {
		return nil
	}
	r.f.begin(onSlope, len(line))
	f, err := query.Ask(ctx, r.f, len(line), func(i int, row []float64) { copy(row, line[i]) })
	if err != nil || !(math.Abs((f[1]-f[0])+(f[2]-f[0])) <= linear*math.Abs(f[1]-f[2])) || f[1] == f[2] {
		return err
	}
	beside, err := query.Ask(ctx, r.f, d, func(k int, row []float64) {
		copy(row, x)
		row[k] += v[k]
	})
	if err != nil {
		return err
	}
	_, err = query.Ask(ctx, r.f, 2, func(i int, row []float64) {
		for k := range row {
			corner := x[k]
			if slope := (beside[k] - f[0]) / v[k]; slope != 0 {
				corner = math.Copysign(float64(i+1), -slope)
			}
			row[k] = min(max(corner, r.task.Bounds.Lo[k]), r.task.Bounds.Hi[k])
		}
	})
	return err
}
