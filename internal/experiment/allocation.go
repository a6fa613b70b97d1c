package experiment

import (
	"fmt"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
)

// hessianCounts are the numbers N_H of Hessians that the sweep of allocations goes through.
var hessianCounts = []int{2, 5, 10, 20, 30, 50, 75, 100, 150, 200}

// Allocation sweeps the share of the queries that goes into Hessians, with the total fixed to
// 500d² queries, which is 5,000,000 at d = 100, and to a tenth of that. On the paper's road N_H
// Hessians take 2(d²+d)N_H queries. The survey is stopped after so many, or is done before.
// Without any query for Hessians the frame is that of the coordinates given.
//
// Reference: section 4, "a more detailed numerical study regarding optimal query allocation
// (for Hessian sampling and CBO) … is left for future work".
func Allocation(of Extent) (Sweep, error) {
	s, err := of.sweep("allocation", "How should queries be allotted to Hessians and to CBO?")
	if err != nil {
		return s, err
	}
	d := s.Cases[0].Dim
	for _, total := range []struct {
		name   string
		budget Budget
	}{{"large", papersBudget}, {"small", smallBudget}} {
		most, err := total.budget.At(d)
		if err != nil {
			return s, err
		}
		s.Pictures = append(s.Pictures, Picture{
			Name: total.name, Title: fmt.Sprintf("%s queries in all", words.Thousands(most)),
			X: "share of the budget that may go into finding W̃, in %", Rows: "for Hessians", Best: true,
		})
		share := func(queries int) float64 { return float64(queries) / float64(most) }
		put := func(m Method, line string, x float64, row string) {
			if total.budget != papersBudget {
				m.Budget, m.Name = total.budget, m.Name+" total="+total.budget.String()
			}
			s.put(m, Place{Picture: total.name, Line: line, X: x, Row: fmt.Sprintf("%s: %s", percentage(x), row)})
		}
		for _, name := range papersMethods {
			line := name + ", paper's road"
			put(inGiven(name), line, 0, "nothing")
			for _, n := range hessianCounts {
				if x := share(2 * (d*d + d) * n); x < 1 {
					put(onPapersRoad(name, n), line, x, words.Count(n, "Hessian", "Hessians"))
				}
			}
		}
		for _, name := range papersMethods {
			for _, k := range surveyLengths {
				put(onSurvey(name, k*d*d), name+", survey", share(k*d*d), "survey")
			}
		}
	}
	return s, s.Complete()
}

// inGiven is a method in the coordinates given.
func inGiven(name string) Method {
	m := named(name, "hessians=0")
	m.Identifier = stopped{identify.Paper{}, 0}
	return m
}

// percentage writes a share.
func percentage(x float64) string { return words.Figure(100*x) + " %" }
