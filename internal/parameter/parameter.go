// Package parameter has the parameters of an objective as its user knows them: their
// names, units, limits and scales, and which of them are fixed.
//
// Algorithms search in coordinates z, one for each parameter that is not fixed. For a
// parameter on a logarithmic scale z is the natural logarithm of its value, and for any
// other it is the value itself.
package parameter

import (
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A Parameter is one coordinate of an objective.
type Parameter = objective.Parameter

// Check returns an error if a parameter is wrong.
func Check(p Parameter) error {
	for _, v := range []struct {
		name  string
		value *float64
	}{{"min", p.Min}, {"max", p.Max}, {"low", p.Low}, {"high", p.High}, {"guess", p.Guess}, {"fixed", p.Fixed}} {
		if v.value != nil && !kernel.Finite(*v.value) {
			return fmt.Errorf("%s is %v, must be a finite number", v.name, *v.value)
		}
		if v.value != nil && p.Log && p.Fixed == nil && *v.value <= 0 {
			return fmt.Errorf("%s is %v, must be above 0 on a logarithmic scale", v.name, *v.value)
		}
	}
	if p.Integer || p.Step != nil || p.Choices != nil {
		if err := checkLattice(p); err != nil || p.Choices != nil || p.Fixed != nil {
			return err
		}
	}
	if p.Fixed != nil {
		if p.Min != nil || p.Max != nil || p.Low != nil || p.High != nil || p.Guess != nil || p.Log {
			return errors.New("is fixed, so it takes no limits, range, guess or scale")
		}
		return nil
	}
	min, max := limits(p)
	low, high := first(p)
	switch {
	case !(min < max):
		return fmt.Errorf("min is %v and max is %v; min must be less", min, max)
	case math.IsInf(low, 0) || math.IsInf(high, 0) || p.Log && low <= 0:
		return errors.New("it is not known where to look: give min and max, low and high, or a guess")
	case !(low < high):
		return fmt.Errorf("low is %v and high is %v; low must be less", low, high)
	case low < min || high > max:
		return fmt.Errorf("%v:%v, where to look first, is not within the limits %v:%v", low, high, min, max)
	case p.Guess != nil && (*p.Guess < min || *p.Guess > max):
		return fmt.Errorf("the guess %v is not within the limits %v:%v", *p.Guess, min, max)
	}
	from, to := span(p, low, high)
	switch err := (objective.Box{Lo: []float64{from}, Hi: []float64{to}}).CheckFinite(); {
	case errors.Is(err, objective.ErrNarrow):
		return fmt.Errorf("%v:%v, where to look first, is too narrow to compute with", low, high)
	case err != nil:
		return fmt.Errorf("%v:%v, where to look first, is too wide to compute with: give low and high", low, high)
	}
	return nil
}
