package strategy

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sweeper goes along all components that are alone in their block, all at once.
type sweeper struct {
	*auto
	found   *identify.Finding
	u       *mat.Dense // row j is u_j
	singles []int
	wells   [][]Well  // of each single component
	hollow  bool      // f is quadratic but no bowl
	doubt   []float64 // how much higher a well of it may seem and be the deepest
}

func newSweeper(a *auto, found *identify.Finding) *sweeper {
	s := &sweeper{auto: a, found: found, u: mat.DenseCopyOf(found.Frame.Inverse().T())}
	for _, block := range found.Blocks {
		if len(block) == 1 {
			s.singles = append(s.singles, block[0])
		}
	}
	s.even()
	return s
}

// even makes no scale longer than one and a half times the median, in parts of the range
// of its component: where most components are rough, one that seems smooth was measured
// where it happens to be.
func (s *sweeper) even() {
	part := make([]float64, len(s.singles))
	for k, j := range s.singles {
		part[k] = s.found.Scale[j] / extent(s.found.Frame.Matrix().RawRowView(j))
	}
	if len(part) < 5 || s.found.Quadratic {
		return
	}
	slices.Sort(part)
	most := 1.5 * part[len(part)/2]
	s.found.Scale = slices.Clone(s.found.Scale)
	for _, j := range s.singles {
		s.found.Scale[j] = min(s.found.Scale[j], most*extent(s.found.Frame.Matrix().RawRowView(j)))
	}
}

// y returns the coordinate ⟨w̃_j, x⟩.
func (s *sweeper) y(j int, x []float64) float64 {
	return kernel.Dot(s.found.Frame.Matrix().RawRowView(j), x)
}

// wide minimises along every component over the whole range, from the best point,
// and asks for the point where all minima meet.
func (s *sweeper) wide() error {
	if len(s.singles) == 0 {
		return nil
	}
	s.task.Stage(objective.Stage{Name: "lines", Purpose: objective.AlongThem})
	x, fx := slices.Clone(s.f.best.Point), s.f.best.Value
	ranges := make([]line.Range, len(s.singles))
	for k, j := range s.singles {
		reach, y := extent(s.found.Frame.Matrix().RawRowView(j)), s.y(j, x)
		scale := s.found.Scale[j]
		ranges[k] = s.span(j, x, min(-reach-y, -scale), max(reach-y, scale)) // where x is too
	}
	s.afford(ranges)
	profiles, err := s.minimize(x, fx, s.singles, ranges, line.Config{Tolerance: 1e-2, Explorer: s.lines})
	if err != nil {
		return err
	}
	for k, p := range profiles {
		s.keep(s.singles[k], x, p)
		kernel.AddScaled(x, p.Wells[0].Y, s.u.RawRowView(s.singles[k]))
	}
	if err := s.ask(x); err != nil {
		return err
	}
	return s.open()
}

// afford makes grids coarser, if need be, so that they and what follows them, half as
// much again and a Newton step, fit into what is left of the budget: a search along
// lines that ends before its minima are put together is worth little.
func (s *sweeper) afford(ranges []line.Range) {
	points := 0.0
	for _, r := range ranges {
		points += 1 + math.Ceil((r.Hi-r.Lo)/r.Step)
	}
	left := float64(s.task.Budget - s.f.queries - 3*len(ranges))
	if left <= 0 || 1.5*points <= left {
		return
	}
	for k := range ranges {
		ranges[k].Step *= 1.5 * points / left
	}
}

// open ends the run if f falls along a component as far as it was followed.
func (s *sweeper) open() error {
	var open []string
	for _, p := range s.learnt.Profiles {
		if p.Open {
			open = append(open, strconv.Itoa(p.Component))
		}
	}
	if len(open) == 0 {
		return nil
	}
	if len(open) > 5 {
		open = append(open[:5], "…")
	}
	s.learnt.note("f falls as far as it was followed, a million times the start box, along component %s: it may have no minimum", strings.Join(open, ", "))
	s.status = objective.Unbounded
	return errSearched
}

// extent is how far ⟨w, x⟩ may be from 0 in the start box [-1, 1]^d, or three standard
// deviations if that is less.
func extent(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += math.Abs(v)
	}
	return min(sum, math.Sqrt(3*kernel.Dot(w, w)))
}

