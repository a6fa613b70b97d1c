package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/sensitivity"
)

// A sensitivityForm is the JSON object of the sensitivities.
type sensitivityForm struct {
	Reason     string      `json:"reason,omitempty"` // why there are none; absent: there are
	By         string      `json:"by,omitempty"`     // what stands for f: coordinates or polynomial
	Mean       *number     `json:"mean,omitempty"`   // of f over the box
	Variance   *number     `json:"variance,omitempty"`
	Parameters []indexForm `json:"parameters,omitempty"`
}

// An indexForm is the total index of a parameter, with its error (95 %).
type indexForm struct {
	Name  string `json:"name"`
	Total number `json:"total"`
	Error number `json:"error"`
}

// newSensitivityForm describes sensitivities; nil if there are none to tell of.
func newSensitivityForm(s *sensitivity.Indices) *sensitivityForm {
	switch {
	case s == nil:
		return nil
	case !s.OK():
		return &sensitivityForm{Reason: s.Reason}
	}
	form := &sensitivityForm{By: "coordinates", Mean: new(number(s.Mean)), Variance: new(number(s.Variance))}
	if s.Terms > 0 {
		form.By = "polynomial"
	}
	for _, p := range searchedIndices(s) {
		form.Parameters = append(form.Parameters, indexForm{p.Name, number(p.Total), number(p.Error)})
	}
	return form
}

// searchedIndices are those of the parameters that are not fixed.
func searchedIndices(s *sensitivity.Indices) []sensitivity.Index {
	return slices.DeleteFunc(slices.Clone(s.Parameters), func(p sensitivity.Index) bool { return p.Fixed })
}

// RankedIndices are the same, the largest first.
func RankedIndices(s *sensitivity.Indices) []sensitivity.Index {
	all := searchedIndices(s)
	slices.SortStableFunc(all, func(a, b sensitivity.Index) int { return cmp.Compare(b.Total, a.Total) })
	return all
}

// sensitivityLines says how much each parameter matters, the most important first.
func sensitivityLines(s *sensitivity.Indices) string {
	switch {
	case s == nil:
		return ""
	case !s.OK():
		return "sensitivity not known: " + s.Reason + "\n"
	}
	all, wide := RankedIndices(s), 0
	for _, p := range all {
		wide = max(wide, len([]rune(p.Name)))
	}
	var out strings.Builder
	out.WriteString("sensitivity, the share of the variance over all limits that each parameter makes (95 %)\n")
	for _, p := range all {
		fmt.Fprintf(&out, "  %-*s %.3f ± %.3f\n", wide, p.Name, p.Total, max(p.Error, 0.001))
	}
	return out.String()
}
