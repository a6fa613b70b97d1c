package chart

import (
	"math"
	"strconv"

	"github.com/untwist/untwist/internal/words"
)

// An axis leads from the numbers lo to hi, lo < hi, to places on paper.
type axis struct {
	lo, hi   float64
	scale    Scale
	from, to float64
	// zero is where a logarithmic axis has its mark for 0, if above 0. Other marks are
	// beyond first.
	zero, first float64
	// floor is where a logarithmic axis has a mark for all that is less, if above 0.
	floor float64
	// step is the least distance of the numbers of a linear axis.
	step float64
	// base is subtracted from the numbers beside the axis, and minus says so.
	base  float64
	minus string
}

// A tick is a mark beside an axis.
type tick struct {
	value float64
	label string // "": none
}

// at returns the place of a number.
func (a axis) at(v float64) float64 {
	t := (v - a.lo) / (a.hi - a.lo)
	if a.scale == Logarithmic {
		t = (math.Log10(v) - math.Log10(a.lo)) / (math.Log10(a.hi) - math.Log10(a.lo))
	}
	return a.from + t*(a.to-a.from)
}

// shifted returns a linear axis that counts from a round number nearby if its numbers
// would otherwise be long: 0, 1, 2 instead of 100,000.000, 100,000.001, 100,000.002.
func (a axis) shifted() axis {
	size, length := max(math.Abs(a.lo), math.Abs(a.hi)), a.hi-a.lo
	if a.scale == Logarithmic || size < 1e5*length {
		return a
	}
	for digits := 1; digits <= 17; digits++ {
		base, _ := strconv.ParseFloat(strconv.FormatFloat(a.lo, 'e', digits-1, 64), 64)
		if math.Abs(base-a.lo) <= length || digits == 17 {
			a.base, a.minus = base, " minus "+words.Number(base, digits)
			break
		}
	}
	return a
}

// powers returns marks at the powers of ten, or at fewer places where there would be too
// many. Where there are few powers, 2 and 5 times a power have numbers, too. The numbers
// are written as powers if one is too small or too large to be written out.
func (a axis) powers(most int) []tick {
	lo, hi := math.Log10(a.lo), math.Log10(a.hi)
	first, last := math.Floor(lo), math.Ceil(hi)
	every := 1.
	for _, n := range []float64{2, 3, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if last-first > float64(every*float64(most)) {
			every = n
		}
	}
	few := hi-lo < 2 && most >= 6
	write := words.Number
	if a.lo < 0.999e-4 || a.hi >= 1e6 {
		write = words.Power
	}
	var all []tick
	if a.zero > 0 {
		all = append(all, tick{a.zero, "0"})
	}
	if a.floor > 0 {
		all = append(all, tick{a.floor, "≤ " + words.Number(a.floor, 3)})
		a.first = a.floor * math.Pow(a.hi/a.lo, 0.08)
	}
	for e := every * math.Floor(first/every); e <= last; e += every {
		for m := 1.; m < 10 && (m == 1 || every == 1); m++ {
			at := e + math.Log10(m)
			if at < lo-1e-3 || at > hi+1e-3 || a.first > 0 && at < math.Log10(a.first) {
				continue
			}
			v := math.Pow(10, at)
			mark := tick{value: max(a.lo, min(v, a.hi))}
			if m == 1 || few && (m == 2 || m == 5) {
				mark.label = write(v, 1)
			}
			all = append(all, mark)
		}
	}
	return all
}

// ticks returns marks of which no more than most have numbers: on a linear axis at multiples of 1,
// 2 or 5 times a power of ten.
func (a axis) ticks(most int) []tick {
	if a.scale == Logarithmic {
		return a.powers(most)
	}
	lo, hi := a.lo-a.base, a.hi-a.base
	power := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(most))))
	step := power
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * power; (hi-lo)/step < float64(most) {
			break
		}
	}
	step = max(step, a.step)
	digits := 1 + max(0, int(math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi))/step))))
	var all []tick
	for k := range most + 1 {
		v := (math.Ceil(lo/step-1e-9) + float64(k)) * step
		if v > hi+step*1e-9 {
			break
		}
		all = append(all, tick{max(a.lo, min(v+a.base, a.hi)), words.Number(v, min(digits, 17))})
	}
	return all
}

