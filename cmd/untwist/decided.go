package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// decided is what the header of a journal says about its run: what has decided it.
type decided struct {
	Asked                *asked // nil: it was not asked and told by calls of this program
	Objective            map[string]any
	Command              string
	Strategy, Identifier json.RawMessage
	Parameters           parameter.Space
	Start, Bounds        struct{ Lo, Hi []side64 }
	Points               [][]float64
	Frame                *frame.Frame
	Blocks               [][]int
	Budget               int
	Parallel             int
	NoiseLevel           float64
	Seed                 uint64
}

// readDecided reads the header of a journal.
func readDecided(file string, summary journal.Summary) (decided, error) {
	var d decided
	if err := json.Unmarshal(summary.About, &d); err != nil {
		return d, fmt.Errorf("%s does not say what is searched: %w", file, err)
	}
	return d, nil
}

// options are those of the run, but for the strategy and the way to find coordinates.
func (d decided) options() untwist.Options {
	o := untwist.Options{
		Parameters: d.Parameters, Points: d.Points, Frame: d.Frame, Blocks: d.Blocks,
		Start:  objective.Box{Lo: floats(d.Start.Lo), Hi: floats(d.Start.Hi)},
		Bounds: objective.Box{Lo: floats(d.Bounds.Lo), Hi: floats(d.Bounds.Hi)},
		Budget: d.Budget, Parallel: d.Parallel, NoiseLevel: d.NoiseLevel, Seed: d.Seed,
	}
	if d.Parameters.Guess() != nil { // it is the first of the points
		o.Points = slices.Clone(d.Points[min(1, len(d.Points)):])
	}
	return o
}

// A side64 is a side of a box as headers have it: a number, or a text if it is infinite.
type side64 float64

// UnmarshalJSON reads a side.
func (s *side64) UnmarshalJSON(text []byte) error {
	if unquoted, err := strconv.Unquote(string(text)); err == nil {
		text = []byte(unquoted)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*s = side64(v)
	return err
}

func floats(sides []side64) (all []float64) {
	for _, v := range sides {
		all = append(all, float64(v))
	}
	return all
}
