package main

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/report"
)

// A subject is a function to minimise or to probe: the function itself, where to look,
// and what is known about it.
type subject struct {
	objective objective.Objective
	words     report.Subject
	start     objective.Box // where to look first; zero: follows from the bounds
	bounds    objective.Box // zero: there are none
	seed      uint64
	known     *report.Known // nil: nothing is known
}

// target returns the value of f at which to stop. v is a gap above the minimum if that is
// known, and otherwise a value of f; nil: the search does not stop early.
func (s subject) target(v *float64) *float64 {
	if v == nil || s.known == nil {
		return v
	}
	return new(s.known.Minimum + *v)
}

// subjectFlags are the flags that choose a subject: today a built-in problem.
type subjectFlags struct {
	name, mix              string
	dim, components, block count
	seed                   seed
	start, bounds          text
}

// register declares the flags.
func (f *subjectFlags) register(flags *pflag.FlagSet) {
	f.dim = 10
	flags.StringVar(&f.name, "problem", "", "`NAME` of a built-in problem: one of "+strings.Join(problem.Names(), ", "))
	flags.Var(&f.dim, "dim", "number of dimensions d")
	flags.Var(&f.components, "components", "number of components m, from 1 to dim (default dim)")
	flags.StringVar(&f.mix, "mix", "", "mixing matrix W: one of "+strings.Join(problem.Mixes(), ", ")+" (default paper; microring: banded)")
	flags.Var(&f.block, "block", "components in a block of ridge-blocks (default 4)")
	flags.Var(&f.seed, "seed", "all randomness, the problem's and the search's, follows from it")
	flags.Var(&f.start, "start", "`LO:HI` or FILE: where to look first; this is not a limit (default the bounds, else the problem's domain)")
	flags.Var(&f.bounds, "bounds", "`LO:HI` or FILE with a line \"LO HI\" for each coordinate: nothing outside is ever queried")
}

// subject makes the subject that the flags describe.
func (f *subjectFlags) subject() (subject, error) {
	if f.name == "" {
		return subject{}, objective.BadOption("Name", "needed: one of %s", strings.Join(problem.Names(), ", "))
	}
	spec := problem.Spec{
		Name: f.name, Dim: int(f.dim), Components: int(f.components),
		Mix: f.mix, Block: int(f.block), Seed: uint64(f.seed),
	}
	bounds, err := parseBox(string(f.bounds), spec.Dim)
	if err != nil {
		return subject{}, objective.BadOption("Bounds", "%v", err)
	}
	if f.bounds != "" {
		spec.Bounds = &bounds
	}
	p, err := problem.New(spec)
	if err != nil {
		return subject{}, err
	}
	start, err := parseBox(string(f.start), spec.Dim)
	if err != nil {
		return subject{}, objective.BadOption("Start", "%v", err)
	}
	if f.start == "" && f.bounds == "" {
		start = p.Domain()
	}
	return builtIn(p, start, bounds), nil
}

// builtIn is a built-in problem as a subject: everything is known about it.
func builtIn(p *problem.Problem, start, bounds objective.Box) subject {
	s := p.Spec()
	return subject{
		objective: p,
		words:     report.Subject{Name: s.Name, Dim: s.Dim, Components: s.Components, Mix: s.Mix},
		start:     start,
		bounds:    bounds,
		seed:      s.Seed,
		known: &report.Known{
			Minimum:    p.Minimum(),
			Attainable: s.Bounds == nil || s.Bounds.Contains(p.Minimiser()),
			Frame:      p.Frame(),
			Blocks:     p.Blocks(),
		},
	}
}
