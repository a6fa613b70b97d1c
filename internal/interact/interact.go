// Package interact finds which variables of f interact, by group tests. For two sets A and B of
// variables that are moved by a and b, the mixed difference
//
//	D(A, B) = f(x+a+b) − f(x+a) − f(x+b) + f(x)
//
// is 0 up to rounding if no variable of A interacts with one of B: f is a sum of two functions then,
// of which each depends on one of them. One vector of long steps serves all tests, so that f(x), f with
// one variable moved and f with a set moved are asked once, and a test costs one query.
//
// Start with Find. It asks, each step in one or a few batches,
//
//   - all pairs of 16 variables. If all of them interact, f is dense, and nothing else is asked:
//     138 queries;
//   - every variable against all others, 2d queries: it is alone, or unseen, or it interacts;
//   - all partners of a few variables, by bisection: they say whether there are blocks, a band or
//     something else that is sparse;
//   - then blocks by codes (blocks.go), bands by a guess that is tested (band.go), or the partners of all
//     variables by bisection along one tree (rows.go).
//
// It fails where differences are below the rounding of f: variables on which f hardly depends beside
// others are Unseen. Under an outer map everything interacts.
package interact

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Stage is that of a run which looks for interactions.
var Stage = objective.Stage{Name: "interactions", Purpose: objective.ToFind}

// A Kind says what was found.
type Kind string

// The kinds.
const (
	Undecided Kind = "undecided" // f fails too often, or it took too many queries
	Dense     Kind = "dense"     // all of a sample interact
	Separate  Kind = "alone"     // no two variables interact
	Blocks    Kind = "blocks"    // groups within which any two may interact
	Band      Kind = "band"      // variables interact with those near them, in the order given
	Sparse    Kind = "sparse"    // pairs that were found one by one
)

// A Search says where interactions are looked for.
type Search struct {
	Box    objective.Box    // where f is asked
	Grain  objective.Grain  // how exact values are
	Random objective.Random // where steps and samples come from
	Live   []int            // the variables that are moved, in ascending order; nil: all
	Point  []float64        // from where; nil: a random point of the middle of the box
	Most   int              // queries, about; 0: as many as it takes
}

// A Found says which variables interact.
type Found struct {
	Kind   Kind
	Groups [][]int // sets of at least two variables that interact, directly or by others, each in ascending order
	Alone  []int   // variables that interact with no other
	Unseen []int   // variables that f hardly depends on, so that nobody knows
	// Pairs are those that interact, in ascending order: those of a band by what a sample says. nil if
	// Kind is Blocks: any two variables of a group may, and there most do.
	Pairs [][2]int
	// Effects are by how much f changes when all variables of a group are moved, for each group, and Changes
	// when one of those alone is. Of more than a hundred groups nobody asks.
	Effects, Changes []float64
	// Reach of a band is how far apart variables may be, and Ring says that the last ones are beside the
	// first.
	Reach int
	Ring  bool
	// Margin is the least mixed difference that counts, in units of the largest that rounding or
	// noise may make. +Inf: there is none.
	Margin float64
	// Sight has the least mixed difference of each variable with others that counts, in the same units; 0:
	// there is none.
	Sight []float64
	// Queries is what it cost.
	Queries int
}

// Edges returns how many pairs of variables interact, or may.
func (f *Found) Edges() int {
	if f.Kind != Blocks {
		return len(f.Pairs)
	}
	n := 0
	for _, g := range f.Groups {
		n += len(g) * (len(g) - 1) / 2
	}
	return n
}

// Within returns where f is asked in coordinates that are scaled by the start box, [−1, 1]: as far as bounds
// let it.
func Within(bounds objective.Box) objective.Box {
	box := objective.Cube(len(bounds.Lo), -1, 1)
	for i := range box.Lo {
		if lo, hi := max(-1, bounds.Lo[i]), min(1, bounds.Hi[i]); lo < hi {
			box.Lo[i], box.Hi[i] = lo, hi
		}
	}
	return box
}

// errEnough ends a search that has taken too many queries.
var errEnough = errors.New("interact: too many queries")

// Find looks for the variables of f that interact. An error is one of f, or says that its budget is
// spent: then what it returns is Undecided.
func Find(ctx context.Context, f objective.Objective, s Search) (*Found, error) {
	t := newTester(ctx, f, s)
	found, err := t.find()
	if err != nil || found == nil {
		found = &Found{Kind: Undecided}
		if errors.Is(err, errEnough) {
			err = nil
		}
	}
	if err == nil && found.Kind != Dense && found.Kind != Undecided {
		err = t.effects(found)
	}
	found.Margin, found.Sight, found.Queries = t.weakest, t.sight, t.queries
	return found, err
}

