package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// pruned is the frame of a candidate without components on which f does not depend.
type pruned struct {
	frame  *frame.Frame
	blocks [][]int
	scale  []float64 // h of its components
	linear int       // the component in which f is linear; -1: none
}

const (
	// hardly is the part of the median curvature below which a component is suspected:
	// it costs a dozen queries to acquit it.
	hardly = 1e-2
	// none is the part of what another component changes f by below which one does not
	// change it. Suspects that f does depend on changed it by 0.01 and more on the suite.
	none = 1e-5
)

// prune drops the components on which f does not depend, and takes notice of one in
// which it is linear. Only those that hardly curve beside the others are suspected, and
// none of a quadratic, where there is nothing to learn from it.
func prune(g *ground, c *candidate, quadratic bool) (pruned, error) {
	if quadratic {
		return pruned{c.frame, c.blocks, c.h, -1}, nil
	}
	latest := c.latest()
	sorted := slices.Sorted(slices.Values(latest))
	median := sorted[len(sorted)/2]
	linear, drop := -1, map[int]bool{}
	for _, block := range c.blocks {
		i := block[0]
		if len(block) > 1 || latest[i] >= hardly*median {
			continue
		}
		first, second, err := walk(g, c, i)
		if err != nil {
			return pruned{}, err
		}
		// Another component, of curvature median, changes f by about this much.
		usual := median * square(c.spread[i])
		switch {
		case !(second <= none*usual):
		case first <= none*usual:
			drop[i] = true
		case second <= bent*first:
			linear = i
		}
	}
	f, blocks, place, err := without(c, drop)
	p := pruned{f, blocks, make([]float64, len(place)), -1}
	if linear >= 0 {
		p.linear = place[linear]
	}
	for i, to := range place {
		p.scale[to] = c.h[i]
	}
	return p, err
}

// far is how many spreads a component is followed before f is said not to depend
// on it: that tells a weak one, whose effect grows with the square of the way,
// from a small error of its direction.
const far = 30

// walk returns the largest first and second difference of f far along a
// component, at some points.
func walk(g *ground, c *candidate, i int) (first, second float64, err error) {
	for range looks {
		x, err := g.point()
		if err != nil {
			return 0, 0, err
		}
		u := c.u.RawRowView(i)
		t := min(far*c.spread[i], g.room(x, u))
		v, err := g.ask(3, func(k int, row []float64) {
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

// without returns the frame and the blocks of a candidate without some components,
// and where the others have gone.
func without(c *candidate, drop map[int]bool) (f *frame.Frame, blocks [][]int, place map[int]int, err error) {
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
