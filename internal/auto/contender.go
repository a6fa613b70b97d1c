package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/objective"
)

// A contender is a series of runs of CMA-ES that can be paused: it goes on where it stood.
type contender struct {
	talk    *asktell.Talk
	end     objective.Status // with which the series has ended
	over    bool
	queries int
	least   float64 // the lowest value of its own
	trails  *trails // where its means have gone; nil: f is exact
}

// newContender is a series that has not begun. If f is noisy it remembers where the means of its runs have gone.
func newContender(ctx context.Context, dim int, series cmaes.Series, noisy bool) *contender {
	c := &contender{least: math.Inf(1)}
	if noisy {
		c.trails = &trails{}
		series.Run.Observe, series.Began = c.trails.observe, c.trails.began
	}
	c.talk = asktell.New(dim, func(f objective.Objective) error {
		r, err := series.Minimize(ctx, f)
		c.end = r.Status
		return err
	})
	return c
}

// told answers what it has asked.
func (c *contender) told(values []float64, err error) error {
	c.talk.Tell(values, err)
	if err != nil {
		return err
	}
	n := len(values)
	c.queries += n
	if c.trails != nil {
		c.trails.told(values)
	}
	for _, v := range values {
		if v < c.least { // false for NaN
			c.least = v
		}
	}
	return nil
}
