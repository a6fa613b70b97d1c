package jointdiag

import "gonum.org/v1/gonum/mat"

// Blocks returns the connected components of the graph of all pairs i, j whose coupling
// is above a threshold. The members of each ascend, and so do the first members of all.
func Blocks(couplings *mat.Dense, threshold float64) [][]int {
	m, _ := couplings.Dims()
	root := make([]int, m) // leads from each, step by step, to the first of its block
	for i := range root {
		root[i] = i
	}
	top := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for i := range m {
		for j, c := range couplings.RawRowView(i) {
			if i != j && c > threshold {
				a, b := top(i), top(j)
				root[max(a, b)] = min(a, b)
			}
		}
	}
	at := make([]int, m) // the number of the block of which each is the first
	var blocks [][]int
	for i := range m {
		r := top(i)
		if r == i { // the first of its block
			at[i] = len(blocks)
			blocks = append(blocks, nil)
		}
		blocks[at[r]] = append(blocks[at[r]], i)
	}
	return blocks
}
