package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/objective"
)

// A Sweep is a grid in which a number is varied, the size of an error for example. Errors,
// Allocation and Approximate make one for each question that the paper leaves open. It is run
// and stored as any grid; Tabulate makes tables and pictures of its runs, with the number on
// the x axis.
type Sweep struct {
	Grid
	Question string // what is asked, in a sentence
	Pictures []Picture
	Places   []Place
}

// A Picture is one of the pictures of a sweep, and the tables beside it.
type Picture struct {
	Name  string // in the names of files
	Title string // what is in it
	X     string // what is on the x axis, in words
	Rows  string // what a line of its tables is about, in a word or two

	Measured bool // the x axis has the error of the frames that were used, not the number that was set
	Gaps     bool // final gaps are of interest, too
	Best     bool // the best number of each line is looked for
	Power    bool // queries grow with x like a power, whose exponent is looked for
}

// A Place is where a cell of the grid stands: in which picture, in which line, and at which x.
type Place struct {
	Picture string // its name
	Line    string
	X       float64 // NaN: the cell has no x, and is drawn as a level all along
	Row     string  // X in the tables, with what else belongs to it
	Case    int     // of the grid
	Method  int
}

// An Extent says how large a sweep is. Zero values stand for the paper's four problems, d = 100,
// 20 runs from seed 0, and all that the sweep has.
type Extent struct {
	Problems []string
	Dim      int
	Runs     int // at Seed, Seed+1, …
	Seed     uint64
	Sizes    []float64 // of errors or couplings
	Methods  []string  // that search in a frame, or that are compared
}

// papersProblems are the four of the paper's table.
func papersProblems() []string {
	return []string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers"}
}

// complete fills in the defaults and returns an *objective.OptionError if a field is bad.
func (e *Extent) complete() error {
	if e.Problems == nil {
		e.Problems = papersProblems()
	}
	e.Dim = cmp.Or(e.Dim, 100)
	e.Runs = cmp.Or(e.Runs, 20)
	if e.Dim < 2 || e.Dim > mostDims {
		return objective.BadOption("Dim", "%d, must be from 2 to %d", e.Dim, mostDims)
	}
	for _, v := range e.Sizes {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return objective.BadOption("Sizes", "%v, must be a number of at least 0", v)
		}
	}
	return cmp.Or(checkProblems(e.Problems, e.Dim, "paper", "be swept"), checkRuns(e.Runs, e.Seed))
}

// methods returns those of the paper, and others, that are chosen.
func (e Extent) methods(others ...string) ([]string, error) {
	all := slices.Concat(papersMethods, others)
	for _, name := range e.Methods {
		if !slices.Contains(all, name) {
			return nil, objective.BadOption("Methods", "%q, must be one of %s", name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return e.Methods != nil && !slices.Contains(e.Methods, name) }), nil
}

// sizes returns those that are chosen, in order, or else all.
func (e Extent) sizes(all []float64) []float64 {
	if e.Sizes == nil {
		return all
	}
	return slices.Compact(slices.Sorted(slices.Values(e.Sizes)))
}

// papersBudget and papersGap are the budget of the paper's experiment, 5,000,000 queries at
// d = 100, and the gap at which a run succeeds. smallBudget is a tenth of it.
const (
	papersBudget = Budget("500*d^2")
	smallBudget  = Budget("50*d^2")
	papersGap    = 0.005
)

// sweep begins a sweep: a grid without methods, its cases the problems.
func (e Extent) sweep(name, question string) (Sweep, error) {
	s := Sweep{Question: question}
	if err := e.complete(); err != nil {
		return s, err
	}
	n := naming{parts: []string{name, fmt.Sprintf("d%d", e.Dim)}, whole: true}
	if !slices.Equal(e.Problems, papersProblems()) {
		if n.list(e.Problems, 3, "problems"); !n.whole {
			n.sum(fmt.Sprint(e.Problems))
		}
	}
	if e.Sizes != nil || e.Methods != nil {
		n.list(e.Methods, 3, "methods")
		n.addIf(e.Sizes != nil, "%s", counted(len(e.Sizes), "size"))
		n.sum(fmt.Sprint(e.Sizes, e.Methods))
	}
	n.add(counted(e.Runs, "run"))
	n.addIf(e.Seed > 0, "from-%d", e.Seed)
	s.Grid = Grid{Name: strings.Join(n.parts, "-"), Runs: e.Runs, Seed: e.Seed, Budget: papersBudget, Targets: []float64{papersGap}}
	var err error
	s.Cases, err = builtIns(e.Problems, e.Dim, "paper")
	return s, err
}

// put puts a method into the grid, if it is not there, and all its cells in place.
func (s *Sweep) put(m Method, at Place) {
	at.Method = slices.IndexFunc(s.Methods, func(other Method) bool { return other.Key() == m.Key() })
	if at.Method < 0 {
		at.Method = len(s.Methods)
		s.Methods = append(s.Methods, m)
	}
	for k := range s.Cases {
		at.Case = k
		s.Places = append(s.Places, at)
	}
}

// named returns a method of the table by its name, with the knob of a sweep in its new name.
func named(name, knob string) Method {
	m, err := MethodNamed(name)
	if err != nil {
		panic(err)
	}
	m.Title, m.TeX, m.Shared = "", "", false
	if knob != "" {
		m.Name += " " + knob
	}
	return m
}

// dims writes the dimensions.
func (s Sweep) dims() string {
	return strings.Join(unique(s.Cases, func(c Case) string { return fmt.Sprint(c.Dim) }), ", ")
}

// papersMethods are the three methods of the paper that search in a frame.
var papersMethods = []string{"reparametrised", "transformed", "componentwise"}
