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
	runs    int // that have begun
	queries int
	least   float64   // the lowest value of its own
	stages  []int     // numbers of queries for each dimension, ascending,
	reached []float64 // and the lowest values at those that it has come to
	trails  *trails   // where its means have gone; nil: f is exact
}

// newContender is a series that has not begun. It remembers how far it is after so many
// queries for each dimension.
// If f is noisy it remembers where the means of its runs have gone.
func newContender(ctx context.Context, dim int, series cmaes.Series, stages []int, noisy bool) *contender {
	c := &contender{least: math.Inf(1), stages: stages}
	if noisy {
		c.trails = &trails{}
		series.Run.Observe = c.trails.observe
	}
	series.Began = func(plan cmaes.Plan) {
		c.runs++
		if noisy {
			c.trails.began(plan)
		}
	}
	c.talk = asktell.New(dim, func(f objective.Objective) error {
		r, err := series.Minimize(ctx, f)
		c.end = r.Status
		return err
	})
	return c
}

// step asks for the next generation. It returns how many queries that took; 0: the series
// is over.
func (c *contender) step(ctx context.Context, f *watched) (int, error) {
	points := c.talk.Ask()
	if points == nil {
		c.over = true
		return 0, c.talk.Err()
	}
	n, _ := points.Dims()
	values := make([]float64, n)
	err := counted{f}.Evaluate(ctx, points, values) // it can do without those that fail
	return n, c.told(f, values, err)
}

// told answers what it has asked.
func (c *contender) told(f *watched, values []float64, err error) error {
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
	for k := len(c.reached); k < len(c.stages) && c.queries >= c.stages[k]*f.Dim(); k++ {
		c.reached = append(c.reached, c.least)
	}
	return nil
}
