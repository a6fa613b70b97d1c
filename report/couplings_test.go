package report

import (
	"slices"
	"testing"
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
		{nil, 25, "component", []string{"1", "4", "7", "10", "13", "16", "19", "22", "25"}},
	} {
		order, axis := inBlocks(c.blocks, c.m)
		ticks := numbered(order)
		if got := labels(ticks); axis != c.axis || !slices.Equal(got, c.want) {
			t.Errorf("%v: %q along %q, want %q along %q", c.blocks, got, axis, c.want, c.axis)
		}
		for k, tick := range ticks {
			if every := (c.m + mostMarks - 1) / mostMarks; tick.Value != float64(1+k*every) {
				t.Errorf("%v: mark %d is at %v", c.blocks, k, tick.Value)
			}
		}
	}
}
