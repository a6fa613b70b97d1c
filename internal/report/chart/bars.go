package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/untwist/untwist/internal/words"
)

// A Bar is a row of Bars: its name, its parts, and how exact their sum is (0: exactly, or
// not known).
type Bar struct {
	Name  string
	Parts []Part
	Error float64
}

// A Part is how much of a bar goes through a component, which is counted from 0.
type Part struct {
	Component int
	Share     float64
}

// total returns the sum of the parts. Those that are not above 0 do not count.
func (b Bar) total() float64 {
	sum := 0.
	for _, p := range b.Parts {
		sum += p.size()
	}
	return bounded(sum)
}

// size is the share, and whisker the error, or 0 if it cannot be drawn.
func (p Part) size() float64   { return length(p.Share) }
func (b Bar) whisker() float64 { return length(b.Error) }

func length(v float64) float64 {
	if !finite(v) {
		return 0
	}
	return max(0, min(v, 1e100))
}

// mostBars is how many bars are drawn at most, and hues is how many components have a
// colour of their own. pitch is the distance of bars, and thick is how thick they are.
const mostBars, hues, pitch, thick = 30, 6, 22., 16.

// Bars draws stacked horizontal bars, the largest first, with a whisker for the error and
// the percentage at the right. The components that matter most have a colour each, and their
// number is in their parts where there is room; the others are grey. Of more than
// thirty bars the largest are drawn, and it is said how many more there are. label says what the
// bars are, and each, in the singular, what a component is called.
func Bars(bars []Bar, label, each string) Picture {
	if len(bars) == 0 {
		return nothing(label, "There is nothing to compare.")
	}
	all := slices.Clone(bars)
	slices.SortStableFunc(all, func(a, b Bar) int { return cmp.Compare(b.total(), a.total()) })
	rest := all[min(mostBars, len(all)):]
	all = all[:min(mostBars, len(all))]
	c := &canvas{wide: wide}
	c.text(place{at: point{4, 13}, class: "c-label", room: wide - 8}, label)
	each = cut(clean(each), 120)
	colour, high := c.colours(all, each)
	names, numbers, most := 0., 0., 0.
	for _, b := range all {
		names = max(names, min(widthOf(clean(b.Name)), 110))
		numbers = max(numbers, widthOf(amount(b)))
		most = max(most, b.total()+b.whisker())
	}
	x := axis{hi: most, from: 4 + names + 6, to: wide - 4 - numbers - 8}
	if most < 1e-290 {
		x.hi = 1
	}
	for _, b := range all {
		b.draw(c, x, high, colour, each)
		high += pitch
	}
	c.line("c-axis", point{x.from, high - pitch*float64(len(all))}, point{x.from, high})
	if n := len(rest); n > 0 {
		note := fmt.Sprintf("and %s more, each at most %s", words.Thousands(n), words.Percent(rest[0].total())+" %")
		c.text(place{at: point{x.from, high + 14}, class: "c-note", room: wide - x.from - 4}, note)
		high += pitch
	}
	return c.done(high+4, fmt.Sprintf("%s: %s, the largest %s with %s", label, words.Count(len(bars), "bar", "bars"), cut(clean(all[0].Name), 400), amount(all[0])))
}

// amount writes how long a bar is, and its error unless it is very small: 71.4 ± 0.37 %.
func amount(b Bar) string {
	s := words.Percent(b.total())
	if e := b.whisker(); e >= 1e-4 {
		s += " ± " + words.Percent(e)
	}
	return s + " %"
}

func (b Bar) draw(c *canvas, x axis, y float64, colour map[int]int, each string) {
	c.text(place{at: point{x.from - 6, y + 15}, anchor: end, room: x.from - 8}, b.Name)
	c.text(place{at: point{wide - 4, y + 15}, anchor: end, room: wide}, amount(b))
	upper, lower := y+(pitch-thick)/2, y+(pitch+thick)/2
	at, grey := 0., 0.
	part := func(class, name, number string, share float64) {
		from, to := x.at(at), x.at(at+share)
		at += share
		if to-from < 0.05 {
			return // nothing could be seen
		}
		c.rect("c-part "+class, box{from, to, upper, lower}, fmt.Sprintf("%s, %s: %s", cut(clean(b.Name), 200), name, words.Percent(share)+" %"))
		if free := min(to, x.at(b.total()-b.whisker())-2) - from; free > widthOf(number)+4 {
			c.text(place{at: point{from + free/2, y + 15}, anchor: middle, class: "c-in", room: free}, number)
		}
	}
	parts := slices.Clone(b.Parts)
	slices.SortStableFunc(parts, func(p, q Part) int { return cmp.Compare(p.Component, q.Component) })
	for _, p := range parts {
		k := colour[p.Component]
		if k == 0 {
			grey += p.size()
			continue
		}
		name, number := each+" "+words.Thousands(p.Component+1), words.Thousands(p.Component+1)
		if each == "" {
			name, number = "all", ""
		}
		part(fmt.Sprintf("c-p%d", k), name, number, p.size())
	}
	part("c-p0", "others", "", grey)
	if e := b.whisker(); x.at(e)-x.at(0) >= 1 { // or nothing could be seen
		from, to, middle := x.at(max(0, b.total()-e)), x.at(b.total()+e), num((upper+lower)/2)
		d := "M" + num(from) + " " + middle + "H" + num(to)
		for _, end := range []float64{from, to} {
			d += "M" + num(end) + " " + num(upper+4) + "v" + num(thick-8)
		}
		c.path("c-halo", d)
		c.path("c-whisker", d)
	}
}

// colours chooses the components with a colour of their own, numbered from 1: those whose parts
// are largest together, in ascending order. It writes what they are, and returns where that ends.
func (c *canvas) colours(bars []Bar, each string) (colour map[int]int, high float64) {
	sums := map[int]float64{}
	for _, b := range bars {
		for _, p := range b.Parts {
			if p.size() > 0 {
				sums[p.Component] += p.size()
			}
		}
	}
	if colour = map[int]int{}; len(sums) == 0 {
		return colour, 22
	}
	all := slices.SortedFunc(maps.Keys(sums), func(a, b int) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	var names []string
	for k, j := range slices.Sorted(slices.Values(all[:min(hues, len(all))])) {
		colour[j] = k + 1
		names = append(names, words.Thousands(j+1))
	}
	if len(all) > hues {
		names = append(names, "others")
	}
	if each == "" {
		return colour, 22
	}
	c.text(place{at: point{4, 32}, class: "c-note", room: wide}, each)
	return colour, 8 + c.key(point{4 + widthOf(each) + 8, 32}, 10, names, func(k int, at point) {
		c.rect(fmt.Sprintf("c-part c-p%d", (k+1)%(hues+1)), box{at.x, at.x + 10, at.y - 9, at.y + 1}, "")
	})
}
