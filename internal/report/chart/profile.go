package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
)

// mostWells is how many wells of a profile are marked, and numbered is how many of them
// have a number.
const mostWells, numbered = 30, 3

// Profile draws f along one component: a curve through the points, a dot at the deepest well
// and rings at the others. The three deepest have numbers, 1 for the deepest, where there is
// room. title is written above the plot; the labels say what the axes are.
func Profile(p untwist.Profile, title, xlabel, ylabel string) Picture {
	points := pairs(p.Y, p.Value)
	if len(points) == 0 {
		return nothing(title, "No value along this line is finite.")
	}
	var wells []untwist.Well
	x := axis{lo: points[0].x, hi: points[len(points)-1].x}
	y := axis{lo: points[0].y, hi: top(points)}
	for _, q := range points {
		y.lo = min(y.lo, q.y)
	}
	for _, w := range p.Wells {
		if finite(w.Y) && finite(w.Value) && len(wells) < mostWells {
			w = untwist.Well{Y: bounded(w.Y), Value: bounded(w.Value)}
			wells = append(wells, w)
			x.lo, x.hi = min(x.lo, w.Y), max(x.hi, w.Y)
			y.lo, y.hi = min(y.lo, w.Value), max(y.hi, w.Value)
		}
	}
	x.lo, x.hi = widened(x.lo, x.hi)
	y.lo, y.hi = widened(y.lo, y.hi)
	room := (y.hi - y.lo) / 20
	y.hi += room / 2
	if y.lo -= room; len(wells) > 1 {
		y.lo -= 3.5 * room // for the number below the deepest
	}
	c, top := newCanvas(wide, title)
	c.plot(&x, &y, top, 120, 6, xlabel, ylabel)
	points = thinned(points)
	c.path("c-line", polyline(points, x, y))
	if len(points) == 1 {
		c.dot("c-point", point{x.at(points[0].x), y.at(points[0].y)}, 2.5, "")
	}
	mark(c, wells, x, y)
	return c.done(y.from+beneath, spoken(title, xlabel, p, points, wells))
}

// mostProfiles is how many profiles are drawn together.
const mostProfiles = 100

// Profiles draws f along several components. Of more than a hundred it draws those along which
// f varies most, in their order, and says so.
func Profiles(profiles []untwist.Profile) Picture {
	varies := make([]float64, len(profiles))
	for i, p := range profiles {
		if all := pairs(p.Value, p.Value); len(all) > 0 { // which ascend
			varies[i] = all[len(all)-1].y - all[0].y
		}
	}
	order := ranks.First(len(profiles))
	title := "f along each component"
	if n := len(profiles); n > mostProfiles {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(varies[b], varies[a]) })
		order = order[:mostProfiles]
		slices.Sort(order)
		title = fmt.Sprintf("f along the %d of %s components along which it varies most", mostProfiles, words.Thousands(n))
	}
	var all []Picture
	for _, i := range order {
		all = append(all, Profile(profiles[i], "", "component "+words.Thousands(profiles[i].Component+1), "f above its lowest value"))
	}
	columns := max(1, min(len(all), 4), int(math.Ceil(math.Sqrt(float64(len(all))/1.8))))
	return Sheet(title, columns, all)
}

// mark marks wells, the deepest last, so that it is on top.
func mark(c *canvas, wells []untwist.Well, x, y axis) {
	for k := len(wells) - 1; k >= 0; k-- {
		w := wells[k]
		at := point{x.at(w.Y), y.at(w.Value)}
		title := fmt.Sprintf("well %d: %s at %s", k+1, words.Number(w.Value, 4), words.Number(w.Y, 4))
		if k == 0 {
			c.dot("c-well", at, 4, strings.Replace(title, "well 1", "the deepest well", 1))
		} else {
			c.dot("c-ring", at, 3.2, title)
		}
	}
	if len(wells) < 2 {
		return
	}
	for k, w := range wells[:min(numbered, len(wells))] {
		at := point{x.at(w.Y), y.at(w.Value)}
		label := place{at: point{at.x, at.y + 15.5}, anchor: middle, class: "c-number", room: 20}
		b := label.box(words.Thousands(k + 1))
		if b.x0 > x.from && b.x1 < wide-2 && b.y1 < y.from && c.free(b) {
			c.text(label, words.Thousands(k+1))
		}
	}
}

func spoken(title, xlabel string, p untwist.Profile, points []point, wells []untwist.Well) string {
	s := fmt.Sprintf("%s: along %s from %s to %s", title, xlabel, words.Number(points[0].x, 3), words.Number(points[len(points)-1].x, 3))
	if n := len(p.Wells); n > 0 && len(wells) > 0 {
		s += fmt.Sprintf("; %s, the deepest at %s with value %s", words.Count(n, "well", "wells"), words.Number(wells[0].Y, 3), words.Number(wells[0].Value, 3))
	}
	if p.Open {
		s += "; still falling at an end"
	}
	return s
}
