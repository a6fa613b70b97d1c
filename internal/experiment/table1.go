package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// Table1 is an experiment: every method on every problem at every seed. A run stops at a
// gap above the known minimum, or when the budget is spent. At one seed all methods see
// the same g and W, and those that use CBO start from the same numbers.
//
// Zero values stand for the settings of the paper's table: its four problems, its six
// methods with componentwise-published among them and auto below, d = 100, 100 runs from seed
// 0, 500·d² queries, a gap of 0.005, and the paper's mixing matrix. Beside other methods
// componentwise-published has 25 runs at most, which are enough for what it shows.
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
		g.Problems = papersProblems()
	}
	if g.Methods == nil {
		g.Methods = MethodNames()[:8]
	}
	g.Dim = cmp.Or(g.Dim, 100)
	g.Runs = cmp.Or(g.Runs, 100)
	if g.Budget == 0 && g.Dim <= mostDims {
		g.Budget = 500 * g.Dim * g.Dim
	}
	g.Gap = cmp.Or(g.Gap, papersGap)
	g.Mix = cmp.Or(g.Mix, "paper")
	return g.check()
}

// check returns an error if a field is bad.
func (g *Table1) check() error {
	switch {
	case g.Dim < 1:
		return objective.BadOption("Dim", "%d, must be at least 1", g.Dim)
	case g.Dim > mostDims:
		return objective.BadOption("Dim", "%d, must be at most %d", g.Dim, mostDims)
	case g.Budget < 1:
		return objective.BadOption("Budget", "%d, must be at least 1", g.Budget)
	}
	if err := checkRuns(g.Runs, g.Seed); err != nil {
		return err
	}
	if !(g.Gap > 0) || math.IsInf(g.Gap, 1) {
		return objective.BadOption("Gap", "%v, must be a number above 0", g.Gap)
	}
	if !slices.Contains(problem.Mixes(), g.Mix) {
		return objective.BadOption("Mix", "unknown mixing matrix %q: must be one of %s", g.Mix, strings.Join(problem.Mixes(), ", "))
	}
	if err := cmp.Or(checkProblems(g.Problems, g.Dim, g.Mix, "be in this table"), checkNames("Methods", "method", g.Methods, MethodNames())); err != nil {
		return err
	}
	for _, name := range g.Problems {
		for i := range g.Methods {
			if err := g.method(i).Suits(problem.Spec{Name: name, Dim: g.Dim, Mix: g.Mix}); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkProblems returns an error if the problems are bad, or one cannot be what is asked of it in
// so many dimensions and with this mix.
func checkProblems(names []string, dim int, mix, asked string) error {
	if err := checkNames("Problems", "problem", names, problem.Names()); err != nil {
		return err
	}
	for _, name := range names {
		spec := problem.Spec{Name: name, Dim: dim, Mix: mix}
		if err := spec.Complete(); err != nil {
			if bad, ok := errors.AsType[*objective.OptionError](err); ok {
				err = errors.New(bad.Reason)
			}
			return objective.BadOption("Problems", "%s cannot %s: %v", name, asked, err)
		}
	}
	return nil
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

// Grid returns a complete table as a grid. Tables that differ only in problems, dimensions, mixing
// matrices, methods or seeds may share a store, so that an experiment can grow.
func (g Table1) Grid() Grid {
	all := Grid{
		Name: g.name(), Runs: g.Runs, Seed: g.Seed,
		Budget: Budget(strconv.Itoa(g.Budget)), Targets: []float64{g.Gap},
	}
	var err error
	if all.Cases, err = builtIns(g.Problems, g.Dim, g.Mix); err != nil {
		panic(incomplete(err).Error())
	}
	for i := range g.Methods {
		all.Methods = append(all.Methods, g.method(i))
	}
	return all
}

// method returns the i-th method of a complete grid.
func (g Table1) method(i int) Method {
	m, err := MethodNamed(g.Methods[i])
	if err != nil {
		panic(incomplete(err).Error())
	}
	if m.Name == published && len(g.Methods) > 1 {
		m.Runs = publishedRuns
	}
	return m
}

// publishedRuns is how many runs the row as published has at most beside others.
const publishedRuns = 25

// name returns what the files of the table are called: table1, and everything that is not as
// in the paper. So a table with other runs is written to other files.
func (g Table1) name() string {
	paper := Table1{}
	if err := paper.Complete(); err != nil {
		panic(err)
	}
	n := naming{parts: []string{"table1"}}
	n.addIf(g.Dim != paper.Dim, "d%d", g.Dim)
	n.addIf(g.Mix != paper.Mix, "%s", g.Mix)
	if !slices.Equal(g.Problems, paper.Problems) {
		n.list(g.Problems, 3, "problems")
	}
	if !slices.Equal(g.Methods, paper.Methods) {
		n.list(g.Methods, 4, "methods")
	}
	n.addIf(g.Budget != 500*g.Dim*g.Dim, "%dqueries", g.Budget)
	n.addIf(g.Gap != paper.Gap, "gap%v", g.Gap)
	n.addIf(g.Runs != paper.Runs, "%s", counted(g.Runs, "run"))
	n.addIf(g.Seed != paper.Seed, "from-%d", g.Seed)
	if len(g.Problems) > 3 && !slices.Equal(g.Problems, paper.Problems) || len(g.Methods) > 4 && !slices.Equal(g.Methods, paper.Methods) {
		n.sum(fmt.Sprint(g.Problems, g.Methods))
	}
	return strings.Join(n.parts, "-")
}
