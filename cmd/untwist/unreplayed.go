package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// unreplayed returns the page of a run that cannot be made again: what its answers say by
// themselves. It returns an error if the journal cannot be read.
func (d decided) unreplayed(p *paper, t tally, why error) (page.Page, error) {
	p.look() // nothing is counted twice
	curve := &curve{}
	if _, err := journal.Read(t.file, func(q journal.Query) error {
		p.watch.See(q.Number, q.Point, q.Answer)
		curve.add(q)
		return nil
	}); err != nil {
		return page.Page{}, unwrapped(err)
	}
	out := page.Page{Probe: d.Command == "probe"}
	r := &out.Run.Result
	r.Account = untwist.Account{
		Point: t.best.Point, Value: t.best.Value, BestQuery: t.best.Number, Seed: d.Seed, Queries: t.queries, Budget: d.Budget,
		Failed: t.failures.Total(), Failures: t.failures, Curve: curve.samples(),
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

// A curve keeps all values, by the numbers of their queries.
type curve struct{ values []float64 }

func (c *curve) add(q journal.Query) {
	for len(c.values) < q.Number {
		c.values = append(c.values, math.Inf(1))
	}
	if failureOf(q.Answer) == nil {
		c.values[q.Number-1] = q.Value
	}
}

// samples returns the best value at 20 numbers of queries in each decade, and at the end.
func (c *curve) samples() (all []objective.Sample) {
	best, next := math.Inf(1), 1
	for i, v := range c.values {
		best = min(best, v)
		if n := i + 1; n == next || n == len(c.values) {
			all = append(all, objective.Sample{Queries: n, Value: best})
			next = max(n+1, int(math.Ceil(float64(n)*math.Pow(10, 1./20))))
		}
	}
	return all
}

// settings are what the header says.
func (d decided) settings(t tally) []page.Setting {
	a := readAbout(t.summary.Header)
	all := []page.Setting{{Name: "Journal", Value: t.file + ", begun " + t.summary.Began.UTC().Format(time.DateTime) + " UTC"}}
	if text := a.function(); text != "" {
		all = append(all, page.Setting{Name: "What was evaluated", Value: text})
	}
	if text := flat(a.options); text != "" {
		all = append(all, page.Setting{Name: "Options", Value: text})
	}
	return all
}

// subject says what was searched.
func (d decided) subject(file string, summary journal.Summary) report.Subject {
	s := report.Subject{Name: file, Dim: summary.Dim, Parameters: d.Parameters}
	if s.Parameters != nil {
		s.Dim = s.Parameters.Dim()
	}
	if p := d.builtIn(); p != nil {
		spec := p.Spec()
		s.Name, s.Components, s.Mix = spec.Name, spec.Components, spec.Mix
	}
	if name, _ := d.Objective["Function"].(string); name != "" {
		s.Name = name
	}
	return s
}

// builtIn returns the built-in problem; nil: it is none, or it has blemishes.
func (d decided) builtIn() *problem.Problem {
	text, err := json.Marshal(d.Objective)
	var spec struct {
		Name            string
		Dim, Components int
		Mix, Options    string
		Block           int
		Seed            uint64
	}
	if err != nil || json.Unmarshal(text, &spec) != nil || spec.Name == "" || spec.Options != "" {
		return nil
	}
	p, err := problem.New(problem.Spec{Name: spec.Name, Dim: spec.Dim, Components: spec.Components, Mix: spec.Mix, Block: spec.Block, Seed: spec.Seed})
	if err != nil {
		return nil
	}
	return p
}

// known is what is known about a built-in problem; nil: nothing is.
func (d decided) known() *report.Known {
	p := d.builtIn()
	if p == nil {
		return nil
	}
	return &report.Known{Minimum: p.Minimum(), Attainable: true}
}
