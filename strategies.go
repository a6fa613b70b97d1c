package untwist

import (
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Knobs are the settings that a user may change without knowing a strategy's own type. 0
// particles, or nil, mean the strategy's default.
type Knobs struct {
	Particles int      `json:",omitempty"` // how many particles
	Sigma     *float64 `json:",omitempty"` // strength of the noise
	Tau       *float64 `json:",omitempty"` // step size
	Alpha     *float64 `json:",omitempty"` // exponent of the weights at the start
	Share     *float64 `json:",omitempty"` // share of a step's queries from which the coordinates are learnt
	// CBO are further settings of CBO, KEY=VALUE each: see cbo.Config.With.
	CBO []string `json:",omitempty"`
	// Observe, if not nil, is shown every step of CBO, in the user's units.
	Observe func(cbo.State) `json:"-"`
}

// An entry of the list of strategies makes a strategy and says which knobs it has.
type entry struct {
	make  func(Knobs) strategy.Strategy
	knobs []string
}

// The knobs of the families.
var (
	knobsOfSlices = []string{"Particles", "Sigma", "Tau", "Alpha", "CBO"}
	knobsOfCBO    = append(slices.Clone(knobsOfSlices), "Trace")
	knobsOfOnline = append(slices.Clone(knobsOfCBO), "Share")
	knobsOfCMAES  = []string{"Particles", "Sigma"}
)

// entries lists all strategies, the default first.
var entries = []entry{
	{func(Knobs) strategy.Strategy { return auto.Auto{} }, nil},
	{func(k Knobs) strategy.Strategy { return strategy.Reparametrised{Config: k.config()} }, knobsOfCBO},
	{func(k Knobs) strategy.Strategy { return strategy.Transformed{Config: k.config()} }, knobsOfCBO},
	{func(k Knobs) strategy.Strategy { return strategy.Componentwise{Config: k.config()} }, knobsOfSlices},
	{func(k Knobs) strategy.Strategy { return strategy.Online{Config: k.config(), Share: k.Share} }, knobsOfOnline},
	{func(k Knobs) strategy.Strategy { return strategy.CBO{Config: k.config()} }, knobsOfCBO},
	{func(k Knobs) strategy.Strategy { return strategy.IsotropicCBO{Config: k.config()} }, knobsOfCBO},
	{func(k Knobs) strategy.Strategy { return strategy.CMAES{Series: k.series()} }, knobsOfCMAES},
	{func(Knobs) strategy.Strategy { return strategy.Descent{} }, nil},
}

// continuous returns an error, with advice, if a parameter has a lattice: there are no directions over it.
func (o *Options) continuous(advice string) error {
	for i, p := range o.Parameters {
		if o.space()[i : i+1].Discrete() {
			return objective.BadOption("Parameters", "parameter %s has a lattice, and coordinates are directions: %s", p.Name, advice)
		}
	}
	return nil
}

// Strategies returns the names of all strategies, the default first.
func Strategies() []string {
	return lists.Map(entries, func(e entry) string { return e.make(Knobs{}).Name() })
}

// DefaultStrategy returns the strategy that is used if none is named.
func DefaultStrategy() strategy.Strategy { return entries[0].make(Knobs{}) }

// StrategyNamed returns the strategy with the given name and knobs. It returns an error if
// a knob is set that the strategy does not have, or to what no strategy takes.
func StrategyNamed(name string, knobs Knobs) (strategy.Strategy, error) {
	for _, e := range entries {
		s := e.make(knobs)
		if s.Name() != name {
			continue
		}
		for _, knob := range knobs.turned() {
			if !slices.Contains(e.knobs, knob) {
				return nil, objective.BadOption(knob, "strategy %s does not have this option; those that have it are %s", name, strings.Join(thatHave(knob), ", "))
			}
		}
		if err := knobs.check(); err != nil {
			return nil, err
		}
		return s, nil
	}
	return nil, objective.BadOption("Strategy", "unknown strategy %q: must be one of %s", name, strings.Join(Strategies(), ", "))
}

// thatHave returns the names of the strategies that have a knob.
func thatHave(knob string) (names []string) {
	for _, e := range entries {
		if slices.Contains(e.knobs, knob) {
			names = append(names, e.make(Knobs{}).Name())
		}
	}
	return names
}

// turned returns the names of the knobs that are set.
func (k Knobs) turned() []string {
	var names []string
	for _, knob := range []struct {
		name   string
		turned bool
	}{{"Particles", k.Particles != 0}, {"Sigma", k.Sigma != nil}, {"Tau", k.Tau != nil}, {"Alpha", k.Alpha != nil}, {"Share", k.Share != nil}, {"CBO", k.CBO != nil}, {"Trace", k.Observe != nil}} {
		if knob.turned {
			names = append(names, knob.name)
		}
	}
	return names
}

// check returns an error if a knob is set to what no strategy takes.
func (k Knobs) check() error {
	if k.Particles < 0 {
		return objective.BadOption("Particles", "%d, must not be negative", k.Particles)
	}
	for _, knob := range []struct {
		name  string
		value *float64
	}{{"Sigma", k.Sigma}, {"Tau", k.Tau}, {"Alpha", k.Alpha}} {
		if v := knob.value; v != nil && !(*v >= 0 && *v <= math.MaxFloat64) {
			return objective.BadOption(knob.name, "%v, must be a number of at least 0", *v)
		}
	}
	if k.Share != nil && !(*k.Share >= 0 && *k.Share < 1) {
		return objective.BadOption("Share", "%v, must be at least 0 and below 1", *k.Share)
	}
	if k.Tau != nil && *k.Tau == 0 {
		return objective.BadOption("Tau", "0, must be above 0")
	}
	if _, err := (cbo.Config{}).With(k.CBO...); err != nil {
		return objective.BadOption("CBO", "%v", err)
	}
	return nil
}

// config returns the settings of CBO that the knobs ask for; check says what is wrong with them.
func (k Knobs) config() cbo.Config {
	cfg := cbo.Config{Particles: k.Particles, Observe: k.Observe}
	if k.Tau != nil {
		cfg.Tau = *k.Tau
	}
	if k.Sigma != nil {
		cfg.Sigma = cbo.Constant(*k.Sigma)
	}
	if k.Alpha != nil {
		cfg.Alpha = strategy.PapersAlpha(*k.Alpha)
	}
	if with, err := cfg.With(k.CBO...); err == nil {
		return with
	}
	return cfg
}

// series returns the settings of CMA-ES that the knobs ask for.
func (k Knobs) series() cmaes.Series {
	s := cmaes.Series{Run: cmaes.Config{Population: k.Particles}}
	if k.Sigma != nil {
		s.Run.Sigma = *k.Sigma
	}
	return s
}

// mostValues is up to how many values a lattice is searched as one. Of more, neighbours are as near to
// each other as numbers that are rounded.
const mostValues = 1000

// lattices returns the values that scaled coordinates may have; nil: any.
func (r *run) lattices() []strategy.Lattice {
	space := r.options.space()
	if !space.Discrete() {
		return nil
	}
	centre, half := r.scale.Units()
	all := make([]strategy.Lattice, r.scale.Dim())
	for k, i := range space.Free() {
		for _, z := range space.Lattice(i, mostValues) {
			all[k].Values = append(all[k].Values, (z-centre[k])/half[k])
		}
		all[k].Unordered = space[i].Choices != nil
	}
	return all
}
