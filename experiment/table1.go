package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/store"
)

// Table1 is an experiment: every method on every problem at every seed. A run stops at a
// gap above the known minimum, or when the budget is spent. At one seed all methods see
// the same g and W, and those that use CBO start from the same numbers.
//
// Zero values stand for the settings of the paper's table: its four problems, its six
// methods with auto below them, d = 100, 100 runs from seed 0, 500·d² queries, a gap of
// 0.005, and the paper's mixing matrix.
type Table1 struct {
	Problems []string `json:"problems"`
	Methods  []string `json:"methods"`
	Dim      int      `json:"dim"`
	Runs     int      `json:"runs"` // at Seed, Seed+1, …
	Seed     uint64   `json:"seed"`
	Budget   int      `json:"budget"`
	Gap      float64  `json:"gap"`
	Mix      string   `json:"mix"`
}

// Complete fills in the defaults and returns an *objective.OptionError if a field is bad.
func (g *Table1) Complete() error {
	if g.Problems == nil {
		g.Problems = []string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers"}
	}
	if g.Methods == nil {
		g.Methods = MethodNames()[:7]
	}
	if g.Dim == 0 {
		g.Dim = 100
	}
	if g.Runs == 0 {
		g.Runs = 100
	}
	if g.Budget == 0 && g.Dim <= mostDims {
		g.Budget = 500 * g.Dim * g.Dim
	}
	if g.Gap == 0 {
		g.Gap = 0.005
	}
	if g.Mix == "" {
		g.Mix = "paper"
	}
	return g.check()
}

// mostDims and mostRuns keep the numbers of queries and runs within an int.
const mostDims, mostRuns = 10_000, 1_000_000

// check returns an error if a field is bad.
func (g *Table1) check() error {
	for _, n := range []struct {
		option string
		value  int
		most   int
	}{{"Dim", g.Dim, mostDims}, {"Runs", g.Runs, mostRuns}, {"Budget", g.Budget, math.MaxInt}} {
		if n.value < 1 {
			return objective.BadOption(n.option, "%d, must be at least 1", n.value)
		}
		if n.value > n.most {
			return objective.BadOption(n.option, "%d, must be at most %d", n.value, n.most)
		}
	}
	if !(g.Gap > 0) || math.IsInf(g.Gap, 1) {
		return objective.BadOption("Gap", "%v, must be a number above 0", g.Gap)
	}
	if last := g.Seed + uint64(g.Runs) - 1; last < g.Seed {
		return objective.BadOption("Seed", "%d, too large for %d consecutive seeds", g.Seed, g.Runs)
	}
	if !slices.Contains(problem.Mixes(), g.Mix) {
		return objective.BadOption("Mix", "unknown mixing matrix %q: must be one of %s", g.Mix, strings.Join(problem.Mixes(), ", "))
	}
	if err := checkNames("Problems", "problem", g.Problems, problem.Names()); err != nil {
		return err
	}
	return checkNames("Methods", "method", g.Methods, MethodNames())
}

// checkNames returns an error if there are no names, or one is unknown or repeated.
func checkNames(option, thing string, names, known []string) error {
	if len(names) == 0 {
		return objective.BadOption(option, "none are named")
	}
	for i, name := range names {
		if !slices.Contains(known, name) {
			return objective.BadOption(option, "unknown %s %q: must be one of %s", thing, name, strings.Join(known, ", "))
		}
		if slices.Contains(names[:i], name) {
			return objective.BadOption(option, "%q is named twice", name)
		}
	}
	return nil
}

// OpenStore opens or creates the store of a complete grid. Grids that differ only in
// problems, methods or seeds may share a store, so that an experiment can grow.
func (g Table1) OpenStore(ctx context.Context, path string) (*store.Store, error) {
	return store.Open(ctx, path,
		store.Setting{Name: "dim", Value: strconv.Itoa(g.Dim)},
		store.Setting{Name: "budget", Value: strconv.Itoa(g.Budget)},
		store.Setting{Name: "gap", Value: strconv.FormatFloat(g.Gap, 'g', -1, 64)},
		store.Setting{Name: "mix", Value: g.Mix},
		store.Setting{Name: "numerics", Value: strconv.Itoa(untwist.Numerics)})
}

// total returns how many runs the grid has.
func (g Table1) total() int { return len(g.Problems) * len(g.Methods) * g.Runs }

// method returns the i-th method of a complete grid.
func (g Table1) method(i int) method {
	m, known := methodNamed(g.Methods[i])
	if !known {
		panic(fmt.Sprintf("experiment: the grid is not complete: %q", g.Methods[i]))
	}
	return m
}

// has reports whether a run belongs to the grid.
func (g Table1) has(k store.Key) bool {
	return slices.Contains(g.Problems, k.Problem) && slices.Contains(g.Methods, k.Method) && k.Seed-g.Seed < uint64(g.Runs)
}
