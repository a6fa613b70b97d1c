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
// that hardly curve beside the others are suspected.
func (r *road) prune(c *chart) (*frame.Frame, [][]int, error) {
	latest := c.latest()
	sorted := slices.Sorted(slices.Values(latest))
	median := sorted[len(sorted)/2]
	drop := map[int]bool{}
	for _, block := range c.blocks {
		if i := block[0]; len(block) == 1 && latest[i] < 1e-2*median {
			first, second, err := r.move(c, i)
			if err != nil {
				return nil, nil, err
			}
			// Others, of curvature median, change f by about median·spread².
			if usual := median * square(c.spread[i]); second <= 1e-5*usual {
				if first <= 1e-5*usual {
					drop[i] = true
				} else {
					r.finding.Linear = i
				}
			}
		}
	}
	if len(drop) == 0 || len(drop) == len(c.spread) {
		return c.frame, c.blocks, nil
	}
	return without(c, drop)
}

// move returns the largest first and second difference of f along a component,
// over its spread, at some points.
func (r *road) move(c *chart, i int) (first, second float64, err error) {
	for range looks {
		x, err := r.point()
		if err != nil {
			return 0, 0, err
		}
		u := c.u.RawRowView(i)
		t := min(c.spread[i], r.room(x, u))
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

// without returns the frame and the blocks of a chart without some components.
func without(c *chart, drop map[int]bool) (*frame.Frame, [][]int, error) {
	var rows []float64
	var blocks [][]int
	n := 0
	place := map[int]int{}
	for i := range c.spread {
		if !drop[i] {
			rows = append(rows, c.frame.Matrix().RawRowView(i)...)
			place[i] = n
			n++
		}
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
	f, err := frame.New(mat.NewDense(n, c.frame.Dim(), rows))
	return f, blocks, err
}
