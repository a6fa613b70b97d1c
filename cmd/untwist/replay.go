package main

import (
	"context"
	"errors"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// reportJournal writes the page of a journal's run. It makes the run again, with the answers
// of the journal, to know what was learnt. Where it cannot, the page has what can be known
// without that, and says so.
func reportJournal(ctx context.Context, file, to string, t tally) error {
	d, err := readDecided(file, t.summary)
	if err != nil {
		return err
	}
	p := &paper{file: to, space: d.Parameters, settings: d.settings(t)}
	if p.space == nil {
		p.space = plainSpace(t.summary.Dim, d.options().Start, d.options().Bounds)
	}
	p.look()
	out, err := d.replay(ctx, p, t)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		out, err = d.unreplayed(p, t, err)
	}
	if err != nil {
		return err
	}
	out.Run.Subject, out.Run.Known = d.subject(file, t.summary), d.known()
	return p.write(out)
}

// An archive is the objective of a run that is made again. It is never asked: the journal is
// before it.
type archive int

// Archived says that the journal has all values.
func (a archive) Archived() {}

// Dim returns how many numbers a point has.
func (a archive) Dim() int { return int(a) }

// Evaluate evaluates nothing.
func (a archive) Evaluate(context.Context, *mat.Dense, []float64) error { return journal.ErrEnd }

// replay makes the run again.
func (d decided) replay(ctx context.Context, p *paper, t tally) (page.Page, error) {
	if t.summary.Numerics != untwist.Numerics {
		return page.Page{}, &journal.NumericsError{File: t.file, Was: t.summary.Numerics, Now: untwist.Numerics}
	}
	o, err := d.replayed(t)
	if err != nil {
		return page.Page{}, err
	}
	o.Seen = p.see
	var out page.Page
	if d.Command == "probe" {
		var findings untwist.Findings
		findings, err = untwist.Probe(ctx, archive(t.summary.Dim), o)
		out = page.OfProbe(report.Probe{Findings: findings})
	} else {
		out.Run.Result, err = untwist.Minimize(ctx, archive(t.summary.Dim), o)
	}
	out.Run.Result.Resumed = 0 // all were
	if errors.Is(err, journal.ErrEnd) {
		out.Run.Result.Status = objective.Running
		out.Missing = []string{"The journal ends before the run would: the run still goes on, or it was interrupted, or it reached a target or the end of its time. This is what was known then."}
		err = nil
	}
	return out, err
}

// replayed returns the options with which the run is made again. It never gives up because of
// failures, since it did not.
func (d decided) replayed(t tally) (untwist.Options, error) {
	o := d.options()
	var err error
	switch {
	case d.Asked != nil:
		err = d.Asked.apply(&o)
	case d.Command == "probe":
		o.Strategy = nil
		o.Identifier, err = d.road()
	default:
		if o.Identifier, err = d.road(); err == nil {
			o.Strategy, err = d.strategy()
		}
	}
	o.KeepGoing, o.MaxFailures = true, 0
	o.Budget = max(o.Budget, d.Budget, t.summary.Queries)
	o.Journal = untwist.Journal{File: t.file}
	return o, err
}
