package untwist

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Options has the settings of a search. The zero value is a good start.
type Options struct {
	// Strategy is the way to minimise. Default DefaultStrategy().
	Strategy strategy.Strategy

	// Frame has coordinates in which f is known to separate, for example from Probe.
	// Blocks are the components of the frame that f couples; nil: none. With a frame,
	// Minimize does not look for other coordinates. Default: not known.
	Frame  *frame.Frame
	Blocks [][]int

	// Identifier finds the coordinates, for Probe and for strategies that need them:
	// identify.Survey{}, identify.Paper{}, or another. Default: identify.Survey{} for
	// Probe, and the strategy's own way for Minimize.
	Identifier identify.Identifier

	// Parameters are the parameters of f with their names, limits and scales, for an f whose
	// parameters have different units, are searched on a logarithmic scale or are fixed. f
	// gets all of them, in order, in the user's units. Start and Bounds follow from them and
	// must not be given. Coordinates that are found are those of the parameters that are not
	// fixed, as logarithms where the scale is logarithmic. Default: none; f has Dim
	// parameters without names.
	Parameters []Parameter
	// Start is the box in which to look first. It is not a limit: the minimum may
	// be found far outside. Coordinates are scaled by it before any algorithm
	// sees them, so give each parameter its natural range. Default: Bounds if
	// these are given, else [-5, 5]^d.
	Start Box
	// Bounds is a limit: nothing outside is ever queried. Sides may be
	// infinite if Start is given. Default: no limit.
	Bounds Box
	// Points are known good points to start from, inside the bounds. All are
	// evaluated exactly as they are given. With Parameters they are in the user's units,
	// with the fixed parameters in their places, and come after the parameters' guesses.
	Points [][]float64

	// Residuals is how many numbers of an answer are residuals, whose squares are summed, if f
	// answers several numbers (Vector). Default: those that are not Outputs, if they are more than
	// one; otherwise the first is the value.
	Residuals int
	// Outputs are the numbers that an answer of f has besides, in order, with their limits. The
	// best point is the best of those that keep to them. Default: none.
	Outputs []Output
	// Limits are linear in the parameters, in the user's units: "a + b <= 5", "2*p - q = 1". Nothing
	// that violates them is ever queried. Parameters without names are x1, x2, … Default: none.
	Limits []string
	// Maximize looks for the greatest value of f, not the least. Values, Target and Progress are
	// those of f itself.
	Maximize bool

	// Budget is the most queries that may be spent. Default 500·d². A run that is resumed
	// from a journal keeps to the plan it was begun with: a larger budget lengthens its last
	// search, a smaller one cuts it.
	Budget int
	// Time is the most wall time that this call may take. Default: no limit.
	Time time.Duration
	// Target stops the search at a value f ≤ *Target. For a benchmark with noise, the
	// clean value of a query is meant. Default: none.
	Target *float64
	// Tolerance stops a search that has become slow: of its last queries, a tenth of all
	// queries and at least 100·d, all together gained less than this. It does not stop the
	// run while coordinates are being found. Default 0: it goes on.
	Tolerance float64
	// MaxFailures is the share of the last 1,000 queries that may fail. If more do, or if
	// the first 20 + d queries and all known points fail, the run ends with a
	// *FailuresError. Default 0.95. KeepGoing goes on however many queries fail.
	MaxFailures float64
	KeepGoing   bool
	// PanicsFail makes a panic in f the failure of its point. Default: it ends the run.
	PanicsFail bool
	// NoiseLevel is the standard deviation σ of f's noise, in the unit of f, for a user who
	// knows it. Default 0: the strategy auto measures it, with some ten queries.
	NoiseLevel float64
	// Seed determines all randomness.
	Seed uint64
	// Workers is how many points may be evaluated at the same time, each by a
	// goroutine. With more than one, f must be safe for concurrent use. Default 1.
	Workers int
	// Parallel is how many evaluations at the same time cost the user no more than one. With it CMA-ES
	// takes larger populations, and lines ask for several points of each: fewer rounds, more queries.
	// It is part of the fingerprint, unlike Workers, which changes no result. Default 1.
	Parallel int

	// Journal, if it names a file, keeps every value of the run there before it is used. The
	// same call with the same file goes on where it stood, whatever has ended it. A file of
	// another run is refused. A function is known only by what it says of itself: if f has
	// changed and is no objective.Described, the file still answers with the old values.
	Journal Journal
	// Progress, if not nil, is called after every batch of queries.
	Progress func(Progress) `fingerprint:"-"`
	// Seen, if not nil, is called with every query in turn, also with those that a journal
	// answers: its number, from 1, its point in the user's units, which must not be kept or
	// changed, and its answer.
	Seen func(query int, point []float64, a objective.Answer) `fingerprint:"-"`
}

// A Parameter is one coordinate of an objective, and an Output a number that it answers besides its
// value.
type (
	Parameter = objective.Parameter
	Output    = objective.Output
)

// space returns the parameters.
func (o *Options) space() parameter.Space { return o.Parameters }

// Box is the set of x with Lo[i] ≤ x[i] ≤ Hi[i].
type Box = objective.Box

// Failures counts failed queries by kind, and a FailuresError ends a run in which too many
// fail.
type (
	Failures      = objective.Failures
	FailuresError = objective.FailuresError
)

// An OptionError says which option is wrong and what values it may have.
type OptionError = objective.OptionError