// find goes on for as long as it is not clear what f is. nil: it is not clear.
func (t *tester) find() (*Found, error) {
	if ok, err := t.begin(); !ok || err != nil {
		return nil, err
	}
	if dense, err := t.density(); dense || err != nil {
		return &Found{Kind: Dense, Groups: [][]int{slices.Clone(t.live)}}, err
	}
	interacting, found, err := t.alone()
	if err != nil || len(interacting) == 0 {
		found.Kind = Separate
		return found, err
	}
	kind, rows, err := t.kind(interacting)
	if err != nil {
		return nil, err
	}
	if kind != Blocks {
		if ok, err := t.band(found, interacting, rows); ok || err != nil {
			return found, err
		}
		err := t.sparse(found, interacting)
		found.rest(interacting)
		return found, err
	}
	found.Kind = Blocks
	found.Groups, err = t.blocks(interacting)
	found.rest(interacting)
	return found, err
}

// mostEffects is of how many groups it is asked what they do: a hundred queries are little beside what
// it took to find them.
const mostEffects = 100

// effects asks what groups do. It is not asked where there is no room for it.
func (t *tester) effects(found *Found) error {
	for _, i := range found.Alone {
		found.Changes = append(found.Changes, math.Abs(t.single[i]-t.base))
	}
	n := len(found.Groups)
	if n > mostEffects || t.most > 0 && t.queries+n > t.most {
		return nil
	}
	values, err := t.ask(n, func(k int, x []float64) {
		copy(x, t.x)
		t.move(x, found.Groups[k])
	})
	for _, v := range values {
		found.Effects = append(found.Effects, math.Abs(v-t.base))
	}
	return err
}

// rest counts variables as unseen that interact with others, and with which nobody knows.
func (f *Found) rest(interacting []int) {
	grouped := map[int]bool{}
	f.Groups = slices.DeleteFunc(f.Groups, func(g []int) bool { return len(g) < 2 })
	for _, i := range slices.Concat(f.Groups...) {
		grouped[i] = true
	}
	for _, i := range interacting {
		if !grouped[i] {
			f.Unseen = append(f.Unseen, i)
		}
	}
	slices.Sort(f.Unseen)
}

// sampled is how many variables are sampled for the density, and what 138 queries allow.
const sampled = 16

// density says whether all pairs of a sample interact. They are s(s+1)/2 queries. Where there are few
// variables, fewer are sampled: two say nothing.
func (t *tester) density() (bool, error) {
	sample := t.draw(t.live, min(sampled, len(t.live)))
	hits, err := t.pairs(sample)
	if err != nil || len(sample) < sampled/2 {
		return false, err
	}
	return len(hits) == len(sample)*(len(sample)-1)/2, nil
}

// pairs asks all pairs of a sample, and returns those that interact, as places in the sample.
func (t *tester) pairs(sample []int) (hits [][2]int, err error) {
	if err := t.singles(sample); err != nil {
		return nil, err
	}
	var tests []test
	var places [][2]int
	for a, i := range sample {
		alone := &node{set: []int{i}, value: t.single[i], known: true}
		for b := a + 1; b < len(sample); b++ {
			tests = append(tests, test{sample[b], alone})
			places = append(places, [2]int{a, b})
		}
	}
	hit, err := t.against(tests, false)
	for k, yes := range hit {
		if yes {
			hits = append(hits, places[k])
		}
	}
	return hits, err
}

// A variable is unseen if moving it changes f by less than so many thresholds: an interaction that is
// one part in a thousand of that would be missed, or under noise one in ten, which is all that one sees.
const (
	seen      = 1000
	seenNoise = 10
)

// alone asks every variable against all others: 2d queries. It returns those that interact, and the rest.
func (t *tester) alone() (interacting []int, found *Found, err error) {
	found = &Found{}
	if err := t.singles(t.live); err != nil {
		return nil, found, err
	}
	all := &node{set: t.live}
	tests := make([]test, len(t.live))
	for k, i := range t.live {
		tests[k] = test{i, all}
	}
	hit, err := t.against(tests, true)
	if err != nil {
		return nil, found, err
	}
	least := float64(seen)
	if t.noisy() {
		least = seenNoise
	}
	for k, i := range t.live {
		switch {
		case hit[k]:
			interacting = append(interacting, i)
		case math.Abs(t.single[i]-t.base) > least*t.threshold(t.single[i], t.base):
			found.Alone = append(found.Alone, i)
		default:
			found.Unseen = append(found.Unseen, i)
		}
	}
	return interacting, found, nil
}

// draw draws n of the variables, in random order.
func (t *tester) draw(from []int, n int) []int {
	out := slices.Clone(from)
	for k := range n {
		j := k + t.random.IntN(len(out)-k)
		out[k], out[j] = out[j], out[k]
	}
	return out[:n:n]
}
