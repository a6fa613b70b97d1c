package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
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
	Several              answered

	others map[string]any // everything else, except what is long
}

// readDecided reads the header of a journal.
func readDecided(h journal.Header) (d decided, err error) {
	err = cmp.Or(json.Unmarshal(h.About, &d), json.Unmarshal(h.About, &d.others))
	for _, key := range []string{"Objective", "Parameters", "Start", "Bounds", "Frame", "Blocks", "Dim", "Numerics", "Several"} {
		delete(d.others, key)
	}
	return d, err
}

// options are those of the run, but for the strategy and the way to find coordinates.
func (d decided) options() untwist.Options {
	o := untwist.Options{
		Parameters: d.Parameters, Points: d.Points, Frame: d.Frame, Blocks: d.Blocks,
		Start:  objective.Box{Lo: floats(d.Start.Lo), Hi: floats(d.Start.Hi)},
		Bounds: objective.Box{Lo: floats(d.Bounds.Lo), Hi: floats(d.Bounds.Hi)},
		Budget: d.Budget, Parallel: d.Parallel, NoiseLevel: d.NoiseLevel, Seed: d.Seed,
	}
	d.Several.apply(&o)
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

// errOwnSettings says that a strategy cannot be made again.
var errOwnSettings = errors.New("its strategy has settings that only whoever began the run knows")

// again returns how the run can be asked for again: as it was asked for, or else by the names of
// the strategy and of the way to find coordinates, with settings as far as flags can have given them.
func (d decided) again() (a asked, err error) {
	if d.Asked != nil {
		return *d.Asked, nil
	}
	if len(d.Identifier) > 0 && string(d.Identifier) != "null" {
		i := slices.IndexFunc(identify.Names(), func(name string) bool {
			by, err := road(name)
			return err == nil && d.has(untwist.Options{Identifier: by})
		})
		if i < 0 {
			return a, errOwnSettings
		}
		a.Road = identify.Names()[i]
	}
	if d.probes() {
		return a, nil
	}
	for _, knobs := range []untwist.Knobs{{}, d.knobs()} {
		for _, name := range untwist.Strategies() {
			if s, err := untwist.StrategyNamed(name, knobs); err == nil && d.has(untwist.Options{Strategy: s}) {
				a.Strategy, a.Knobs = name, knobs
				return a, nil
			}
		}
	}
	return a, errOwnSettings
}

// probes says that the run looked for coordinates or interactions, and for no minimum.
func (d decided) probes() bool { return d.Command == "probe" || d.Command == "interactions" }

// knobs returns the settings of a strategy that flags can give, as headers have them.
func (d decided) knobs() (k untwist.Knobs) {
	var form struct {
		Value struct {
			Config struct {
				Particles int
				Tau       float64
				Sigma     struct{ Value float64 }
			}
			Series struct {
				Run struct {
					Sigma      float64
					Population int
				}
			}
		}
	}
	if json.Unmarshal(d.Strategy, &form) != nil {
		return k
	}
	c, run := form.Value.Config, form.Value.Series.Run
	k.Particles = max(c.Particles, run.Population)
	if v := max(c.Sigma.Value, run.Sigma); v > 0 {
		k.Sigma = &v
	}
	if c.Tau > 0 {
		k.Tau = &c.Tau
	}
	return k
}

// has says that the header has the strategy, or the way to find coordinates, of some options.
func (d decided) has(o untwist.Options) bool {
	text, err := o.Fingerprint(1)
	if err != nil {
		return false
	}
	var now struct{ Strategy, Identifier json.RawMessage }
	if json.Unmarshal(text, &now) != nil {
		return false
	}
	if o.Identifier != nil {
		return string(now.Identifier) == string(d.Identifier)
	}
	return string(now.Strategy) == string(d.Strategy)
}
