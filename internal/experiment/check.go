package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// DefaultTargets are the gaps that a grid looks at if it names none.
func DefaultTargets() []float64 { return []float64{1e2, 1e1, 1, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8} }

// Complete fills in the defaults and puts the targets in order, the largest first. It returns
// an *objective.OptionError if a field is bad.
func (g *Grid) Complete() error {
	if g.Targets == nil {
		g.Targets = DefaultTargets()
	}
	g.Runs = cmp.Or(g.Runs, 15)
	g.Budget = cmp.Or(g.Budget, "1000*d")
	g.Targets = slices.Clone(g.Targets)
	slices.SortFunc(g.Targets, func(a, b float64) int { return cmp.Compare(b, a) })
	g.Targets = slices.Compact(g.Targets)
	if err := g.check(); err != nil {
		return err
	}
	g.Name = cmp.Or(g.Name, g.name())
	return nil
}

func (g *Grid) check() error {
	if err := cmp.Or(g.checkCases(), g.checkMethods(), checkRuns(g.Runs, g.Seed)); err != nil {
		return err
	}
	if len(g.Targets) == 0 {
		return objective.BadOption("Targets", "none are named")
	}
	for i, v := range g.Targets {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return objective.BadOption("Targets", "%v, must be finite", v)
		}
		if i > 0 && !(v < g.Targets[i-1]) {
			return objective.BadOption("Targets", "are not in order: the largest comes first")
		}
	}
	if strings.ContainsAny(g.Name, `/\`) || strings.ContainsFunc(g.Name, func(r rune) bool { return r < ' ' }) || strings.HasPrefix(g.Name, ".") || len(g.Name) > 200 {
		return objective.BadOption("Name", "%q cannot be the beginning of a file's name", short(g.Name))
	}
	return nil
}

// incomplete says that a grid was not completed.
func incomplete(err error) error { return fmt.Errorf("experiment: the grid is not complete: %w", err) }

// checkCases checks the cases, and that there is a budget for each.
func (g *Grid) checkCases() error {
	if len(g.Cases) == 0 {
		return objective.BadOption("Problems", "none are named")
	}
	known := map[string]bool{}
	for _, c := range g.Cases {
		switch key := c.Key(); {
		case c.Problem == "" || c.New == nil:
			return objective.BadOption("Problems", "a case without a name or without a function")
		case c.Dim < 1 || c.Dim > mostDims:
			return objective.BadOption("Dim", "%d, must be from 1 to %d", c.Dim, mostDims)
		case known[key]:
			return objective.BadOption("Problems", "%q is named twice", key)
		default:
			known[key] = true
		}
		if _, err := g.Budget.At(c.Dim); err != nil {
			return err
		}
	}
	return nil
}

// checkMethods checks that each method has a name of its own and something to run.
func (g *Grid) checkMethods() error {
	if len(g.Methods) == 0 {
		return objective.BadOption("Methods", "none are named")
	}
	known := map[string]bool{identification.Name: true}
	for _, m := range g.Methods {
		switch {
		case m.Name == "":
			return objective.BadOption("Methods", "a method without a name")
		case m.Name == identification.Name:
			return objective.BadOption("Methods", "%q cannot be the name of a method", m.Name)
		case known[m.Name] || known[m.Key()]:
			return objective.BadOption("Methods", "%q is named twice", m.Name)
		case m.Runs < 0:
			return objective.BadOption("Methods", "%s has %d runs, must be at least 1", m.Name, m.Runs)
		case m.Strategy == nil && m.Other == nil:
			return objective.BadOption("Methods", "%s has neither a strategy nor another optimiser", m.Name)
		}
		known[m.Name], known[m.Key()] = true, true
		for _, c := range g.Cases {
			if _, err := g.most(m, c.Dim); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostDims and mostRuns keep the numbers of queries and runs within an int.
const mostDims, mostRuns = 10_000, 1_000_000

// checkRuns checks a number of consecutive seeds.
func checkRuns(runs int, first uint64) error {
	switch {
	case runs < 1:
		return objective.BadOption("Runs", "%d, must be at least 1", runs)
	case runs > mostRuns:
		return objective.BadOption("Runs", "%d, must be at most %d", runs, mostRuns)
	case first+uint64(runs)-1 < first:
		return objective.BadOption("Seed", "%d, too large for %d consecutive seeds", first, runs)
	}
	return nil
}

// least returns the target at which runs stop.
func (g Grid) least() float64 { return g.Targets[len(g.Targets)-1] }

// The names of the settings that define an experiment in its store.
const (
	settingBudget  = "budget"
	settingTarget  = "target"
	settingTargets = "targets besides 10^(k/5)"
)

// OpenStore opens or creates the store of a complete grid. Grids that differ only in cases,
// methods or seeds share a store, so that an experiment can grow. So do grids with other
// targets, as long as the least is the same, because every curve has the first query at or
// below each 10^(k/5). Of odd targets, which lie between these, the store has to know all.
func (g Grid) OpenStore(ctx context.Context, path string) (*store.Store, error) {
	return g.openStore(ctx, path, store.Open)
}

// openStore opens the store of a complete grid by store.Open or store.Read.
func (g Grid) openStore(ctx context.Context, path string, by func(context.Context, string, ...store.Setting) (*store.Store, error)) (*store.Store, error) {
	open := func(odd string) (*store.Store, error) {
		return by(ctx, path,
			store.Setting{Name: settingBudget, Value: g.Budget.String()},
			store.Setting{Name: settingTarget, Value: decimals(g.least())},
			store.Setting{Name: settingTargets, Value: odd},
			store.Setting{Name: "numerics", Value: strconv.Itoa(untwist.Numerics)})
	}
	odd := oddTargets(g.Targets)
	s, err := open(joined(odd))
	if other, ok := errors.AsType[*store.OtherError](err); ok && other.Setting == settingTargets {
		if all := separated(other.Holds); !slices.ContainsFunc(odd, func(v float64) bool { return !slices.Contains(all, v) }) {
			return open(other.Holds)
		}
	}
	return s, err
}

// targets returns the targets at which curves are sampled: those of the grid, and the odd ones
// that the store knows besides, in order.
func (g Grid) targets(s *store.Store) []float64 {
	all := append(separated(s.Setting(settingTargets)), g.Targets...)
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	return slices.Compact(all)
}

// oddTargets returns those targets but the least that are not 10^(k/5).
func oddTargets(targets []float64) (odd []float64) {
	for _, v := range targets[:len(targets)-1] {
		if !isLevel(v) {
			odd = append(odd, v)
		}
	}
	return odd
}

// joined writes numbers, and separated reads them.
func joined(all []float64) string { return strings.Join(lists.Map(all, decimals), ", ") }

func separated(text string) (all []float64) {
	for _, word := range strings.Split(text, ", ") {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}

func (g Grid) total() int {
	n := 0
	for _, m := range g.Methods {
		n += len(g.Cases) * g.runs(m)
	}
	return n
}

// runs returns how many runs of a method there are on each case, and has whether one is at a
// seed.
func (g Grid) runs(m Method) int {
	if m.Runs == 0 {
		return g.Runs
	}
	return min(m.Runs, g.Runs)
}

func (g Grid) has(m Method, seed uint64) bool { return seed-g.Seed < uint64(g.runs(m)) }
