package auto

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A contest chooses the best of some points of a noisy f. All are asked equally often, the
// worse half is dropped, and so on until one is left ("sequential halving": Z. Karnin,
// T. Koren and O. Somekh, "Almost optimal exploration in multi-armed bandits", 2013). Then
// that one is asked again, for its mean. What has chosen it does not count there: it was
// chosen because these values are low.
type contest struct {
	f         *watched
	left      int // queries
	finalists []*finalist
}

// A finalist is a point that may be the best.
type finalist struct {
	x      []float64
	values average
}

// report is the part of all queries that is asked at the point chosen.
const report = 1. / 3

// choose returns the point that is chosen; nil: f fails at all of them.
func (c *contest) choose(ctx context.Context) (*strategy.Chosen, error) {
	last := max(leastCompared, int(report*float64(c.left)))
	rounds := bits.Len(uint(max(len(c.finalists)-1, 0)))
	for round := rounds; round > 0 && len(c.finalists) > 1; round-- {
		each := (c.left - last) / (round * len(c.finalists))
		if each < 1 {
			c.finalists = c.finalists[:max(1, (c.left-last)/round)]
			each = 1
		}
		if c.left-last < len(c.finalists) {
			break
		}
		if err := c.ask(ctx, each); err != nil {
			return nil, err
		}
		c.finalists = slices.DeleteFunc(c.finalists, func(a *finalist) bool { return math.IsInf(a.values.mean(), 1) })
		slices.SortStableFunc(c.finalists, func(a, b *finalist) int { return cmp.Compare(a.values.mean(), b.values.mean()) })
		c.finalists = c.finalists[:(len(c.finalists)+1)/2]
	}
	if len(c.finalists) == 0 {
		return nil, nil
	}
	best := c.finalists[0]
	best.values = average{}
	c.finalists = c.finalists[:1]
	query := c.f.queries + 1
	if err := c.ask(ctx, min(last, c.left)); err != nil || math.IsInf(best.values.mean(), 1) {
		return nil, err
	}
	s := best.values
	return &strategy.Chosen{Point: best.x, Value: s.first, Query: query + s.before, Mean: s.mean(), Error: s.halfWidth()}, nil
}

// Choose chooses the best of some points by so many queries of f, which answers another value when a point is asked
// again. Others were asked before. It returns the standard deviation of the values at the point chosen, too.
func Choose(ctx context.Context, f objective.Objective, points [][]float64, queries, before int) (chosen *strategy.Chosen, sigma float64, err error) {
	w := watch(f, func(objective.Stage) {})
	w.noise, w.queries = &noise{kind: objective.RandomNoise}, before
	c := &contest{f: w, left: queries}
	for _, x := range points {
		c.finalists = append(c.finalists, &finalist{x: x})
	}
	chosen, err = c.choose(ctx)
	for _, a := range c.finalists { // the winner is left
		sigma = math.Sqrt(a.values.variance())
	}
	return chosen, sigma, err
}

// ask asks for every finalist so many times, in one batch.
func (c *contest) ask(ctx context.Context, each int) error {
	var points [][]float64
	for _, a := range c.finalists {
		points = append(points, a.x)
	}
	before := c.f.queries
	seen, err := c.f.repeat(ctx, points, each)
	c.left -= c.f.queries - before
	for i := range seen {
		c.finalists[i].values.join(seen[i])
	}
	return err
}

// repeat asks for points so many times each, in one batch, or next to them where noise does
// not change when a point is asked again. That f was low there by chance is not taken notice
// of.
func (w *watched) repeat(ctx context.Context, points [][]float64, each int) ([]average, error) {
	n, d := each*len(points), w.Dim()
	rows, values := mat.NewDense(n, d, nil), make([]float64, n)
	away := make([]float64, d)
	for i := range n {
		row := rows.RawRowView(i)
		copy(row, points[i/each])
		if w.noise.beside > 0 && i%each > 0 {
			w.noise.stream.Norm(away)
			kernel.AddScaled(row, w.noise.beside, away)
		}
	}
	if err := w.before(ctx, n); err != nil {
		return nil, err
	}
	err := w.Objective.Evaluate(ctx, rows, values)
	known := query.Evaluated(values, err)
	w.queries += known
	if w.noise.kind == objective.Raster { // it is not by chance
		w.best.OfferAll(rows, values[:known])
	}
	if err != nil {
		return nil, err
	}
	seen := make([]average, len(points))
	for i, v := range values {
		seen[i/each].add(v)
	}
	return seen, nil
}
