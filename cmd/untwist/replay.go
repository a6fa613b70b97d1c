package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// reportJournal writes the page of a journal's run. It makes the run again, with the answers
// of the journal, to know what was learnt. Where it cannot, the page has what can be known
// without that, and says so.
func reportJournal(ctx context.Context, file, to, value string, t tally) error {
	d, err := readDecided(t.summary.Header)
	if err != nil {
		return notSaid(file, err)
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
	out.Run.Subject, out.Run.Known = d.subject(file, t.summary.Dim)
	out.Run.Subject.Value, out.Run.Subject.Unit = quantity(value)
	out.Run.Subject.Maximize = d.Several.Maximize
	return p.write(out)
}

// An archive is the objective of a run that is made again. It is never asked: the journal is
// before it.
type archive struct{ shape }

// Archived says that the journal has all values.
func (a archive) Archived()                                             {}
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
	f := archive{shape{t.summary.Dim, d.Several.numbers()}}
	var out page.Page
	if d.probes() {
		var findings untwist.Findings
		look := untwist.Probe
		if d.Command == "interactions" {
			look = untwist.Interactions
		}
		findings, err = look(ctx, f, o)
		out = page.OfProbe(report.Probe{Findings: findings})
	} else {
		out.Run.Result, err = untwist.Minimize(ctx, f, o)
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
	a, err := d.again()
	if err == nil {
		err = a.apply(&o)
	}
	o.KeepGoing, o.MaxFailures = true, 0
	o.Budget = max(o.Budget, d.Budget, t.summary.Queries)
	o.Journal = untwist.Journal{File: t.file}
	return o, err
}

// unreplayed returns the page of a run that cannot be made again: what its answers say by
// themselves. It returns an error if the journal cannot be read.
func (d decided) unreplayed(p *paper, t tally, why error) (page.Page, error) {
	p.look() // nothing is counted twice
	var curve curve
	if _, err := journal.Read(t.file, func(q journal.Query) error {
		p.watch.See(q.Number, q.Point, q.Answer)
		if q.Point != nil {
			p.seen.See(q.Number, q.Point, q.Answer)
		}
		curve.add(q)
		return nil
	}); err != nil {
		return page.Page{}, unwrapped(err)
	}
	out := page.Page{Probe: d.probes()}
	r := &out.Run.Result
	r.Account = untwist.Account{
		Point: t.best.Point, Value: t.best.Value, BestQuery: t.best.Number, Seed: d.Seed, Queries: t.queries, Budget: d.Budget,
		Failed: t.failures.Total(), Failures: t.failures, Curve: curve.samples(d.Several.Maximize),
	}
	text := "What was learnt about the function is not shown: for that the run would have to be made again from the answers in the journal, and that is not possible here, because " + reasonInWords(why) + "."
	if t.best.Number > 0 && t.best.Point == nil {
		text += " The best point is not known either, because the journal keeps only hashes of points."
	}
	out.Missing = []string{text + " The best point, the convergence, the failures and the times need no more than the answers."}
	return out, nil
}

// reasonInWords says why a run cannot be made again.
func reasonInWords(why error) string {
	var numerics *journal.NumericsError
	var diverged *journal.DivergedError
	switch {
	case errors.As(why, &numerics):
		return fmt.Sprintf("the journal is of a version of the program that computes otherwise (numerics %d, and this one has %d)", numerics.Was, numerics.Now)
	case errors.As(why, &diverged):
		return fmt.Sprintf("the run that this program makes asks for another point at query %d", diverged.Query)
	}
	return why.Error()
}

// A curve is all values, by the numbers of their queries.
type curve []float64

func (c *curve) add(q journal.Query) {
	for len(*c) < q.Number {
		*c = append(*c, math.Inf(1))
	}
	if query.FailureOf(q.Answer) == nil {
		(*c)[q.Number-1] = q.Value
	}
}

// samples returns the curve of the best value, which is the greatest if f is maximised.
func (c curve) samples(maximize bool) []objective.Sample {
	var out query.Curve
	sign, best := 1., math.Inf(1)
	if maximize {
		sign = -1
	}
	for i, v := range c {
		if !math.IsInf(v, 1) {
			best = min(best, sign*v)
		}
		out.Note(i+1, best, false)
	}
	all := out.Samples(len(c), best)
	for i := range all {
		all[i].Value *= sign
	}
	return all
}

// settings are what the header says.
func (d decided) settings(t tally) []page.Setting {
	all := []page.Setting{
		{Name: "Journal", Value: t.file + ", begun " + t.summary.Began.UTC().Format(time.DateTime) + " UTC"},
		{Name: "What was evaluated", Value: d.function()},
		{Name: "Options", Value: flat(d.others)},
	}
	return slices.DeleteFunc(all, func(s page.Setting) bool { return s.Value == "" })
}

// subject says what was searched, and what is known about a built-in problem; nil: nothing is.
func (d decided) subject(file string, dim int) (report.Subject, *report.Known) {
	s := searchedIn(file, dim, d.Parameters)
	if name, _ := d.Objective["Function"].(string); name != "" {
		s.Name = name
	}
	p := d.builtIn()
	if p == nil {
		return s, nil
	}
	spec := p.Spec()
	s.Name, s.Components, s.Mix = spec.Name, spec.Components, spec.Mix
	return s, &report.Known{Minimum: p.Minimum(), Attainable: true}
}

// builtIn returns the built-in problem; nil: it is none, or it has blemishes.
func (d decided) builtIn() *problem.Problem {
	about := maps.Clone(d.Objective)
	delete(about, "Bounds") // the minimum is that without them
	text, err := json.Marshal(about)
	var spec problem.Spec
	if err != nil || json.Unmarshal(text, &spec) != nil || spec.Name == "" || about["Options"] != nil {
		return nil
	}
	p, err := problem.New(spec)
	if err != nil {
		return nil
	}
	return p
}
