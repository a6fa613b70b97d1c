package chart

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/ranks"
)

// mostPoints is how many points of a curve are drawn at most.
const mostPoints = 240

// pairs returns the points both of whose coordinates are finite, in the order of x.
func pairs(x, y []float64) []point {
	var all []point
	for i := range min(len(x), len(y)) {
		if finite(x[i]) && finite(y[i]) {
			all = append(all, point{bounded(x[i]), bounded(y[i])})
		}
	}
	slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return all
}

// widened makes a range wider that is empty, or too narrow to be told apart.
func widened(lo, hi float64) (float64, float64) {
	size := max(math.Abs(lo), math.Abs(hi))
	if hi-lo > 1e-12*size && hi-lo > 1e-290 {
		return lo, hi
	}
	half := max(size/2, 1e-280)
	if size == 0 {
		half = 0.5
	}
	return lo - half, hi + half
}

// top returns where the axis of the values ends: at the largest value, but no further above
// the least value than 4 times the height below which the curve stays for three quarters of
// its way along x, and no further than 100 times the height for one quarter. So a parabola
// is seen as a whole, and one steep end does not make the wells look flat.
func top(points []point) float64 {
	n := len(points)
	way := points[n-1].x - points[0].x
	byValue := ranks.Order(n, func(a, b int) int { return cmp.Compare(points[a].y, points[b].y) })
	least, ends, below := points[byValue[0]].y, points[byValue[n-1]].y, 0.
	for _, i := range byValue {
		below += (points[min(i+1, n-1)].x - points[max(i-1, 0)].x) / 2
		y := points[i].y - least
		if y > 0 && below >= way/4 {
			ends = min(ends, least+100*y)
		}
		if y > 0 && below >= 3*way/4 {
			ends = min(ends, least+4*y)
		}
	}
	return ends
}

// thinned returns fewer points where there are too many: the first, the last, and from each
// of many equal parts of the range the lowest and the highest. So nothing is lost that could
// be seen.
func thinned(points []point) []point {
	n := len(points)
	if n <= mostPoints {
		return points
	}
	const parts = mostPoints/2 - 1
	part := func(k int) float64 {
		return math.Floor((points[k].x - points[0].x) / (points[n-1].x - points[0].x) * parts)
	}
	kept := []point{points[0]}
	for k := 1; k < n-1; {
		lowest, highest, here := k, k, part(k)
		for ; k < n-1 && !(part(k) > here); k++ { // NaN, where all are at one x, is one part
			if points[k].y < points[lowest].y {
				lowest = k
			}
			if points[k].y > points[highest].y {
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

// polyline returns the path through points, as far as it is not above the plot.
func polyline(points []point, x, y axis) string {
	var d []byte
	pen := false // whether the path is at the point before
	for i, p := range points {
		if i > 0 && (points[i-1].y > y.hi) != (p.y > y.hi) {
			q := points[i-1]
			over := point{q.x + (p.x-q.x)*((y.hi-q.y)/(p.y-q.y)), y.hi}
			d = step(d, pen, point{x.at(over.x), y.at(over.y)})
			pen = true
		}
		if p.y > y.hi {
			pen = false
			continue
		}
		d = step(d, pen, point{x.at(p.x), y.at(p.y)})
		pen = true
	}
	return string(d)
}

// step leads a path to a point, or begins a new part there.
func step(d []byte, pen bool, to point) []byte {
	command := byte('M')
	if pen {
		command = 'L'
	}
	return appendNum(append(appendNum(append(d, command), to.x), ' '), to.y)
}

func joined(all []point) string {
	d := make([]byte, 0, 8*len(all)+16)
	for k, p := range all {
		switch {
		case k > 0 && p.y == all[k-1].y:
			if p.x != all[k-1].x {
				d = appendNum(append(d, 'H'), p.x)
			}
		case k > 0 && p.x == all[k-1].x:
			d = appendNum(append(d, 'V'), p.y)
		default:
			d = step(d, k > 0, p)
		}
	}
	return string(d)
}
