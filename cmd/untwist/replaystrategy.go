package main

import (
	"encoding/json"
	"errors"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/strategy"
)

// errOwnSettings says that a strategy cannot be made again.
var errOwnSettings = errors.New("its strategy has settings that only whoever began the run knows")

// road returns how coordinates were looked for; nil: in the strategy's own way.
func (d decided) road() (identify.Identifier, error) {
	if len(d.Identifier) == 0 || string(d.Identifier) == "null" {
		return nil, nil
	}
	for _, name := range identify.Names() {
		if by, err := road(name); err == nil && d.has(untwist.Options{Identifier: by}) {
			return by, nil
		}
	}
	return nil, errOwnSettings
}

// strategy returns the strategy with its settings, as far as flags can have given them.
func (d decided) strategy() (strategy.Strategy, error) {
	for _, knobs := range []untwist.Knobs{{}, d.knobs()} {
		for _, name := range untwist.Strategies() {
			if s, err := untwist.StrategyNamed(name, knobs); err == nil && d.has(untwist.Options{Strategy: s}) {
				return s, nil
			}
		}
	}
	return nil, errOwnSettings
}

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
