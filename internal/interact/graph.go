package interact

import (
	"slices"

	"github.com/untwist/untwist/internal/ranks"
)

// A graph has the partners of each variable, in ascending order.
type graph [][]int

func newGraph(d int, pairs [][2]int) graph {
	g := make(graph, d)
	for _, p := range pairs {
		g[p[0]] = append(g[p[0]], p[1])
		g[p[1]] = append(g[p[1]], p[0])
	}
	for i := range g {
		slices.Sort(g[i])
		g[i] = slices.Compact(g[i])
	}
	return g
}

// pairs returns all pairs (i, j) with i < j.
func (g graph) pairs() (pairs [][2]int) {
	for i, partners := range g {
		for _, j := range partners {
			if i < j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// components returns the connected sets of at least two of some variables, in ascending order.
func (g graph) components(of []int) (groups [][]int) {
	seen := make([]bool, len(g))
	for _, i := range of {
		if seen[i] {
			continue
		}
		seen[i] = true
		group := []int{i}
		for k := 0; k < len(group); k++ {
			for _, j := range g[group[k]] {
				if !seen[j] {
					seen[j] = true
					group = append(group, j)
				}
			}
		}
		if len(group) > 1 {
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	return groups
}

// degree returns the mean number of partners of some variables.
func (g graph) degree(of []int) float64 {
	n := 0
	for _, i := range of {
		n += len(g[i])
	}
	return float64(n) / float64(max(1, len(of)))
}

// A forest joins things into sets.
type forest []int

func newForest(n int) forest { return ranks.First(n) }

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(i, j int) {
	if a, b := f.root(i), f.root(j); a != b {
		f[max(a, b)] = min(a, b)
	}
}

// sets returns the sets, in the order of their first members.
func (f forest) sets() (sets [][]int) {
	at := make([]int, len(f))
	for i := range f {
		if r := f.root(i); r == i {
			at[i] = len(sets)
			sets = append(sets, []int{i})
		} else {
			sets[at[r]] = append(sets[at[r]], i)
		}
	}
	return sets
}
