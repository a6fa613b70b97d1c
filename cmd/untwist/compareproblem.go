package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

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

// Dim returns how many parameters are not fixed.
func (p *ownProblem) Dim() int { return p.coordinates.Dim() }

// Evaluate asks the program.
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

// Domain returns where a search starts, and Bounds what it must not leave.
func (p *ownProblem) Domain() objective.Box { return p.space.Start() }
func (p *ownProblem) Bounds() objective.Box { return p.space.Bounds() }

// Minimum returns the least value, NaN if nobody knows it.
func (p *ownProblem) Minimum() float64 { return p.minimum }

// Close ends the program.
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
