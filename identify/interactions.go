package identify

import (
	"fmt"

	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/words"
)

// Interactions say which variables of f interact, counted from 0: how f changes along one depends on where the
// other is.
type Interactions struct {
	// Kind is "dense" (all of a sample interact), "alone" (none do), "blocks" (within groups), "band" (with those
	// near them, in the order given), "sparse" (pairs that were found one by one) or "undecided".
	Kind string
	// Groups are sets of variables that interact, directly or by others of the set.
	Groups [][]int
	// Alone are those that interact with no other, and Unseen those on which f depends too little to tell.
	Alone, Unseen []int
	// Band is how many places apart variables that interact are at most, in the order given, if Kind is "band";
	// otherwise 0. Ring says that the last ones are beside the first.
	Band int
	Ring bool
	// Edges is how many pairs interact, and Pairs which; of blocks, how many may, and nil.
	Edges int
	Pairs [][2]int
	// Effects are by how much f changes when all variables of a group are moved by an eighth to a quarter of
	// their range, and Changes when one of those alone is; nil: nobody has asked.
	Effects, Changes []float64
	// Margin is the least mixed difference that counts, in units of the largest that rounding or noise may
	// make: 2 is little, 1000 is sure. +Inf: there is none.
	Margin float64
	// Queries is what it cost.
	Queries int
}

// String says in a sentence what was found.
func (g Interactions) String() string {
	var text string
	switch interact.Kind(g.Kind) {
	case interact.Undecided:
		return "it is not known which parameters interact"
	case interact.Dense:
		return "dense: all of a sample of parameters interact"
	case interact.Separate:
		text = "no two parameters interact"
	case interact.Band:
		text = fmt.Sprintf("a band: parameters interact with those up to %s away", words.Count(g.Band, "place", "places"))
		if g.Ring {
			text += ", the last with the first"
		}
	case interact.Sparse:
		text = fmt.Sprintf("sparse: %s in %s", words.Count(g.Edges, "pair interacts", "pairs interact"), words.Count(len(g.Groups), "group", "groups"))
	default:
		text = words.Count(len(g.Groups), "block of parameters", "blocks of parameters")
	}
	if n := len(g.Alone); n > 0 && g.Kind != string(interact.Separate) {
		text += fmt.Sprintf(", %s alone", words.Thousands(n))
	}
	if n := len(g.Unseen); n > 0 {
		text += fmt.Sprintf(", %s unseen", words.Thousands(n))
	}
	return text
}
