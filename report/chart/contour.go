package chart

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Contours are found on a grid that is cellsAcross cells wide and high. They have this
// many bands of colour.
const cellsAcross, bands = 128, 8

// A relief has the values of a function on a square grid. Around them is a rim that is
// higher than all of them, at the same places as the outermost points. So every contour
// is closed, along the edge of the window if need be.
type relief struct {
	side   int       // points along a side of the grid, with its rim
	values []float64 // row by row, from the lowest row up
	least  float64
	most   float64 // without the rim
}

// rim is higher than any value.
const rim = math.MaxFloat64

// survey asks for the values in the window [lo, hi]², at the corners of a grid with this
// many cells along a side. Values that are not finite become rim.
func survey(lo, hi float64, cells int, value func(*mat.Dense, []float64) error) (relief, error) {
	n := cells + 1
	points, values := mat.NewDense(n*n, 2, nil), make([]float64, n*n)
	at := func(k int) float64 { return lo + float64((hi-lo)*float64(k)/float64(cells)) }
	for i := range values {
		points.SetRow(i, []float64{at(i % n), at(i / n)})
	}
	if err := value(points, values); err != nil {
		return relief{}, err
	}
	r := relief{side: n + 2, values: make([]float64, (n+2)*(n+2)), least: rim, most: -rim}
	for i := range r.values {
		r.values[i] = rim
	}
	for i, v := range values {
		if finite(v) {
			v = bounded(v)
			r.values[(i/n+1)*r.side+i%n+1] = v
			r.least, r.most = min(r.least, v), max(r.most, v)
		}
	}
	return r, nil
}

// level returns the height at which the k-th colour ends. The levels are evenly spaced in
// the square root of the height above the least value, so that wells low down can be told
// apart.
func (r relief) level(k int) float64 {
	t := float64(k+1) / bands
	return r.least + float64((r.most-r.least)*t*t)
}

// below returns the outlines of the places where values are at most level, each with its
// inside on the left: parts of the way from the lower left to the upper right corner.
func (r relief) below(level float64) (all [][]point) {
	next := r.segments(level)
	for first := range next {
		var outline []point
		for edge := first; next[edge] >= 0; {
			outline = append(outline, r.crossing(edge, level))
			edge, next[edge] = next[edge], -1
		}
		if outline != nil {
			all = append(all, outline)
		}
	}
	return all
}

// segments returns, for each edge of the grid, the edge to which the contour goes on
// through the cell between them; -1 if no contour crosses the edge. Edge 2i goes from
// point i to the right, and edge 2i + 1 goes up from there.
func (r relief) segments(level float64) []int {
	next := make([]int, 2*len(r.values))
	for e := range next {
		next[e] = -1
	}
	for i := range len(r.values) - r.side {
		if i%r.side == r.side-1 {
			continue
		}
		// Corners and edges, anticlockwise from the lower left.
		corners := [4]int{i, i + 1, i + 1 + r.side, i + r.side}
		edges := [4]int{2 * i, 2*(i+1) + 1, 2 * (i + r.side), 2*i + 1}
		inside := func(k int) bool { return r.values[corners[k%4]] <= level }
		for k := range 4 {
			if !inside(k) || inside(k+1) {
				continue
			}
			entry := k + 3 // the last edge before this one that leads inside
			for inside(entry) {
				entry--
			}
			next[edges[k]] = edges[entry%4]
		}
	}
	return next
}

// crossing returns where on an edge the value is level, by linear interpolation.
func (r relief) crossing(edge int, level float64) point {
	from := edge / 2
	to := from + 1
	if edge%2 == 1 {
		to = from + r.side
	}
	t := (level - r.values[from]) / (r.values[to] - r.values[from])
	if r.values[from] == rim {
		t = 1
	} else if r.values[to] == rim {
		t = 0
	}
	// The rim, at 0 and side−1, has the same places as its neighbours.
	part := func(k int) float64 { return float64(max(1, min(k, r.side-2))-1) / float64(r.side-3) }
	between := func(a, b float64) float64 { return a + float64(t*(b-a)) }
	return point{between(part(from%r.side), part(to%r.side)), between(part(from/r.side), part(to/r.side))}
}
