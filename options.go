package untwist

import (
	"math"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
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

	// Start is the box in which to look first. It is not a limit: the minimum may
	// be found far outside. Coordinates are scaled by it before any algorithm
	// sees them, so give each parameter its natural range. Default: Bounds if
	// these are given, else [-5, 5]^d.
	Start Box
	// Bounds is a limit: nothing outside is ever queried. Sides may be
	// infinite if Start is given. Default: no limit.
	Bounds Box
	// Points are known good points to start from, inside the bounds. All are
	// evaluated exactly as they are given.
	Points [][]float64

	// Budget is the most queries that may be spent. Default 500·d².
	Budget int
	// Target stops the search at a value f ≤ *Target. Default: none.
	Target *float64
	// Seed determines all randomness.
	Seed uint64
	// Workers is how many points may be evaluated at the same time, each by a
	// goroutine. With more than one, f must be safe for concurrent use. Default 1.
	Workers int

	// Progress, if not nil, is called after every batch of queries.
	Progress func(Progress) `fingerprint:"-"`
}

// Box is the set of x with Lo[i] ≤ x[i] ≤ Hi[i].
type Box = objective.Box

// An OptionError says which option is wrong and what values it may have.
type OptionError = objective.OptionError

// Progress is what is known during a search.
type Progress struct {
	Stage           string // what is being done
	Queries, Budget int
	Best            float64 // the best value so far
}

// complete fills in the defaults and returns an *OptionError if a field is bad.
func (o *Options) complete(d int) error {
	if o.Strategy == nil {
		o.Strategy = DefaultStrategy()
	}
	if err := o.completeBoxes(d); err != nil {
		return err
	}
	for i, x := range o.Points {
		if len(x) != d {
			return objective.BadOption("Points", "point %d has %d coordinates, but the objective has %d", i+1, len(x), d)
		}
		for k, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return objective.BadOption("Points", "point %d, coordinate %d is %v, must be finite", i+1, k+1, v)
			}
		}
		if k := o.Bounds.Outside(x); k >= 0 {
			return objective.BadOption("Points", "point %d lies outside the bounds; coordinate %d: %v is not within %v:%v",
				i+1, k+1, x[k], o.Bounds.Lo[k], o.Bounds.Hi[k])
		}
	}
	if len(o.Points) == 0 {
		o.Points = nil // none is none, in a fingerprint too
	}
	if err := o.checkFrame(d); err != nil {
		return err
	}
	if o.Budget == 0 {
		o.Budget = 500 * d * d
	}
	if o.Budget < 0 {
		return objective.BadOption("Budget", "%d, must be at least 1", o.Budget)
	}
	if o.Target == nil {
		o.Target = new(math.Inf(-1))
	}
	if math.IsNaN(*o.Target) {
		return objective.BadOption("Target", "NaN, must be a number")
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.Workers < 0 {
		return objective.BadOption("Workers", "%d, must be at least 1", o.Workers)
	}
	return nil
}

// checkFrame checks that the frame and the blocks fit f.
func (o *Options) checkFrame(d int) error {
	if o.Frame == nil {
		if o.Blocks != nil {
			return objective.BadOption("Blocks", "need a Frame, and none is given")
		}
		return nil
	}
	if o.Frame.Dim() != d {
		return objective.BadOption("Frame", "has %d dimensions, but the objective has %d", o.Frame.Dim(), d)
	}
	if o.Blocks == nil {
		return nil
	}
	return certify.CheckBlocks(o.Blocks, o.Frame.Components())
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
		} else if err := o.Bounds.CheckFinite(); err != nil {
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
		return objective.BadOption("Start", "must lie within the bounds; coordinate %d: %v:%v is not within %v:%v",
			i+1, o.Start.Lo[i], o.Start.Hi[i], o.Bounds.Lo[i], o.Bounds.Hi[i])
	}
	return nil
}
