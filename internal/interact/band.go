package interact

import "slices"

// A band is guessed from so many rows. All of its distances have to be in three quarters of them, on
// either side: in a random graph none are, and in small blocks of neighbours most are on one side.
const bandRows = 8

// verified is how many random pairs of sets are asked for pairs that are missing: one that is missing among
// four partners each is found with probability 1 − 2·10⁻⁴.
const verified = 60

// band says whether variables interact with those at a few distances from them, in the order given. It
// is a guess from some rows, which is verified by pairs of sets without a known pair between them.
func (t *tester) band(found *Found, interacting []int, rows []row) (bool, error) {
	n := len(interacting)
	if n < 2*bandRows {
		return false, nil
	}
	more, err := t.rows(interacting, t.draw(interacting, bandRows-looked))
	if err != nil {
		return false, err
	}
	distances, ok := t.distances(interacting, append(more, rows...))
	if !ok {
		return false, nil
	}
	reach := distances[len(distances)-1]
	ring, err := t.groups([][2][]int{{interacting[:reach], interacting[n-reach:]}})
	if err != nil {
		return false, err
	}
	var pairs [][2]int
	for k := range n {
		for _, by := range distances {
			if j := k + by; j < n {
				pairs = append(pairs, [2]int{interacting[k], interacting[j]})
			} else if ring[0] {
				pairs = append(pairs, [2]int{interacting[k], interacting[j-n]})
			}
		}
	}
	g := newGraph(len(t.x), pairs)
	if real, err := t.real(pairs); !real || err != nil {
		return false, err
	}
	missing, err := t.missing(g, interacting)
	if err != nil || len(missing) > 0 {
		return false, err
	}
	found.Kind, found.Reach, found.Ring = Band, reach, ring[0]
	found.Pairs, found.Groups = g.pairs(), g.components(interacting)
	return true, nil
}

// real says whether pairs do interact: it asks verified of them.
func (t *tester) real(pairs [][2]int) (bool, error) {
	var tests []test
	for range min(verified, len(pairs)) {
		p := pairs[t.random.IntN(len(pairs))]
		tests = append(tests, test{p[0], &node{set: p[1:], value: t.single[p[1]], known: true}})
	}
	hits, err := t.against(tests, false)
	return !slices.Contains(hits, false), err
}

// distances returns by how many places partners are apart, in ascending order, where the last place is
// beside the first. It is false if a distance is in fewer than three quarters of the rows on either side, or if
// they are not much shorter than the order.
func (t *tester) distances(order []int, rows []row) ([]int, bool) {
	tree, n := t.tree(order, false), len(order)
	in := map[int]int{}
	for _, r := range rows {
		if r.crowded {
			return nil, false
		}
		for _, j := range r.partners {
			in[(tree.place[j]-tree.place[r.i]+n)%n]++
		}
	}
	var distances []int
	for by := 1; by <= n/2; by++ {
		switch {
		case in[by] == 0 && in[n-by] == 0:
		case 4*min(in[by], in[n-by]) < 3*len(rows):
			return nil, false
		default:
			distances = append(distances, by)
		}
	}
	return distances, len(distances) > 0 && 4*distances[len(distances)-1] < n
}

// missing returns pairs that interact and are not in the graph: random sets A, and B of what has no partner
// in A, are tested, and those that interact bisected.
func (t *tester) missing(g graph, of []int) (pairs [][2]int, err error) {
	share := 1 / (g.degree(of) + 1)
	var tests [][2][]int
	for range verified {
		var a, b []int
		beside := make([]bool, len(g))
		for _, i := range of {
			if t.random.Float64() < share {
				a = append(a, i)
				beside[i] = true
				for _, j := range g[i] {
					beside[j] = true
				}
			}
		}
		for _, i := range of {
			if !beside[i] {
				b = append(b, i)
			}
		}
		if len(a) > 0 && len(b) > 0 {
			tests = append(tests, [2][]int{a, b})
		}
	}
	hits, err := t.groups(tests)
	if err != nil {
		return nil, err
	}
	for k, hit := range hits {
		if !hit {
			continue
		}
		pair, ok, err := t.culprits(tests[k])
		if err != nil {
			return nil, err
		}
		if ok {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// culprits bisects two sets that interact to a pair of variables.
func (t *tester) culprits(sets [2][]int) (pair [2]int, ok bool, err error) {
	for side := range sets {
		for len(sets[side]) > 1 {
			half := sets
			half[side] = sets[side][:len(sets[side])/2]
			hit, err := t.groups([][2][]int{half})
			if err != nil {
				return pair, false, err
			}
			if !hit[0] {
				half[side] = sets[side][len(sets[side])/2:]
			}
			sets = half
		}
	}
	hit, err := t.groups([][2][]int{sets})
	return [2]int{sets[0][0], sets[1][0]}, err == nil && hit[0], err
}
