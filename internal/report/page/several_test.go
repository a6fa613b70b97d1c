package page

import (
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
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
	row := Setting{"correlation of x1 and x2", "−0.5"}
	if fit.Rows[2] != row {
		t.Errorf("%+v, want %+v", fit.Rows, row)
	}
}

// Where nothing was looked for the page says why, and its tables have the digits of other numbers.
func TestWhyNothingWasLookedFor(t *testing.T) {
	measured := []untwist.Measured{{Output: untwist.Output{Name: "stress", Unit: "psi", Max: new(25000.)}, Value: 24999.999999999998, Active: true}}
	long := strings.Repeat("width + ", 20) + "height = 3"
	for want, c := range map[string]untwist.Result{
		"it fitted the residuals":            {Strategy: "auto", Fit: &untwist.Fit{Residuals: []float64{1, -1}}},
		"it kept to limits":                  {Strategy: "auto", Account: untwist.Account{Outputs: measured}},
		"its strategy does not":              {Strategy: "cmaes", Account: untwist.Account{Outputs: measured}},
		"are integers, have a step":          {Strategy: "auto"},
		`<th scope="row" class="long">width`: {Strategy: "auto", Account: untwist.Account{Limits: []untwist.Held{{Limit: long, Value: 3}}}},
	} {
		space := parameter.Space{{Name: "n", Min: new(1.), Max: new(9.), Integer: strings.Contains(want, "integers")}}
		c.Point, c.Queries = []float64{3}, 9
		text := written(t, Page{Run: report.Run{Subject: report.Subject{Dim: 1, Parameters: space}, Result: c}})
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
		if len(c.Outputs) > 0 && !strings.Contains(text, "25,000 psi (max 25,000), at the limit") {
			t.Error("the output has other digits")
		}
	}
}
