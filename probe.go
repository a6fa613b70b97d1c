package untwist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
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
	nothing := Findings{Status: objective.Failed, Linear: -1, Certificate: identify.Certificate{Verdict: identify.Unknown}}
	if f == nil || f.Dim() < 1 {
		return nothing, errNoObjective
	}
	for option, given := range map[string]bool{"Strategy": o.Strategy != nil, "Points": o.Points != nil, "Target": o.Target != nil} {
		if given {
			return nothing, objective.BadOption(option, "is for Minimize; Probe does not search")
		}
	}
	if o.Road != "" && !slices.Contains(Roads(), o.Road) {
		return nothing, objective.BadOption("Road", "unknown road %q: one of %s", o.Road, strings.Join(Roads(), ", "))
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
	SurveyRoad = "survey"
	// PapersRoad is Algorithm 1 of the paper with the settings of its experiment;
	// see identify.Paper. It has no bounds and costs 3(d+1)d² queries.
	PapersRoad = "paper"
)

// Roads are the names of all roads, the default first.
func Roads() []string { return []string{SurveyRoad, PapersRoad} }

var errNoObjective = errors.New("untwist: the objective is nil or has no dimension")

// Findings are what Probe has found and what it cost.
type Findings struct {
	// Dim is the number of dimensions of f.
	Dim int
	// Frame has the coordinates, as rows of length 1 in the user's own
	// coordinates; nil if none were found.
	Frame *frame.Frame
	// Blocks are the components that f couples, ascending: all of one if it is
	// separable.
	Blocks [][]int
	// Linear is the component in which f is linear and which it could do
	// without in a search; -1: none.
	Linear int
	// Quadratic says that f has the same Hessian everywhere. Then any conjugate
	// basis separates it, and the frame is one of many.
	Quadratic   bool
	Certificate identify.Certificate

	// Residual is how far the frame may still be from the truth: the largest
	// error E of a component that the last check has found.
	Residual float64
	// Spectrum are the absolute eigenvalues of the first Hessian, descending,
	// in coordinates scaled by the start box; on the paper's road the singular
	// values of all Hessians together.
	Spectrum []float64
	// Before and After are couplings |H_ij|/√|H_ii H_jj| of sampled Hessians,
	// before, in coordinates scaled by the start box, and in the frame; nil on
	// the paper's road, and where the coordinates as given were the right ones.
	Before, After *mat.Dense

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
	if f.Frame == nil {
		if f.Status == objective.BudgetSpent {
			d := f.Dim
			return fmt.Sprintf("no coordinates were found: the budget was spent first; %s usually take %d to %d queries",
				count(d, "dimension"), 4*d*d+50*d, 10*d*d+150*d)
		}
		return "no coordinates were found"
	}
	m := f.Frame.Components()
	var s strings.Builder
	switch f.Certificate.Verdict {
	case identify.Separable:
		fmt.Fprintf(&s, "separable in %s", count(m, "coordinate"))
	case identify.Blocked:
		fmt.Fprintf(&s, "separable into %s of %s", count(len(f.Blocks), "block"), count(m, "coordinate"))
	case identify.NotSeparable:
		s.WriteString("not separable by any linear map that was found")
	default:
		s.WriteString("coordinates were found but not certified")
	}
	if m < f.Frame.Dim() && f.Certificate.Verdict != identify.NotSeparable {
		fmt.Fprintf(&s, " out of %d dimensions", f.Frame.Dim())
	}
	if f.Quadratic {
		s.WriteString(", a quadratic")
	}
	if f.Linear >= 0 {
		s.WriteString(", linear in one")
	}
	if f.Certificate.Splits > 0 {
		fmt.Fprintf(&s, " (mixed differences are %.0e of single ones)", f.Certificate.Coupling)
	}
	return s.String()
}

// count says n things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// findings is what the probe has come to, in the user's coordinates.
func (r *run) findings(found *identify.Finding) (Findings, error) {
	r.close()
	best := r.record.Best()
	failed, failedPoint := r.record.Failed()
	out := Findings{
		Dim: r.scale.Dim(), Blocks: found.Blocks, Linear: found.Linear, Quadratic: found.Quadratic,
		Certificate: found.Certificate, Residual: found.Residual,
		Spectrum: found.Spectrum, Before: found.Before, After: found.After,
		Seed: r.options.Seed, Queries: r.meter.Queries(), Budget: r.meter.Budget(),
		Failed: failed, FailedPoint: failedPoint, Stages: r.stages,
		Point: best.Point, Value: best.Value,
	}
	if found.Frame == nil {
		return out, nil
	}
	var err error
	out.Frame, err = unscaled(found.Frame, r.options.Start)
	return out, err
}

// unscaled returns a frame of scaled coordinates z = (x−c)/half as a frame of
// x: ⟨w, z⟩ = ⟨w/half, x⟩ and a constant. Rows along a coordinate stay as they
// are, and all do if all coordinates have the same width.
func unscaled(f *frame.Frame, start Box) (*frame.Frame, error) {
	w := mat.DenseCopyOf(f.Matrix())
	changed := false
	for i := range f.Components() {
		row := w.RawRowView(i)
		first := 0.0 // the width of the first coordinate that counts
		for k, v := range row {
			if v == 0 {
				continue
			}
			half := (start.Hi[k] - start.Lo[k]) / 2
			if first == 0 {
				first = half
			}
			changed = changed || half != first
			row[k] = v / half
		}
	}
	if !changed {
		return f, nil
	}
	return frame.New(w)
}
