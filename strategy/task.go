package strategy

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Task is what a strategy is told besides f, all of it in scaled coordinates. Only
// Budget has to be given.
type Task struct {
	// Bounds limit where f may be asked; their sides may be infinite. Default: no
	// limit.
	Bounds objective.Box
	// Points are known good points to start from, a row each. Default: none.
	Points *mat.Dense

	// Frame has the coordinates in which f is known to separate, and Blocks those
	// of its components that f couples (nil: none). Default: they are not known.
	Frame  *frame.Frame
	Blocks [][]int
	// Identifier finds the coordinates if there is no Frame. Default: the strategy's
	// own way.
	Identifier identify.Identifier

	// Start is the box [-1, 1]^d of the scaled coordinates in the user's units. Default: they
	// are the user's.
	Start objective.Box
	// Budget is how many queries f has left, at least 1. A strategy plans with it;
	// what ends a search is f itself, with objective.ErrBudget.
	Budget int
	// Limit is how many queries f really has left, if that is not Budget: a run that is
	// resumed keeps to its plan and goes on. A strategy asks for the same points as with
	// another Limit until there are no more. Default: Budget.
	Limit int
	// Parallel is how many evaluations at the same time cost no more than one. A strategy may
	// ask for more points at once then, and for more points in all. Default 1.
	Parallel int
	// NoiseLevel is the standard deviation of f's noise, in its unit. Default 0: it is not
	// known, and a strategy may measure it.
	NoiseLevel float64
	// Seed determines all randomness.
	Seed uint64
	// Stage is told what is being done from now on. Default: nobody is told.
	Stage func(objective.Stage)
	// Found is told what is known of the coordinates as soon as it is, in the middle of a
	// search. It must not change it. Default: nobody is told.
	Found func(*identify.Finding)
	// Lattices are the values that coordinates may have, one for each. f rounds every other value
	// to the nearest of them. Default: all have any.
	Lattices []Lattice
	// Several says what f answers besides a value, and what is limited. Default: f has a value
	// alone, and only Bounds limit where it may be asked.
	Several *Several
}

// A Lattice is the values that a coordinate may have, in order; none: it may have any. Unordered
// says that neighbours have nothing in common: they are choices.
type Lattice struct {
	Values    []float64
	Unordered bool
}

// values returns the values that coordinates may have, of each; nil: all have any.
func (t Task) values() (all [][]float64) {
	for _, l := range t.Lattices {
		all = append(all, l.Values)
	}
	return all
}

// Complete returns the task for a function of d dimensions with its defaults in place,
// or an *objective.OptionError that names the field that is wrong.
func (t Task) Complete(d int) (Task, error) {
	t.Limit, t.Parallel = cmp.Or(t.Limit, t.Budget), cmp.Or(t.Parallel, 1)
	switch {
	case t.Budget < 1:
		return t, objective.BadOption("Budget", "%d, must be at least 1", t.Budget)
	case t.Limit < 0:
		return t, objective.BadOption("Limit", "%d, must be at least 1", t.Limit)
	case t.Parallel < 0:
		return t, objective.BadOption("Parallel", "%d, must be at least 1", t.Parallel)
	case !(t.NoiseLevel >= 0) || math.IsInf(t.NoiseLevel, 1):
		return t, objective.BadOption("NoiseLevel", "%v, must be a number of at least 0", t.NoiseLevel)
	}
	if t.Bounds.IsZero() {
		t.Bounds = objective.Cube(d, math.Inf(-1), math.Inf(1))
	}
	if err := t.Bounds.Check(d); err != nil {
		return t, objective.BadOption("Bounds", "%v", err)
	}
	if err := certify.CheckBox(objective.Cube(d, -1, 1), t.Bounds, d); err != nil {
		return t, objective.BadOption("Bounds", "the start box [-1, 1]^%d must lie within them", d)
	}
	if t.Points != nil {
		if _, columns := t.Points.Dims(); columns != d {
			return t, objective.BadOption("Points", "points of %d coordinates, the objective has %d", columns, d)
		}
	}
	if t.Lattices != nil && len(t.Lattices) != d {
		return t, objective.BadOption("Lattices", "%d, the objective has %d coordinates", len(t.Lattices), d)
	}
	if t.Start.IsZero() {
		t.Start = objective.Cube(d, -1, 1)
	}
	if t.Stage == nil {
		t.Stage = func(objective.Stage) {}
	}
	if t.Found == nil {
		t.Found = func(*identify.Finding) {}
	}
	if by, ok := t.Identifier.(identify.Checker); ok && t.Frame == nil {
		if err := by.Check(d, t.Request()); err != nil {
			return t, err
		}
	}
	return t, t.checkFrame(d)
}

