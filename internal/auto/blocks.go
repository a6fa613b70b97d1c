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

// blocks minimise in every block of several components by itself, all of them together:
// each generation of all blocks is one batch.
type blocks struct {
	f    *watched
	at   *coordinates
	seed uint64

	parallel, budget int // of the task
	bounded          bool

	open float64   // what the last search of all blocks may have left to gain
	met  []float64 // where the best of all blocks met last
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

// runsOfABlock is how many runs of a block the budget has to suffice for: a first one, one
// with twice the population that confirms it, and some near the best point.
const runsOfABlock = 4

// abreast returns a series in a block of n components, from where they are. It has its share
// of the evaluations that may be made at the same time.
func (b *blocks) abreast(n int) cmaes.Series {
	k := len(b.at.blocks)
	s := cmaes.Abreast(n, b.parallel/k, b.budget/(runsOfABlock*k))
	s.Run.Mean = make([]float64, n)
	return s
}

// together runs a series in every block from the best point on. series is told a block and
// that point. Within bounds they take as many queries as all before at most: where a block is
// cut off its runs may not come to the same value, and Newton steps go on.
func (b *blocks) together(ctx context.Context, series func(k *block, x []float64) cmaes.Series) error {
	if len(b.at.blocks) == 0 {
		return nil
	}
	b.f.begin(inBlocks, usualBlocks(b.at.blocks))
	s := &lockstep{f: b.f, at: b.at, x: slices.Clone(b.f.best.Point)}
	fx := b.f.best.Value
	b.open = 0
	for i, components := range b.at.blocks {
		k := newBlock(b.at, components, fx)
		run := series(k, s.x)
		run.Seed = b.seed + uint64(i)<<32
		run.Run.Observe = b.observe(run.Run.Stop.Fall)
		b.open += float64(grains.OfSum * b.f.grain.Of(fx))
		talk := asktell.New(len(components), func(f objective.Objective) error {
			_, err := run.Minimize(ctx, f)
			return err
		})
		defer talk.Stop()
		s.blocks, s.talks = append(s.blocks, k), append(s.talks, talk)
	}
	most := 2 * b.f.queries
	for !b.bounded || b.f.queries < most {
		more, err := s.step(ctx)
		b.met = s.meet()
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

// newBlock is at z = 0, where f is fx.
func newBlock(at *coordinates, components []int, fx float64) *block {
	k := &block{components: components, best: query.Best{Point: make([]float64, len(components)), Value: fx}}
	for _, j := range components {
		k.reach = append(k.reach, at.extent(j))
	}
	return k
}

// A lockstep is a search of all blocks from x. Each batch has the next generation of every block, and the point where the
// best of all blocks meet, so that a target is seen as soon as it is reached.
type lockstep struct {
	f      *watched
	at     *coordinates
	blocks []*block
	talks  []*asktell.Talk // one for each block
	x      []float64       // all other blocks are as at x
}

// step advances every block by a batch, and reports whether there was any to advance. Where a block leaves the bounds f is
// not asked: it is +∞ there. The point where the best of all blocks meet is brought back into them.
func (s *lockstep) step(ctx context.Context) (bool, error) {
	wants, err := asktell.Wanted(s.talks)
	if err != nil {
		return false, err
	}
	var points [][]float64
	var inside []int // which of those wanted they are
	for i, w := range wants {
		x := slices.Clone(s.x)
		if s.put(x, s.blocks[w.Talk], w.Point); s.at.bounds.Contains(x) {
			points, inside = append(points, x), append(inside, i)
		}
	}
	values, err := s.f.ask(ctx, append(points, s.meet())...)
	if err != nil {
		return false, err
	}
	all := slices.Repeat([]float64{math.Inf(1)}, len(wants))
	for k, i := range inside {
		s.blocks[wants[i].Talk].best.Offer(wants[i].Point, values[k])
		all[i] = values[k]
	}
	asktell.TellAll(s.talks, all)
	return len(wants) > 0, nil
}

// meet returns where the best of all blocks meet.
func (s *lockstep) meet() []float64 {
	x := slices.Clone(s.x)
	for _, k := range s.blocks {
		s.put(x, k, k.best.Point)
	}
	clamp(x, s.at.bounds)
	return x
}

// put moves a block of x from where it is in s.x to z.
func (s *lockstep) put(x []float64, k *block, z []float64) {
	for i, j := range k.components {
		s.at.move(x, z[i]*k.reach[i], j)
	}
}
