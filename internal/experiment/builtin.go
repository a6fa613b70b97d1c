package experiment

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// Suits returns an *objective.OptionError if the method cannot run on a built-in problem: it
// is Unmixed, and the problem is never without its mix.
func (m Method) Suits(spec problem.Spec) error {
	spec.Mix = "none"
	if m.Unmixed && spec.Complete() != nil {
		return objective.BadOption("Methods", "%s runs on the unmixed function, which %s does not have", m.Name, spec.Name)
	}
	return nil
}

// BuiltIn returns the case of a built-in problem. The seed of the spec does not matter: each
// run has its own.
func BuiltIn(spec problem.Spec) (Case, error) {
	d := spec.Components
	if err := spec.Complete(); err != nil {
		return Case{}, err
	}
	options := spec.Blemishes.String()
	if d != 0 && d != spec.Dim {
		options = strings.TrimSpace(fmt.Sprintf("components=%d %s", d, options))
	}
	return Case{
		Problem: spec.Name, Dim: spec.Dim, Mix: spec.Mix, Options: options,
		New: func(seed uint64) (Problem, error) {
			spec := spec
			spec.Seed = seed
			p, err := problem.New(spec)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
	}, nil
}

// builtIns returns the cases of built-in problems.
func builtIns(names []string, dim int, mix string) (all []Case, err error) {
	for _, name := range names {
		c, err := BuiltIn(problem.Spec{Name: name, Dim: dim, Mix: mix})
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}
