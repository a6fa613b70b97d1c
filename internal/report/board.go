package report

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/plot"
)

// A board is a sheet and what its panels have in common: the x axis, and the names that are
// drawn in one of them at least.
type board struct {
	Sheet
	names, levels []string
	left, right   float64 // of the x axis, above 0
	zero          float64 // where 0 is drawn; 0: nowhere
	from          float64 // where the axis is broken, to the right of 0; the left end: it is not
}

// newBoard looks through all panels.
func newBoard(s Sheet) *board {
	b := &board{Sheet: s, left: math.Inf(1), right: math.Inf(-1)}
	zero, shown := false, map[string]bool{}
	for _, p := range s.Panels {
		for _, series := range p.Series {
			b.names = known(b.names, series.Name)
			for i, x := range series.X {
				if !s.Y.shows(x, series.Median[i]) {
					continue
				}
				shown[series.Name] = true
				if zero = zero || x == 0; x > 0 {
					b.left, b.right = min(b.left, x), max(b.right, x)
				}
			}
		}
		for _, l := range p.Levels {
			if s.Y.shows(0, l.Value) {
				b.levels = known(b.levels, l.Name)
			}
		}
	}
	b.names = slices.DeleteFunc(b.names, func(name string) bool { return !shown[name] })
	if b.Pen == nil {
		b.Pen = func(name string) Pen {
			k := slices.Index(slices.Concat(b.names, b.levels), name)
			return Pen{Hue: k, Dashed: k/len(hues)%2 == 1}
		}
	}
	b.broaden(zero)
	return b
}

// broaden makes room at the ends of the x axis, and for 0.
func (b *board) broaden(zero bool) {
	if math.IsInf(b.left, 1) && zero {
		b.left, b.right = 1, 1
	}
	b.right = max(b.right, 9*b.left)
	room := math.Pow(b.right/b.left, 0.03)
	if zero {
		apart := math.Pow(b.right/b.left, 0.13)
		b.zero = b.left / apart
		b.from = b.zero * math.Sqrt(apart)
		b.left = b.zero
	}
	b.left, b.right = b.left/room, b.right*room
	if !zero {
		b.from = b.left
	}
}

// known adds a name to those that are known.
func known(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// shows reports whether a value at x can be drawn.
func (y Ordinate) shows(x, v float64) bool {
	return finite(x) && x >= 0 && finite(v) && (y.Percent || y.Linear || y.Floor > 0 || v > 0)
}

// span returns the ends of the y axis of some panels, and whether there is anything in them.
func (y Ordinate) span(panels ...Panel) (low, high float64, some bool) {
	low, high = math.Inf(1), math.Inf(-1)
	include := func(v float64) {
		if y.shows(0, v) {
			low, high, some = min(low, max(v, y.Floor)), max(high, v, y.Floor), true
		}
	}
	for _, p := range panels {
		for _, s := range p.Series {
			for i, x := range s.X {
				if y.shows(x, s.Median[i]) {
					include(s.Lower[i])
					include(s.Median[i])
					include(s.Upper[i])
				}
			}
		}
		for _, l := range p.Levels {
			include(l.Value)
		}
	}
	switch {
	case y.Percent:
		return -3, 103, some
	case !some:
		return 1, 10, false
	case y.Linear:
		if high <= 0 {
			high = 1
		}
		for range 2 { // one step more can be too many for marks so close
			step := evenly(0, high, 0)[1].Value
			high = step * math.Ceil(high/step-1e-9)
		}
		return -0.03 * high, 1.03 * high, true
	case y.Floor > 0:
		low = y.Floor
	}
	return low / 1.3, max(high, 9*low) * 1.3, true
}

// chart returns a panel as a figure without labels. A panel with nothing in it has the y axis
// of all together.
func (b *board) chart(p Panel) figure {
	f := chart("", "", "")
	f.Add(levels())
	low, high, some := b.Y.span(p)
	if !some {
		low, high, _ = b.Y.span(b.Panels...)
	}
	logarithmic(&f.X)
	if b.zero > 0 {
		f.X.Tick.Marker = plot.TickerFunc(func(_, hi float64) []plot.Tick {
			return append(powers(b.from, hi), plot.Tick{Value: b.zero, Label: "0"})
		})
	}
	if !b.Y.Percent && !b.Y.Linear {
		logarithmic(&f.Y)
	}
	f.Y.Tick.Marker = plot.TickerFunc(b.Y.ticks)
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = b.left, b.right, low, high
	f.Add(whiskers{b, p, low, high})
	return f
}

// ticks returns the marks of a y axis. The floor is marked with what lies there, and no number
// comes close to it.
func (y Ordinate) ticks(lo, hi float64) []plot.Tick {
	switch {
	case y.Percent:
		return evenly(0, 100, 20)
	case y.Linear:
		return evenly(0, hi/1.03, 0) // the room above is for half a point
	case !(y.Floor > 0):
		return powers(lo, hi)
	}
	all := powers(y.Floor, hi)
	near := y.Floor * math.Pow(hi/lo, 0.08)
	for i := range all {
		if all[i].Value < near {
			all[i].Label = ""
		}
	}
	all = slices.DeleteFunc(all, func(t plot.Tick) bool { return t.Value < y.Floor*1.001 })
	return append(all, plot.Tick{Value: y.Floor, Label: "≤ " + words.Number(y.Floor, 3)})
}
