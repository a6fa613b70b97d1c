package interact

import (
	"math"
	"math/bits"
	"slices"
)

// blocks returns the sets of variables that interact within each other alone. Leaders are the sets that all
// pairs of a sample make. Every other variable is asked against all leaders together, and if it interacts,
// against unions of them that spell its code. What is left over has leaders of its own. Last every set is
// asked against the rest. It takes 10 to 18 queries a variable.
func (t *tester) blocks(interacting []int) ([][]int, error) {
	left, groups := t.draw(interacting, len(interacting)), [][]int(nil)
	for len(left) > 0 {
		n := min(len(left), leaders(len(left)))
		leading, err := t.sampleGroups(left[:n])
		if err != nil {
			return nil, err
		}
		if left, err = t.follow(leading, left[n:]); err != nil {
			return nil, err
		}
		groups = append(groups, leading...)
	}
	return t.joined(groups)
}

// leaders is how many of n variables are sampled: all pairs of them are as many queries as two for each
// variable, which is what a code would cost beyond.
func leaders(n int) int { return max(sampled, int(2*math.Sqrt(float64(n)))) }

// sampleGroups returns the sets that the pairs of a sample make.
func (t *tester) sampleGroups(sample []int) (groups [][]int, err error) {
	hits, err := t.pairs(sample)
	if err != nil {
		return nil, err
	}
	sets := newForest(len(sample))
	for _, p := range hits {
		sets.join(p[0], p[1])
	}
	for _, set := range sets.sets() {
		var group []int
		for _, k := range set {
			group = append(group, sample[k])
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// follow adds variables to the groups with which they interact, and returns those that interact with none.
func (t *tester) follow(groups [][]int, rest []int) (left []int, err error) {
	leading := make([][]int, len(groups))
	for k := range groups {
		leading[k] = slices.Clone(groups[k])
	}
	hits, err := t.one(rest, slices.Concat(leading...))
	if err != nil {
		return nil, err
	}
	var matched []int
	for k, i := range rest {
		if hits[k] {
			matched = append(matched, i)
		} else {
			left = append(left, i)
		}
	}
	codes, err := t.codes(leading, matched)
	if err != nil {
		return nil, err
	}
	for k, i := range matched {
		to := codes[k]
		if to < 0 {
			if to, err = t.decide(leading, i); err != nil {
				return nil, err
			}
		}
		groups[to] = append(groups[to], i)
	}
	return left, nil
}

// one tests variables against one set.
func (t *tester) one(variables, set []int) ([]bool, error) {
	if len(variables) == 0 {
		return nil, nil
	}
	n := &node{set: set}
	tests := make([]test, len(variables))
	for k, i := range variables {
		tests[k] = test{i, n}
	}
	return t.against(tests, false)
}

// words returns n different words of the same weight, half of their length, and that length. A bit that
// is missed, since an interaction is below the threshold, is noticed.
func words(n int) (all []uint, length, weight int) {
	for length = 1; ; length++ {
		weight = length / 2
		all = all[:0]
		for w := uint(0); w < 1<<length && len(all) < n; w++ {
			if bits.OnesCount(w) == weight {
				all = append(all, w)
			}
		}
		if len(all) == n {
			return all, length, weight
		}
	}
}

// codes returns with which group each variable interacts; -1: what it has spelt is no word. Bits that
// follow from the weight of words are not asked.
func (t *tester) codes(groups [][]int, variables []int) ([]int, error) {
	out := make([]int, len(variables))
	if len(groups) == 1 {
		return out, nil
	}
	all, length, weight := words(len(groups))
	spelt, zeros := make([]uint, len(variables)), make([]int, len(variables))
	for bit := range length {
		var union, asked, places []int
		for k, w := range all {
			if w>>bit&1 == 1 {
				union = append(union, groups[k]...)
			}
		}
		for k, i := range variables {
			switch ones := bits.OnesCount(spelt[k]); {
			case ones == weight:
			case zeros[k] == length-weight:
				spelt[k] |= 1 << bit
			default:
				asked, places = append(asked, i), append(places, k)
			}
		}
		if len(union) == 0 {
			continue
		}
		hits, err := t.one(asked, union)
		if err != nil {
			return nil, err
		}
		for n, k := range places {
			if hits[n] {
				spelt[k] |= 1 << bit
			} else {
				zeros[k]++
			}
		}
	}
	for k, w := range spelt {
		out[k] = slices.Index(all, w)
	}
	return out, nil
}

// decide returns the group with which a variable interacts most.
func (t *tester) decide(groups [][]int, i int) (int, error) {
	best, most := 0, 0.0
	for k, g := range groups {
		values, err := t.ask(2, func(part int, x []float64) {
			copy(x, t.x)
			t.move(x, g)
			if part == 0 {
				x[i] = t.to[i]
			}
		})
		if err != nil {
			return 0, err
		}
		if ratio := t.ratio(values[0], values[1], t.single[i]); ratio > most {
			best, most = k, ratio
		}
	}
	return best, nil
}

// joined asks every group against all others, and joins those that interact. Two queries a group, and one
// for each pair of those that do.
func (t *tester) joined(groups [][]int) ([][]int, error) {
	var tests [][2][]int
	for k := range groups {
		rest := slices.Concat(slices.Concat(groups[:k]...), slices.Concat(groups[k+1:]...))
		if len(rest) > 0 {
			tests = append(tests, [2][]int{groups[k], rest})
		}
	}
	hits, err := t.groups(tests)
	if err != nil {
		return nil, err
	}
	var open []int
	for k, hit := range hits {
		if hit {
			open = append(open, k)
		}
	}
	var pairs [][2][]int
	var places [][2]int
	for a, k := range open {
		for _, l := range open[:a] {
			pairs, places = append(pairs, [2][]int{groups[k], groups[l]}), append(places, [2]int{k, l})
		}
	}
	if hits, err = t.groups(pairs); err != nil {
		return nil, err
	}
	sets := newForest(len(groups))
	for k, hit := range hits {
		if hit {
			sets.join(places[k][0], places[k][1])
		}
	}
	var out [][]int
	for _, set := range sets.sets() {
		var group []int
		for _, k := range set {
			group = append(group, groups[k]...)
		}
		slices.Sort(group)
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out, nil
}
