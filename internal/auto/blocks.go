package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// blocks minimise in every block of several components by itself, all of them together: each batch has the next generation of
// every block, and the point where the best of all blocks meet, so that a target is seen as soon as it is reached.
type blocks struct {
	f    *watched
	at   *coordinates
	seed uint64

	parallel, budget int // of the task
	bounded          bool

	open float64   // what the last search of all blocks may have left to gain
	met  []float64 // where the best of all blocks met last

	x     []float64       // where all blocks but one are
	all   []*block        // of the search under way
	talks []*asktell.Talk // one for each
}

// The first σ of CMA-ES in a block, in coordinates in which the range of each component is [-1, 1]: a quarter of that range
// for the first search, and little for another search near the best point.
const (
	wideSigma = 0.5
	nearSigma = 0.003
)

// A search of a block ends when its values differ by no more than a part of what those of
// its first generation did, if rounding has not ended it before. From a wide start that part
// is the rounding of the first values. From a near one it is a millionth of the way.
const (
	wideFall = noProgress
	nearFall = 1e-12
)

// explore searches each block by BIPOP-CMA-ES until two runs have come to the same value.
func (b *blocks) explore(ctx context.Context) error {
	return b.together(ctx, func(k *block, x []float64) cmaes.Series {
		n := len(k.components)
		box := objective.Cube(n, -1, 1)
		for i, j := range k.components { // around the start box
			y := b.at.y(j, x) / k.reach[i]
			box.Lo[i] -= y
			box.Hi[i] -= y
		}
		s := b.abreast(n)
		s.Run.Sigma, s.Run.Stop.Fall, s.Box = wideSigma, wideFall, box
		s.Schedule = cmaes.Confirmed{Schedule: s.Schedule, Tolerance: grains.OfSum * b.f.grain.Of(k.best.Value)}
		if sigma := b.f.scatter(k.best.Value); sigma > 0 {
			s.Run.Stop.Fun, s.Schedule = blockNoise*sigma, alike{s.Schedule, grains.OfMixed * sigma}
		}
		return s
	})
}

// blockNoise is by how many σ the values of a block differ at most when its run has come down
// to the noise: those of noise alone differ by two or three.
const blockNoise = 6

// alike follows another schedule, but ends as soon as two runs have come to the best value, to a tolerance. cmaes.Confirmed
// compares with by how much the last values differed, which is noise.
type alike struct {
	cmaes.Schedule
	tolerance float64
}

// Next plans as the schedule does until the best value is confirmed.
func (s alike) Next(past []cmaes.Past, population int, u func() float64) (cmaes.Plan, bool) {
	least, times := math.Inf(1), 0
	for _, p := range past {
		least = min(least, p.Result.Value)
	}
	for _, p := range past {
		if p.Result.Status != objective.StepLimit && p.Result.Value <= least+s.tolerance {
			times++
		}
	}
	if times > 1 {
		return cmaes.Plan{}, false
	}
	return s.Schedule.Next(past, population, u)
}

// refine searches each block once more, near the best point.
func (b *blocks) refine(ctx context.Context) error {
	return b.together(ctx, func(k *block, _ []float64) cmaes.Series {
		s := b.abreast(len(k.components))
		s.Run.Sigma, s.Run.Stop.Fall, s.Schedule = nearSigma, nearFall, cmaes.Once{}
		return s
	})
}

// abreast returns a series in a block of n components, from where they are. It has its share of the evaluations that may be
// made at the same time, and of the budget, which has to suffice for a first run, one with twice the population that confirms
// it, and some near the best point.
func (b *blocks) abreast(n int) cmaes.Series {
	const runs = 4
	k := len(b.at.blocks)
	s := cmaes.Abreast(n, b.parallel/k, b.budget/(runs*k))
	s.Run.Mean = make([]float64, n)
	return s
}

// together runs a series in every block from the best point on. series is told a block and
// that point. Within bounds they take as many queries as all before at most: where a block is
// cut off its runs may not come to the same value, and a descent goes on.
func (b *blocks) together(ctx context.Context, series func(k *block, x []float64) cmaes.Series) error {
	if len(b.at.blocks) == 0 {
		return nil
	}
	b.f.begin(inBlocks, usualBlocks(b.at.blocks))
	fx := b.f.best.Value
	b.open, b.x, b.all, b.talks = 0, slices.Clone(b.f.best.Point), nil, nil
	for i, components := range b.at.blocks {
		n := len(components)
		k := &block{components: components, best: query.Best{Point: make([]float64, n), Value: fx}}
		for _, j := range components {
			k.reach = append(k.reach, b.at.extent(j))
		}
		run := series(k, b.x)
		run.Seed = b.seed + uint64(i)<<32
		run.Run.Observe = b.observe(run.Run.Stop.Fall)
		b.open += float64(grains.OfSum * b.f.grain.Of(fx))
		talk := asktell.New(n, func(f objective.Objective) error {
			_, err := run.Minimize(ctx, f)
			return err
		})
		defer talk.Stop()
		b.all, b.talks = append(b.all, k), append(b.talks, talk)
	}
	most := 2 * b.f.queries
	for !b.bounded || b.f.queries < most {
		more, err := b.step(ctx)
		b.met = b.meet()
		if !more || err != nil {
			return err
		}
	}
	return nil
}

// observe adds to what is open: values of a block may still differ by a part, fall, of what
// those of the first generation did, and by rounding.
func (b *blocks) observe(fall float64) func(cmaes.State) {
	return func(s cmaes.State) {
		if s.Generation == 1 && !math.IsInf(s.Spread, 1) {
			b.open += float64(fall * s.Spread)
		}
	}
}

// A block is some components, in coordinates z: y_j = y_j(x) + reach_j z_j.
type block struct {
	components []int
	reach      []float64
	best       query.Best // in z
}

// step advances every block by a batch, and reports whether there was any to advance. Where a
// block leaves the bounds f is not asked: it is +∞ there.
func (b *blocks) step(ctx context.Context) (bool, error) {
	wants, err := asktell.Wanted(b.talks)
	if err != nil {
		return false, err
	}
	var points [][]float64
	var inside []int // which of those wanted they are
	for i, w := range wants {
		x := slices.Clone(b.x)
		if b.put(x, b.all[w.Talk], w.Point); b.at.bounds.Contains(x) {
			points, inside = append(points, x), append(inside, i)
		}
	}
	values, err := b.f.ask(ctx, append(points, b.meet())...)
	if err != nil {
		return false, err
	}
	all := slices.Repeat([]float64{math.Inf(1)}, len(wants))
	for k, i := range inside {
		b.all[wants[i].Talk].best.Offer(wants[i].Point, values[k])
		all[i] = values[k]
	}
	asktell.TellAll(b.talks, all)
	return len(wants) > 0, nil
}

// meet returns where the best of all blocks meet, within the bounds.
func (b *blocks) meet() []float64 {
	x := slices.Clone(b.x)
	for _, k := range b.all {
		b.put(x, k, k.best.Point)
	}
	clamp(x, b.at.bounds)
	return x
}

// put moves a block of x from where it is in b.x to z.
func (b *blocks) put(x []float64, k *block, z []float64) {
	for i, j := range k.components {
		b.at.move(x, z[i]*k.reach[i], j)
	}
}
