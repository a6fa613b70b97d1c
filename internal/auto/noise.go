package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A noise is what a run knows of f's noise, and what it keeps because of it: the least of many noisy values is too low, so
// that the best point has to be chosen among several by asking for them again. A share of the budget is kept for that.
type noise struct {
	kind   objective.Kind
	beside float64     // how far away noise that does not change with time is another; 0: the same point will do
	stream *rng.Stream // for points that far away

	plan      int // the budget that the run was planned with
	next      int // how many queries there are when points are compared next
	comparing bool

	lowest []query.Best     // the lowest values, the lowest first
	ends   [][]float64      // where searches have ended
	met    []float64        // where the best of all blocks meet; nil: there are none
	chosen *strategy.Chosen // nil: none yet
	seen   float64          // the standard deviation of f there

	rounded   objective.Grain // of a raster, if there is one beside the noise
	uncovered float64         // the value at which a raster was last seen to hide no noise; NaN: none
	places    places          // of its values
}

// mostLowest is how many points with the lowest values are kept.
const mostLowest = 2

// nearAway is how far away noise that does not change with time is another, in half-widths of
// the start box: far enough for any solver, and so near that a smooth f is the same.
const nearAway = 0x1p-20

func newNoise(g objective.Grain, plan int, seed uint64) *noise {
	n := &noise{kind: g.Kind, plan: plan, stream: rng.Seed(seed).Stream("auto", "beside"), uncovered: math.NaN(), places: places{digits: g.Digits, last: math.MinInt}}
	if g.Kind == objective.DeterministicNoise {
		n.beside = nearAway
	}
	n.ahead()
	return n
}

// ahead says when points are compared next: so that what it takes is left of the plan.
func (n *noise) ahead() {
	n.next = n.plan - reserve(n.plan) - int(finishPart*float64(n.plan))
}

// A comparison takes a fiftieth of the budget, and some twenty queries if that is no more than a tenth of it.
const (
	comparedPart = 50
	mostCompared = 10
	fewCompared  = 20
)

// reserve is how many queries of a budget are kept for a comparison.
func reserve(plan int) int { return min(max(plan/comparedPart, fewCompared), plan/mostCompared) }

func (n *noise) note(x []float64, value float64) {
	n.places.see(value)
	if len(n.lowest) == mostLowest && !(value < n.lowest[mostLowest-1].Value) || math.IsNaN(value) || math.IsInf(value, 1) {
		return
	}
	at := slices.IndexFunc(n.lowest, func(b query.Best) bool { return value < b.Value })
	if at < 0 {
		at = len(n.lowest)
	}
	n.lowest = slices.Insert(n.lowest, at, query.Best{Point: slices.Clone(x), Value: value})
	n.lowest = n.lowest[:min(len(n.lowest), mostLowest)]
}

// due compares points before a batch of so many queries, if there are then no more left than a comparison takes. A run that
// goes on beyond its plan compares again when it has had twice as many: what it asks must not depend on how far it goes on.
func (r *run) due(ctx context.Context, queries int) error {
	n := r.f.noise
	if n.comparing || r.f.queries+queries <= n.next {
		return nil
	}
	n.plan = max(n.plan, r.f.queries)
	err := r.choose(ctx, func() int { return n.plan - reserve(n.plan) - r.f.queries })
	n.plan *= 2
	n.ahead()
	return err
}

// conclude compares points at the end of a run that has ended by itself.
func (r *run) conclude(ctx context.Context) error {
	n := r.f.noise
	if n == nil {
		return nil
	}
	return r.choose(ctx, func() int { return min(int(finishPart*float64(n.plan)), r.f.queries/comparedOfSpent) })
}

// choose compares points, after Newton steps with up to so many queries.
func (r *run) choose(ctx context.Context, most func() int) error {
	n, limit := r.f.noise, r.f.limit // of the part that waits
	n.comparing, r.f.limit = true, 0
	defer func() { n.comparing, r.f.limit = false, limit }()
	if err := r.uncovered(ctx); err != nil || n.kind == objective.Raster {
		return err
	}
	if err := r.finish(ctx, most()); err != nil {
		return err
	}
	return r.compare(ctx, min(reserve(n.plan), max(fewCompared, r.f.queries/comparedOfSpent), n.plan-r.f.queries))
}

