package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// prune returns the frame and the blocks of a chart without components on which
// f does not depend, and takes notice of one in which it is linear. Only those
// that hardly curve beside the others are suspected, and none of a quadratic,
// where there is nothing to learn from it.
func (r *road) prune(c *chart) (*frame.Frame, [][]int, error) {
	r.finding.Scale = c.h
	if r.finding.Quadratic {
		return c.frame, c.blocks, nil
	}
	latest := c.latest()
	sorted := slices.Sorted(slices.Values(latest))
	median := sorted[len(sorted)/2]
	linear, drop := -1, map[int]bool{}
	for _, block := range c.blocks {
		i := block[0]
		if len(block) > 1 || latest[i] >= 1e-2*median {
			continue
		}
		first, second, err := r.walk(c, i)
		if err != nil {
			return nil, nil, err
		}
		// Another component, of curvature median, changes f by about this much.
		usual := median * square(c.spread[i])
		switch {
		case !(second <= 1e-5*usual):
		case first <= 1e-5*usual:
			drop[i] = true
		case second <= bent*first:
			linear = i
		}
	}
	f, blocks, place, err := without(c, drop)
	if linear >= 0 {
		r.finding.Linear = place[linear]
	}
	r.finding.Scale = make([]float64, len(place))
	for i, to := range place {
		r.finding.Scale[to] = c.h[i]
	}
	return f, blocks, err
}

// far is how many spreads a component is followed before f is said not to depend
// on it: that tells a weak one, whose effect grows with the square of the way,
// from a small error of its direction.
const far = 30

// walk returns the largest first and second difference of f far along a
// component, at some points.
func (r *road) walk(c *chart, i int) (first, second float64, err error) {
	for range looks {
		x, err := r.point()
		if err != nil {
			return 0, 0, err
		}
		u := c.u.RawRowView(i)
		t := min(far*c.spread[i], r.room(x, u))
		v, err := r.ask(3, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, t*float64(k-1), u)
		})
		if err != nil {
			return 0, 0, err
		}
		first = max(first, math.Abs(v[2]-v[1]), math.Abs(v[0]-v[1]))
		second = max(second, math.Abs((v[2]-v[1])+(v[0]-v[1])))
	}
	return first, second, nil
}

// without returns the frame and the blocks of a chart without some components,
// and where the others have gone.
func without(c *chart, drop map[int]bool) (f *frame.Frame, blocks [][]int, place map[int]int, err error) {
	var rows []float64
	place = map[int]int{}
	for i := range c.spread {
		if !drop[i] {
			place[i] = len(place)
			rows = append(rows, c.frame.Matrix().RawRowView(i)...)
		}
	}
	if len(drop) == 0 || len(place) == 0 {
		return c.frame, c.blocks, place, nil
	}
	for _, block := range c.blocks {
		if drop[block[0]] {
			continue
		}
		var to []int
		for _, i := range block {
			to = append(to, place[i])
		}
		blocks = append(blocks, to)
	}
	f, err = frame.New(mat.NewDense(len(place), c.frame.Dim(), rows))
	return f, blocks, place, err
}
