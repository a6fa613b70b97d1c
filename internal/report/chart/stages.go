package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
)

// A band is one stage, or several that follow one another: the names of the first and the
// last, and the numbers of queries at which it begins and ends.
type band struct {
	first, last string
	from, to    float64
}

func (b band) name() string {
	if b.first == b.last {
		return b.first
	}
	return b.first + " … " + b.last
}

// short returns what a band is called where there is little room.
func (b band) short() string {
	if name := b.name(); b.first == b.last || widthOf(name) <= longest {
		return cut(name, longest)
	}
	return strings.TrimSuffix(cut(b.first, longest-widthOf(" …")), "…") + " …"
}

// ended returns when the stages began and ended, in plain words. Neighbours of the same name become one.
func ended(stages []untwist.Stage) []band {
	all := make([]band, 0, len(stages))
	at := 0.
	for _, s := range stages {
		if s.Queries < 1 {
			continue
		}
		name := clean(words.Stage(s.Name))
		next := band{name, name, at, at + float64(s.Queries)}
		at = next.to
		if n := len(all); n > 0 && all[n-1].last == name {
			all[n-1].to = next.to
			continue
		}
		all = append(all, next)
	}
	return all
}

// row is the height of a row of names above a plot, and the lowest is raised above the numbers
// beside the plot. There are at most mostRows. Names are no longer than longest.
const row, raised, mostRows, longest = 14., 10., 5, 190.

// arrange puts the name of each band into a row above the plot, so that it ends where the band
// does, at which a line leads up to it, and meets no other name and no line. Bands that are too
// narrow for this, or to be told apart, are joined, those first that are narrowest together.
func arrange(stages []band, x axis) (all []band, rows []int) {
	for _, b := range stages {
		if n := len(all); n > 0 && x.up(b.to)-x.up(all[n-1].from) < 8 {
			all[n-1].last, all[n-1].to = b.last, b.to
			continue
		}
		all = append(all, b)
	}
	for {
		k, narrowest := 0, math.Inf(1)
		for i := range len(all) - 1 {
			if wide := x.up(all[i+1].to) - x.up(all[i].from); wide < narrowest {
				k, narrowest = i, wide
			}
		}
		if narrowest >= 8 {
			crossed := false
			rows = rows[:0]
			for i, b := range all {
				left, _ := b.span(x)
				in := 0
				for j := range i {
					_, right := all[j].span(x)
					if right+6 > left || x.up(all[j].to)+2 > left {
						in = max(in, rows[j]+1)
					}
					crossed = crossed || x.up(b.to) < right
				}
				rows = append(rows, in)
			}
			if len(all) < 2 || !crossed && slices.Max(rows) < mostRows {
				return all, rows
			}
		}
		all[k].last, all[k].to = all[k+1].last, all[k+1].to
		all = slices.Delete(all, k+1, k+2)
	}
}

// span returns where the name of a band begins and ends.
func (b band) span(x axis) (left, right float64) {
	wide := widthOf(b.short())
	right = max(x.up(b.to)-2, wide+2)
	return right - wide, right
}

// flags shades every second band and writes the names above the plot.
func flags(c *canvas, all []band, rows []int, x, y axis) {
	lines := ""
	for k, b := range all {
		class := "c-even"
		if k%2 == 1 {
			class = "c-odd"
		}
		c.rect(class, box{x.up(b.from), x.up(b.to), y.to, y.from}, b.name()+": "+asked(b.to-b.from))
		_, right := b.span(x)
		line := y.to - raised - row*float64(rows[k])
		c.text(place{at: point{right, line}, anchor: end, class: "c-note", room: longest}, b.short())
		lines += "M" + num(x.up(b.to)) + " " + num(y.from) + "V" + num(line-rise+2)
	}
	c.path("c-stage", lines)
}
