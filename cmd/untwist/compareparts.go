package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// closeMethods ends the programs among methods.
func closeMethods(methods []experiment.Method) (err error) {
	for _, m := range methods {
		if p, ok := m.Other.(*program.Optimizer); ok {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

func (f *compareFlags) readMethods(cmd *cobra.Command, from *source) (all []experiment.Method, err error) {
	dir := ""
	if from.file != nil && !from.typed("methods") {
		dir = from.file.Dir
	}
	for _, given := range orElse(f.methods, "auto", "cmaes") {
		m, err := readMethod(given, dir, func(line string) { note(cmd, "%s", line) })
		if err != nil {
			return all, from.wrong("methods", "%v", err)
		}
		all = append(all, m)
	}
	return all, nil
}

// readMethod reads NAME, NAME=STRATEGY:KNOB=V:… or NAME=exec:CMD, where CMD runs in a folder.
func readMethod(given, dir string, say func(string)) (experiment.Method, error) {
	name, what, own := strings.Cut(given, "=")
	name = strings.TrimSpace(name)
	if !own {
		m, err := experiment.MethodNamed(name)
		m.Title, m.TeX = "", "" // those of the paper's table
		return m, bare(err)
	}
	if name == "" {
		return experiment.Method{}, fmt.Errorf("%q has no name before its =", given)
	}
	if strategy, _, knobs := strings.Cut(name, ":"); knobs && slices.Contains(untwist.Strategies(), strategy) {
		return experiment.Method{}, fmt.Errorf("%q has settings and no name: must be NAME=%s", given, given)
	}
	command, isProgram := strings.CutPrefix(strings.TrimSpace(what), "exec:")
	if !isProgram {
		m, err := readStrategy(strings.TrimSpace(what))
		m.Name = name
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return m, err
	}
	p, err := program.NewOptimizer(program.OptimizerConfig{Exec: command, Dir: dir, Note: func(line string) { say(name + ": " + line) }})
	if err != nil {
		return experiment.Method{}, fmt.Errorf("%s: %w", name, bare(err))
	}
	return experiment.Method{Name: name, Settings: p.Settings(), Other: p}, nil
}

// bare returns an error without the name of the option that is wrong.
func bare(err error) error {
	if bad, ok := errors.AsType[*objective.OptionError](err); ok {
		return errors.New(bad.Reason)
	}
	return err
}

// readStrategy reads STRATEGY:KNOB=V:…
func readStrategy(given string) (m experiment.Method, err error) {
	words := strings.Split(given, ":")
	var knobs untwist.Knobs
	var road string
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	registerKnobs(flags, &knobs)
	flags.StringVar(&road, "identifier", "", "")
	written := map[string]string{} // knobs in the words of the user
	for _, word := range words[1:] {
		name, value, found := strings.Cut(word, "=")
		if !found {
			return m, fmt.Errorf("%q is not KNOB=V", word)
		}
		knob := name
		if other, ok := knobsBefore[name]; ok {
			knob = other
		}
		if written[knob] != "" {
			return m, fmt.Errorf("%s is given twice", knob)
		}
		flag := flags.Lookup(knob)
		if flag == nil { // of CBO alone
			if _, err := (cbo.Config{}).With(word); errors.Is(err, cbo.ErrKey) {
				return m, fmt.Errorf("%s=%s: unknown knob: must be one of sigma, particles, population, tau, alpha, share, identifier, or one of minimize --cbo", knob, value)
			} else if err != nil {
				return m, err
			}
			knobs.CBO = append(knobs.CBO, word)
			written[knob] = name
			continue
		}
		err := flag.Value.Set(value)
		if knob == "identifier" {
			m.Identifier, err = identify.Named(value)
		}
		if err != nil {
			return m, fmt.Errorf("%s=%s: %w", knob, value, bare(err))
		}
		written[knob] = name
	}
	m.Settings = words[0]
	for _, knob := range slices.Sorted(maps.Keys(written)) {
		if flag := flags.Lookup(knob); flag != nil {
			m.Settings += ":" + knob + "=" + flag.Value.String() // in the one way to write it
		}
	}
	slices.Sort(knobs.CBO)
	for _, word := range knobs.CBO {
		m.Settings += ":" + word
	}
	m.Strategy, err = untwist.StrategyNamed(words[0], knobs)
	if err == nil {
		err = tried(m)
	}
	if bad, ok := errors.AsType[*objective.OptionError](err); ok && bad.Option != "Strategy" { // a knob
		knob := strings.ToLower(bad.Option)
		return m, fmt.Errorf("%s: %s", cmp.Or(knobOf[bad.Option], written[knob], knob), bad.Reason)
	}
	return m, bare(err)
}

// knobOf are the knobs that are not called as the options that they set.
var knobOf = map[string]string{"Identifier": "identifier"}

// knobsBefore are the knobs that have another name, too.
var knobsBefore = map[string]string{"population": "particles", "road": "identifier"}

// tried returns an error if a strategy refuses its settings, which it says when it starts.
func tried(m experiment.Method) error {
	f := objective.Func(2, func([]float64) float64 { return 0 })
	_, err := untwist.Minimize(context.Background(), f, untwist.Options{
		Strategy: m.Strategy, Identifier: m.Identifier, Start: objective.Cube(2, -1, 1), Budget: 1,
	})
	return err
}

// own adds the case of a problem file. Every run starts processes of its own.
func (f *compareFlags) own(cmd *cobra.Command, from *source, path string, g *experiment.Grid) error {
	if err := f.suits(from, path, g.Methods); err != nil {
		return err
	}
	var flags subjectFlags
	set := pflag.NewFlagSet(path, pflag.ContinueOnError)
	flags.register(set)
	file, err := readSource(set, []string{path})
	if err != nil {
		return err
	}
	if !file.given("keep-failed") {
		flags.program.KeepFailed = new(0) // there may be thousands of runs
	}
	var said sync.Once
	draw := func() (*ownProblem, error) {
		s, err := flags.own(file, func(line string) { note(cmd, "%s: %s", path, line) })
		if err != nil {
			return nil, err
		}
		p := &ownProblem{program: s.program, space: s.space, coordinates: parameter.NewCoordinates(s.program, s.space), minimum: math.NaN()}
		if known := flags.program.minimum; known != nil {
			p.minimum = *known
		}
		p.lost = func() {
			said.Do(func() { note(cmd, "%s: all queries of a run failed; untwist check %s says why", path, path) })
		}
		return p, nil
	}
	p, err := draw()
	if err != nil {
		return err
	}
	defer p.Close() // nothing was started
	if procs := flags.program.Procs; procs > 1 && !from.given("jobs") {
		f.jobs = max(1, runtime.GOMAXPROCS(0)/procs)
	}
	if math.IsNaN(p.minimum) {
		note(cmd, "the minimum of %s is not known, so that targets are values of it, and not gaps; say minimum = VALUE in its table [objective] if you know it", path)
	}
	digest, err := p.digest()
	g.Cases = append(g.Cases, experiment.Case{
		Problem: path, Dim: p.Dim(), Options: "program=" + digest,
		New: func(uint64) (experiment.Problem, error) {
			p, err := draw()
			if err != nil {
				return nil, err
			}
			return p, nil
		},
	})
	return err
}

// suits checks that nothing was asked for that a program does not have.
func (f *compareFlags) suits(from *source, path string, methods []experiment.Method) error {
	flag := from.first(blemishes)
	if flag == "" && len(f.problems) == 1 {
		flag = from.first([]string{"dim", "mix"})
	}
	if flag != "" {
		return from.wrong(flag, "is for built-in problems, and %s is a program", path)
	}
	for _, m := range methods {
		switch {
		case m.Unmixed:
			return from.wrong("methods", "%s runs on the unmixed function of a built-in problem, and %s is a program", m.Name, path)
		case m.Shared:
			return from.wrong("methods", "%s is the paper's method for built-in problems, and %s is a program; write %s=%s instead, which finds coordinates in our way",
				m.Name, path, m.Name, m.Strategy.Name())
		}
	}
	return nil
}

// An ownProblem is a user's program, in the coordinates of its parameters.
type ownProblem struct {
	program     *program.Objective
	space       parameter.Space
	coordinates *parameter.Coordinates
	minimum     float64 // NaN: nobody knows it

	asked, failed int    // queries
	lost          func() // is called if all of them failed
}

func (p *ownProblem) Dim() int { return p.coordinates.Dim() }

func (p *ownProblem) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := p.coordinates.Evaluate(ctx, points, values)
	for _, v := range values[:query.Evaluated(values, err)] {
		p.asked++
		if math.IsNaN(v) || math.IsInf(v, 1) {
			p.failed++
		}
	}
	return err
}

func (p *ownProblem) Domain() objective.Box { return p.space.Start() }
func (p *ownProblem) Bounds() objective.Box { return p.space.Bounds() }
func (p *ownProblem) Minimum() float64      { return p.minimum }

func (p *ownProblem) Close() error {
	if p.asked > 0 && p.failed == p.asked {
		p.lost()
	}
	return p.program.Close()
}

// digest tells the program from itself after a change.
func (p *ownProblem) digest() (string, error) {
	about := []any{p.program.Description(), p.space}
	if !math.IsNaN(p.minimum) {
		about = append(about, p.minimum)
	}
	data, err := json.Marshal(about)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.4x", sha256.Sum256(data)), nil
}
