package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/store"
)

// A Grid is an experiment: every method on every problem at every seed, stopped at a gap
// above the known minimum or when the budget is spent. At one seed all methods see the
// same g, W and start.
//
// Zero values are those of the paper's table: its four problems and six methods with
// auto below, d = 100, 100 runs from seed 0, 500·d² queries, a gap of 0.005, the paper's
// mixing matrix.
type Grid struct {
	Problems []string `json:"problems"`
	Methods  []string `json:"methods"`
	Dim      int      `json:"dim"`
	Runs     int      `json:"runs"` // at Seed, Seed+1, …
	Seed     uint64   `json:"seed"`
	Budget   int      `json:"budget"`
	Gap      float64  `json:"gap"`
	Mix      string   `json:"mix"`
}

// Complete puts the defaults in and returns an *objective.OptionError if a field is bad.
func (g *Grid) Complete() error {
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
	if g.Budget == 0 {
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

// check returns an error if a field is bad.
func (g *Grid) check() error {
	for option, n := range map[string]int{"Dim": g.Dim, "Runs": g.Runs, "Budget": g.Budget} {
		if n < 1 {
			return objective.BadOption(option, "%d, must be at least 1", n)
		}
	}
	if !(g.Gap > 0) || math.IsInf(g.Gap, 1) {
		return objective.BadOption("Gap", "%v, must be a number above 0", g.Gap)
	}
	if g.Seed+uint64(g.Runs) < g.Seed {
		return objective.BadOption("Seed", "%d, there are no %d seeds from there", g.Seed, g.Runs)
	}
	for option, names := range map[string][]string{"Problems": g.Problems, "Methods": g.Methods} {
		if len(names) == 0 {
			return objective.BadOption(option, "none are named")
		}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return objective.BadOption(option, "%q is named twice", name)
			}
		}
	}
	for _, name := range g.Methods {
		if _, err := methodNamed(name); err != nil {
			return err
		}
	}
	for _, name := range g.Problems {
		if !slices.Contains(problem.Names(), name) {
			return objective.BadOption("Problems", "unknown problem %q: one of %s", name, strings.Join(problem.Names(), ", "))
		}
		if _, err := problem.New(problem.Spec{Name: name, Dim: g.Dim, Mix: g.Mix}); err != nil {
			return err
		}
	}
	return nil
}

// numerics is raised when the same seed gives other results than before: then a store
// must not be gone on with.
const numerics = 1

// OpenStore opens the store of a complete grid, or makes it. Grids that differ in problems,
// methods or seeds only may share one, so that an experiment can grow.
func (g Grid) OpenStore(ctx context.Context, path string) (*store.Store, error) {
	return store.Open(ctx, path, map[string]string{
		"dim": strconv.Itoa(g.Dim), "budget": strconv.Itoa(g.Budget), "mix": g.Mix,
		"gap": strconv.FormatFloat(g.Gap, 'g', -1, 64), "numerics": strconv.Itoa(numerics),
	})
}

// total is how many runs the grid has.
func (g Grid) total() int { return len(g.Problems) * len(g.Methods) * g.Runs }

// method returns the i-th method of a complete grid.
func (g Grid) method(i int) Method {
	m, err := methodNamed(g.Methods[i])
	if err != nil {
		panic(fmt.Sprintf("experiment: a grid that is not complete: %v", err))
	}
	return m
}

// has reports whether a run is one of the grid.
func (g Grid) has(k store.Key) bool {
	return slices.Contains(g.Problems, k.Problem) && slices.Contains(g.Methods, k.Method) && k.Seed-g.Seed < uint64(g.Runs)
}
