package main

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// problemFlags are the flags that choose a built-in problem.
type problemFlags struct {
	name, mix              string
	dim, components, block count
	seed                   seed
	bounds                 text
}

// register declares the flags.
func (f *problemFlags) register(flags *pflag.FlagSet) {
	f.dim = 10
	flags.StringVar(&f.name, "problem", "", "`NAME` of a built-in problem: one of "+strings.Join(problem.Names(), ", "))
	flags.Var(&f.dim, "dim", "number of dimensions d")
	flags.Var(&f.components, "components", "number of components m, from 1 to dim (default dim)")
	flags.StringVar(&f.mix, "mix", "", "mixing matrix W: one of "+strings.Join(problem.Mixes(), ", ")+" (default paper; microring: banded)")
	flags.Var(&f.block, "block", "components in a block of ridge-blocks (default 4)")
	flags.Var(&f.seed, "seed", "all randomness, the problem's and the search's, follows from it")
}

// make draws the problem.
func (f *problemFlags) make() (*problem.Problem, error) {
	if f.name == "" {
		return nil, objective.BadOption("Name", "needed: one of %s", strings.Join(problem.Names(), ", "))
	}
	spec := problem.Spec{
		Name: f.name, Dim: int(f.dim), Components: int(f.components),
		Mix: f.mix, Block: int(f.block), Seed: uint64(f.seed),
	}
	if f.bounds != "" {
		box, err := parseBox(string(f.bounds), spec.Dim)
		if err != nil {
			return nil, objective.BadOption("Bounds", "%v", err)
		}
		spec.Bounds = &box
	}
	return problem.New(spec)
}

// boxes returns where to start, as it was given or the problem's domain, and
// the bounds, if there are any.
func boxes(start string, p *problem.Problem) (from, bounds objective.Box, err error) {
	if from, err = parseBox(start, p.Dim()); err != nil {
		return from, bounds, objective.BadOption("Start", "%v", err)
	}
	if b := p.Spec().Bounds; b != nil {
		bounds = *b
	} else if start == "" {
		from = p.Domain()
	}
	return from, bounds, nil
}
