package jointdiag

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestBlocksByHand(t *testing.T) {
	c := mat.NewDense(5, 5, nil)
	for _, e := range [][2]int{{0, 3}, {3, 4}} {
		c.Set(e[0], e[1], 0.1)
		c.Set(e[1], e[0], 0.1)
	}
	c.Set(1, 2, 1e-6)
	if got := Blocks(c, 0.01); !cmp.Equal(got, [][]int{{0, 3, 4}, {1}, {2}}) {
		t.Errorf("%v", got)
	}
	if got := Blocks(c, 1e-7); !cmp.Equal(got, [][]int{{0, 3, 4}, {1, 2}}) {
		t.Errorf("%v", got)
	}
	if got := Blocks(c, 1); !cmp.Equal(got, [][]int{{0}, {1}, {2}, {3}, {4}}) {
		t.Errorf("%v", got)
	}
}

// naiveBlocks floods the graph from each component that is still dry.
func naiveBlocks(couplings *mat.Dense, threshold float64) [][]int {
	m, _ := couplings.Dims()
	wet := make([]bool, m)
	var flood func(i int) []int
	flood = func(i int) []int {
		wet[i] = true
		reached := []int{i}
		for j := range m {
			if !wet[j] && (couplings.At(i, j) > threshold || couplings.At(j, i) > threshold) {
				reached = append(reached, flood(j)...)
			}
		}
		return reached
	}
	var blocks [][]int
	for i := range m {
		if !wet[i] {
			blocks = append(blocks, slices.Sorted(slices.Values(flood(i))))
		}
	}
	return blocks
}

// Blocks are what a flood fill finds, also where a coupling stands on one side of the
// diagonal only, whatever stands on the diagonal.
func TestBlocksAgainstAFloodFill(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.IntRange(1, 9).Draw(rt, "m")
		entry := rapid.SampledFrom([]float64{0, 0, 0, 0, 0, 0.1, 0.2, 0.3, 1})
		c := mat.NewDense(m, m, rapid.SliceOfN(entry, m*m, m*m).Draw(rt, "couplings"))
		threshold := rapid.SampledFrom([]float64{0, 0.1, 0.15, 0.3, 1}).Draw(rt, "threshold")
		if got, want := Blocks(c, threshold), naiveBlocks(c, threshold); !cmp.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}
