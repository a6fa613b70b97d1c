package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// ladder are the steps, in spreads, at which second differences are compared. A factor of
// four between neighbours is a factor of sixteen in what rounding does to them.
var ladder = []float64{1. / 4096, 1. / 1024, 1. / 256, 1. / 64, 1. / 16, 1. / 4, 1}

// withSteps returns the candidate with its steps h_i and ε_i chosen by looking at
// second differences along u_i over a ladder of steps: ε_i is where they agree best
// with their neighbours, h_i the largest up to which they change by less than three
// tenths. It costs 14m + 1 queries at each of so many points, at least one, of which
// the shortest steps count. All points are in one batch; one at which f fails is replaced
// by another in the next.
func (c *candidate) withSteps(g *ground, points int) (*candidate, error) {
	next := *c
	next.h, next.eps = slices.Clone(c.h), slices.Clone(c.eps)
	each, points := 1+2*len(ladder)*len(c.spread), max(1, points)
	for failed, first := 0, true; points > 0; {
		x, most := make([][]float64, points), make([][]float64, points)
		for k := range x {
			x[k], _ = c.composed(g)
			most[k] = c.most(g, x[k])
		}
		values, err := g.ask(points*each, func(k int, row []float64) {
			copy(row, x[k/each])
			c.climb(row, k%each, most[k/each])
		})
		if err != nil {
			return nil, err
		}
		for k := range x {
			v := values[k*each : (k+1)*each]
			if !g.follow(v[0]) {
				failed++
				continue
			}
			points--
			eps, h := c.stepsAt(g, v, most[k])
			for i := range h {
				if first || eps[i] < next.eps[i] {
					next.eps[i] = eps[i]
				}
				if first || h[i] < next.h[i] {
					next.h[i] = h[i]
				}
			}
			first = false
		}
		if failed >= attempts && points > 0 {
			return nil, ErrNotFinite
		}
	}
	next.measured = true
	return &next, nil
}

// most returns the longest step along every component from x: its spread, or so much of it
// that there is room.
func (c *candidate) most(g *ground, x []float64) []float64 {
	most := make([]float64, len(c.spread))
	for i := range most {
		most[i] = min(c.spread[i], g.room(x, c.u.RawRowView(i))/roomFor)
	}
	return most
}

// climb moves x to the k-th place of the ladders: x itself, then to either side along each
// component in turn.
func (c *candidate) climb(x []float64, k int, most []float64) {
	if k--; k < 0 {
		return
	}
	i, rung := k/(2*len(ladder)), k%(2*len(ladder))/2
	t := ladder[rung] * most[i]
	if k%2 == 1 {
		t = -t
	}
	kernel.AddScaled(x, t, c.u.RawRowView(i))
}

// stepsAt returns the steps that the values on the ladders at one point show.
func (c *candidate) stepsAt(g *ground, values, most []float64) (eps, h []float64) {
	m, n := len(c.spread), 2*len(ladder)
	f0, values := values[0], values[1:]
	eps, h = make([]float64, m), make([]float64, m)
	for i := range m {
		d := make([]float64, len(ladder))
		for k := range d {
			d[k] = second(values[i*n+2*k:], f0, ladder[k]*most[i])
		}
		short, large := rungs(d, objective.OfSecond*g.grain.Of(f0), most[i], share*c.curvature[i])
		eps[i], h[i] = ladder[short]*most[i], ladder[large]*most[i]
	}
	return eps, h
}

// steady is the change of f_i″ over a large step, as a part of it, that is small enough.
// Steps should be large, but refinement rests on terms of first and second order: with
// Rastrigin's ripples of length 1 it converges with steps of 0.05 to 0.2, and not with 1.
const steady = 0.3

// rungs returns which steps of the ladder serve as ε and h, given the second
// differences d at all of them and their rounding. Where d is not finite it is passed
// over.
func rungs(d []float64, rounding, spread, least float64) (eps, h int) {
	eps = 1
	calmest := math.Inf(1)
	for k := 1; k+1 < len(d); k++ {
		unrest := math.Abs(d[k]-d[k-1]) + math.Abs(d[k+1]-d[k]) + rounding/square(ladder[k]*spread)
		if unrest < calmest {
			eps, calmest = k, unrest
		}
	}
	size := max(math.Abs(d[eps]), least)
	for h = eps; h+1 < len(d) && math.Abs(d[h+1]-d[eps]) <= steady*size; h++ {
	}
	return eps, h
}

// mostMeasures is at how many points the scales of a frame are measured at most that was
// not refined: three looks at it have gone before.
const mostMeasures = 2

// scaled measures the scale of every component of a finding, at so many points; 0: it
// does not.
func scaled(g *ground, found *Finding, measures int) error {
	if measures == 0 {
		return nil
	}
	c := newCandidate(g, found.Frame, certify.Singles(found.Frame.Components()))
	found.Scale = c.h
	c, err := c.looked(g)
	if err != nil {
		return err
	}
	if c, err = c.withSteps(g, min(measures, mostMeasures)); err != nil {
		return err
	}
	found.Scale = c.h
	return nil
}
