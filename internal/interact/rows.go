package interact

import (
	"slices"
)

// A tree finds the partners of variables by bisection of an order of variables, for all rows together,
// level by level. A node in which variable i stands itself is opened untested.
type tree struct {
	*tester
	order []int
	place []int // of each variable in the order; -1: it is not in it
	upper bool  // whether only partners that come later in the order are wanted
}

func (t *tester) tree(order []int, upper bool) *tree {
	place := make([]int, len(t.x))
	for i := range place {
		place[i] = -1
	}
	for k, i := range order {
		place[i] = k
	}
	return &tree{t, order, place, upper}
}

// An opening is a part of the order with the rows that have partners in it, or may.
type opening struct {
	lo, hi int
	rows   []int
}

// partners returns pairs (i, j) for each i of rows and every j of the order that interacts with it. If
// crowded is not nil it is asked after each level which rows to give up.
func (t *tree) partners(rows []int, crowded func(level []opening) []int) (pairs [][2]int, err error) {
	open := []opening{{0, len(t.order), rows}}
	for len(open) > 0 {
		next, more, err := t.level(open)
		if err != nil {
			return nil, err
		}
		if pairs = append(pairs, more...); crowded != nil {
			next = without(next, crowded(next))
		}
		open = next
	}
	return pairs, nil
}

// level tests the halves of all that is open: a batch for the halves, and one for the tests.
func (t *tree) level(open []opening) (next []opening, pairs [][2]int, err error) {
	var tests []test
	var halves []opening
	for _, o := range open {
		mid := (o.lo + o.hi) / 2
		for _, h := range [][2]int{{o.lo, mid}, {mid, o.hi}} {
			if h[0] == h[1] {
				continue
			}
			half := opening{h[0], h[1], nil}
			n := &node{set: t.order[h[0]:h[1]]}
			if len(n.set) == 1 {
				n.value, n.known = t.single[n.set[0]], true
			}
			for _, i := range o.rows {
				if p := t.place[i]; t.upper && p >= half.hi-1 {
					continue
				} else if p >= half.lo && p < half.hi {
					if len(n.set) > 1 {
						half.rows = append(half.rows, i)
					}
					continue
				}
				tests = append(tests, test{i, n})
				half.rows = append(half.rows, -1-i) // until it is tested
			}
			halves = append(halves, half)
		}
	}
	hits, err := t.against(tests, false)
	if err != nil {
		return nil, nil, err
	}
	k := 0
	for _, h := range halves {
		var kept []int
		for _, i := range h.rows {
			if i < 0 {
				if i, k = -1-i, k+1; !hits[k-1] {
					continue
				}
			}
			if h.hi-h.lo == 1 {
				pairs = append(pairs, [2]int{i, t.order[h.lo]})
				continue
			}
			kept = append(kept, i)
		}
		if len(kept) > 0 {
			next = append(next, opening{h.lo, h.hi, kept})
		}
	}
	return next, pairs, nil
}

// without leaves rows out.
func without(open []opening, rows []int) (out []opening) {
	if len(rows) == 0 {
		return open
	}
	for _, o := range open {
		o.rows = slices.DeleteFunc(slices.Clone(o.rows), func(i int) bool { return slices.Contains(rows, i) })
		if len(o.rows) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// A row is a sampled variable with its partners. It is crowded if it has so many that they were not
// looked for one by one.
type row struct {
	i        int
	partners []int
	crowded  bool
}

// crowd is into how many parts the order has to be cut until a row counts as crowded in which three
// quarters of them are open: it has more than some 44 partners.
const crowd = 32

// rows looks for all partners of some variables.
func (t *tester) rows(order, of []int) ([]row, error) {
	tree, out := t.tree(order, false), make([]row, len(of))
	place := map[int]int{}
	for k, i := range of {
		out[k].i, place[i] = i, k
	}
	halvings := 0
	pairs, err := tree.partners(of, func(level []opening) (full []int) {
		if halvings++; 1<<halvings != crowd {
			return nil
		}
		open := make([]int, len(of))
		for _, o := range level {
			for _, i := range o.rows {
				open[place[i]]++
			}
		}
		for k, n := range open {
			if 4*n > 3*crowd {
				out[k].crowded = true
				full = append(full, of[k])
			}
		}
		return full
	})
	for _, p := range pairs {
		out[place[p[0]]].partners = append(out[place[p[0]]].partners, p[1])
	}
	return out, err
}

// looked is how many rows are looked at to see whether there are blocks: two that agree.
const looked = 2

// small is the number of partners up to which blocks are found by bisection: that costs some 10 queries
// for each, and codes about 20.
const small = 3

// kind says whether what interacts is in blocks of some size: the partners of a variable and itself
// interact with no others, or are too many to be looked for. It returns the rows that it has looked at.
func (t *tester) kind(interacting []int) (Kind, []row, error) {
	sample := t.draw(interacting, min(looked, len(interacting)))
	rows, err := t.rows(interacting, sample)
	if err != nil {
		return Undecided, nil, err
	}
	for _, r := range rows {
		if r.crowded {
			continue
		}
		closed, err := t.closed(interacting, append([]int{r.i}, r.partners...))
		if !closed || len(r.partners) <= small || err != nil {
			return Sparse, rows, err
		}
	}
	return Blocks, rows, nil
}

// closed says whether a set interacts with nothing else: three queries.
func (t *tester) closed(all, set []int) (bool, error) {
	in := make([]bool, len(t.x))
	for _, i := range set {
		in[i] = true
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return in[i] })
	if len(rest) == 0 {
		return true, nil
	}
	hit, err := t.groups([][2][]int{{set, rest}})
	return err == nil && !hit[0], err
}

// groups tests sets against sets that have no variable in common with them: three queries each.
func (t *tester) groups(pairs [][2][]int) ([]bool, error) {
	values, err := t.ask(3*len(pairs), func(k int, x []float64) {
		p := pairs[k/3]
		copy(x, t.x)
		if k%3 != 2 {
			t.move(x, p[0])
		}
		if k%3 != 1 {
			t.move(x, p[1])
		}
	})
	if err != nil {
		return nil, err
	}
	hits := make([]bool, len(pairs))
	for k := range pairs {
		ratio := t.ratio(values[3*k], values[3*k+1], values[3*k+2])
		if hits[k] = ratio > 1; hits[k] {
			t.weakest = min(t.weakest, ratio)
		}
	}
	return hits, nil
}

// sparse finds all pairs by bisection along one tree, and looks whether one is missing.
func (t *tester) sparse(found *Found, interacting []int) error {
	pairs, err := t.tree(interacting, true).partners(interacting, nil)
	if err != nil {
		return err
	}
	g := newGraph(len(t.x), pairs)
	for range attempts {
		missing, err := t.missing(g, interacting)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			break
		}
		pairs = append(pairs, missing...)
		g = newGraph(len(t.x), pairs)
	}
	found.Kind, found.Pairs = Sparse, g.pairs()
	found.Groups = g.components(interacting)
	return nil
}
