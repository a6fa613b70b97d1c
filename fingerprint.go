package untwist

import (
	"fmt"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/canon"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Numerics is raised when the same objective, options and seed begin to give other
// results. Runs of different numerics must not be mixed. A stored experiment refuses to
// continue, and so does everything else that continues or compares runs by their seeds.
const Numerics = 3

// Fingerprint returns everything that decides a run on a function of dim coordinates,
// except the function itself. It is one line of canonical JSON, with the defaults filled
// in. Two runs on the same function with equal fingerprints make the same queries in the
// same order.
//
// Options that decide only when a run ends, how fast it is and what is told of it are not in
// it: Time, Target, Tolerance, MaxFailures, KeepGoing, Workers, Progress, Seen and Journal.
//
// If an option has no canonical form, such as a function among a strategy's settings,
// Fingerprint returns an error that names it.
func (o Options) Fingerprint(dim int) ([]byte, error) {
	if dim < 1 {
		return nil, errNoObjective
	}
	if err := o.complete(dim); err != nil {
		return nil, err
	}
	if o.Parameters != nil { // they follow from them
		o.Start, o.Bounds = Box{}, Box{}
	}
	text, err := canon.Marshal(decisive{
		Numerics: Numerics, Dim: dim,
		Strategy: o.Strategy, Identifier: o.Identifier, Frame: o.Frame, Blocks: o.Blocks,
		Parameters: o.Parameters, Start: o.Start, Bounds: o.Bounds, Points: o.Points,
		Budget: o.Budget, Parallel: o.Parallel, NoiseLevel: o.NoiseLevel, Seed: o.Seed,
	})
	if err != nil {
		return nil, fmt.Errorf("this run cannot be fingerprinted: %w", err)
	}
	return text, nil
}

// decisive is what decides a run.
type decisive struct {
	Numerics, Dim int
	Strategy      strategy.Strategy
	Identifier    identify.Identifier
	Frame         *frame.Frame
	Blocks        [][]int
	Parameters    parameter.Space
	Start, Bounds objective.Box
	Points        [][]float64
	Budget        int
	Parallel      int
	NoiseLevel    float64
	Seed          uint64
}
