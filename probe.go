package untwist

import (
	"context"
	"errors"
	"fmt"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Probe finds the coordinates in which f separates and certifies them. It spends
// nothing on a search.
//
// Of the Options it uses Road, Start, Bounds, Budget, Seed, Workers and Progress;
// the others are for Minimize and must not be given. As with Minimize a spent budget
// or the end of ctx is no error: Findings.Status says so, what was found so far
// is there, and the verdict is identify.Unknown. That f is constant, or not
// finite where it has to be, is an error.
func Probe(ctx context.Context, f objective.Objective, o Options) (Findings, error) {
	nothing := Findings{Status: objective.Failed, Structure: noStructure(0)}
	if f == nil || f.Dim() < 1 {
		return nothing, errNoObjective
	}
	for option, given := range map[string]bool{"Strategy": o.Strategy != nil, "Points": o.Points != nil, "Target": o.Target != nil, "Frame": o.Frame != nil} {
		if given {
			return nothing, objective.BadOption(option, "is for Minimize; Probe does not search")
		}
	}
	if o.Road == PapersRoad && (o.Bounds.Lo != nil || o.Bounds.Hi != nil) {
		return nothing, objective.BadOption("Bounds", "the paper's road knows no bounds")
	}
	if err := o.complete(f.Dim()); err != nil {
		return nothing, err
	}
	r := newRun(f, o)
	found, err := r.identify(ctx)
	out, unscaled := r.findings(found)
	if err = errors.Join(err, unscaled); err == nil {
		out.Status = objective.Converged
		return out, nil
	}
	out.Status, err = objective.StatusOf(ctx, err)
	return out, err
}

// identify goes the road that was asked for, in scaled coordinates.
func (r *run) identify(ctx context.Context) (*identify.Finding, error) {
	box, seed := objective.Cube(r.scale.Dim(), -1, 1), rng.Seed(r.options.Seed)
	if r.options.Road == PapersRoad {
		p := identify.PapersSettings(r.scale.Dim())
		p.Stage = r.enter
		return p.Find(ctx, r.scale, box, seed)
	}
	return identify.Survey{Box: box, Bounds: r.scale.Bounds(), Stage: r.enter}.Identify(ctx, r.scale, seed)
}

// The roads to the coordinates.
const (
	// SurveyRoad is joint diagonalisation with large-step refinement, the
	// default; see identify.Survey.
	SurveyRoad = strategy.SurveyRoad
	// PapersRoad is Algorithm 1 of the paper with the settings of its experiment;
	// see identify.Paper. It has no bounds and costs 3(d+1)d² queries.
	PapersRoad = strategy.PapersRoad
)

// Roads are the names of all roads, the default first.
func Roads() []string { return []string{SurveyRoad, PapersRoad} }

var errNoObjective = errors.New("untwist: the objective is nil or has no dimension")

// Findings are what Probe has found and what it cost.
type Findings struct {
	Structure

	// Status says why the probe stopped: Converged when it is done.
	Status objective.Status
	Seed   uint64
	// Queries is how many points f was asked for, of Budget allowed.
	Queries, Budget int
	// Failed is how many queries gave NaN or +Inf, and FailedPoint is the
	// first such point.
	Failed      int
	FailedPoint []float64
	// Stages says where the queries went, in order.
	Stages []Stage
	// Point is the best point that was evaluated on the way, and Value is f
	// there.
	Point []float64
	Value float64
}

// String says in a sentence what was found.
func (f Findings) String() string {
	if f.Frame == nil && f.Status == objective.BudgetSpent {
		d := f.Dim
		return fmt.Sprintf("no coordinates were found: the budget was spent first; %s usually take %d to %d queries",
			count(d, "dimension"), 4*d*d+50*d, 10*d*d+150*d)
	}
	return f.Structure.String()
}

// findings is what the probe has come to, in the user's coordinates.
func (r *run) findings(found *identify.Finding) (Findings, error) {
	r.close()
	best := r.record.Best()
	failed, failedPoint := r.record.Failed()
	out := Findings{
		Seed: r.options.Seed, Queries: r.meter.Queries(), Budget: r.meter.Budget(),
		Failed: failed, FailedPoint: failedPoint, Stages: r.stages,
		Point: best.Point, Value: best.Value,
	}
	var err error
	out.Structure, err = r.structure(found)
	return out, err
}
