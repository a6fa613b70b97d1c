package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/words"
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

// readAbout reads a header, as far as it can be read. Journals of older versions may say less, and
// what cannot be read is not shown.
func readAbout(h journal.Header) decided {
	d, err := readDecided(h)
	if err != nil {
		d.Parameters = nil
	}
	return d
}

// function returns in words what was evaluated.
func (d decided) function() string {
	var exec []string
	list, _ := d.Objective["Exec"].([]any)
	for _, w := range list {
		exec = append(exec, quoted(fmt.Sprint(w)))
	}
	if len(exec) > 0 {
		return fmt.Sprintf("%s (protocol %v)", strings.Join(exec, " "), d.Objective["Protocol"])
	}
	if name, _ := d.Objective["Name"].(string); name != "" {
		text := fmt.Sprintf("%s, %v dimensions, %v components", name, d.Objective["Dim"], d.Objective["Components"])
		if mix, _ := d.Objective["Mix"].(string); mix != "" {
			text += ", mix " + mix
		}
		for _, name := range []string{"BlockCount", "Entries", "Permute"} {
			if v := d.Objective[name]; v != nil {
				text += fmt.Sprintf(", %s %v", strings.TrimSuffix(strings.ToLower(name), "count"), v)
			}
		}
		text += fmt.Sprintf(", seed %v", d.Objective["Seed"])
		if options, _ := d.Objective["Options"].(string); options != "" {
			text += ", " + options
		}
		return text
	}
	if d.Objective == nil && d.Asked != nil {
		return "values that untwist tell is told"
	}
	if name, _ := d.Objective["Function"].(string); name != "" {
		arguments, _ := d.Objective["Arguments"].(string)
		return "the function " + name + arguments
	}
	return flat(d.Objective)
}

// harmless is what no shell changes within a word, although it looks special.
var harmless = regexp.MustCompile(`\{\w+\}|=`)

// quoted quotes a word of a command where a shell would change it.
func quoted(word string) string {
	if bare := harmless.ReplaceAllString(word, "_"); program.Quote([]string{bare}) == bare {
		return word
	}
	return program.Quote([]string{word})
}

// lines returns the parameters in words, a line each.
func (d decided) lines() (lines []string) {
	for _, p := range d.Parameters {
		line := p.Name
		if p.Unit != "" {
			line += " [" + p.Unit + "]"
		}
		for _, v := range []struct {
			name  string
			value *float64
		}{{"min", p.Min}, {"max", p.Max}, {"low", p.Low}, {"high", p.High}, {"guess", p.Guess}, {"fixed", p.Fixed}} {
			if v.value != nil {
				line += fmt.Sprintf(" %s %v", v.name, *v.value)
			}
		}
		if p.Log {
			line += " log"
		}
		lines = append(lines, line)
	}
	return lines
}

// flat writes an object as "key value", in alphabetical order, without what is empty and
// without lists, which may be long.
func flat(object map[string]any) string {
	var parts []string
	for key, value := range object {
		key = strings.ToLower(key)
		switch v := value.(type) {
		case nil, []any:
		case map[string]any: // a type with its settings
			if kind, _ := v["type"].(string); kind != "" {
				parts = append(parts, key+" "+typeName(kind))
			}
		case float64:
			text := fmt.Sprint(v)
			if v == math.Trunc(v) && math.Abs(v) < 1e15 {
				text = words.Thousands(int(v))
			}
			parts = append(parts, key+" "+text)
		default:
			parts = append(parts, fmt.Sprintf("%s %v", key, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// typeName returns the name of a type for people. A strategy has the name of its flag.
func typeName(kind string) string {
	for _, name := range untwist.Strategies() {
		if s, err := untwist.StrategyNamed(name, untwist.Knobs{}); err == nil {
			if t := reflect.TypeOf(s); t.PkgPath()+"."+t.Name() == kind {
				return name
			}
		}
	}
	return path.Base(kind)
}