// complete fills in the defaults and returns an *OptionError if a field is bad.
func (o *Options) complete(d int) error {
	if o.Strategy == nil {
		o.Strategy = DefaultStrategy()
	}
	all := d
	if o.Parameters != nil {
		if err := o.completeParameters(d); err != nil {
			return err
		}
		d = o.space().Dim()
	} else if err := o.completeBoxes(d); err != nil {
		return err
	}
	if err := o.checkPoints(all); err != nil {
		return err
	}
	task, err := strategy.Task{
		Frame: o.Frame, Blocks: o.Blocks, Budget: cmp.Or(o.Budget, 500*d*d), Parallel: o.Parallel, NoiseLevel: o.NoiseLevel,
	}.Complete(d)
	if err != nil {
		return err
	}
	o.Budget, o.Parallel = task.Budget, task.Parallel
	return o.completeRules()
}

// completeParameters checks the parameters, and fills in what follows from them.
func (o *Options) completeParameters(d int) error {
	if !o.Start.IsZero() {
		return objective.BadOption("Start", "follows from the parameters, and must not be given with them")
	}
	if !o.Bounds.IsZero() {
		return objective.BadOption("Bounds", "follow from the parameters, and must not be given with them")
	}
	if len(o.Parameters) != d {
		return objective.BadOption("Parameters", "there are %d, but the objective has %d", len(o.Parameters), d)
	}
	if err := o.space().Check(); err != nil {
		return objective.BadOption("Parameters", "%v", err)
	}
	if err := o.continuous("fix it, or leave out Frame and Identifier"); err != nil && (o.Frame != nil || o.Identifier != nil) {
		return err
	}
	o.straighten()
	space := o.space()
	o.Start, o.Bounds = space.Start(), space.Bounds()
	if guess := space.Guess(); guess != nil {
		o.Points = append([][]float64{guess}, o.Points...)
	}
	return nil
}

// limits returns the limits of the numbers in a point.
func (o *Options) limits() Box {
	if o.Parameters == nil {
		return o.Bounds
	}
	return o.space().Limits()
}

// called names the k-th number of a point, k from 0, for messages.
func (o *Options) called(k int) string {
	if o.Parameters == nil {
		return fmt.Sprintf("x[%d]", k)
	}
	return o.Parameters[k].Name
}

// checkPoints checks the known points of d numbers.
func (o *Options) checkPoints(d int) error {
	limits := o.limits()
	for i, x := range o.Points {
		if len(x) != d {
			return objective.BadOption("Points", "Points[%d] has %d coordinates, but the objective has %d", i, len(x), d)
		}
		for k, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return objective.BadOption("Points", "Points[%d]: %s is %v, must be finite", i, o.called(k), v)
			}
		}
		if k := limits.Outside(x); k >= 0 {
			return objective.BadOption("Points", "Points[%d] lies outside the bounds; %s: %v is not within %v:%v",
				i, o.called(k), x[k], limits.Lo[k], limits.Hi[k])
		}
		for k := range o.Parameters {
			if why := o.space().Off(k, x[k]); why != "" {
				return objective.BadOption("Points", "Points[%d]: %s: %v %s", i, o.called(k), x[k], why)
			}
		}
	}
	if len(o.Points) == 0 {
		o.Points = nil // none is none, in a fingerprint too
	}
	return nil
}

// completeRules fills in when to stop, and how much goes on at the same time.
func (o *Options) completeRules() error {
	o.MaxFailures, o.Workers = cmp.Or(o.MaxFailures, 0.95), cmp.Or(o.Workers, 1)
	switch {
	case o.Target != nil && math.IsNaN(*o.Target):
		return objective.BadOption("Target", "NaN, must be a number")
	case o.Time < 0:
		return objective.BadOption("Time", "%v, must not be negative", o.Time)
	case !(o.Tolerance >= 0):
		return objective.BadOption("Tolerance", "%v, must not be negative", o.Tolerance)
	case !(o.MaxFailures > 0 && o.MaxFailures <= 1):
		return objective.BadOption("MaxFailures", "%v, must be above 0 and at most 1", o.MaxFailures)
	case o.Workers < 0:
		return objective.BadOption("Workers", "%d, must be at least 1", o.Workers)
	}
	return nil
}

// completeBoxes fills in where to start and what the limits are.
func (o *Options) completeBoxes(d int) error {
	bounded := o.Bounds.Lo != nil || o.Bounds.Hi != nil
	if !bounded {
		o.Bounds = objective.Cube(d, math.Inf(-1), math.Inf(1))
	}
	if err := o.Bounds.Check(d); err != nil {
		return objective.BadOption("Bounds", "%v", err)
	}
	if o.Start.Lo == nil && o.Start.Hi == nil {
		if !bounded {
			o.Start = objective.Cube(d, -5, 5)
		} else if err := o.Bounds.CheckFinite(); errors.Is(err, objective.ErrNarrow) {
			return objective.BadOption("Bounds", "%v", err)
		} else if err != nil {
			return objective.BadOption("Start", "needed, because the bounds are too wide to start in (%v)", err)
		} else {
			o.Start = o.Bounds
		}
	}
	if err := o.Start.Check(d); err != nil {
		return objective.BadOption("Start", "%v", err)
	}
	if err := o.Start.CheckFinite(); err != nil {
		return objective.BadOption("Start", "%v", err)
	}
	if i := max(o.Bounds.Outside(o.Start.Lo), o.Bounds.Outside(o.Start.Hi)); i >= 0 {
		return objective.BadOption("Start", "must lie within the bounds; x[%d]: %v:%v is not within %v:%v",
			i, o.Start.Lo[i], o.Start.Hi[i], o.Bounds.Lo[i], o.Bounds.Hi[i])
	}
	return nil
}
