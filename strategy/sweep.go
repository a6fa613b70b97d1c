package strategy

import (
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sweeper goes along all components at once.
type sweeper struct {
	*auto
	found *identify.Finding
	u     *mat.Dense
	wells [][]float64 // the coordinates y_j of the wells of each component
}

// sweep minimises along every component, from the best point, and asks for the
// point where all minima meet.
func (s *sweeper) sweep(first bool) error {
	x, fx := slices.Clone(s.f.best.Point), s.f.best.Value
	var ranges []line.Range
	var component []int
	for j := range s.wells {
		for _, r := range s.ranges(j, x, first) {
			ranges, component = append(ranges, r), append(component, j)
		}
	}
	directions := mat.NewDense(len(ranges), len(x), nil)
	for k, j := range component {
		directions.SetRow(k, s.u.RawRowView(j))
	}
	cfg := line.Config{Tolerance: 1e-2}
	if !first {
		cfg = line.Config{Tolerance: 1e-3, Wells: 1, Widen: 1}
	}
	profiles, err := line.Minimize(s.ctx, s.f, x, fx, directions, ranges, cfg)
	if err != nil {
		return err
	}
	best := make([]line.Well, len(s.wells))
	for k, p := range profiles {
		j := component[k]
		if y := kernel.Dot(s.found.Frame.Matrix().RawRowView(j), x); first {
			s.wells[j] = s.wells[j][:0]
			for _, w := range p.Wells {
				s.wells[j] = append(s.wells[j], y+w.T)
			}
		}
		if w := p.Wells[0]; best[j].Value == 0 && best[j].T == 0 || w.Value < best[j].Value {
			best[j] = w
		}
	}
	for j, w := range best {
		kernel.AddScaled(x, w.T, s.u.RawRowView(j))
	}
	_, err = objective.Ask(s.ctx, s.f, 1, func(_ int, row []float64) { copy(row, x) })
	return err
}

// ranges returns where to look along a component from x: everywhere first, then
// near x and around the other wells.
func (s *sweeper) ranges(j int, x []float64, first bool) []line.Range {
	row, scale := s.found.Frame.Matrix().RawRowView(j), s.found.Scale[j]
	y := kernel.Dot(row, x)
	least, most := limits(s.task.Bounds, x, s.u.RawRowView(j))
	span := func(lo, hi float64) line.Range {
		return line.Range{Lo: max(lo, least), Hi: min(hi, most), Step: 0.8 * scale, Least: least, Most: most}
	}
	if first { // ⟨w, x⟩ is within 3 standard deviations of the box's centre
		reach := math.Sqrt(3 * kernel.Dot(row, row))
		return []line.Range{span(-reach-y, reach-y)}
	}
	all := []line.Range{span(-scale, scale)}
	for _, w := range s.wells[j] {
		if lo, hi := w-y-float64(scale/2), w-y+float64(scale/2); math.Abs(w-y) > scale && lo > least && hi < most {
			all = append(all, span(lo, hi))
		}
	}
	return all
}

// limits returns how far one may go from x along u within bounds.
func limits(bounds objective.Box, x, u []float64) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for k, v := range u {
		lo, hi := (bounds.Lo[k]-x[k])/v, (bounds.Hi[k]-x[k])/v
		if v < 0 {
			lo, hi = hi, lo
		}
		if v != 0 {
			least, most = max(least, lo), min(most, hi)
		}
	}
	return least, most
}