// below draws the axis below a plot: marks and numbers that do not meet, as many as fit,
// and what the numbers are.
func (a axis) below(c *canvas, y float64, most int, label string) {
	a = a.shifted()
	var all []tick
	for n := most; n > 0; n-- {
		if all = a.ticks(n); a.apart(all, c.wide) {
			break
		}
	}
	d, last := "M"+num(a.from)+" "+num(y)+"H"+num(a.to), 0.
	for _, t := range all {
		long := 2.5
		if t.label != "" {
			long = 5
			if b := a.under(t, y, c.wide); b.x0 >= last || last == 0 {
				c.text(place{at: point{b.x0, y + 17}, room: c.wide}, t.label)
				last = b.x1 + between
			}
		}
		d += "M" + num(a.at(t.value)) + " " + num(y) + "v" + num(long)
	}
	c.path("c-axis", d)
	p := place{anchor: middle, class: "c-label", room: c.wide - 8, suffix: a.minus}
	half := widthOf(p.shown(clean(label))) / 2
	p.at = point{max(half+2, min((a.from+a.to)/2, c.wide-2-half)), y + 33}
	c.text(p, label)
}

// between is the space between two numbers of an axis, at least.
const between = 6.

// under returns where the number of a mark is below an axis: centred, and on the paper.
func (a axis) under(t tick, y, wide float64) box {
	width := widthOf(t.label)
	x0 := max(1, min(a.at(t.value)-width/2, wide-1-width))
	return box{x0, x0 + width, y + 17 - rise, y + 17 + fall}
}

// apart says whether the numbers below an axis do not meet.
func (a axis) apart(all []tick, wide float64) bool {
	last := math.Inf(-1)
	for _, t := range all {
		if t.label == "" {
			continue
		}
		b := a.under(t, 0, wide)
		if b.x0 < last+between {
			return false
		}
		last = b.x1
	}
	return true
}

// left returns the marks of an axis beside a plot that is so high, and the room that
// their numbers need.
func (a axis) left(high float64) (all []tick, room float64) {
	all = a.ticks(max(2, int(high/22)))
	for _, t := range all {
		room = max(room, widthOf(t.label))
	}
	return all, room + 8
}

// beside draws an axis to the left of a plot that ends at right, with faint lines across.
func (a axis) beside(c *canvas, all []tick, x, right float64) {
	levels, marks := "", ""
	last := math.Inf(1)
	for _, t := range all {
		y := a.at(t.value)
		if t.label != "" && y+5 < last {
			c.text(place{at: point{x - 6, y + 4}, anchor: end, room: c.wide}, t.label)
			levels += "M" + num(x) + " " + num(y) + "H" + num(right)
			marks += "M" + num(x) + " " + num(y) + "h-4"
			last = y - 9
		}
	}
	c.path("c-grid", levels)
	c.path("c-axis", marks+"M"+num(x)+" "+num(a.from)+"V"+num(a.to))
}

// above writes what the numbers of the axis beside a plot are. It stands above the plot.
func (a axis) above(c *canvas, y float64, label string) {
	c.text(place{at: point{4, y}, class: "c-label", room: c.wide - 8, suffix: a.minus}, label)
}

// plot lays out a plot that is so high and draws its axes: below top is what the numbers
// beside it are, and below the plot are no more than most numbers and what they are.
func (c *canvas) plot(x, y *axis, top, high float64, most int, xlabel, ylabel string) {
	*y = y.shifted()
	marks, room := y.left(high)
	x.from, x.to = 2+room, c.wide-10
	if y.to = top + 16; ylabel != "" || y.minus != "" {
		y.above(c, top+13, ylabel)
		y.to += 8
	}
	y.from = y.to + high
	y.beside(c, marks, x.from, x.to)
	x.below(c, y.from, most, xlabel)
}
