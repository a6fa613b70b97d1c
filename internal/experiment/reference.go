package experiment

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// A coupled problem is one of which nobody knows the minimum, because its components couple.
// The least value that is known of it stands in its place.
type coupled struct {
	*problem.Problem
	least float64
}

// Minimum returns the least value that is known.
func (c coupled) Minimum() float64 { return c.least }

// references are the least values that are known of a case, each found once.
type references struct{ found sync.Map } // seed → func() (float64, error)

// of returns a problem with the least value that is known of it.
func (r *references) of(p *problem.Problem, seed uint64) (Problem, error) {
	find, _ := r.found.LoadOrStore(seed, sync.OnceValues(func() (float64, error) { return reference(p) }))
	least, err := find.(func() (float64, error))()
	if err != nil {
		return nil, err
	}
	return coupled{p, least}, nil
}

// The search for a reference: how far it looks along a component at first, how finely, after
// how many rounds it ends, and below which gain.
const (
	referenceReach  = 3
	referenceStep   = 0.05
	referenceRounds = 30
	referenceGain   = 1e-9
)

// reference returns the least value that line searches along the true components reach, one
// component after another and again and again, from the minimiser of the problem without its
// couplings. It knows what no method knows. It may still miss the minimum, where a well is
// deeper that only two components together can reach.
func reference(p *problem.Problem) (float64, error) {
	ctx := context.Background()
	x, value := p.Minimiser(), make([]float64, 1)
	if err := p.Evaluate(ctx, mat.NewDense(1, len(x), x), value); err != nil {
		return 0, err
	}
	least, along := value[0], p.Frame().Directions()
	everywhere := []line.Range{{Lo: -referenceReach, Hi: referenceReach, Step: referenceStep, Least: math.Inf(-1), Most: math.Inf(1)}}
	for range referenceRounds {
		before := least
		for j := range p.Frame().Components() {
			u := mat.NewDense(1, len(x), along.RawRowView(j))
			profiles, err := line.Minimize(ctx, p, x, least, u, everywhere, line.Config{})
			if err != nil {
				return 0, err
			}
			if len(profiles[0].Wells) == 0 {
				continue
			}
			next := slices.Clone(x)
			kernel.AddScaled(next, profiles[0].Wells[0].Y, u.RawRowView(0))
			if err := p.Evaluate(ctx, mat.NewDense(1, len(x), next), value); err != nil {
				return 0, err
			}
			if value[0] < least {
				x, least = next, value[0]
			}
		}
		if !(before-least > referenceGain) {
			break
		}
	}
	return least, nil
}
