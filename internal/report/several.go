package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
)

// A severalForm is what the JSON object of a run says of outputs, limits and residuals. All are absent
// where there are none.
type severalForm struct {
	Outputs   map[string]outputForm `json:"outputs,omitempty"`
	Limits    []limitForm           `json:"limits,omitempty"`
	Feasible  *bool                 `json:"feasible,omitempty"`
	Violation *number               `json:"violation,omitempty"` // the largest, in units of within; up to 1 a point is feasible
	StdErr    []number              `json:"stderr,omitempty"`    // of the parameters that are not fixed; null: not determined
	Cov       [][]number            `json:"covariance,omitempty"`
	Cor       [][]number            `json:"correlations,omitempty"`
	Singular  []number              `json:"singular_values,omitempty"`
	Residuals []number              `json:"residuals,omitempty"` // at the best point
	Jacobian  [][]number            `json:"jacobian,omitempty"`
}

// An outputForm is an output at the best point.
type outputForm struct {
	Value      number  `json:"value"`
	Unit       string  `json:"unit,omitempty"`
	Min        *number `json:"min,omitempty"`
	Max        *number `json:"max,omitempty"`
	Equal      *number `json:"equal,omitempty"`
	Active     bool    `json:"active"`
	Multiplier number  `json:"multiplier"` // by how much the value would improve for each unit by which the limit were wider
}

// A limitForm is a linear limit at the best point.
type limitForm struct {
	Limit      string `json:"limit"`
	Value      number `json:"value"`
	Active     bool   `json:"active"`
	Multiplier number `json:"multiplier"`
}

// limited reports whether anything is limited.
func limited(found untwist.Result) bool {
	return len(found.Limits) > 0 || slices.ContainsFunc(found.Outputs, untwist.Measured.Limited)
}

func newSeveralForm(found untwist.Result) (form severalForm) {
	optional := func(v *float64) *number {
		if v == nil {
			return nil
		}
		return new(number(*v))
	}
	for _, o := range found.Outputs {
		if form.Outputs == nil {
			form.Outputs = map[string]outputForm{}
		}
		form.Outputs[o.Name] = outputForm{number(o.Value), o.Unit, optional(o.Min), optional(o.Max), optional(o.Equal), o.Active, number(o.Multiplier)}
	}
	for _, l := range found.Limits {
		form.Limits = append(form.Limits, limitForm{l.Limit, number(l.Value), l.Active, number(l.Multiplier)})
	}
	if limited(found) {
		form.Feasible, form.Violation = &found.Feasible, new(number(found.Violation))
	}
	if fit := found.Fit; fit != nil {
		form.StdErr, form.Singular, form.Residuals = asNumbers(fit.Errors), asNumbers(fit.Singular), asNumbers(fit.Residuals)
		for _, row := range fit.Covariance {
			form.Cov = append(form.Cov, asNumbers(row))
		}
		for _, row := range correlations(fit) {
			form.Cor = append(form.Cor, asNumbers(row))
		}
		for _, row := range fit.Jacobian {
			form.Jacobian = append(form.Jacobian, asNumbers(row))
		}
	}
	return form
}

// correlations returns C_ij/(σ_i·σ_j) of the covariance C and the standard errors σ; nil: there are none.
func correlations(fit *untwist.Fit) [][]float64 {
	out := make([][]float64, len(fit.Covariance))
	for i, row := range fit.Covariance {
		for j, c := range row {
			out[i] = append(out[i], c/(fit.Errors[i]*fit.Errors[j]))
		}
	}
	return out
}

func asNumbers(all []float64) []number {
	out := make([]number, len(all))
	for i, v := range all {
		out[i] = number(v)
	}
	return out
}

// Infeasible reports whether there are limits, and no point was found that keeps to them.
func Infeasible(found untwist.Result) bool {
	return limited(found) && !found.Feasible && found.Point != nil
}

// severalLines says in lines what outputs, limits and residuals come to.
func severalLines(space parameter.Space, found untwist.Result) string {
	out := lines{wide: 11}
	if Infeasible(found) {
		out.add("feasible", "no: the limits are exceeded by up to %s times what they may be", words.Number(found.Violation, 3))
	} else if limited(found) {
		out.add("feasible", "yes")
	}
	outputs, limits, fit := SeveralRows(space, found, func(v float64) string { return fmt.Sprint(v) })
	for _, part := range []struct {
		title string
		rows  [][2]string
	}{{"outputs", outputs}, {"limits", limits}, {"standard errors, and 95 % intervals by the last Jacobian", fit}} {
		if len(part.rows) > 0 {
			out.WriteString(part.title + "\n")
		}
		for _, row := range part.rows {
			fmt.Fprintf(&out, "  %s %s\n", row[0], row[1])
		}
	}
	return out.String()
}

