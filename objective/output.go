package objective

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// An Output is a number that an evaluation answers besides its value, and what it may be.
type Output struct {
	Name string
	Unit string // "": none

	// Min and Max are the least and the greatest that it may be, and Equal is what it has to
	// be. nil: there is no such limit. Without any, an output is only recorded.
	Min, Max, Equal *float64
	// Within is by how much a limit may be exceeded. Default 0: 1e-6 of the limit's size, or
	// of the output's spread where the limit is 0.
	Within float64
}

// Limited reports whether the output has a limit.
func (o Output) Limited() bool { return o.Min != nil || o.Max != nil || o.Equal != nil }

// Check returns an error if the output cannot be used. Its words go on after the output's name.
func (o Output) Check() error {
	for name, v := range map[string]*float64{"min": o.Min, "max": o.Max, "equal": o.Equal} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			return fmt.Errorf("%s is %v, must be finite; leave it out where there is none", name, *v)
		}
	}
	switch {
	case o.Equal != nil && (o.Min != nil || o.Max != nil):
		return fmt.Errorf("equal excludes min and max")
	case o.Min != nil && o.Max != nil && *o.Min > *o.Max:
		return fmt.Errorf("min %v is above max %v", *o.Min, *o.Max)
	case !(o.Within >= 0) || math.IsInf(o.Within, 1):
		return fmt.Errorf("within is %v, must be a number of at least 0", o.Within)
	}
	return nil
}

// Vector lifts f, a function of one point that answers several numbers, to an Objective: f sets
// out, which has room for that many numbers. They are the value, or residuals whose squares are
// summed, and then the outputs; the options of a run say which is which. If f returns an error
// the point has failed, as with Fallible, and so it has where a number is NaN or infinite.
//
// As with Func, f may write to x but must keep neither x nor out, and has to be safe for
// concurrent calls only under several workers. Vector panics if dim or numbers is below 1, or f
// is nil.
func Vector(dim, numbers int, f func(x, out []float64) error) Objective {
	mustBeCallable(dim, f == nil)
	if numbers < 1 {
		panic(fmt.Sprintf("objective: %d numbers, must be at least 1", numbers))
	}
	each := pointwise{dim: dim}
	each.at = func(ctx context.Context, x []float64) (Answer, error) {
		out := slices.Repeat([]float64{math.NaN()}, numbers)
		err := f(x, out)
		a, err := failedOr(ctx, out[0], err)
		a.Numbers = out
		return a, err
	}
	return vector{each, numbers}
}

// A vector answers several numbers.
type vector struct {
	pointwise
	numbers int
}

// Numbers returns how many numbers an answer has.
func (v vector) Numbers() int { return v.numbers }
