package chart

import (
	"fmt"
	"slices"

	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
)

// Interactions draws which of n parameters interact: a cell is a pair, and it is filled if the two do, or,
// where pairs is nil, if they are of one group. Parameters are in the order of their groups, which have frames,
// the largest first, unless inOrder. Where there is no room for names, parameters have their numbers in the order
// given. Of many parameters several share a cell.
func Interactions(n int, groups [][]int, pairs [][2]int, inOrder bool, names []string) Picture {
	if n == 0 || len(groups) == 0 {
		return nothing("interactions", "No two parameters interact.")
	}
	v := view{title: "interactions", axis: "parameter", order: ranks.First(n), names: names}
	if !inOrder {
		v.order, v.blocks = grouped(n, groups)
		if !slices.IsSorted(v.order) {
			v.axis = "parameter, group by group"
		}
	}
	spoken := fmt.Sprintf("which of %s interact: %s", words.Count(n, "parameter", "parameters"), words.Count(len(groups), "group", "groups"))
	return v.draw("which parameters interact", touching(v.order, groups, pairs), "a cell is for %d × %d pairs", spoken)
}

// grouped returns n parameters group by group, the largest first, and then those that are in none.
func grouped(n int, groups [][]int) (order []int, blocks [][]int) {
	blocks = slices.Clone(groups)
	slices.SortStableFunc(blocks, func(a, b []int) int { return len(b) - len(a) })
	in := make([]bool, n)
	for _, g := range blocks {
		for _, i := range g {
			order, in[i] = append(order, i), true
		}
	}
	for i := range n {
		if !in[i] {
			order = append(order, i)
		}
	}
	return order, blocks
}

// touching returns the cells of pairs, those of groups if there are none.
func touching(order []int, groups [][]int, pairs [][2]int) [][]int {
	m := len(order)
	n, cells := blankCells(m)
	at := make([]int, m)
	for k, i := range order {
		at[i] = k * n / m
	}
	fill := func(i, j int) {
		if i != j {
			cells[at[i]][at[j]], cells[at[j]][at[i]] = shades, shades
		}
	}
	for _, p := range pairs {
		fill(p[0], p[1])
	}
	if pairs == nil {
		for _, g := range groups {
			for _, i := range g {
				for _, j := range g {
					fill(i, j)
				}
			}
		}
	}
	return cells
}
