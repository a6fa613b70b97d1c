package report

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
)

// A parameterForm is the JSON object of a parameter at the best point.
type parameterForm struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a number; of choices, the word
	Unit  string `json:"unit"`
	At    string `json:"at"` // the limit it is at: "min", "max" or ""
}

// parameterForms returns the parameters at a point; nil if there are none, or no point.
func parameterForms(space parameter.Space, point []float64) []parameterForm {
	if len(point) != len(space) {
		return nil
	}
	var all []parameterForm
	for i, p := range space {
		form := parameterForm{p.Name, number(point[i]), p.Unit, space.At(i, point[i])}
		if p.Choices != nil {
			form.Value = space.Word(i, point[i])
		}
		all = append(all, form)
	}
	return all
}

// ParameterLines returns a point for people: a line for each parameter, with its unit and
// the limit that it is at.
func ParameterLines(space parameter.Space, point []float64) string {
	wide := 0
	for _, p := range space {
		wide = max(wide, len([]rune(p.Name)))
	}
	var out strings.Builder
	for i, p := range space {
		fmt.Fprintf(&out, "  %-*s %s%s", wide, p.Name, space.Word(i, point[i]), Unit(p.Unit))
		if p.Fixed != nil {
			out.WriteString(" (fixed)")
		} else if at := space.At(i, point[i]); at != "" {
			fmt.Fprintf(&out, " (at its %s)", at)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// limitsReached says which parameters of a point are at a limit; "": none.
func limitsReached(space parameter.Space, point []float64) string {
	var all []string
	for i := range space[:min(len(space), len(point))] {
		if at := space.At(i, point[i]); at != "" {
			all = append(all, space[i].Name+" ("+at+")")
		}
	}
	if more := len(all) - mostCoordinates; more > 0 {
		all = append(all[:mostCoordinates], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// mostCoordinates is how many coordinates are told in words.
const mostCoordinates = 10

// coordinateLines returns the coordinates that were found as combinations of parameters, a
// line each; "" where none were certified. Products of powers come first, and of these dimensionless
// groups.
func coordinateLines(space parameter.Space, found *untwist.Structure) string {
	if space == nil || !Certified(found) || found.Frame.AlongAxes() {
		return ""
	}
	var out strings.Builder
	rows := found.Frame.Matrix()
	m := found.Frame.Components()
	said, order := make([]string, m), make([]int, m)
	for j := range m {
		said[j] = space.Combination(rows.RawRowView(j))
		p, product := space.Product(rows.RawRowView(j))
		switch {
		case p.Group:
			said[j], order[j] = p.Words+" (a dimensionless group)", -2
		case product && strings.ContainsAny(p.Words, "·/"):
			said[j], order[j] = p.Words, -1
		}
	}
	for _, j := range ranks.Order(m, func(a, b int) int { return order[a] - order[b] })[:min(m, mostCoordinates)] {
		fmt.Fprintf(&out, "  %d: %s\n", j+1, said[j])
	}
	if m > mostCoordinates {
		fmt.Fprintf(&out, "  and %s more\n", words.Thousands(m-mostCoordinates))
	}
	return out.String()
}
