package main

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// problemFlags are the flags that choose a built-in problem.
type problemFlags struct {
	spec   problem.Spec
	bounds string
}

// register declares the flags.
func (f *problemFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.spec.Name, "problem", "", "`NAME` of a built-in problem: one of "+strings.Join(problem.Names(), ", "))
	flags.IntVar(&f.spec.Dim, "dim", 10, "number of dimensions d")
	flags.IntVar(&f.spec.Components, "components", 0, "number of components m, from 1 to dim (default dim)")
	flags.StringVar(&f.spec.Mix, "mix", "", "mixing matrix W: one of "+strings.Join(problem.Mixes(), ", ")+" (default paper; microring: banded)")
	flags.IntVar(&f.spec.Block, "block", 0, "components in a block of ridge-blocks (default 4)")
	flags.Uint64Var(&f.spec.Seed, "seed", 0, "all randomness, the problem's and the search's, follows from it")
}

// make draws the problem.
func (f *problemFlags) make() (*problem.Problem, error) {
	if f.spec.Name == "" {
		return nil, objective.BadOption("Name", "needed: one of %s", strings.Join(problem.Names(), ", "))
	}
	if f.bounds != "" {
		box, err := parseBox(f.bounds, max(f.spec.Dim, 0))
		if err != nil {
			return nil, objective.BadOption("Bounds", "%v", err)
		}
		f.spec.Bounds = &box
	}
	return problem.New(f.spec)
}
