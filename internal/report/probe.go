package report

import (
	"fmt"
	"math"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/internal/words"
)

// A Probe is a search for coordinates: of what, what was found, and how long it took.
// Known is what was known about f beforehand, nil if nothing was.
type Probe struct {
	Subject  Subject
	Known    *Known
	Findings untwist.Findings
	Took     time.Duration
	// Sensitivity says how much each parameter matters; nil: it was not computed.
	Sensitivity *sensitivity.Indices
}

// recovered is how far a row may be from the truth and still counts as found.
const recovered = 1e-4

// frameErrors says how far the frame that was found is from the true one.
type frameErrors struct {
	recovery, coupling float64 // +Inf: no frame was found
	recovered          int     // rows that were found
	blocksRight        bool
}

// errors compares the frame that was found with the true one; nil if that is not known.
func (p Probe) errors() *frameErrors {
	if p.Known == nil || p.Known.Frame == nil {
		return nil
	}
	truth, blocks, found := p.Known.Frame, p.Known.Blocks, p.Findings
	if found.Frame == nil {
		return &frameErrors{recovery: math.Inf(1), coupling: math.Inf(1)}
	}
	var e frameErrors
	e.recovery, e.coupling, e.blocksRight = frame.CompareBlocks(truth, blocks, found.Frame, found.Blocks)
	if len(blocks) == truth.Components() {
		c := frame.Compare(truth, found.Frame)
		e.recovery, e.coupling, e.recovered = c.Error(), c.Coupling, c.Recovered(recovered)
	}
	return &e
}

// String returns the findings for people, in lines. Where the true frame is not known
// there are no lines for the errors.
func (p Probe) String() string {
	found := p.Findings
	out := lines{wide: 15}
	out.add("problem", "%s", p.Subject.describe(found.Seed))
	out.add("found", "%s", found)
	if g := found.Interactions; g != nil {
		out.add("interactions", "%s, %s, margin %.3g", words.Count(g.Edges, "pair", "pairs"), words.Count(len(g.Groups), "group", "groups"), g.Margin)
	} else {
		out.add("verdict", "%s", p.Verdict())
		out.add("certificate", "%s", p.certificate())
	}
	out.add("status", "%s", found.Status)
	if e := p.errors(); e != nil && found.Frame != nil {
		any := ""
		if found.Quadratic {
			any = " (of no importance: any conjugate basis separates a quadratic)"
		}
		out.add("recovery error", "%.1e%s", e.recovery, any)
		out.add("coupling error", "%.1e", e.coupling)
	}
	out.add("queries", "%s of %s%s%s", words.Thousands(found.Queries), words.Thousands(found.Budget), where(found.Stages), resumed(found.Resumed))
	out.add("seconds", "%.1f", p.Took.Seconds())
	if found.Interactions != nil && len(found.Interactions.Groups) > 0 {
		out.WriteString("groups\n" + groupLines(p.Subject, found.Structure))
	}
	if lines := coordinateLines(p.Subject.Parameters, &found.Structure); lines != "" {
		out.WriteString("coordinates\n" + lines)
	}
	out.WriteString(sensitivityLines(p.Sensitivity))
	return out.String()
}

// Verdict returns the verdict on the frame: certify.Unknown if there is none.
func (p Probe) Verdict() certify.Verdict {
	if p.Findings.Frame == nil {
		return certify.Unknown
	}
	return p.Findings.Certificate.Verdict
}

// certificate returns the evidence for the verdict.
func (p Probe) certificate() string {
	c := p.Findings.Certificate
	if p.Findings.Frame == nil || c.Splits == 0 {
		return "none"
	}
	worst := ""
	if v := alone(c); finite(v) {
		worst = fmt.Sprintf(", %.1e for the worst alone", v)
	}
	return fmt.Sprintf("%.1e over %s%s (rounding %.0e)",
		c.Coupling, words.Count(c.Splits, "random split", "random splits"), worst, c.Rounding)
}

// where says where the queries went.
func where(stages []untwist.Stage) string {
	text, before := "", ": "
	for _, m := range moves(stages) {
		text += before + words.Thousands(m.Queries) + " " + m.Name
		before = ", "
	}
	return text
}

// Warnings returns sentences about what a reader of the figures should know.
func (p Probe) Warnings() []string { return failures(p.Findings.Account) }
