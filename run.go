package untwist

import (
	"context"
	"fmt"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A run is one call of Minimize or Probe: the objective in its wrappers, and what is
// recorded on the way.
type run struct {
	f       objective.Objective
	options Options
	plan    int // the budget that the run was planned with
	meter   *query.Meter
	record  *query.Record
	chunk   *query.Chunk
	memory  *query.Memory // of lattice points; nil: no parameter has a lattice, or f has noise
	// coordinates turns what is searched into the user's parameters; nil: they are the same.
	coordinates *parameter.Coordinates
	scale       *query.Scale
	clean       objective.Objective // f without its blemishes; nil: it has none
	stages      []Stage
	began       float64           // the best value when the last of them began
	found       *identify.Finding // what is known of the coordinates so far; nil: nothing
	users       *frame.Frame      // the frame of found in the user's coordinates, once somebody has asked
	usersOf     *frame.Frame      // the frame that users was made of
	told        *Structure        // what was told of found
	toldOf      *identify.Finding // the finding that told was made of
	numbers     numbers           // what answers have besides a value
	grain       *objective.Grain  // how exact values are, as a probe has measured it; nil: it has not

	journal  *journal.Journal // nil: there is none
	recorded *journal.Objective
}

// firstQueries is how many queries at the start of a run of d dimensions have to fail to end
// it. Where one point in twenty succeeds, as few may be seen with twenty.
func firstQueries(d int) int { return 20 + d }

// newRun begins a run of f; command says what is done with it. given are the options as
// the user has given them.
func newRun(f objective.Objective, command string, given Options) (*run, error) {
	o := given
	if err := o.complete(f.Dim()); err != nil {
		return nil, err
	}
	several, err := o.completeSeveral(f)
	if err != nil {
		return nil, err
	}
	r := &run{f: f, options: o, plan: o.Budget, clean: query.CleanOf(f), numbers: several}
	guarded := f
	if several.limits != nil {
		guarded = query.NewReader(f, several.reading)
	}
	guard := query.NewGuard(guarded)
	guard.PanicsFail, guard.Timed = o.PanicsFail, o.Journal.File != "" || o.Seen != nil
	var all objective.Objective = query.NewPool(guard, o.Workers)
	if o.Journal.File != "" {
		recorded, err := r.open(f, all, command, given)
		if err != nil {
			return nil, err
		}
		all = recorded
	}
	if o.Maximize {
		all = query.Negate(all)
	}
	r.meter = query.NewMeter(all, o.Budget)
	if r.clean != nil {
		r.clean = query.NewPool(r.clean, o.Workers)
	}
	rules := r.rules()
	if !o.KeepGoing {
		rules.First, rules.MaxFailures = max(firstQueries(f.Dim()), len(o.Points)), o.MaxFailures
	}
	r.record = query.NewRecord(r.meter, rules, r.progress)
	r.chunk = query.NewChunk(r.record, query.ChunkRows, rules.First)
	var searched objective.Objective = r.chunk
	if o.space().Discrete() && o.NoiseLevel == 0 {
		r.memory = query.NewMemory(r.chunk, r.record.Recent)
		searched = r.memory
	}
	if o.Parameters != nil {
		r.coordinates = parameter.NewCoordinates(searched, o.Parameters)
		searched = r.coordinates
	}
	r.scale = query.NewScale(searched, o.Start, o.Bounds)
	return r, nil
}

// timed returns the context of a run, which ends when the time is spent.
func (o *Options) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.Time, objective.ErrTime)
}

// points returns the known starting points in scaled coordinates.
func (r *run) points() *mat.Dense {
	if len(r.options.Points) == 0 {
		return nil
	}
	z := mat.NewDense(len(r.options.Points), r.scale.Dim(), nil)
	for i, x := range r.options.Points {
		if r.coordinates != nil {
			x = r.coordinates.Know(x)
		}
		z.SetRow(i, r.scale.Know(x))
	}
	return z
}

// progress tells the user how the run is going.
func (r *run) progress() {
	if r.options.Progress == nil {
		return
	}
	best := r.record.Best()
	failures, _, _ := r.record.Failures()
	p := Progress{
		Queries: r.meter.Queries(), Budget: r.meter.Budget(),
		Best: r.inUsersSign(best.Value), Feasible: r.record.Verdict().Feasible(), Point: best.Point, Failed: failures.Total(), SoFar: r.known,
	}
	if len(r.stages) > 0 {
		p.Stage = r.stages[len(r.stages)-1].Name
	}
	r.options.Progress(p)
}

