package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/floats"
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
	var suspects []int
	for _, block := range c.blocks {
		if i := block[0]; len(block) == 1 && latest[i] < hardly*median {
			suspects = append(suspects, i)
		}
	}
	linear, drop := -1, map[int]bool{}
	first, second, err := walk(g, c, suspects)
	if err != nil {
		return pruned{}, err
	}
	for k, i := range suspects {
		// Another component, of curvature median, changes f by about this much.
		usual := median * square(c.spread[i])
		switch {
		case !(second[k] <= none*usual):
		case first[k] <= none*usual:
			drop[i] = true
		case second[k] <= bent*first[k]:
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

// walk returns the largest first and second difference of f far along each of some
// components, at some points.
func walk(g *ground, c *candidate, suspects []int) (first, second []float64, err error) {
	points, err := g.points(looks * len(suspects))
	if err != nil {
		return nil, nil, err
	}
	ways := make([][]float64, len(points))
	for k, x := range points {
		i := suspects[k/looks]
		ways[k] = slices.Clone(c.u.RawRowView(i))
		floats.Scale(min(far*c.spread[i], g.room(x, ways[k])), ways[k])
	}
	f, err := threes(g, points, ways)
	if err != nil {
		return nil, nil, err
	}
	first, second = make([]float64, len(suspects)), make([]float64, len(suspects))
	for k, t := range f {
		i := k / looks
		first[i] = max(first[i], math.Abs(t.right-t.middle), math.Abs(t.left-t.middle))
		second[i] = max(second[i], math.Abs(t.second()))
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
