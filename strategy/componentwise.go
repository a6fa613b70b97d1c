package strategy

import (
	"context"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Componentwise is a one-dimensional consensus-based optimisation for each component of a
// frame, the paper's third method (section 3.3). Component j is searched along the slice
// s ↦ f(s u_j) through the origin of the start box, from the coordinates ⟨w̃_j, x⟩ of the
// particles x of CBO. All take their steps together, each step being one batch, with an
// equal share of the budget. The combined point W̃†s is asked for now and then, and
// before the end: it is the answer, and points of the slices are trials.
//
// Config's zero values are the paper's settings in one dimension: τ = 0.01, σ = 1.1, α
// from 1.
type Componentwise struct{ Config cbo.Config }

// Name returns "componentwise".
func (Componentwise) Name() string { return "componentwise" }

// Minimize finds a frame and searches along its components until all swarms have
// converged or the budget is spent.
func (c Componentwise) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	if err := noSet(c, c.Config); err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	counted := &counted{Objective: f}
	begun, err := frameFor(ctx, counted, task)
	if err != nil {
		return begun.ended(ctx, err)
	}
	begun.Stage(byCBO)
	settings := PapersLine(c.Config)
	s := newSlices(ctx, counted, begun.found.Frame, settings, begun.Seed)
	defer s.stop()
	share := (begun.Budget - counted.queries - 1) / len(s.talks)
	for {
		before := counted.queries
		status, err := s.run(ctx, share)
		if err != nil {
			return begun.ended(ctx, err)
		}
		// A resumed run with a larger budget goes on by the same shares.
		idle := counted.queries-before <= 1 && share >= swarmSize(settings)
		if status != objective.StepLimit || idle || counted.queries >= begun.Limit || begun.Limit <= begun.Budget {
			return begun.outcome(status), nil
		}
		share = max(share, swarmSize(settings)) // enough for a step, if it was not
	}
}

// A counted objective counts the queries that pass.
type counted struct {
	objective.Objective
	queries int
}

func (c *counted) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := c.Objective.Evaluate(ctx, points, values)
	c.queries += query.Evaluated(values, err)
	return err
}

// searchSlices are the searches along all components.
type searchSlices struct {
	f     objective.Objective
	frame *frame.Frame
	talks []*asktell.Talk // one for each component
	best  []query.Best    // the best coordinate of each component so far
}

func newSlices(ctx context.Context, f objective.Objective, w *frame.Frame, cfg cbo.Config, seed uint64) *searchSlices {
	m := w.Components()
	s := &searchSlices{f: f, frame: w, best: make([]query.Best, m)}
	n := swarmSize(cfg)
	start := mat.NewDense(n, m, nil)
	w.Coordinates(start, particles(n, f.Dim(), seed))
	for j := range m {
		one := cfg
		one.Particles, one.Points = n, mat.NewDense(n, 1, mat.Col(nil, j, start))
		one.Seed = rng.Seed(seed).Stream("componentwise", j).Uint64()
		s.talks = append(s.talks, asktell.New(1, func(g objective.Objective) error {
			_, err := cbo.Run(ctx, g, one)
			return err
		}))
	}
	return s
}

// combineEvery is after how many steps the combined point is asked for. It is one query
// after 100 steps of all swarms, 5,000m queries: a target is seen soon, for nothing.
const combineEvery = 100

// run takes steps until all have converged or each has had its share of queries, and asks
// for the combined point. It returns Converged or StepLimit.
func (s *searchSlices) run(ctx context.Context, share int) (objective.Status, error) {
	for step, spent := 1, 0; ; step++ {
		n, status, err := s.step(ctx, share-spent)
		if err != nil {
			return status, err
		}
		spent += n
		if status != objective.Running || step%combineEvery == 0 {
			if err := s.combined(ctx); err != nil {
				return status, err
			}
		}
		if status != objective.Running {
			return status, nil
		}
	}
}

// step advances every swarm that still moves, if each has so many queries left, and
// returns how many that took for each at most.
func (s *searchSlices) step(ctx context.Context, left int) (int, objective.Status, error) {
	wants, err := asktell.Wanted(s.talks)
	if err != nil {
		return 0, objective.Running, err
	}
	largest, each := 0, make([]int, len(s.talks))
	for _, w := range wants {
		each[w.Talk]++
		largest = max(largest, each[w.Talk])
	}
	switch {
	case len(wants) == 0:
		return 0, objective.Converged, nil
	case largest > left:
		return 0, objective.StepLimit, nil
	}
	values, err := query.Ask(query.WithTrial(ctx), s.f, len(wants), func(i int, row []float64) {
		clear(row)
		kernel.AddScaled(row, wants[i].Point[0], s.frame.Directions().RawRowView(wants[i].Talk))
	})
	if err != nil {
		return 0, objective.Running, err
	}
	for i, w := range wants {
		s.best[w.Talk].Offer(w.Point, values[i])
	}
	asktell.TellAll(s.talks, values)
	return largest, objective.Running, nil
}

// combined asks for W̃†s, s the best of each component.
func (s *searchSlices) combined(ctx context.Context) error {
	coordinates := make([]float64, len(s.best))
	for j, b := range s.best {
		if b.Point != nil {
			coordinates[j] = b.Point[0]
		}
	}
	_, err := query.Ask(ctx, s.f, 1, func(_ int, row []float64) { copy(row, combine(s.frame, coordinates)) })
	return err
}

// stop ends the swarms that still move.
func (s *searchSlices) stop() {
	for _, talk := range s.talks {
		talk.Stop()
	}
}
