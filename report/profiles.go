package report

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Profile is a function of one variable: y at x, and its wells, the chosen one
// first.
type Profile struct {
	Title        string
	X, Y         []float64
	WellX, WellY []float64
}

const (
	mostPanels  = 100
	mostColumns = 10
	mostPoints  = 200 // of a curve
)

// Profiles draws functions of one variable, the first hundred at most, each in a
// panel of its own: the curve through the points, a dot at the chosen well, rings
// at the others. What is not finite is left out.
func Profiles(path string, profiles []Profile) error {
	shown := profiles[:min(len(profiles), mostPanels)]
	views := make([]view, len(shown))
	points := 0
	for i, p := range shown {
		if len(p.X) != len(p.Y) || len(p.WellX) != len(p.WellY) {
			return fmt.Errorf("report: profile %d, %q, has %d x, %d y and wells at %d x, %d y",
				i+1, p.Title, len(p.X), len(p.Y), len(p.WellX), len(p.WellY))
		}
		views[i] = look(p)
		points += len(views[i].points)
	}
	if points == 0 {
		return errors.New("report: there are no profiles to draw")
	}
	note := ""
	if len(shown) < len(profiles) {
		note = fmt.Sprintf("the first %d of %d", len(shown), len(profiles))
	}
	g := layout(views, note)
	return write(path, g.size().X, g.size().Y, func(canvas draw.Canvas) {
		fill(canvas, color.White, 0, g.size().X, 0, g.size().Y)
		canvas.FillText(small(g.font, draw.XLeft, draw.YTop), vg.Point{X: margin, Y: g.size().Y - margin}, note)
		for i, v := range views {
			v.draw(g.panel(canvas, i), g.font)
		}
	})
}

// A view is what is shown of a profile, and over which range.
type view struct {
	title          string
	points, wells  plotter.XYs
	x0, x1, y0, y1 float64
}

// look chooses what is shown of a profile.
func look(p Profile) view {
	v := view{title: p.Title, points: pairs(p.X, p.Y), wells: pairs(p.WellX, p.WellY)}
	slices.SortStableFunc(v.points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	if len(v.points) == 0 {
		return v
	}
	v.x0, v.x1, v.y0, _ = plotter.XYRange(v.points)
	v.y1 = top(v.points)
	for _, w := range v.wells {
		v.x0, v.x1 = min(v.x0, w.X), max(v.x1, w.X)
		v.y0, v.y1 = min(v.y0, w.Y), max(v.y1, w.Y)
	}
	v.x0, v.x1 = apart(v.x0, v.x1)
	v.y0, v.y1 = apart(v.y0, v.y1)
	v.points = thinned(v.points)
	return v
}

// pairs returns the points of which both coordinates are finite.
func pairs(x, y []float64) plotter.XYs {
	var all plotter.XYs
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			all = append(all, plotter.XY{X: bounded(x[i]), Y: bounded(y[i])})
		}
	}
	return all
}

// apart makes a range that is empty wider.
func apart(lo, hi float64) (float64, float64) {
	if lo < hi {
		return lo, hi
	}
	half := max(1, math.Abs(lo)) / 2
	return lo - half, hi + half
}

// top returns where the y axis ends: at the largest value, but no further from
// the least than 4 times the value below which the curve is for three quarters of
// its way along x, nor than 100 times that for one quarter. So all of a parabola
// is seen, and one steep end does not make the wells flat.
func top(points plotter.XYs) float64 {
	n := len(points)
	way := points[n-1].X - points[0].X
	byValue := make([]int, n)
	for i := range byValue {
		byValue[i] = i
	}
	slices.SortStableFunc(byValue, func(a, b int) int { return cmp.Compare(points[a].Y, points[b].Y) })
	least, end, below := points[byValue[0]].Y, points[byValue[n-1]].Y, 0.
	for _, i := range byValue {
		below += (points[min(i+1, n-1)].X - points[max(i-1, 0)].X) / 2
		y := points[i].Y - least
		if y > 0 && below >= way/4 {
			end = min(end, least+100*y)
		}
		if y > 0 && below >= 3*way/4 {
			end = min(end, least+4*y)
		}
	}
	return end
}

// thinned leaves of too many points the first, the last, and of each of equal
// parts of the range the lowest and the highest, so that no well is lost that
// can be seen.
func thinned(points plotter.XYs) plotter.XYs {
	n := len(points)
	if n <= mostPoints {
		return points
	}
	const parts = mostPoints/2 - 1
	part := func(k int) float64 {
		return math.Floor((points[k].X - points[0].X) / (points[n-1].X - points[0].X) * parts)
	}
	kept := plotter.XYs{points[0]}
	for k := 1; k < n-1; {
		lowest, highest, here := k, k, part(k)
		for ; k < n-1 && !(part(k) > here); k++ { // NaN, where all are at one x, is one part
			if points[k].Y < points[lowest].Y {
				lowest = k
			}
			if points[k].Y > points[highest].Y {
				highest = k
			}
		}
		kept = append(kept, points[min(lowest, highest)])
		if lowest != highest {
			kept = append(kept, points[max(lowest, highest)])
		}
	}
	return append(kept, points[n-1])
}
