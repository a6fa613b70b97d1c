package main

import (
	"errors"
	"fmt"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/journal"
)

// asked is what the header of a journal says about a conversation, besides what decides
// the run: how the strategy was named, and what may change.
type asked struct {
	Strategy          string   `json:",omitempty"`
	Road              string   `json:",omitempty"`
	Particles         int      `json:",omitempty"`
	Sigma, Tau, Alpha *float64 `json:",omitempty"`
	Share             *float64 `json:",omitempty"`

	Budget                 int      `json:",omitempty"`
	Target                 *float64 `json:",omitempty"`
	Tolerance, MaxFailures float64  `json:",omitempty"`
	KeepGoing              bool     `json:",omitempty"`
	HashPoints             bool     `json:",omitempty"`
}

// asked returns what the flags say, and otherwise what was said earlier.
func (f *askFlags) asked(from *source, a asked) asked {
	if from.first(decidingFlags) != "" || from.file != nil {
		a.Strategy, a.Road, a.Particles = f.strategy, f.road, f.knobs.Particles
		a.Sigma, a.Tau, a.Alpha, a.Share = f.knobs.Sigma, f.knobs.Tau, f.knobs.Alpha, f.knobs.Share
	}
	o := f.chosen
	given := func(flag string, set func()) {
		if from.given(flag) {
			set()
		}
	}
	given("budget", func() { a.Budget = o.Budget })
	given("target", func() { a.Target = o.Target })
	given("tolerance", func() { a.Tolerance = o.Tolerance })
	given("max-failures", func() { a.MaxFailures = o.MaxFailures })
	given("keep-going", func() { a.KeepGoing = f.subject.program.KeepGoing })
	given("journal-points", func() { a.HashPoints = !f.points })
	return a
}

// apply sets the options.
func (a asked) apply(o *untwist.Options) (err error) {
	if o.Identifier, err = road(a.Road); err != nil {
		return err
	}
	if o.Strategy = nil; a.Strategy != "" {
		knobs := untwist.Knobs{Particles: a.Particles, Sigma: a.Sigma, Tau: a.Tau, Alpha: a.Alpha, Share: a.Share}
		if o.Strategy, err = untwist.StrategyNamed(a.Strategy, knobs); err != nil {
			return err
		}
	}
	o.Target, o.Tolerance, o.MaxFailures, o.KeepGoing = a.Target, a.Tolerance, a.MaxFailures, a.KeepGoing
	o.Journal.HashPoints = a.HashPoints
	if a.Budget > 0 {
		o.Budget = a.Budget
	}
	return nil
}

// recall returns the run of a journal, which may be one of the library.
func recall(file string, note func(string)) (*conversation, error) {
	summary, err := journal.Read(file, nil)
	if err != nil {
		return nil, unwrapped(err)
	}
	header, err := readDecided(file, summary)
	if err != nil {
		return nil, err
	}
	if header.Objective != nil || header.Command != "minimize" {
		return nil, fmt.Errorf("%s is the journal of a run that evaluates by itself, not of one that is asked and told: name another file", file)
	}
	c := &conversation{dim: summary.Dim, note: note, options: header.options()}
	c.options.Journal = untwist.Journal{File: file, Note: note}
	if header.Asked == nil {
		return c, c.guess(file, summary)
	}
	c.asked, c.begun = *header.Asked, true
	return c, c.continues(file, summary)
}

// guess finds out by which names the strategy of a journal of the library can be asked for.
func (c *conversation) guess(file string, was journal.Summary) error {
	var differs *journal.DiffersError
	for _, road := range append([]string{""}, identify.Names()...) {
		for _, strategy := range untwist.Strategies() {
			c.asked = asked{Strategy: strategy, Road: road}
			if err := c.continues(file, was); !errors.As(err, &differs) {
				return err
			}
		}
	}
	return fmt.Errorf("%s is the journal of a session in Go whose strategy has settings of its own: go on with it there", file)
}
