package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
)

// lines minimise along single components, all at once.
type lines struct {
	f      *watched
	at     *coordinates
	budget int // of the whole run

	scanned []scan // what was seen of each single component
}

// A scan says where a component was looked along, and how well its wells can be compared.
type scan struct {
	lo, hi float64 // the range of ⟨w_j, x⟩
	step   float64 // the width of the grid
	// amiss is how far the gains along all lines were from adding up, for one of them:
	// wells whose depths differ by less cannot be told apart.
	amiss float64
}

func newLines(f *watched, at *coordinates, budget int) *lines {
	return &lines{f: f, at: at, budget: budget, scanned: make([]scan, len(at.singles))}
}

// firstWells is how many wells of a line are refined at most: with a coarse grid several
// may be the deepest.
const firstWells = 6

// wellTolerance is how well the minima of the first lines are known, in widths of the
// grid. Newton steps follow.
const wellTolerance = 3e-2

// explore minimises along every component over the whole range that it has in the start
// box, from a point, and asks for the point where all minima meet. It returns what
// it has seen, even if asking for that point fails.
func (l *lines) explore(ctx context.Context, from query.Best) ([]frame.Profile, error) {
	x := slices.Clone(from.Point)
	from.Point = x
	ranges := make([]line.Range, len(l.at.singles))
	for k, j := range l.at.singles {
		reach, y, scale := l.at.extent(j), l.at.y(j, x), l.at.scale[j]
		ranges[k] = l.at.span(x, j, min(-reach-y, -scale), max(reach-y, scale)) // where x is too
	}
	open, err := l.felt(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	profiles, err := l.along(ctx, from, ranks.First(len(open)), open)
	if err != nil {
		return profiles, err
	}
	for k, j := range l.at.singles {
		profiles[k] = walled(profiles[k], l.at.y(j, x), open[k], ranges[k])
	}
	return profiles, l.past(ctx, profiles)
}

// along minimises along components, at.singles[k] for each k, from a point over ranges, and
// asks for the point where all minima meet. A component may have several ranges.
func (l *lines) along(ctx context.Context, from query.Best, components []int, ranges []line.Range) ([]frame.Profile, error) {
	if len(components) == 0 {
		return nil, nil
	}
	x, fx := from.Point, from.Value
	l.afford(ranges)
	l.f.begin(alongLines, int(afterGrid*points(ranges)))
	of := make([]int, len(components))
	for i, k := range components {
		of[i] = l.at.singles[k]
	}
	seen, err := line.Minimize(ctx, l.f, x, fx, l.at.directions(of), ranges, line.Config{Wells: firstWells, Tolerance: wellTolerance, Noise: l.f.scatter(fx), Meet: l.at.bounds})
	if err != nil {
		return nil, err
	}
	var profiles []frame.Profile
	deepest := make([]frame.Well, len(l.scanned))
	for i, p := range seen {
		profiles = append(profiles, profileOf(of[i], l.at.y(of[i], x), p))
		if w, best := p.Wells[0], &deepest[components[i]]; w.Value-fx < best.Value {
			*best = frame.Well{Y: w.Y, Value: w.Value - fx}
		}
	}
	there, gain := slices.Clone(x), 0.0
	for k, w := range deepest {
		l.at.move(there, w.Y, l.at.singles[k])
		gain -= w.Value
	}
	clamp(there, l.at.bounds)
	values, err := query.Ask(ctx, l.f, 1, func(_ int, row []float64) { copy(row, there) })
	if err != nil {
		return profiles, err
	}
	amiss := math.Abs(fx-values[0]-gain) / math.Sqrt(float64(len(components)))
	if math.IsInf(values[0], 1) {
		if amiss, err = l.short(ctx, x, fx, deepest); err != nil {
			return profiles, err
		}
	}
	for i, k := range components {
		y, s := profiles[i].Y, &l.scanned[k]
		*s = scan{lo: y[0], hi: y[len(y)-1], step: ranges[i].Step, amiss: amiss}
	}
	return profiles, nil
}

// What follows the grids of all lines: Brent's method asks for about three fifths as many points
// again, and a Newton step for two a line and one more.
const (
	afterGrid  = 1.6
	newtonStep = 3
)

// afford makes grids coarser, if need be, so that they and what follows them fit into
// what is left of the budget: a search along lines that ends before its minima are put
// together is worth little.
func (l *lines) afford(ranges []line.Range) {
	most, left := float64(afterGrid*points(ranges)), float64(l.budget-l.f.queries-newtonStep*len(ranges))
	if left <= 0 || most <= left {
		return
	}
	for k := range ranges {
		ranges[k].Step *= most / left
	}
}

// points is how many points the grids of ranges have.
func points(ranges []line.Range) (n float64) {
	for _, r := range ranges {
		n += 1 + math.Ceil((r.Hi-r.Lo)/r.Step)
	}
	return n
}

// profileOf is what was seen along component j from the coordinate y.
func profileOf(j int, y float64, p frame.Profile) frame.Profile {
	out := frame.Profile{Component: j, Open: p.Open}
	least := p.Wells[0].Value
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
		out.Wells = append(out.Wells, frame.Well{Y: y + w.Y, Value: above(w.Value)})
	}
	return out
}
