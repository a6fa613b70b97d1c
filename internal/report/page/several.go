package page

import (
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
)

// A severalView is a table of what an answer has besides its value.
type severalView struct {
	Title, Intro string
	Rows         []Setting
	Pictures     []picture
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
	if fit := p.Run.Result.Fit; fit != nil && len(all) > 0 {
		all[len(all)-1].Pictures = []picture{
			{chart.Residuals(fit.Residuals).HTML(), "The residuals at the best point, in their order. If the model is right, they scatter around 0 without a pattern."},
			{chart.Spectrum("singular values", fit.Singular).HTML(), "How well the residuals determine combinations of parameters, in units of half their ranges: what is far below the others is hardly determined."},
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
