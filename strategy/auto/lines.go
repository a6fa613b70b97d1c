package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/line"
)

// lines minimise along all single components at once.
type lines struct {
	f        *watched
	at       *coordinates
	explorer line.Explorer // nil: a grid
	budget   int           // of the whole run
}

// wellTolerance is how well the minima of the first lines are known, in widths of the
// grid. Newton steps follow.
const wellTolerance = 1e-2

// explore minimises along every component over the whole range that it has in the start
// box, from the best point, and asks for the point where all minima meet. It returns what
// it has seen, even if asking for that point fails.
func (l lines) explore(ctx context.Context) ([]line.Profile, error) {
	if len(l.at.singles) == 0 {
		return nil, nil
	}
	l.f.stage(alongLines)
	x, fx := slices.Clone(l.f.best.Point), l.f.best.Value
	ranges := make([]line.Range, len(l.at.singles))
	for k, j := range l.at.singles {
		reach, y, scale := l.at.extent(j), l.at.y(j, x), l.at.scale[j]
		ranges[k] = l.at.span(x, j, min(-reach-y, -scale), max(reach-y, scale)) // where x is too
	}
	l.afford(ranges)
	seen, err := line.Minimize(ctx, l.f, x, fx, l.at.directions(l.at.singles), ranges, line.Config{Tolerance: wellTolerance, Explorer: l.explorer})
	if err != nil {
		return nil, err
	}
	var profiles []line.Profile
	for k, p := range seen {
		j := l.at.singles[k]
		profiles = append(profiles, profileOf(j, l.at.y(j, x), p))
		l.at.move(x, p.Wells[0].Y, j)
	}
	return profiles, l.f.ask(ctx, x)
}

// What follows the grids of all lines: Brent's method asks for about half as many points
// again, and a Newton step for two a line and one more.
const (
	afterGrid  = 1.5
	newtonStep = 3
)

// afford makes grids coarser, if need be, so that they and what follows them fit into
// what is left of the budget: a search along lines that ends before its minima are put
// together is worth little.
func (l lines) afford(ranges []line.Range) {
	points := 0.0
	for _, r := range ranges {
		points += 1 + math.Ceil((r.Hi-r.Lo)/r.Step)
	}
	left := float64(l.budget - l.f.queries - newtonStep*len(ranges))
	if left <= 0 || afterGrid*points <= left {
		return
	}
	for k := range ranges {
		ranges[k].Step *= afterGrid * points / left
	}
}

// profileOf is what was seen along component j from the coordinate y.
func profileOf(j int, y float64, p line.Profile) line.Profile {
	out := line.Profile{Component: j, Open: p.Open}
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
		out.Wells = append(out.Wells, line.Well{Y: y + w.Y, Value: above(w.Value)})
	}
	return out
}