// known returns what is known so far, of f too.
func (r *run) known() Result {
	out := r.result()
	out.Stages, out.Improvements = slices.Clone(out.Stages), nil
	if r.found == nil {
		return out
	}
	if r.toldOf != r.found {
		s, err := r.structure(r.found)
		if err != nil { // which is said at the end
			return out
		}
		s.Blocks = copied(s.Blocks)
		r.told, r.toldOf = &s, r.found
	}
	out.Structure = r.told
	return out
}

// account returns what the run has found and what it cost.
func (r *run) account() Account {
	r.close()
	best := r.record.Best()
	failures, failedPoint, failedReason := r.record.Failures()
	a := Account{
		Point:        slices.Clone(best.Point),
		Value:        r.inUsersSign(best.Value),
		BestQuery:    r.record.BestAt(),
		Seed:         r.options.Seed,
		Queries:      r.meter.Queries(),
		Budget:       r.meter.Budget(),
		Rounds:       r.chunk.Rounds(),
		Resumed:      r.resumed(),
		Failed:       failures.Total(),
		Failures:     failures,
		FailedPoint:  failedPoint,
		FailedReason: failedReason,
		Stages:       r.stages,
		Curve:        r.record.Curve(),
		Improvements: r.record.Improvements(),
	}
	if r.options.Maximize {
		a.Improvements = slices.Clone(a.Improvements)
		for i := range a.Improvements {
			a.Improvements[i].Value = -a.Improvements[i].Value
		}
		for i := range a.Curve {
			a.Curve[i].Value = query.Opposite(a.Curve[i].Value)
		}
	}
	r.measured(&a)
	return a
}

// result returns what the search has found.
func (r *run) result() Result {
	return Result{Account: r.account(), Strategy: r.options.Strategy.Name(), TargetQuery: r.record.TargetAt()}
}

// outward returns a point of the search in the user's parameters.
func (r *run) outward(z []float64) []float64 {
	x := r.scale.Point(z)
	if r.coordinates != nil {
		x = r.coordinates.Point(x)
	}
	return x
}

// noise fills in what is known of the noise, and the point that was chosen because of it.
func (r *run) noise(result *Result, outcome strategy.Outcome) {
	result.Noise = outcome.Noise
	chosen := outcome.Chosen
	if chosen == nil {
		return
	}
	result.ValueMean, result.ValueError = &chosen.Mean, &chosen.Error
	if chosen.Point == nil {
		return
	}
	x := r.outward(chosen.Point)
	result.Point, result.Value, result.BestQuery = x, chosen.Value, chosen.Query
	result.Improvements = append(result.Improvements, objective.Improvement{Query: chosen.Query, Value: chosen.Value, Point: x})
}

// minimisers fills in the minimisers, if there may be several.
func (r *run) minimisers(result *Result, outcome strategy.Outcome) {
	for _, m := range outcome.Minimisers {
		m.Point = r.outward(m.Point)
		result.Minimisers = append(result.Minimisers, m)
	}
}

// cleaned fills in the clean value at the best point, if f has blemishes.
func (r *run) cleaned(ctx context.Context, result *Result) error {
	if r.clean == nil || result.Point == nil {
		return nil
	}
	var value [1]float64
	point := mat.NewDense(1, len(result.Point), slices.Clone(result.Point))
	err := r.clean.Evaluate(context.WithoutCancel(ctx), point, value[:])
	result.ValueClean = &value[0]
	return err
}

// learnt fills in what was learnt about f.
func (r *run) learnt(result *Result, learnt *strategy.Learnt) error {
	if n := r.meter.Queries() - result.Failed; n > r.meter.Dim()+1 && r.record.Constant() {
		result.Notes = append(result.Notes, fmt.Sprintf("f is %v at all %s points where it has a value: it does not depend on its parameters, or is not the number that was meant", result.Value, words.Thousands(n)))
	}
	if r.memory.Ended() {
		result.Notes = append(result.Notes, "the search came to nothing but points that were asked before, so it ended")
	}
	if learnt == nil {
		return nil
	}
	result.Notes = append(result.Notes, learnt.Notes...)
	if learnt.Finding == nil && learnt.Interactions == nil {
		return nil
	}
	if learnt.Finding == nil {
		learnt.Finding = identify.Known(nil, nil)
	}
	result.Notes = append(result.Notes, learnt.Finding.Notes...)
	s, err := r.structure(learnt.Finding)
	s.Interactions = learnt.Interactions
	result.Structure = &s
	result.Profiles = r.profiles(learnt.Finding, learnt.Profiles)
	return err
}