// span returns the part of a range along component j that is within the bounds.
func (s *sweeper) span(j int, x []float64, lo, hi float64) line.Range {
	least, most := limits(s.task.Bounds, x, s.u.RawRowView(j))
	return line.Range{Lo: max(lo, least), Hi: min(hi, most), Step: 0.8 * s.found.Scale[j], Least: least, Most: most}
}

// minimize minimises from x along components.
func (s *sweeper) minimize(x []float64, fx float64, components []int, ranges []line.Range, cfg line.Config) ([]line.Profile, error) {
	directions := mat.NewDense(len(ranges), len(x), nil)
	for k, j := range components {
		directions.SetRow(k, s.u.RawRowView(j))
	}
	return line.Minimize(s.ctx, s.f, x, fx, directions, ranges, cfg)
}

// ask asks for one point.
func (s *sweeper) ask(x []float64) error {
	_, err := objective.Ask(s.ctx, s.f, 1, func(_ int, row []float64) { copy(row, x) })
	return err
}

// keep writes down what was seen along a component from x.
func (s *sweeper) keep(j int, x []float64, p line.Profile) {
	y, least := s.y(j, x), p.Wells[0].Value
	out := Profile{Component: j, Open: p.Open}
	above := func(v float64) float64 {
		if v == least { // which may be −∞
			return 0
		}
		return v - least
	}
	for k, t := range p.Y {
		out.Y = append(out.Y, y+t)
		out.Value = append(out.Value, above(p.Value[k]))
	}
	for _, w := range p.Wells {
		out.Wells = append(out.Wells, Well{Y: y + w.Y, Value: above(w.Value)})
	}
	finite := slices.DeleteFunc(slices.Clone(out.Value), func(v float64) bool { return math.IsInf(v, 1) })
	slices.Sort(finite)
	s.wells = append(s.wells, slices.Clone(out.Wells))
	s.doubt = append(s.doubt, 1e-3*finite[len(finite)/2])
	s.learnt.Profiles = append(s.learnt.Profiles, out)
}

// mostWells is how many wells of a component are looked at again.
const mostWells = 8

// otherWells looks from the best point whether another well of a component is
// deeper than the one it is in: the first sweep was made from elsewhere, where an
// error of the frame times the slopes may have misled it. A well that is nearly as
// deep is looked at closely.
func (s *sweeper) otherWells() error {
	var all []candidate
	x, fx := slices.Clone(s.f.best.Point), s.f.best.Value
	for k, wells := range s.wells {
		j := s.singles[k]
		for _, w := range wells[:min(mostWells, len(wells))] {
			t := w.Y - s.y(j, x)
			least, most := limits(s.task.Bounds, x, s.u.RawRowView(j))
			if math.Abs(t) > s.found.Scale[j] && t >= least && t <= most {
				all = append(all, candidate{k: k, t: t})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	s.task.Stage(objective.Stage{Name: "wells", Purpose: objective.AlongThem})
	values, err := objective.Ask(s.ctx, s.f, len(all), func(i int, row []float64) {
		copy(row, x)
		kernel.AddScaled(row, all[i].t, s.u.RawRowView(s.singles[all[i].k]))
	})
	if err != nil {
		return err
	}
	var ranges []line.Range
	var components []int
	for i := range all {
		all[i].higher = values[i] - fx
		if c := all[i]; !(c.higher > s.doubt[c.k]) {
			j := s.singles[c.k]
			half := float64(s.found.Scale[j] / 2)
			ranges = append(ranges, s.span(j, x, c.t-half, c.t+half))
			components = append(components, j)
		}
	}
	if len(components) > 0 {
		profiles, err := s.minimize(x, fx, components, ranges, line.Config{Wells: 1, Widen: 1})
		if err != nil {
			return err
		}
		if err := s.jump(x, fx, components, profiles); err != nil || s.f.best.Value < fx {
			return err
		}
	}
	return s.leap(x, fx, all)
}

// jump goes from x to the deepest well of each component where one is deeper, and
// asks for that point.
func (s *sweeper) jump(x []float64, fx float64, components []int, profiles []line.Profile) error {
	best := map[int]line.Well{}
	for k, p := range profiles {
		j := components[k]
		w := p.Wells[0]
		if old, known := best[j]; w.Value < fx && (!known || w.Value < old.Value) {
			best[j] = w
		}
	}
	if len(best) == 0 {
		return nil
	}
	for _, j := range slices.Sorted(maps.Keys(best)) {
		kernel.AddScaled(x, best[j].Y, s.u.RawRowView(j))
	}
	return s.ask(x)
}
