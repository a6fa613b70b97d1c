package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/nearby"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A watched objective is f, and what a run has to remember of all queries: the best
// point, the first value, how many there were.
type watched struct {
	objective.Objective
	again objective.Objective                          // the same, asked again next to points at which it fails
	now   objective.Stage                              // what is being done
	enter func(objective.Stage)                        // is told of another stage
	grain objective.Grain                              // how exact the values are
	noise *noise                                       // nil: f is exact
	under *mapping                                     // f is ψ of what is asked; nil: no map
	due   func(ctx context.Context, queries int) error // is called before a batch if f is noisy; nil: whoever is asked does that

	best    query.Best
	first   float64 // the first value that is finite; NaN: none yet
	spread  float64 // how much f rises over the scales of its components; +∞: not known
	queries int
	walls   bool // f fails next to points at which it has failed, too
	limit   int  // no more queries than this for the part that is under way; 0: no limit
}

func watch(f objective.Objective, stage func(objective.Stage)) *watched {
	w := &watched{Objective: f, enter: stage, grain: objective.Rounding, first: math.NaN(), spread: math.Inf(1)}
	w.again = nearby.New(counted{w})
	return w
}

// Evaluate evaluates f, and where it fails f next to it.
func (w *watched) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := w.again.Evaluate(ctx, points, values)
	for _, v := range values[:query.Evaluated(values, err)] {
		w.walls = w.walls || math.IsInf(v, 1)
	}
	return err
}

// AsksAgain says that it asks again where f fails.
func (w *watched) AsksAgain() {}

// A counted objective is f, whose queries a watched one remembers.
type counted struct{ w *watched }

func (c counted) Dim() int { return c.w.Dim() }

// Evaluate evaluates f as it is.
func (c counted) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	w := c.w
	if n, _ := points.Dims(); w.limit > 0 && w.queries+n > w.limit {
		return errShare
	}
	if err := w.before(ctx, len(values)); err != nil {
		return err
	}
	err := w.Objective.Evaluate(ctx, points, values)
	known := values[:query.Evaluated(values, err)]
	w.queries += len(known)
	w.best.OfferAll(points, known)
	for i, v := range known {
		if w.noise != nil && w.due != nil {
			w.noise.note(points.RawRowView(i), v)
		}
		if math.IsNaN(w.first) && !math.IsInf(v, 0) {
			w.first = v
		}
	}
	return err
}

// before is called before a batch of so many queries.
func (w *watched) before(ctx context.Context, queries int) error {
	if w.noise == nil || w.due == nil {
		return nil
	}
	return w.due(ctx, queries)
}

func (w *watched) stage(s objective.Stage) {
	w.now = s
	w.enter(s)
}

// begin says what is being done from now on, with about so many queries.
func (w *watched) begin(s objective.Stage, forecast int) {
	s.Forecast = forecast
	w.stage(s)
}

func (w *watched) ask(ctx context.Context, points ...[]float64) ([]float64, error) {
	return query.Ask(ctx, w, len(points), func(i int, row []float64) { copy(row, points[i]) })
}

// known asks for points that are known from elsewhere.
func (w *watched) known(ctx context.Context, points *mat.Dense) error {
	n, _ := points.Dims()
	w.begin(atKnown, n)
	return w.Evaluate(ctx, points, make([]float64, n))
}

// noProgress is the improvement that counts as none, as a part of the way that f has
// come since the first query: a few units in the last place of a sum that large.
const noProgress = 1e-15

// tolerance is the improvement that counts as none: noProgress, or the grain of f.
func (w *watched) tolerance() float64 {
	v := w.best.Value
	return w.counts(v, noProgress, math.Inf(1))
}

// counts returns the gain from a value on that counts as none: a part of the way from the first
// value to there, or of the spread if that is less, or the grain. Under a map it is that of
// ψ(f) or that of f itself, whichever is less: a root is steep near its minimum.
func (w *watched) counts(v, part, spread float64) float64 {
	none := part * min(math.Abs(w.first-v), spread)
	if w.under == nil {
		return max(none, grains.OfMixed*w.grain.Of(v))
	}
	least, grain := w.under.none(v, part)
	return max(min(none, least), grains.OfMixed*grain)
}

// The stages of a run, besides those of a survey.
var (
	atKnown        = objective.Stage{Name: "known points", Purpose: objective.AtKnown}
	straightDown   = objective.Stage{Name: "descent", Purpose: objective.StraightDown}
	alongLines     = objective.Stage{Name: "lines", Purpose: objective.AlongThem}
	inBlocks       = objective.Stage{Name: "blocks", Purpose: objective.AlongThem}
	polishing      = objective.Stage{Name: "polish", Purpose: objective.AlongThem}
	inWells        = objective.Stage{Name: "wells", Purpose: objective.AlongThem}
	outlooks       = objective.Stage{Name: "outlook", Purpose: objective.AlongThem}
	amongCouplings = objective.Stage{Name: "couplings", Purpose: objective.AlongThem}
	onModel        = objective.Stage{Name: "model", Purpose: objective.AlongThem}
	comparison     = objective.Stage{Name: "comparison", Purpose: objective.ToCompare}
	inRace         = objective.Stage{Name: "descent and cmaes", Purpose: objective.ToSearch}
	byCMAES        = objective.Stage{Name: "cmaes", Purpose: objective.ToSearch}
)
