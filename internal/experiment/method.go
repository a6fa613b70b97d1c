package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/powermethod"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// methods holds all methods. Those of the paper's table come first, in its order, with a row
// for what the published experiment does in one of them, and then auto.
var methods = []Method{
	{Name: "cbo-on-g", Title: "CBO on g", TeX: "CBO on $g$", Strategy: strategy.CBO{}, Unmixed: true},
	{Name: "cbo", Title: "CBO on f", TeX: "CBO on $f$", Strategy: strategy.CBO{}},
	{Name: "reparametrised", Title: "CBO on g̃ = f(W̃†·)", TeX: `CBO on $\tilde g = f(\tilde W^\dagger\,\cdot)$`, Strategy: strategy.Reparametrised{}, Shared: true},
	{Name: "transformed", Title: "CBO on f, transformed noise", TeX: "CBO on $f$, transformed noise", Strategy: strategy.Transformed{}, Shared: true},
	{Name: "componentwise", Title: "componentwise CBO on g̃", TeX: `componentwise CBO on $\tilde g$`, Strategy: strategy.Componentwise{}, Shared: true},
	{
		Name: "componentwise-published", Title: "componentwise CBO, as published", TeX: "componentwise CBO, as published", Strategy: strategy.Componentwise{},
		Shared: true, Identifier: allLimits, Road: "all-limits", Answers: true,
	},
	{Name: "cmaes", Title: "BIPOP-CMA-ES on f", TeX: "BIPOP-CMA-ES on $f$", Strategy: strategy.CMAES{}},
	{Name: "auto", Title: "auto (not in the paper)", TeX: "auto (not in the paper)", Strategy: untwist.DefaultStrategy()},
	{Name: "cbo-isotropic", Title: "isotropic CBO on f", TeX: "isotropic CBO on $f$", Strategy: strategy.IsotropicCBO{}},
	{Name: "descent", Title: "descents from random points", TeX: "descents from random points", Strategy: strategy.Descent{}},
	{Name: "online", Title: "CBO on f, frame learnt online", TeX: "CBO on $f$, frame learnt online", Strategy: strategy.Online{}},
	{
		Name: "componentwise-all-limits", Title: "componentwise CBO, all limits kept", TeX: "componentwise CBO, all limits kept", Strategy: strategy.Componentwise{},
		Shared: true, Identifier: allLimits, Road: "all-limits",
	},
}

// published is the row of the table that does what the authors' published experiment does with
// componentwise CBO: it keeps all limits of the power method, and only W̃†s counts.
const published = "componentwise-published"

// allLimits finds frames as the published experiment does.
var allLimits = identify.Paper{Power: powermethod.Method{Selection: powermethod.AllLimits{}}}

// identification is the part that the shared methods have in common. Its runs are stored
// beside theirs.
var identification = Method{Name: strategy.Identification{}.Name(), Strategy: strategy.Identification{}, Identifier: identify.Paper{}}

// finder is how the frame is found that a method shares with others.
func (m Method) finder() Method {
	by := identification
	if m.Identifier != nil {
		by.Identifier, by.Settings = m.Identifier, m.Road
	}
	return by
}

// most returns the most queries of a run in d dimensions.
func (g Grid) most(m Method, d int) (int, error) {
	all, err := g.Budget.At(d)
	if err != nil || m.Budget == "" {
		return all, err
	}
	own, err := m.Budget.At(d)
	return min(own, all), err
}

// MethodNames returns the names of all methods, those of the paper's table first.
func MethodNames() []string { return unique(methods, func(m Method) string { return m.Name }) }

// MethodNamed returns the method with the given name. Its titles are those of the paper's
// table.
func MethodNamed(name string) (Method, error) {
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, objective.BadOption("Methods", "unknown method %q: must be one of %s", name, strings.Join(MethodNames(), ", "))
	}
	return methods[i], nil
}

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
