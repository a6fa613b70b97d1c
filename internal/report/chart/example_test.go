package chart_test

import (
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/objective"
)

// A page with one picture.
func Example() {
	page := template.Must(template.New("page").Parse("<style>{{.Style}}</style>{{.Picture}}"))
	curve := []objective.Sample{{Queries: 1, Value: 1000}, {Queries: 50, Value: 3}, {Queries: 400, Value: 0.02}}
	var out strings.Builder
	err := page.Execute(&out, map[string]any{"Style": chart.CSS(), "Picture": chart.Convergence(curve, nil, chart.Logarithmic, "cost").HTML()})
	_, picture, _ := strings.Cut(out.String(), "<svg")
	_, spoken, _ := strings.Cut(picture, `aria-label="`)
	spoken, _, _ = strings.Cut(spoken, `"`)
	fmt.Println(spoken, err)
	// Output: cost against queries: 1,000 after 1 query, 0.02 after 400 queries <nil>
}

// Bars for two parameters, of which the second has a name that HTML would mistake.
func ExampleBars() {
	picture := chart.Bars([]chart.Bar{
		{Name: "pressure", Parts: []chart.Part{{Component: 0, Share: 0.5}, {Component: 2, Share: 0.2}}, Error: 0.02},
		{Name: "T<0", Parts: []chart.Part{{Component: 0, Share: 0.3}}},
	}, "share of the variance", "combination")
	for _, text := range strings.SplitAfter(string(picture.HTML()), "</text>") {
		if at := strings.LastIndex(text, "<text"); at >= 0 {
			_, words, _ := strings.Cut(text[at:], ">")
			fmt.Fprint(os.Stdout, strings.TrimSuffix(words, "</text>"), "; ")
		}
	}
	// Output: share of the variance; combination; 1; 3; pressure; 70 ± 2 %; 1; 3; T&lt;0; 30 %; 1;
}
