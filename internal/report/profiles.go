package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	mostPanels  = 100
	mostColumns = 10
	mostPoints  = 200 // of a curve
)

// Profiles draws f along components, each in a panel of its own: a curve through the
// points, a dot at the chosen well and rings at the others. Of more than a hundred
// components it draws those along which f varies most, and says so. Values that are not
// finite are left out.
func Profiles(path string, profiles []untwist.Profile) error {
	shown := telling(profiles)
	views := make([]view, len(shown))
	points := 0
	for i, p := range shown {
		if len(p.Y) != len(p.Value) {
			return fmt.Errorf("report: the profile of component %d has %d places and %d values", p.Component+1, len(p.Y), len(p.Value))
		}
		views[i] = look(p)
		points += len(views[i].points)
	}
	if points == 0 {
		return errors.New("report: there are no profiles to draw")
	}
	note := ""
	if len(shown) < len(profiles) {
		note = fmt.Sprintf("the %d of %s along which f varies most", len(shown), words.Count(len(profiles), "component", "components"))
	}
	g := layout(views, note)
	return write(path, "f along components", g.size().X, g.size().Y, func(canvas draw.Canvas) {
		canvas.FillText(small(g.font, draw.XLeft, draw.YTop), vg.Point{X: margin, Y: g.size().Y - margin}, note)
		for i, v := range views {
			v.draw(g.panel(canvas, i), g.font)
		}
	})
}

// telling returns the profiles along which f varies most, in their order. Among equals the
// first ones are chosen.
func telling(profiles []untwist.Profile) []untwist.Profile {
	if len(profiles) <= mostPanels {
		return profiles
	}
	varies := make([]float64, len(profiles))
	for i, p := range profiles {
		least, most := math.Inf(1), math.Inf(-1)
		for _, v := range p.Value {
			if finite(v) {
				least, most = min(least, bounded(v)), max(most, bounded(v))
			}
		}
		varies[i] = most - least
	}
	order := ascending(len(profiles))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(varies[b], varies[a]) })
	order = order[:mostPanels]
	slices.Sort(order)
	shown := make([]untwist.Profile, len(order))
	for k, i := range order {
		shown[k] = profiles[i]
	}
	return shown
}

// writeProfiles writes profiles as a table in CSV, with components counted from 0.
func writeProfiles(path string, profiles []untwist.Profile) error {
	var table bytes.Buffer
	out := csv.NewWriter(&table)
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	out.Write([]string{"component", "y", "value"})
	for _, p := range profiles {
		for i, y := range p.Y {
			out.Write([]string{strconv.Itoa(p.Component), exact(y), exact(p.Value[i])})
		}
	}
	out.Flush()
	return atomicfile.Write(path, table.Bytes())
}

// A view is the part of a profile that is shown, and the range over which it is shown.
type view struct {
	title          string
	points, wells  plotter.XYs
	x0, x1, y0, y1 float64
}

// look chooses what is shown of a profile.
func look(p untwist.Profile) view {
	v := view{title: "component " + words.Thousands(p.Component+1), points: pairs(p.Y, p.Value)}
	for _, w := range p.Wells {
		v.wells = append(v.wells, pairs([]float64{w.Y}, []float64{w.Value})...)
	}
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

// pairs returns the points both of whose coordinates are finite.
func pairs(x, y []float64) plotter.XYs {
	var all plotter.XYs
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			all = append(all, plotter.XY{X: bounded(x[i]), Y: bounded(y[i])})
		}
	}
	return all
}

// apart makes an empty range wider.
func apart(lo, hi float64) (float64, float64) {
	if lo < hi {
		return lo, hi
	}
	half := max(1, math.Abs(lo)) / 2
	return lo - half, hi + half
}

// top returns where the y axis ends: at the largest value, but no further above the
// least value than 4 times the height below which the curve stays for three quarters of
// its way along x, and no further than 100 times the height for one quarter. So a
// parabola is seen as a whole, and one steep end does not make the wells look flat.
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

// thinned returns fewer points where there are too many: the first, the last, and from
// each of many equal parts of the range the lowest and the highest. So no well is lost
// that could be seen.
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
