package cmaes

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Config has the settings of a run. Zero values mean the defaults.
type Config struct {
	// Mean is the centre of the first population; nil: 0. If it is outside the bounds,
	// the nearest point inside is used.
	Mean []float64
	// Sigma is σ₀, the first step size; 0: 0.3.
	Sigma float64
	// Population is λ, at least 2; 0: DefaultPopulation.
	Population int
	// Rate multiplies c_μ, the learning rate of the rank-μ update; 0: 1. Populations of
	// several n bear 2.
	Rate float64
	// Covariance is the form of C; nil: Cholesky{}, and from LargeFrom dimensions on Diagonal{}.
	Covariance Covariance
	// Bounds limit where f is evaluated. Sides may be infinite. Zero: no limit.
	Bounds objective.Box
	// Lattices has, for each coordinate, the values that it may have, in order; none: any. nil: all
	// have any. Points are asked with these values alone, and no value becomes too improbable.
	Lattices [][]float64 `fingerprint:"omitzero"`
	// Seed determines all randomness, unless Normal is given.
	Seed uint64
	// Normal fills dst with independent N(0,1) numbers; nil: numbers drawn from Seed. It
	// is called once for each generation, with room for the λ·n numbers of z_1, …, z_λ,
	// one vector after another.
	Normal func(dst []float64)
	// Stop says when a run ends, apart from budget, target and context.
	Stop Stop

	// Observe, if not nil, is called after every generation. It must not change
	// what it sees.
	Observe func(State) `fingerprint:"-"`
}

// State is what a run looks like after a generation.
type State struct {
	Generation, Queries int
	Mean                []float64   // m, before bounds
	Sigma               float64     // σ
	Points, Coordinates [][]float64 // x_i, where f was evaluated, and z_i
	Best, Spread        float64     // the best value of this generation, and by how much its finite values differ
}

// Stop has the rules by which a run ends. Zero values mean the defaults, which are those of
// Hansen's own programs. A negative value switches a rule off.
type Stop struct {
	// Queries is the most queries of the run; 0: no limit.
	Queries int
	// Fun: the values of a generation differ by no more than this, and so do the best
	// values of the last 10 + 30n/λ generations. It is in the unit of f. Default:
	// what rounding does to a sum of that size, 6e-14 of it.
	Fun float64
	// Fall: both differ by no more than this part of what the values of the first generation
	// did. Default: off.
	Fall float64
	// X: all steps are shorter than this, in units of σ₀. Default 1e-11.
	X float64
	// Condition: the condition number of C is larger than this. Default 1e14, where the
	// shortest axis is only rounding.
	Condition float64
	// Stagnation: values have not improved over this many generations, and over the last
	// fifth of all generations. Default 120 + 30n/λ.
	Stagnation int
	// Up: σ has grown by this factor, so the minimum is at infinity. Default 1e20.
	Up float64
}

func (s Stop) complete() Stop {
	for _, rule := range []struct {
		value *float64
		usual float64
	}{{&s.X, 1e-11}, {&s.Condition, 1e14}, {&s.Up, 1e20}} {
		if *rule.value == 0 {
			*rule.value = rule.usual
		}
	}
	return s
}

// usualSigma is the default of σ₀. The tutorial recommends 0.3 of the width of the region
// that is expected to contain the minimum; here that width is taken to be 1.
const usualSigma = 0.3

// complete fills in the defaults and returns an *objective.OptionError if a field is bad.
func (c *Config) complete(n int) error {
	if c.Mean == nil {
		c.Mean = make([]float64, n)
	}
	if len(c.Mean) != n {
		return objective.BadOption("Mean", "%d coordinates, the objective has %d", len(c.Mean), n)
	}
	for i, v := range c.Mean {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return objective.BadOption("Mean", "x[%d] is %v, must be finite", i, v)
		}
	}
	if c.Sigma == 0 {
		c.Sigma = usualSigma
	}
	if !(c.Sigma > 0) || math.IsInf(c.Sigma, 0) {
		return objective.BadOption("Sigma", "%v, must be finite and above 0", c.Sigma)
	}
	if c.Population == 0 {
		c.Population = DefaultPopulation(n)
	}
	if c.Population < 2 {
		return objective.BadOption("Population", "%d, must be at least 2", c.Population)
	}
	if c.Rate == 0 {
		c.Rate = 1
	}
	if !(c.Rate > 0) || math.IsInf(c.Rate, 0) {
		return objective.BadOption("Rate", "%v, must be finite and above 0", c.Rate)
	}
	if c.Covariance == nil && n >= LargeFrom {
		c.Covariance = Diagonal{}
	} else if c.Covariance == nil {
		c.Covariance = Cholesky{}
	}
	if err := c.Covariance.check(n); err != nil {
		return err
	}
	if c.Bounds.Lo == nil && c.Bounds.Hi == nil {
		c.Bounds = objective.Cube(n, math.Inf(-1), math.Inf(1))
	}
	if err := c.Bounds.Check(n); err != nil {
		return objective.BadOption("Bounds", "%v", err)
	}
	if c.Lattices != nil && len(c.Lattices) != n {
		return objective.BadOption("Lattices", "%d, the objective has %d coordinates", len(c.Lattices), n)
	}
	for k, values := range c.Lattices {
		if len(values) == 1 || !slices.IsSorted(values) {
			return objective.BadOption("Lattices", "that of x[%d] needs two values at least, in order", k)
		}
	}
	if c.Normal == nil {
		c.Normal = rng.Seed(c.Seed).Stream("cmaes").Norm
	}
	c.Stop = c.Stop.complete()
	return nil
}
