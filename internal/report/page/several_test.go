package page

import (
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
)

// By hand: errors of 2 and 3 and a covariance of −3 are a correlation of −0.5. Residuals and singular
// values are drawn, and so is the violation by query, also if no point is feasible.
func TestSeveralNumbers(t *testing.T) {
	found := untwist.Result{
		Account: untwist.Account{
			Point: []float64{1, 2}, Violation: 30, Violations: []objective.Sample{{Queries: 1, Value: 500}, {Queries: 9, Value: 30}},
			Outputs: []untwist.Measured{{Output: untwist.Output{Name: "stress", Max: new(1.)}, Value: 31}},
		},
		Fit: &untwist.Fit{Parameters: []int{0, 1},
			Residuals: []float64{1, -2, .5}, Errors: []float64{2, 3}, Covariance: [][]float64{{4, -3}, {-3, 9}},
			Singular: []float64{5, .1}, Directions: [][]float64{{1, 0}, {0, 1}},
		},
	}
	v := newChanging(Page{Run: report.Run{Result: found}})
	if v.Convergence == nil || v.Convergence.Violation == nil || !strings.Contains(string(v.Convergence.Violation.Drawing), "500 after 1 query, 30 after 9 queries") {
		t.Errorf("the violation by query: %+v", v.Convergence)
	}
	fit := v.Several[len(v.Several)-1]
	if len(fit.Pictures) != 2 || !strings.Contains(string(fit.Pictures[0].Drawing), "3 residuals, from −2 to 1") || !strings.Contains(string(fit.Pictures[1].Drawing), "singular values: 2 values from 5 to 0.1") {
		t.Errorf("pictures: %+v", fit.Pictures)
	}
	row := Setting{"correlation of x1 and x2:", "−0.5"}
	if fit.Rows[2] != row {
		t.Errorf("%+v, want %+v", fit.Rows, row)
	}
}