// SeveralRows says what outputs, linear limits and residuals come to: names, each with words. Outputs and limits are written by write.
func SeveralRows(space parameter.Space, found untwist.Result, write func(float64) string) (outputs, limits, fit [][2]string) {
	for _, o := range found.Outputs {
		outputs = append(outputs, [2]string{o.Name, write(o.Value) + Unit(o.Unit) + limitWords(o, found.Value, write)})
	}
	for _, l := range found.Limits {
		text := write(l.Value)
		if l.Active {
			text += ", at the limit" + costWords(l.Multiplier, l.Value, found.Value, "it")
		}
		limits = append(limits, [2]string{l.Limit + ":", text})
	}
	if found.Fit != nil {
		fit = fitRows(space, found)
	}
	return outputs, limits, fit
}

// limitWords says which limits an output has, whether it is at one, and what that costs.
func limitWords(o untwist.Measured, value float64, write func(float64) string) string {
	var parts []string
	limit := 0.
	for _, l := range []struct {
		name string
		v    *float64
	}{{"min", o.Min}, {"max", o.Max}, {"equal", o.Equal}} {
		if l.v != nil {
			parts = append(parts, l.name+" "+write(*l.v))
			if limit == 0 || math.Abs(o.Value-*l.v) < math.Abs(o.Value-limit) {
				limit = *l.v
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := " (" + strings.Join(parts, ", ") + ")"
	if o.Active {
		text += ", at the limit" + costWords(o.Multiplier, limit, value, "the limit")
	}
	return text
}

// costWords says what a limit that is wider by 1 % gains.
func costWords(multiplier, limit, value float64, what string) string {
	if gain := multiplier * math.Abs(limit) / 100; gain != 0 && value != 0 {
		return fmt.Sprintf("; 1 %% more room for %s improves the value by %s %%", what, words.Number(100*gain/math.Abs(value), 2))
	}
	return ""
}

// fitRows has a row for each parameter: its value, its standard error and its 95 % interval; then what
// the residuals determine best and least.
func fitRows(space parameter.Space, found untwist.Result) (rows [][2]string) {
	fit := found.Fit
	if space == nil {
		space = parameter.Plain(len(found.Point))
	}
	for k, i := range fit.Parameters {
		if k >= len(fit.Errors) || i >= len(found.Point) {
			break
		}
		se, x := fit.Errors[k], found.Point[i]
		text := words.Number(x, 6) + ", not determined"
		if !math.IsInf(se, 1) && !math.IsNaN(se) {
			text = fmt.Sprintf("%s ± %s, from %s to %s%s", words.Number(x, 6), words.Number(se, 3), words.Number(x-1.96*se, 6), words.Number(x+1.96*se, 6), Unit(space[i].Unit))
		}
		rows = append(rows, [2]string{space[i].Name, text})
	}
	rows = append(rows, correlated(space, fit)...)
	n := len(fit.Singular)
	if n < 2 || len(fit.Directions) != n {
		return rows
	}
	free := make(parameter.Space, 0, n) // without ranges: the weights are in units of them
	for _, i := range fit.Parameters {
		free = append(free, parameter.Parameter{Name: space[i].Name})
	}
	return append(rows, [2]string{"determined best:", free.Combination(fit.Directions[0])},
		[2]string{"determined least,", fmt.Sprintf("%s times less: %s", words.Number(fit.Singular[0]/max(fit.Singular[n-1], math.SmallestNonzeroFloat64), 2), free.Combination(fit.Directions[n-1]))})
}

// correlated has a row for each of the pairs of parameters that are correlated most.
func correlated(space parameter.Space, fit *untwist.Fit) (rows [][2]string) {
	const most = 3 // pairs; the others are in the JSON object
	type pair struct {
		names string
		by    float64
	}
	var all []pair
	for i, row := range correlations(fit) {
		for j, by := range row[:i] {
			all = append(all, pair{space[fit.Parameters[j]].Name + " and " + space[fit.Parameters[i]].Name, by})
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(math.Abs(b.by), math.Abs(a.by)) })
	for _, p := range all[:min(most, len(all))] {
		rows = append(rows, [2]string{"correlation of " + p.names + ":", words.Number(p.by, 2)})
	}
	return rows
}
