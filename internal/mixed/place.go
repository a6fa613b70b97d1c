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
func (w *search) key(z []float64) string { return key(pick(z, w.discrete)) }

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

// few is how many values a lattice may have so that its neighbours are searched as if they were choices. Of one
// that has more they differ so little that the model of a region tells which is better.
const few = 8

// regions searches a region around the best place, then those of other choices and of neighbours on lattices of
// few values, as long as that leads further, and then goes along the lattices of many values. A search is given
// up as soon as it no longer gains as much as it is behind.
func (w *search) regions() error {
	if w.best.z == nil || !w.regional() {
		return nil
	}
	done := map[string]bool{}
	for at, radius := w.best, wide; at.z != nil; radius = half {
		_, err := w.around(at, radius, math.Inf(1))
		if err == nil {
			err = w.elsewhere(done)
		}
		if err == nil {
			at, err = w.sideways(w.best)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// regional reports whether there are models of regions: not of many parameters, under noise, or with residuals or linear
// limits, which package several knows to use; nor after many queries, since a model takes milliseconds.
func (w *search) regional() bool {
	n := len(w.ordered)
	return n > 0 && n <= mostOrdered && w.task.NoiseLevel == 0 && w.queries < leastStructured*w.Dim() && (w.said == nil || w.said.Residuals == 0 && len(w.said.Limits) == 0)
}

// elsewhere searches regions of settings that are not done.
func (w *search) elsewhere(done map[string]bool) error {
	for base := (place{}); w.best.better(base); {
		base = w.best
		done[w.coarse(base.z)] = true
		for _, z := range w.siblings(base.z) {
			if done[w.coarse(z)] {
				continue
			}
			done[w.coarse(z)] = true
			all, err := w.ask([][]float64{z})
			if err == nil && len(all) > 0 {
				_, err = w.around(all[0], wide, base.value)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// coarse returns the part of a setting that is of choices and of lattices of few values.
func (w *search) coarse(z []float64) string {
	var setting []float64
	for _, k := range w.discrete {
		if l := w.task.Lattices[k]; l.Unordered || len(l.Values) <= few {
			setting = append(setting, z[k])
		}
	}
	return key(setting)
}

// siblings returns a point with one choice changed, or with one coordinate on the next value of few, for each.
func (w *search) siblings(z []float64) (points [][]float64) {
	for _, k := range w.discrete {
		l := w.task.Lattices[k]
		at := slices.Index(l.Values, z[k])
		for j, v := range l.Values {
			if next := j == at-1 || j == at+1; next && len(l.Values) <= few || l.Unordered && j != at {
				p := slices.Clone(z)
				p[k] = v
				points = append(points, p)
			}
		}
	}
	return points
}

// around searches regions around a place, which is to come below a value, until one of them gains next to nothing, and
// returns the best place.
func (w *search) around(at place, radius, beat float64) (place, error) {
	for r := w.region(at, radius); ; r.radius = wide {
		was := r.at
		err := r.descend(fine, beat)
		gain, behind := was.value-r.at.value, r.at.value-beat
		if err != nil || behind > 0 && gain < behind || gain <= worth*r.unit {
			return r.at, err
		}
	}
}

// sideways goes to a neighbour on one of the lattices of many values, to where the model of the region is
// least there, and down from it if that is not better yet. It returns the first place that is, or none.
func (w *search) sideways(at place) (place, error) {
	for _, k := range w.discrete {
		l := w.task.Lattices[k]
		if l.Unordered || len(l.Values) <= few {
			continue
		}
		i := slices.Index(l.Values, at.z[k])
		for _, v := range slices.Concat(l.Values[max(i-1, 0):i], l.Values[i+1:min(i+2, len(l.Values))]) {
			r := w.region(at, half)
			r.release()
			z, _, _ := r.pin(k, v).promise()
			if w.has(z) {
				continue
			}
			all, err := w.ask([][]float64{z})
			if err != nil || len(all) == 0 {
				return place{}, err
			}
			if r = w.region(all[0], half/2); !r.at.better(at) {
				err = r.descend(2*fine, at.value)
			}
			if err != nil || r.at.better(at) {
				return r.at, err
			}
		}
	}
	return place{}, nil
}
