package experiment

import (
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/strategy"
)

// A method is a row of a table: a strategy, and the function on which it runs.
type method struct {
	Name, Title string
	TeX         string // the title in LaTeX
	Strategy    strategy.Strategy
	Unmixed     bool // runs on g itself, not on f = g(W·)
	Shared      bool // uses the frame of the paper's road, found once for all such methods
}

// methods holds all methods. Those of the paper's table come first, in its order.
var methods = []method{
	{Name: "cbo-on-g", Title: "CBO on g", TeX: "CBO on $g$", Strategy: strategy.CBO{}, Unmixed: true},
	{Name: "cbo", Title: "CBO on f", TeX: "CBO on $f$", Strategy: strategy.CBO{}},
	{Name: "reparametrised", Title: "CBO on g̃ = f(W̃†·)", TeX: `CBO on $\tilde g = f(\tilde W^\dagger\,\cdot)$`, Strategy: strategy.Reparametrised{}, Shared: true},
	{Name: "transformed", Title: "CBO on f, transformed noise", TeX: "CBO on $f$, transformed noise", Strategy: strategy.Transformed{}, Shared: true},
	{Name: "componentwise", Title: "componentwise CBO on g̃", TeX: `componentwise CBO on $\tilde g$`, Strategy: strategy.Componentwise{}, Shared: true},
	{Name: "cmaes", Title: "BIPOP-CMA-ES on f", TeX: "BIPOP-CMA-ES on $f$", Strategy: strategy.CMAES{}},
	{Name: "auto", Title: "auto (not in the paper)", TeX: "auto (not in the paper)", Strategy: untwist.DefaultStrategy()},
	{Name: "cbo-isotropic", Title: "isotropic CBO on f", TeX: "isotropic CBO on $f$", Strategy: strategy.IsotropicCBO{}},
}

// identification is the part that the shared methods have in common. Its runs are stored
// beside theirs.
var identification = method{Name: strategy.Identification{}.Name(), Strategy: strategy.Identification{}}

// MethodNames returns the names of all methods, those of the paper's table first.
func MethodNames() (names []string) {
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}

// methodNamed returns the method with the given name, and whether there is one.
func methodNamed(name string) (m method, known bool) {
	i := slices.IndexFunc(methods, func(m method) bool { return m.Name == name })
	if i < 0 {
		return method{}, false
	}
	return methods[i], true
}
