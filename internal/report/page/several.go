package page

import (
	"github.com/untwist/untwist/internal/report"
)

// A severalView is a table of what an answer has besides its value.
type severalView struct {
	Title, Intro string
	Rows         []Setting
}

// newSeveral makes the tables of outputs, limits and residuals; nil: there are none.
func newSeveral(p Page) (all []severalView) {
	outputs, limits, fit := report.SeveralRows(p.Run.Subject.Parameters, p.Run.Result)
	for _, t := range []struct {
		title, intro string
		rows         [][2]string
	}{
		{"Outputs", "What the other numbers of the evaluation are at the best point, which limits they have, and what each limit costs that is reached.", outputs},
		{"Limits of the parameters", "What the sums of the linear limits are at the best point. No query violates them.", limits},
		{"How well the parameters are determined", "Standard errors and 95 % intervals, by the last Jacobian of the residuals. They hold as far as the residuals are linear in the parameters within these intervals.", fit},
	} {
		view := severalView{Title: t.title, Intro: t.intro}
		for _, row := range t.rows {
			view.Rows = append(view.Rows, Setting{row[0], row[1]})
		}
		if view.Rows != nil {
			all = append(all, view)
		}
	}
	return all
}

// infeasible says so where no point keeps to all limits.
func infeasible(p Page) []string {
	if report.Infeasible(p.Run.Result) {
		return []string{"No point was found that keeps to all limits. What is called the best point here is the one that exceeds them least."}
	}
	return nil
}
