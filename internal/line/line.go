// Package line minimises a function along many lines from one point at the same
// time,
//
//	min over t of f(x + t u_j)   for each j,
//
// globally over a range: a grid, its wells, and Brent's method in the deepest of
// them. If f separates along the u_j, all minima together are that of f. Start
// with Minimize.
package line

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Range says where to look along a line, in units of its direction.
type Range struct {
	// Lo and Hi are where to look at first, Lo ≤ Hi, both finite.
	Lo, Hi float64
	// Step is the width of the grid, above 0: less than that of a well.
	Step float64
	// Least and Most limit how far the range may be widened; infinite: no limit.
	// If both are 0, it is not widened.
	Least, Most float64
}

// complete puts the limits of range j in and returns an *objective.OptionError if a
// field is bad.
func (r *Range) complete(j int) error {
	bad := func(format string, args ...any) error {
		return objective.BadOption("Ranges", "range %d: %s", j+1, fmt.Sprintf(format, args...))
	}
	if r.Least == 0 && r.Most == 0 {
		r.Least, r.Most = r.Lo, r.Hi
	}
	switch {
	case !(r.Lo <= r.Hi) || math.IsInf(r.Hi-r.Lo, 0):
		return bad("Lo %v and Hi %v, must be finite numbers and Lo at most Hi", r.Lo, r.Hi)
	case !(r.Step > 0):
		return bad("Step %v, must be above 0", r.Step)
	case !(r.Least <= r.Lo):
		return bad("Least %v, must be at most Lo, %v", r.Least, r.Lo)
	case !(r.Most >= r.Hi):
		return bad("Most %v, must be at least Hi, %v", r.Most, r.Hi)
	}
	return nil
}

// Config says how to look. Zero values are the defaults.
type Config struct {
	// Wells is how many wells of each line are refined at most: the two deepest,
	// and others that may turn out to be the deepest; 0: 3.
	Wells int
	// Tolerance is how well a minimum is known, in steps of the grid; 0: 1e-3.
	Tolerance float64
	// Noise is the standard deviation of f's values; 0: they are exact. Under noise wells are
	// not refined by Brent's method but by parabolas through several points of each, by least
	// squares, and Tolerance means nothing. Wells that cannot be told from the deepest are
	// asked for again up to Again times, each time at twice as many points; 0: 3 times.
	Noise float64
	Again int
	// Widen is how often a range is doubled while the minimum is at its end; 0: 20,
	// after which it is a million times as wide. Negative: never.
	Widen int
	// Meet, if it is not empty, asks for coarse grids first, and with every finer one and once after them for the point of this
	// box where the lowest points of all lines meet: whoever ends early has that.
	Meet objective.Box
}

// mostAgain is the largest Again.
const mostAgain = 16

// complete puts the defaults in and returns an *objective.OptionError if a field
// is bad.
func (c *Config) complete() error {
	if c.Wells == 0 {
		c.Wells = 3
	}
	if c.Wells < 0 {
		return objective.BadOption("Wells", "%d, must not be negative", c.Wells)
	}
	if c.Tolerance == 0 {
		c.Tolerance = 1e-3
	}
	if !(c.Tolerance > 0) {
		return objective.BadOption("Tolerance", "%v, must be a number of at least 0", c.Tolerance)
	}
	if !(c.Noise >= 0) {
		return objective.BadOption("Noise", "%v, must be a number of at least 0", c.Noise)
	}
	if c.Again == 0 {
		c.Again = 3
	}
	if c.Again < 0 || c.Again > mostAgain {
		return objective.BadOption("Again", "%d, must be from 0 to %d", c.Again, mostAgain)
	}
	if c.Widen == 0 {
		c.Widen = 20
	}
	return nil
}

// Minimize looks along the rows of directions from x, where f is f0, each over its
// own range. Every round of all lines is one batch. It returns a frame.Profile for each
// line, in which Y is t.
//
// It returns an *objective.OptionError if a range ("Ranges") or a field of cfg is
// bad, and the error of f if there is one. It panics unless there is one direction,
// as long as x, for each range.
func Minimize(ctx context.Context, f objective.Objective, x []float64, f0 float64, directions *mat.Dense, ranges []Range, cfg Config) ([]frame.Profile, error) {
	if rows, cols := directions.Dims(); rows != len(ranges) || cols != len(x) {
		panic(fmt.Sprintf("line: %d directions of %d coordinates for %d ranges from a point of %d; give each range its direction",
			rows, cols, len(ranges), len(x)))
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	ranges = slices.Clone(ranges)
	s := &search{ctx: ctx, f: f, x: x, u: directions, cfg: cfg, lines: make([]track, len(ranges))}
	for j := range ranges {
		if err := ranges[j].complete(j); err != nil {
			return nil, err
		}
		s.lines[j] = track{r: ranges[j], seen: []sample{{0, f0}}}
	}
	if err := s.explore(); err != nil {
		return nil, err
	}
	refine := s.refine
	if cfg.Noise > 0 {
		refine = s.fits
	}
	if err := refine(); err != nil {
		return nil, err
	}
	out := make([]frame.Profile, len(ranges))
	for j := range out {
		out[j] = s.lines[j].profile(j)
	}
	return out, nil
}
