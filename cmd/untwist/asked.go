package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/journal"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/parameter"
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
		a.Strategy, a.Road, a.Particles = f.strategy, f.road, int(f.particles)
		a.Sigma, a.Tau, a.Alpha, a.Share = f.sigma.value, f.tau.value, f.alpha.value, f.share.value
	}
	if from.given("budget") {
		a.Budget = int(f.budget)
	}
	if from.given("target") {
		a.Target = f.target.value
	}
	if from.given("tolerance") {
		a.Tolerance = *f.tolerance.value
	}
	if from.given("max-failures") {
		a.MaxFailures = *f.maxFailures.value
	}
	if from.given("keep-going") {
		a.KeepGoing = bool(f.subject.keepGoing)
	}
	if from.given("journal-points") {
		a.HashPoints = !bool(f.points)
	}
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
	var header struct {
		Asked         *asked
		Objective     any
		Command       string
		Parameters    parameter.Space
		Start, Bounds struct{ Lo, Hi []side64 }
		Points        [][]float64
		Frame         *frame.Frame
		Blocks        [][]int
		Budget        int
		Parallel      int
		NoiseLevel    float64
		Seed          uint64
	}
	if err := json.Unmarshal(summary.About, &header); err != nil {
		return nil, fmt.Errorf("%s does not say what is searched: %w", file, err)
	}
	if header.Objective != nil || header.Command != "minimize" {
		return nil, fmt.Errorf("%s is the journal of a run that evaluates by itself, not of one that is asked and told: name another file", file)
	}
	c := &conversation{dim: summary.Dim, note: note, options: untwist.Options{
		Parameters: header.Parameters, Points: header.Points, Frame: header.Frame, Blocks: header.Blocks,
		Start:  objective.Box{Lo: floats(header.Start.Lo), Hi: floats(header.Start.Hi)},
		Bounds: objective.Box{Lo: floats(header.Bounds.Lo), Hi: floats(header.Bounds.Hi)},
		Budget: header.Budget, Parallel: header.Parallel, NoiseLevel: header.NoiseLevel, Seed: header.Seed,
		Journal: journal.Config{File: file, Note: note},
	}}
	if header.Parameters.Guess() != nil { // it is the first of the points
		c.options.Points = slices.Clone(header.Points[min(1, len(header.Points)):])
	}
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

// A side64 is a side of a box as headers have it: a number, or a text if it is infinite.
type side64 float64

// UnmarshalJSON reads a side.
func (s *side64) UnmarshalJSON(text []byte) error {
	if unquoted, err := strconv.Unquote(string(text)); err == nil {
		text = []byte(unquoted)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*s = side64(v)
	return err
}

func floats(sides []side64) (all []float64) {
	for _, v := range sides {
		all = append(all, float64(v))
	}
	return all
}
