package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Config says how to run.
type Config struct {
	// Mean is where the first population is centred; nil: 0.
	Mean []float64
	// Sigma is σ₀, the first step size; 0: 0.3.
	Sigma float64
	// Population is λ, at least 2; 0: DefaultPopulation.
	Population int
	// Covariance is the form of C; nil: a Cholesky.
	Covariance Covariance
	// Bounds limit where f is asked; its sides may be infinite. Zero: no limit.
	Bounds objective.Box
	// Stream is where random numbers come from; nil: that of seed 0.
	Stream *rng.Stream
	Stop   Stop

	// Observe, if not nil, is called after every generation. It must not change
	// what it sees.
	Observe func(State)

	draw func(z *mat.Dense) // instead of Stream, for tests
}

// State is what a run looks like after a generation.
type State struct {
	Generation, Queries int
	Mean                []float64 // m, before bounds
	Sigma               float64   // σ
	Points, Coordinates [][]float64
	Best                float64 // the best value of this generation
}

// Stop says when a run has come to its end. Zero values are the defaults, those
// of Hansen's own programs; a negative one switches a rule off.
type Stop struct {
	// Queries is the most queries of the run; 0: no limit.
	Queries int
	// Fun: the values of a generation, and the best ones of the last 10 + 30n/λ,
	// differ by no more; 1e-11.
	Fun float64
	// X: all steps are shorter, in units of σ₀; 1e-11.
	X float64
	// Condition: the condition number of C is larger; 1e14.
	Condition float64
	// Stagnation: over so many generations, and the last fifth of all, values have
	// not improved; 120 + 30n/λ.
	Stagnation int
	// Up: σ has grown by this factor, so that the minimum is at infinity; 1e20.
	Up float64
}

func (s Stop) complete() Stop {
	for _, rule := range []struct {
		value *float64
		usual float64
	}{{&s.Fun, 1e-11}, {&s.X, 1e-11}, {&s.Condition, 1e14}, {&s.Up, 1e20}} {
		if *rule.value == 0 {
			*rule.value = rule.usual
		}
	}
	return s
}

// complete puts the defaults in and returns an *objective.OptionError if a field
// is bad.
func (c *Config) complete(n int) error {
	if c.Mean == nil {
		c.Mean = make([]float64, n)
	}
	if len(c.Mean) != n {
		return objective.BadOption("Mean", "%d coordinates, the objective has %d", len(c.Mean), n)
	}
	if c.Sigma == 0 {
		c.Sigma = 0.3
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
	if c.Covariance == nil {
		c.Covariance = &Cholesky{}
	}
	if err := checkFirst(c.Covariance, n); err != nil {
		return err
	}
	if c.Bounds.Lo == nil && c.Bounds.Hi == nil {
		c.Bounds = objective.Cube(n, math.Inf(-1), math.Inf(1))
	}
	if err := c.Bounds.Check(n); err != nil {
		return objective.BadOption("Bounds", "%v", err)
	}
	if c.Stream == nil {
		c.Stream = rng.Seed(0).Stream("cmaes")
	}
	c.Stop = c.Stop.complete()
	return nil
}

// checkFirst returns an error if a covariance cannot start as it is told to.
func checkFirst(c Covariance, n int) error {
	given, ok := c.(*Cholesky)
	if !ok || given.First == nil {
		return nil
	}
	if m := given.First.SymmetricDim(); m != n {
		return objective.BadOption("Covariance", "the first C has %d rows, the objective %d coordinates", m, n)
	}
	if !new(mat.Cholesky).Factorize(given.First) {
		return objective.BadOption("Covariance", "the first C is not positive definite")
	}
	return nil
}
