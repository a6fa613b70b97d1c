package chart

import (
	"math"

	"github.com/untwist/untwist/objective"
)

// running returns, for each sample with a finite value, the least value up to there.
func running(curve []objective.Sample) []point {
	best := make([]point, 0, len(curve))
	for _, s := range curve {
		if !finite(s.Value) || s.Queries < 1 {
			continue
		}
		v := bounded(s.Value)
		if n := len(best); n > 0 {
			v = min(v, best[n-1].y)
		}
		best = append(best, point{float64(s.Queries), v})
	}
	return best
}

// decades is the ratio of the first and the last value from which on the axis of the
// values is logarithmic.
const decades = 10

// heights returns the axis for the best values so far. It is logarithmic if none is below
// 0 and they span decades; 0 then stands at a tenth of the least value above it. Otherwise
// it is linear. It ends at the first value, or, if the end of the curve could not be seen
// then, at the best value after the first quarter of the samples.
func heights(best []point) axis {
	first, last := best[0].y, best[len(best)-1].y
	least := first // above 0
	for _, b := range best {
		if b.y > 0 {
			least = b.y
		}
	}
	if last >= 0 && first > 0 && (last == 0 || first >= decades*last) {
		a := axis{scale: Logarithmic, lo: last / 2, hi: first * 2}
		if last == 0 {
			a.zero = max(least/10, 1e-300)
			a.lo = a.zero / 2
		}
		a.lo = max(a.lo, 1e-300)
		a.hi = max(a.hi, 10*a.lo)
		return a
	}
	lo, hi := last, first
	if quarter := best[len(best)/4].y; quarter > last && first-last > 10*(quarter-last) {
		hi = quarter
	}
	room := (hi - lo) / 20
	if !(room > 1e-12*max(math.Abs(lo), math.Abs(hi))) {
		if room = max(math.Abs(lo)/10, 1e-290); lo == 0 {
			room = 1
		}
	}
	return axis{lo: lo - room, hi: hi + room}
}

// up returns the place of a value, which is on the paper whatever it is.
func (a axis) up(v float64) float64 {
	if v <= 0 && a.zero > 0 {
		v = a.zero
	}
	return a.at(max(a.lo, min(v, a.hi)))
}

// stairs returns the path of steps from each sample to the next. Of the samples that share
// a column, which is half a unit wide, the last is drawn. What is above the axis is left
// out.
func stairs(best []point, x, y axis) string {
	d, drawn := []byte(nil), point{math.Inf(-1), math.Inf(-1)}
	for i, b := range best {
		to := point{math.Round(2*x.at(b.x)) / 2, math.Round(10*y.up(b.y)) / 10}
		if b.y > y.hi || i+1 < len(best) && math.Round(2*x.at(best[i+1].x))/2 == to.x {
			continue
		}
		switch {
		case len(d) == 0 && i > 0 && best[0].y > y.hi:
			d = append(d, "M"+num(to.x)+" "+num(y.to)+"V"+num(to.y)...)
		case len(d) == 0 && i > 0:
			d = append(d, "M"+pair(point{x.at(best[0].x), y.up(best[0].y)})+"H"+num(to.x)+"V"+num(to.y)...)
		case len(d) == 0:
			d = append(d, "M"+pair(to)...)
		case to.y != drawn.y:
			d = append(d, "H"+num(to.x)+"V"+num(to.y)...)
		case i+1 == len(best):
			d = append(d, "H"+num(to.x)...)
		}
		drawn = to
	}
	return string(d)
}
