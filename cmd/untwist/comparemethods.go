package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/objective"
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
