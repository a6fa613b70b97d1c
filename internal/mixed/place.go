package mixed

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"gonum.org/v1/gonum/mat"
)

// A place is a point and what f answered there.
type place struct {
	z     []float64
	value float64
	over  float64 // by how much it exceeds limits, in units of what they may be exceeded by; up to 1 it is feasible
}

// better says whether a place is better than another, or than none.
func (p place) better(than place) bool {
	return p.z != nil && (than.z == nil || query.Better(p.value, p.over, than.value, than.over))
}

// key returns the setting of a point.
func (w *search) key(z []float64) string {
	setting := make([]float64, len(w.discrete))
	for i, k := range w.discrete {
		setting[i] = z[k]
	}
	return key(setting)
}

// key returns the bits of numbers.
func key(x []float64) string {
	text := make([]byte, 0, 8*len(x))
	for _, v := range x {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	return string(text)
}

// bestOf asks for points, each once, and returns the best.
func (w *search) bestOf(points [][]float64) (best place, err error) {
	seen := map[string]bool{}
	points = slices.DeleteFunc(points, func(z []float64) bool {
		again := seen[key(z)]
		seen[key(z)] = true
		return again
	})
	all, err := w.ask(points)
	for _, p := range all {
		if p.better(best) {
			best = p
		}
	}
	return best, err
}

// ask asks for points, moved so that they keep to all linear limits, or without those that cannot.
func (w *search) ask(points [][]float64) ([]place, error) {
	points = slices.Clone(points)
	for i, z := range points {
		points[i] = w.mended(z)
	}
	return w.evaluated(slices.DeleteFunc(points, w.violates))
}

// evaluated asks for points that keep to all linear limits.
func (w *search) evaluated(points [][]float64) ([]place, error) {
	if len(points) == 0 {
		return nil, nil
	}
	batch := mat.NewDense(len(points), w.f.Dim(), nil)
	for i, z := range points {
		batch.SetRow(i, z)
	}
	values := make([]float64, len(points))
	err := w.Evaluate(w.ctx, batch, values)
	if err != nil {
		return nil, err
	}
	all := make([]place, len(points))
	for i, z := range points {
		all[i] = place{z, values[i], 0}
	}
	if w.said != nil {
		w.judge(all, w.said.Recent())
	}
	return all, nil
}

// Dim returns the number of coordinates.
func (w *search) Dim() int { return w.f.Dim() }

// Evaluate asks f, counts, and keeps the best point where f answers a value alone.
func (w *search) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := w.f.Evaluate(ctx, points, values)
	n := query.Evaluated(values, err)
	w.queries += n
	if w.said == nil {
		for i, v := range values[:n] {
			if math.IsNaN(v) {
				v = math.Inf(1)
			}
			p := place{z: points.RawRowView(i), value: v}
			if !math.IsInf(v, 1) {
				w.asked = append(w.asked, memo{z: slices.Clone(p.z), u: w.encode(p.z), value: v})
			}
			setting := w.key(p.z)
			if !p.better(w.settings[setting]) {
				continue
			}
			p.z = slices.Clone(p.z)
			if w.settings[setting] = p; p.better(w.best) {
				w.best = p
			}
		}
	}
	return err
}

// has reports whether a point was asked.
func (w *search) has(z []float64) bool {
	return slices.ContainsFunc(w.asked, func(m memo) bool { return slices.Equal(m.z, z) })
}
