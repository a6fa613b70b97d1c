package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"gonum.org/v1/gonum/mat"
)

// A group is a pair of blocks A, B with the mixed differences that were asked
// for it.
type group struct {
	a, b []int
	in   []int       // the designs
	m    [][]float64 // M_ij in each of them, (i, j) in A×B
}

// pairsOf returns the pairs of components of some groups.
func pairsOf(groups []*group) [][2]int {
	var pairs [][2]int
	for _, q := range groups {
		for _, i := range q.a {
			for _, j := range q.b {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// involved returns the components of some groups, ascending.
func involved(groups []*group) []int {
	is := map[int]bool{}
	for _, q := range groups {
		for _, i := range q.a {
			is[i] = true
		}
		for _, j := range q.b {
			is[j] = true
		}
	}
	var all []int
	for i := range is {
		all = append(all, i)
	}
	slices.Sort(all)
	return all
}

// allGroups returns all pairs of blocks.
func allGroups(blocks [][]int) []*group {
	var all []*group
	for i := range blocks {
		for j := i + 1; j < len(blocks); j++ {
			all = append(all, &group{a: blocks[i], b: blocks[j]})
		}
	}
	return all
}

// shared is how many times smaller the residue of one block of a pair may be than that of
// the other: a mixed difference is in both, but others may nearly cancel it in one.
const shared = 10

// badGroups returns the pairs of blocks that may be to blame for the residues of
// a check above tolerance: a mixed difference is in the residues of both blocks,
// though it need not be large for both.
func badGroups(c *candidate, tolerance float64) []*group {
	k := c.check
	bad := make([]bool, len(c.blocks))
	least := math.Inf(1)
	for b := range c.blocks {
		if k.residue[b] > tolerance*k.unit[b] && k.residue[b] > k.floor {
			bad[b] = true
			least = min(least, max(tolerance*k.unit[b], k.floor))
		}
	}
	var all []*group
	for i := range c.blocks {
		for j := i + 1; j < len(c.blocks); j++ {
			if bad[i] && k.residue[j] > least/shared || bad[j] && k.residue[i] > least/shared {
				all = append(all, &group{a: c.blocks[i], b: c.blocks[j]})
			}
		}
	}
	return all
}

// tooLarge is the |E_ij| from which on what is left of it, of third order, is too much.
const tooLarge = 0.05

// large returns the groups of one pair each whose E is too large to be right at once.
func large(e *mat.Dense, groups []*group) []*group {
	var all []*group
	for _, q := range groups {
		if i, j := q.a[0], q.b[0]; max(math.Abs(e.At(i, j)), math.Abs(e.At(j, i))) > tooLarge {
			all = append(all, &group{a: q.a, b: q.b})
		}
	}
	return all
}

// mistrust takes back the verdict on blocks if one is larger than a few Hessians show, or
// larger than most: noise looks like a coupling, too, and joins blocks.
func (f *Finding) mistrust() {
	if f.Certificate.Verdict != certify.Blocks {
		return
	}
	var sizes []int
	for _, block := range f.Blocks {
		if len(block) > 1 {
			sizes = append(sizes, len(block))
		}
	}
	slices.Sort(sizes)
	if n := len(sizes); sizes[n-1] > min(sizes[(n-1)/2], atMost(f.Frame.Components(), blocksFrom)) {
		f.Certificate.Verdict = certify.Unknown
		f.Notes = append(f.Notes, "noise may have joined blocks that are apart")
	}
}
