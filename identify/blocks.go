package identify

import "gonum.org/v1/gonum/mat"

// blocksAbove returns the connected components of the graph of all pairs whose
// coupling is above a threshold.
func blocksAbove(couplings *mat.Dense, threshold float64) [][]int {
	m, _ := couplings.Dims()
	g := newGraph(m)
	for i := range m {
		for j, c := range couplings.RawRowView(i) {
			if i != j && c > threshold {
				g.join(i, j)
			}
		}
	}
	return g.blocks()
}

// A graph is a set of components, some of them joined.
type graph struct {
	parent []int
	parts  int
}

func newGraph(m int) *graph {
	g := &graph{make([]int, m), m}
	for i := range m {
		g.parent[i] = i
	}
	return g
}

func (g *graph) root(i int) int {
	for g.parent[i] != i {
		i = g.parent[i]
	}
	return i
}

func (g *graph) join(i, j int) {
	a, b := g.root(i), g.root(j)
	if a == b {
		return
	}
	g.parent[max(a, b)] = min(a, b)
	g.parts--
}

// blocks returns the connected components, ascending.
func (g *graph) blocks() [][]int {
	at := make(map[int]int)
	var blocks [][]int
	for i := range g.parent {
		r := g.root(i)
		if _, known := at[r]; !known {
			at[r] = len(blocks)
			blocks = append(blocks, nil)
		}
		blocks[at[r]] = append(blocks[at[r]], i)
	}
	return blocks
}

// largest returns the size of the largest block.
func largest(blocks [][]int) int {
	most := 0
	for _, b := range blocks {
		most = max(most, len(b))
	}
	return most
}

// regroup proposes the finest blocks of at most so many components that are far
// apart by the check, or else apart, nil if there are none. They are the
// connected components of the pairs whose coupling is above a threshold.
func (r *road) regroup(p *proposal, most int) (*proposal, error) {
	couplings := p.joint.Couplings()
	before := len(p.chart.blocks)
	var finest *proposal
	for _, threshold := range []float64{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4} {
		blocks := blocksAbove(couplings, threshold)
		if len(blocks) == before {
			continue
		}
		if before = len(blocks); before == 1 || largest(blocks) > most {
			break
		}
		next, err := r.offer(p.chart.withBlocks(blocks), p.joint, 2)
		if err != nil || next.check.worst() <= apart/20 {
			return next, err
		}
		if finest == nil && next.check.worst() <= apart {
			finest = next
		}
	}
	return finest, nil
}
