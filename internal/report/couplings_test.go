package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
)

// By hand: marks carry the numbers of the components, counted from 1, in the order in
// which they are drawn.
func TestMarksOfCouplings(t *testing.T) {
	for _, c := range []struct {
		blocks [][]int
		m      int
		axis   string
		want   []string
	}{
		{[][]int{{0}, {1}, {2}}, 3, "component", []string{"1", "2", "3"}},
		{[][]int{{0, 3}, {1, 2}}, 4, "component, block by block", []string{"1", "4", "2", "3"}},
		{nil, 2, "component", []string{"1", "2"}},
		{[][]int{{1}}, 2, "component", []string{"1", "2"}}, // not all of them
		{nil, 27, "component", []string{"5", "10", "15", "20", "25"}},
		{nil, 10000, "component", []string{"2,000", "4,000", "6,000", "8,000", "10,000"}},
	} {
		order, axis := inBlocks(c.blocks, c.m)
		ticks := numbered(order, small(9, 0, 0))
		if got := labels(ticks); axis != c.axis || !slices.Equal(got, c.want) {
			t.Errorf("%v: %q along %q, want %q along %q", c.blocks, got, axis, c.want, c.axis)
		}
		for _, tick := range ticks {
			if at := order[int(tick.Value)-1] + 1; words.Thousands(at) != tick.Label {
				t.Errorf("%v: at %v is %d, and the mark says %s", c.blocks, tick.Value, at, tick.Label)
			}
		}
	}
}

// The median is that of all entries sorted.
func TestMedianOfCouplings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{2, 3, 10, 51} {
		c := mat.NewDense(m, m, nil)
		var all []float64
		for i := range m {
			for j := range m {
				c.Set(i, j, math.Pow(10, math.Round(40*random.Float64())/4-8)*float64(random.IntN(3)))
				if i != j {
					all = append(all, c.At(i, j))
				}
			}
		}
		slices.Sort(all)
		if got := median(c); got != all[len(all)/2] {
			t.Errorf("%d rows: %g, want %g", m, got, all[len(all)/2])
		}
	}
}
