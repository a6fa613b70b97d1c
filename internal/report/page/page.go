// Package page writes what a run has found as one HTML page, for people who have to explain
// to others what the simulator is like.
//
// A Page is a report.Run with what else is known about it: the parameters, how long
// evaluations took, why some failed, and how to repeat the run. Start with Page.Write. The
// page needs no network and no script, and has its own pictures, which package report/chart
// draws. It can be printed, and follows the reader's choice of light or dark.
//
// A Watch sees the queries of a run pass and keeps what a page says about evaluations.
//
// All numbers are those of the Run, and so of its JSON object, to the digits shown.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
)

// A Page is what is shown of a run, also of one that still goes on.
type Page struct {
	// Run is the run as its JSON object tells it. Of a probe, Run has what both have in common;
	// see OfProbe.
	Run report.Run
	// Probe says that coordinates were looked for, and no minimum.
	Probe bool
	// Running says that the run still goes on. What it has not learnt yet is not missed.
	Running bool
	// Stage is what a run that still goes on does, and Allowed how long it may take; 0: no limit.
	Stage   string
	Allowed time.Duration
	// Missing says in sentences what the page cannot show, and why.
	Missing []string

	// Parameters are all parameters with their limits, in the order of points; nil: those
	// of the subject, or x1, x2, …
	Parameters parameter.Space
	// Evaluations is how evaluating went.
	Evaluations Evaluations
	// Settings are what decided the run, in words, and Command repeats it ("": not known).
	Settings []Setting
	Command  string
	// Version is that of the program.
	Version string
}

// A Setting is a name and a value.
type Setting struct{ Name, Value string }

// OfProbe returns the page of a probe.
func OfProbe(p report.Probe) Page {
	run := report.Run{Subject: p.Subject, Known: p.Known, Took: p.Took, Sensitivity: p.Sensitivity}
	run.Result.Account = p.Findings.Account
	if p.Findings.Dim > 0 {
		run.Result.Structure = &p.Findings.Structure
	}
	return Page{Run: run, Probe: true}
}

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = sync.OnceValue(func() *template.Template { // most programs that can write a page do not
	return template.Must(template.New("page").Funcs(template.FuncMap{"breakable": breakable}).Parse(pageText))
})

// breakable is a formula that may be broken after its operators, where it is too long for a line.
func breakable(formula string) template.HTML {
	text := template.HTMLEscapeString(formula)
	return template.HTML(strings.NewReplacer("·", "·<wbr>", "/", "/<wbr>").Replace(text)) // nothing escaped has a slash
}

// Write writes the page.
func (p Page) Write(w io.Writer) error { return pageTemplate().ExecuteTemplate(w, "page", newView(p)) }

// WriteMain writes what is within the element main: for a page that has a frame of its own
// around it, and Style in its head.
func (p Page) WriteMain(w io.Writer) error {
	return pageTemplate().ExecuteTemplate(w, "main", newView(p))
}

// WriteChanging writes those elements of main that change with every query: the summary, the
// best point, the convergence, the failures and the costs. It computes none of the others.
func (p Page) WriteChanging(w io.Writer) error {
	return pageTemplate().ExecuteTemplate(w, "changing", newChanging(p))
}

// Style returns the style sheet of pages and their pictures.
func Style() template.CSS { return template.CSS(pageStyle) + chart.CSS() }

func (p Page) space() parameter.Space {
	switch {
	case p.Parameters != nil:
		return p.Parameters
	case p.Run.Subject.Parameters != nil:
		return p.Run.Subject.Parameters
	}
	return parameter.Plain(max(p.Run.Subject.Dim, len(p.Run.Result.Point)))
}