// comparedOfSpent is the part of what a run has spent that a comparison takes at its end.
const comparedOfSpent = 5

// compare chooses the best point with so many queries.
func (r *run) compare(ctx context.Context, queries int) error {
	n := r.f.noise
	if queries < leastCompared {
		return nil
	}
	before := r.f.now
	r.f.begin(comparison, queries)
	defer r.f.begin(before, 0)
	c := &contest{f: r.f, left: queries}
	for _, x := range r.finalists() {
		c.finalists = append(c.finalists, &finalist{x: x})
	}
	chosen, err := c.choose(ctx)
	if chosen == nil {
		return err
	}
	n.chosen, n.seen = chosen, math.Sqrt(c.finalists[0].values.variance())
	if n.seen == 0 { // noise that was told does not change with time, if there is any; nor does it nearby, or too little
		n.seen = r.task.NoiseLevel
		if n.kind == objective.DeterministicNoise {
			n.seen = r.f.sigma(chosen.Mean)
		}
		chosen.Error = student(math.MaxInt16) * n.seen
	}
	if n.rounded.Kind == objective.Raster {
		least := n.places.roundedOff(n.rounded, chosen.Mean)
		chosen.Error, n.seen = max(chosen.Error, raster*least), max(n.seen, least)
	}
	return err
}

// raster is half of the distance between two values of a raster, in standard deviations of
// what is rounded off, √12/2: it is not more.
const raster = 1.7320508075688772

// chosen returns the point chosen; nil: none. Of a raster it is the one with the lowest value.
func (r *run) chosen() *strategy.Chosen {
	n := r.f.noise
	switch {
	case n == nil:
		return nil
	case n.kind == objective.Raster && math.IsInf(r.f.best.Value, -1):
		return nil
	case n.kind == objective.Raster && r.f.best.Point != nil:
		v := r.f.best.Value
		return &strategy.Chosen{Value: v, Mean: v, Error: raster * n.places.roundedOff(r.f.grain, v)}
	}
	return n.chosen
}

// noise says what noise f has at the point found, or its error if it computes in single precision; nil: that was not measured.
func (r *run) noise() *strategy.Noise {
	f := r.itself()
	n, v := f.noise, f.best.Value
	switch {
	case !r.measured:
		return nil
	case n == nil && f.grain.Kind != objective.SinglePrecision:
		return &strategy.Noise{}
	case n != nil && n.chosen != nil:
		return &strategy.Noise{Kind: n.kind, Sigma: n.seen}
	case n != nil && math.IsInf(v, -1):
		v = f.first
	}
	if notFinite(v) { // it has failed everywhere, or is -∞
		v = 0
	}
	if n == nil {
		return &strategy.Noise{Kind: f.grain.Kind, Sigma: f.grain.Of(v)}
	}
	return &strategy.Noise{Kind: n.kind, Sigma: n.places.roundedOff(f.grain, v)}
}

// itself is f, without a map.
func (r *run) itself() *watched {
	if r.mapping != nil {
		return r.mapping.f
	}
	return r.f
}

// leastCompared is how many queries a comparison takes at least.
const leastCompared = 3

// finalists are the points that may be the best: where searches have ended, the means of runs
// of CMA-ES, and the lowest values.
func (r *run) finalists() (all [][]float64) {
	points := slices.Clone(r.f.noise.ends)
	for _, t := range best(r.fallback.trails()) {
		points = append(points, t.mean)
	}
	for _, b := range r.f.noise.lowest {
		points = append(points, b.Point)
	}
	for _, x := range points {
		if x = slices.Clone(x); x == nil {
			continue
		}
		clamp(x, r.task.Bounds)
		if !slices.ContainsFunc(all, func(y []float64) bool { return slices.Equal(x, y) }) {
			all = append(all, x)
		}
	}
	return all
}

func (n *noise) end(x []float64) {
	n.ends = append(n.ends, slices.Clone(x))
	n.ends = n.ends[max(0, len(n.ends)-endsKept):]
}

// endsKept is how many ends of searches are remembered.
const endsKept = 2

// sigma is the standard deviation of f's noise where it is v.
func (w *watched) sigma(v float64) float64 { return w.grain.Of(v) }

// scatter is sigma if f is noisy, and 0 otherwise.
func (w *watched) scatter(v float64) float64 {
	if w.noise == nil {
		return 0
	}
	return w.sigma(v)
}
