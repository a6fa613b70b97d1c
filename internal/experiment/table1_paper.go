package experiment

import (
	"slices"

	"github.com/untwist/untwist/internal/store"
)

// within counts the successes of a method of the paper if every CBO has so many queries. A
// CBO that does not look for W has them from the start: its path does not depend on its
// budget, so it succeeds if it does within them. Those that look for W have the rest anyway,
// and CMA-ES is no CBO.
func (c *Cell) within(m Method, runs []store.Run, rest int) {
	if _, there := papersTable[c.Method]; !there || rest == 0 {
		return
	}
	if c.Within = new(c.Successes); m.Shared || c.Method == "cmaes" {
		return
	}
	*c.Within = 0
	for _, r := range runs {
		if 0 < r.Reached && r.Reached <= rest {
			*c.Within++
		}
	}
}

// rest returns B − B_H, where B_H = 2(d²+d)·N_H queries are for N_H = 1.5d Hessians; 0 if
// there is none.
func (g Table1) rest() int {
	hessians := (3*g.Dim + 1) / 2
	return max(0, g.Budget-2*(g.Dim*g.Dim+g.Dim)*hessians)
}

// compare fills in the paper's figures. If the settings are the same, it tests whether the
// rate of success is the same.
func (c *Cell) compare(same bool) {
	p, there := papersTable[c.Method][c.Problem]
	if !there {
		return
	}
	c.Paper = new(p.success)
	if p.recovered >= 0 {
		c.PapersRecovered = new(p.recovered)
	}
	if !same || c.Runs == 0 {
		return
	}
	c.P = new(fisher(c.Successes, c.Runs, p.success, papersRuns))
	if c.Within != nil {
		c.WithinP = new(fisher(*c.Within, c.Runs, p.success, papersRuns))
	}
}

// correct fills in what Holm's correction makes of the p-values, over the 24 cells of the
// paper's table. Those that are not there count as tests that found nothing, p = 1. The row
// as published is corrected in the place of componentwise CBO.
func (t *Table) correct() {
	for _, left := range []string{published, "componentwise"} {
		t.correctBut(left, func(c *Cell) (p, holm **float64) { return &c.P, &c.Holm })
		t.correctBut(left, func(c *Cell) (p, holm **float64) { return &c.WithinP, &c.WithinHolm })
	}
}

// correctBut corrects the p-values of one kind, but for a method that is left out.
func (t *Table) correctBut(left string, of func(*Cell) (p, holm **float64)) {
	all := slices.Repeat([]float64{1}, papersCells)
	var to []**float64
	for i := range t.Cells {
		if p, corrected := of(&t.Cells[i]); *p != nil && t.Cells[i].Method != left {
			all[len(to)] = **p
			to = append(to, corrected)
		}
	}
	for i, v := range holm(all)[:len(to)] {
		if *to[i] == nil {
			*to[i] = new(v)
		}
	}
}

// papersRuns is the number of runs behind each of the paper's figures, and papersCells how
// many figures there are.
const papersRuns, papersCells = 100, 24

// likePaper reports whether the settings are those of the paper.
func (g Table1) likePaper() bool {
	return g.Dim == 100 && g.Budget == 5_000_000 && g.Gap == 0.005 && g.Mix == "paper"
}

// A figure is an entry of the paper's table, in percent; -1 where it has none.
type figure struct{ success, recovered int }

// papersTable is Table 1 of the paper, section 4. Its componentwise CBO is two of our rows.
var papersTable = map[string]map[string]figure{
	"cbo-on-g":       row(figure{100, -1}, figure{88, -1}, figure{100, -1}, figure{100, -1}),
	"cbo":            row(figure{0, -1}, figure{0, -1}, figure{0, -1}, figure{0, -1}),
	"reparametrised": row(figure{99, 100}, figure{74, 100}, figure{0, 0}, figure{98, 100}),
	"transformed":    row(figure{99, 100}, figure{75, 100}, figure{0, 0}, figure{99, 100}),
	"componentwise":  papersComponentwise,
	published:        papersComponentwise,
	"cmaes":          row(figure{0, -1}, figure{0, -1}, figure{100, -1}, figure{100, -1}),
}

var papersComponentwise = row(figure{98, 100}, figure{99, 100}, figure{1, 0}, figure{100, 100})

// row returns a row of the paper's table, with the problems in its order.
func row(rastrigin, like, norm, powers figure) map[string]figure {
	return map[string]figure{"rastrigin": rastrigin, "rastrigin-like": like, "squared-norm": norm, "different-powers": powers}
}
