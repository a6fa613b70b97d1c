package chart

import (
	"slices"

	"github.com/untwist/untwist"
)

// A band is one stage, or several that follow one another: the names of the first and the
// last, and the numbers of queries at which it begins and ends.
type band struct {
	first, last string
	from, to    float64

	label  string // what is written above the plot
	x0, x1 float64
	text   float64 // where the label begins
	wide   float64 // how wide it is
	lean   float64 // how much of it is left of the middle of the band: 0, ½ or 1
	row    int     // from the plot up
}

// name returns what a band is called.
func (b band) name() string {
	if b.first == b.last {
		return b.first
	}
	return b.first + " … " + b.last
}

// ended returns when the stages began and ended. Neighbours of the same name become one.
func ended(stages []untwist.Stage) []band {
	all := make([]band, 0, len(stages))
	at := 0.
	for _, s := range stages {
		if s.Queries < 1 {
			continue
		}
		name := clean(s.Name)
		next := band{first: name, last: name, from: at, to: at + float64(s.Queries)}
		at = next.to
		if n := len(all); n > 0 && all[n-1].last == name {
			all[n-1].to = next.to
			continue
		}
		all = append(all, next)
	}
	return all
}

// row is the height of a row of names above a plot, and the lowest is raised above the
// numbers beside the plot. There are at most mostRows, for at most
// mostBands bands.
const row, raised, mostRows, mostBands = 14., 10., 4, 10

// arrange puts the names of bands into rows above the plot, so that none meets another and
// no line that leads to a name meets a name. Names are over the middle of their bands, or, if
// that does not do, left or right of it. Bands that are too narrow for all this are joined,
// those first that are narrowest together. It returns the number of rows.
func arrange(all []band, x axis) ([]band, int) {
	at := x.from
	for i := range all {
		all[i].x0, all[i].x1 = at, x.at(max(all[i].to, x.lo))
		at = all[i].x1
	}
	all = merged(all)
	for {
		for len(all) > mostBands {
			all = join(all)
		}
		for _, lean := range []float64{0.5, 1, 0} {
			if rows := stack(all, lean); rows <= mostRows {
				return all, rows
			}
		}
		all = join(all)
	}
}

// stack puts each name into the lowest row in which it and its line meet no others, and
// returns the number of rows, or more than mostRows if there is none. lean says how much of a name is to the left of the middle of
// its band if it is longer than the band: from 0, nothing, to 1, all. Names to the right of
// the middle are stacked from the last to the first.
func stack(all []band, lean float64) int {
	rows := 0
	for i := range all {
		k := i
		if lean == 0 {
			k = len(all) - 1 - i
		}
		b := &all[k]
		b.label = cut(b.name(), 150)
		b.wide = widthOf(b.label)
		if b.lean = lean; b.wide < b.x1-b.x0 {
			b.lean = 0.5
		}
		at := b.middle() - float64(b.lean*b.wide) + float64((1-2*b.lean)*aside)
		if b.text = max(2, min(at, wide-2-b.wide)); b.text != at {
			b.lean = 0.5
		}
		b.row = 0
		placed := all[:k]
		if lean == 0 {
			placed = all[k+1:]
		}
		for b.row < mostRows && !b.apart(placed) {
			b.row++
		}
		if b.row == mostRows {
			return mostRows + 1
		}
		rows = max(rows, b.row+1)
	}
	return rows
}

// merged joins neighbours that could not be told apart.
func merged(all []band) []band {
	var few []band
	for _, b := range all {
		if n := len(few); n > 0 && b.x1-few[n-1].x0 < 8 {
			few[n-1] = few[n-1].until(b)
			continue
		}
		few = append(few, b)
	}
	return few
}

// until returns a band and the next as one.
func (b band) until(next band) band {
	b.last, b.to, b.x1 = next.last, next.to, next.x1
	return b
}

// join joins two neighbours: those that are narrowest together.
func join(all []band) []band {
	k := 0
	for i := range len(all) - 1 {
		if all[i+1].x1-all[i].x0 < all[k+1].x1-all[k].x0 {
			k = i
		}
	}
	all[k] = all[k].until(all[k+1])
	return slices.Delete(all, k+1, k+2)
}

// apart says whether a band's name and the line that leads to it meet none of those before.
func (b band) apart(before []band) bool {
	left, right := b.text-4, b.text+b.wide+4
	for _, o := range before {
		from, to := o.text-2, o.text+o.wide+2
		switch {
		case o.row == b.row && from < right && left < to:
			return false
		case o.row < b.row && from < b.middle() && b.middle() < to:
			return false
		case o.row > b.row && left < o.middle() && o.middle() < right:
			return false
		}
	}
	return true
}

// aside is how far a name that is left or right of its line is away from it.
const aside = 3.

// middle is where the line to the name of a band begins.
func (b band) middle() float64 { return (b.x0 + b.x1) / 2 }

// within says whether the name of a band is over nothing but the band.
func (b band) within() bool {
	return b.row == 0 && b.text >= b.x0-1 && b.text+b.wide <= b.x1+1
}

// flags shades every second band and writes the names above the plot. A line leads to each
// name that is not just above its band.
func flags(c *canvas, all []band, x, y axis) {
	lines := ""
	for k, b := range all {
		class := "c-even"
		if k%2 == 1 {
			class = "c-odd"
		}
		title := b.name() + ": " + asked(b.to-b.from)
		c.rect(class, box{b.x0, b.x1, y.to, y.from}, title)
		line := y.to - raised - row*float64(b.row)
		p, lead := place{at: point{b.text + b.wide/2, line}, anchor: middle, class: "c-note", room: wide}, line+fall
		switch b.lean {
		case 0:
			p.at.x, p.anchor, lead = b.text, start, line-rise+2
		case 1:
			p.at.x, p.anchor, lead = b.text+b.wide, end, line-rise+2
		}
		c.text(p, b.label)
		if !b.within() {
			lines += "M" + num(b.middle()) + " " + num(y.to) + "V" + num(lead)
		}
		if k > 0 {
			lines += "M" + num(b.x0) + " " + num(y.to) + "V" + num(y.from)
		}
	}
	c.path("c-stage", lines, "")
}