// checkFrame returns an error if the frame is not one of d dimensions, or if the blocks
// are not those of the frame.
func (t Task) checkFrame(d int) error {
	switch {
	case t.Frame == nil && t.Blocks != nil:
		return objective.BadOption("Blocks", "need a Frame, and none is given")
	case t.Frame == nil:
		return nil
	case t.Frame.Dim() != d:
		return objective.BadOption("Frame", "has %d dimensions, but the objective has %d", t.Frame.Dim(), d)
	case t.Blocks == nil:
		return nil
	}
	return certify.CheckBlocks(t.Blocks, t.Frame.Components())
}

// Bounded reports whether anything limits where f may be asked.
func (t Task) Bounded() bool {
	finite := func(v float64) bool { return !math.IsInf(v, 0) }
	return slices.ContainsFunc(t.Bounds.Lo, finite) || slices.ContainsFunc(t.Bounds.Hi, finite)
}

// Request is what an Identifier is told of the task.
func (t Task) Request() identify.Request {
	return identify.Request{Bounds: t.Bounds, Seed: t.Seed, Stage: t.Stage}
}

// asGiven completes the task of a strategy that searches in the coordinates given: it
// refuses others.
func (t Task) asGiven(s Strategy, d int) (Task, error) {
	t, err := t.Complete(d)
	switch {
	case err != nil:
		return t, err
	case t.Frame != nil:
		return t, objective.BadOption("Frame", "strategy %s searches in the coordinates given", s.Name())
	case t.Identifier != nil:
		return t, objective.BadOption("Identifier", "strategy %s searches in the coordinates given", s.Name())
	}
	return t, nil
}

// The stages of the strategies in this package.
var (
	atKnown = objective.Stage{Name: "known points", Purpose: objective.AtKnown}
	byCBO   = objective.Stage{Name: "cbo", Purpose: objective.ToSearch}
	byCMAES = objective.Stage{Name: "cmaes", Purpose: objective.ToSearch}

	straightDown = objective.Stage{Name: "descent", Purpose: objective.StraightDown}
)

// Several says what an evaluation answers besides a value, and what is limited.
type Several struct {
	// Residuals is how many residuals an answer has, whose squares are summed; 0: it has a value.
	// Maximize says that f is the negative of that value.
	Residuals int
	Maximize  bool
	// Outputs are the numbers that follow, and Within is by how much a limit of one may be exceeded.
	Outputs []objective.Output
	Within  func(output int, limit float64) float64
	// Limits are linear in the scaled coordinates. No query may violate them.
	Limits []Limit
	// Recent returns the numbers of the queries since it was last called, a row for each; nil
	// where one has failed.
	Recent func() [][]float64
}

// Limited reports whether there is any limit, of an output or a linear one.
func (s *Several) Limited() bool {
	return s != nil && (len(s.Limits) > 0 || slices.ContainsFunc(s.Outputs, objective.Output.Limited))
}

// A Limit is Lo ≤ Σ Coefficients[i]·z_i ≤ Hi; Lo may be −Inf and Hi +Inf. If they are equal, the sum
// has this value.
type Limit struct {
	Coefficients []float64
	Lo, Hi       float64
}

// A Fit is a least-squares fit, by the last Jacobian of its residuals.
type Fit struct {
	Point     []float64  // in scaled coordinates
	Residuals []float64  // there
	Jacobian  *mat.Dense // likewise, of the residuals by the scaled coordinates
	// Coordinates are those of its columns; nil: all.
	Coordinates []int
}

// A Multiplier says what a limit costs: by how much f falls for a limit that is wider by one unit.
type Multiplier struct {
	Output int // whose limit it is; −1: that of a linear limit
	Limit  int // the linear limit; −1: that of an output
	Value  float64
}
