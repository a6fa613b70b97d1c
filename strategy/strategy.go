// Package strategy holds whole ways to minimise a function, a file each.
//
// A Strategy sees the objective in scaled coordinates, in which the box where
// the search starts is [-1, 1]^d. It asks for batches of points and stops when
// it is done, or when the objective says that the budget is spent or the target
// reached. Which point is best is not its business: its caller keeps a record of
// all queries.
//
// Start with a strategy's own type and a bare Task: CBO, CMAES and Descent search in the
// coordinates given; Reparametrised, Transformed and Componentwise, the paper's three
// methods, in those of a frame. The default strategy is in package auto. A type of
// your own that implements Strategy is used in the same way; its Minimize should call
// Task.Complete first and refuse what it cannot use. An error of f may be passed on as it
// is: the caller tells a spent budget from a failure (objective.StatusOf).
//
// A Task's budget is for planning: untwist.Minimize ends the search when it is spent. Without it,
// f has to return objective.ErrBudget, or the search may never end.
package strategy

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
)

// A Strategy is a whole way to minimise a function. The zero values of those in this
// package are usable and have the defaults.
type Strategy interface {
	// Name returns the name of the strategy, a word.
	Name() string
	// Minimize searches for the minimum of f. An error is a failure, or an
	// *objective.OptionError that names a field of the task or a setting of the
	// strategy, before the first query; that the budget is spent is a status.
	Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error)
}

// An Outcome is what a strategy has to say when it stops.
type Outcome struct {
	Status objective.Status
	// Learnt is what was found out about f; nil: nothing was looked for.
	Learnt *Learnt
	// Noise is how exact f's values are; nil: that was not measured.
	Noise *Noise
	// Minimisers are where particles have come together, in scaled coordinates, if there may be
	// several; nil: there is one.
	Minimisers []cbo.Minimiser
	// Chosen is the best point if f has noise; nil: it is the one with the lowest value.
	Chosen *Chosen
	// Fit is a least-squares fit; nil: there are no residuals, or it was not made.
	Fit *Fit
	// Multipliers say what limits cost at the best point, those that are active; nil: none is, or
	// that is not known.
	Multipliers []Multiplier
}

// Learnt is what a strategy has found out about f.
type Learnt struct {
	// Finding is what is known of the coordinates; nil: nothing.
	Finding *identify.Finding
	// Interactions say which variables interact; nil: nobody has asked.
	Interactions *identify.Interactions
	// Profiles are the components that were looked at along lines, each with its
	// coordinate y = ⟨w̃_j, x⟩ for Y, and its values less the lowest of them: f_j up to a
	// constant. The first well is the one chosen unless bounds forbid it.
	Profiles []frame.Profile
	// Notes are what else the user should know, in words.
	Notes []string
}

// Note adds a note.
func (l *Learnt) Note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// A Noise says how exact the values of f are.
type Noise struct {
	Kind objective.Kind
	// Sigma is the standard deviation of f's values at the point found, in the unit of f;
	// of a raster, that of what is rounded off. 0 if there is no noise.
	Sigma float64
}

// A Chosen point is one that was chosen as the best by repeated queries, and not by its
// value: the least of many noisy values is too low.
type Chosen struct {
	// Point is the point, in scaled coordinates; nil: it is the one with the lowest value
	// after all, since asking again says nothing.
	Point []float64
	// Value is what f was there at query number Query, counted from 1: the first of those
	// from which Mean is made.
	Value float64
	Query int
	// Mean is the mean of f there, and Error its error, a 95 % half-width. They are made
	// from queries that had no part in the choice.
	Mean, Error float64
}
