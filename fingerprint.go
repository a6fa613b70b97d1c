package untwist

import (
	"fmt"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/canon"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Numerics is raised when the same objective, options and seed begin to give other
// results. Runs of different numerics must not be mixed: a stored experiment refuses to go
// on, and so does everything else that continues or compares runs by their seeds.
const Numerics = 1

// Fingerprint returns everything that decides a run on a function of dim coordinates, the
// function itself aside, as canonical bytes: one line of JSON, with the defaults put in.
// Two runs on the same function with equal fingerprints ask the same queries, one by one.
//
// Target, Workers and Progress are not in it. They decide when a run ends and how fast it
// is, but no query that it asks until then.
//
// An option that has no canonical form, a function in a strategy's settings for one, is an
// error that names it.
func (o Options) Fingerprint(dim int) ([]byte, error) {
	if dim < 1 {
		return nil, errNoObjective
	}
	if err := o.complete(dim); err != nil {
		return nil, err
	}
	text, err := canon.Marshal(decisive{
		Numerics: Numerics, Dim: dim,
		Strategy: o.Strategy, Identifier: o.Identifier, Frame: o.Frame, Blocks: o.Blocks,
		Start: o.Start, Bounds: o.Bounds, Points: o.Points, Budget: o.Budget, Seed: o.Seed,
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
	Start, Bounds objective.Box
	Points        [][]float64
	Budget        int
	Seed          uint64
}
