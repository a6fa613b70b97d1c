package report

import (
	"slices"

	"github.com/untwist/untwist"
)

// A moveForm is what all stages of a name cost and gained: the queries, by how much the best value fell meanwhile, and about
// how many queries they said that they would take when they began; null: there was no saying.
type moveForm struct {
	Name     string `json:"name"`
	Queries  int    `json:"queries"`
	Gain     number `json:"gain"`
	Forecast *int   `json:"forecast"`
}

// moves adds stages up by their names, in the order in which they first began.
func moves(stages []untwist.Stage) []moveForm {
	out := []moveForm{}
	for _, s := range stages {
		k := slices.IndexFunc(out, func(m moveForm) bool { return m.Name == s.Name })
		if k < 0 {
			k, out = len(out), append(out, moveForm{Name: s.Name})
		}
		m := &out[k]
		m.Queries += s.Queries
		m.Gain += number(s.Gain)
		if s.Forecast > 0 {
			if m.Forecast == nil {
				m.Forecast = new(0)
			}
			*m.Forecast += s.Forecast
		}
	}
	return out
}
