package untwist

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/leastsquares"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A Result says what a search has found and what it cost.
type Result struct {
	Account

	// Strategy is the name of the strategy that was used.
	Strategy string
	// ValueClean is what Value would be without the noise and the other blemishes of a
	// benchmark; nil: f has none. A search cannot see it.
	ValueClean *float64
	// Noise is how exact f's values are; nil: the strategy has not measured it.
	//
	// If f is noisy, Point is not the point with the lowest value, which is too low by
	// chance, but the one that was chosen by repeated queries. Value is what f was there at
	// query BestQuery. ValueMean is the mean of the queries that were made there after the
	// choice, and ValueError its error: the interval ValueMean ± ValueError has f without
	// noise with a probability of 95 %. Both are nil if the run ended before that, or if f
	// is exact.
	Noise                 *Noise
	ValueMean, ValueError *float64
	// TargetQuery is the number of the first query at or below the target, or 0 if there
	// was none. If f has blemishes, it is the clean value that counts, and Point, the best by
	// its Value, may be another point. The rest of its batch, up to 1,024 points, was evaluated as well.
	TargetQuery int

	// Minimisers are those that polarised CBO has found, the best first; nil with other
	// methods, which look for one.
	Minimisers []Minimiser

	// Structure is what was learnt about f; nil if the strategy does not look, or the budget is
	// too small for that. Profiles are f along the components that were searched.
	Structure *Structure
	Profiles  []Profile

	// Fit is what residuals tell of the parameters; nil: there are none, or the run ended too early.
	Fit *Fit
}

// A Minimiser is one of several.
type Minimiser = cbo.Minimiser

// Noise says how exact the values of f are.
type Noise = strategy.Noise

// String says in words what was learnt about f and what the queries were spent on.
func (r Result) String() string {
	var s strings.Builder
	if r.Structure != nil {
		if r.Structure.Frame == nil && r.Status == objective.TargetReached {
			s.WriteString("the target was reached before coordinates were found; ")
		} else {
			s.WriteString(r.Structure.String() + "; ")
		}
	}
	s.WriteString(words.Count(r.Queries, "query", "queries"))
	if r.Structure != nil {
		var parts []string
		for _, purpose := range objective.Purposes() {
			if n := r.Spent(purpose); n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", words.Thousands(n), purpose))
			}
		}
		if len(parts) > 0 {
			s.WriteString(": " + strings.Join(parts, ", "))
		}
	}
	if several, component, above := r.wells(); several > 0 {
		fmt.Fprintf(&s, "; there are other wells along %s; the second-best well of component %d is only %.1g above its best",
			words.Count(several, "coordinate", "coordinates"), component+1, above)
	}
	if r.Noise != nil && r.Noise.Kind != objective.NoNoise {
		s.WriteString("; " + noiseInWords(*r.Noise))
	}
	if r.ValueMean != nil && r.ValueError != nil {
		fmt.Fprintf(&s, "; f at the point found is %s ± %.2g (95 %%)", words.Number(*r.ValueMean, 6), *r.ValueError)
	}
	for _, n := range r.Notes {
		s.WriteString("; " + n)
	}
	return s.String()
}

// wells returns how many components have several wells. Of all second-best wells, it takes
// the one that is least above the best of its component, and returns that component and
// the difference.
func (r Result) wells() (several, component int, above float64) {
	above = math.Inf(1)
	for _, p := range r.Profiles {
		if len(p.Wells) < 2 || math.IsInf(p.Wells[1].Value, 1) {
			continue
		}
		several++
		if v := p.Wells[1].Value; v < above {
			component, above = p.Component, v
		}
	}
	return several, component, above
}

// noiseInWords says what noise f has.
func noiseInWords(n Noise) string {
	if n.Sigma == 0 {
		return "f has noise, but none at the point found"
	}
	switch n.Kind {
	case objective.DeterministicNoise:
		return fmt.Sprintf("f has noise that does not change when a point is asked again, of a standard deviation of %.2g", n.Sigma)
	case objective.SinglePrecision:
		return fmt.Sprintf("f computes in single precision, with errors of a standard deviation of %.2g", n.Sigma)
	case objective.Raster:
		return fmt.Sprintf("f is rounded to few digits, by a standard deviation of %.2g", n.Sigma)
	}
	return fmt.Sprintf("f has random noise of a standard deviation of %.2g", n.Sigma)
}

// An Account says what a run has found and what it cost. Result and Findings have it in
// common.
type Account struct {
	// Point is the best point ever evaluated, and Value is f there, to the bit. If
	// nothing was evaluated they are nil and +Inf. If f is noisy, Minimize chooses the
	// point by other means: see Result.Noise.
	Point []float64
	Value float64
	// BestQuery is the number of the query that found Point.
	BestQuery int

	// Status says why the run stopped.
	Status objective.Status
	// Seed is the seed of the run.
	Seed uint64

	// Queries is how many points were evaluated, of the Budget that was allowed.
	Queries, Budget int
	// Rounds is how many batches of points the algorithm asked for. A user who evaluates
	// all points of a batch at the same time waits for this many evaluations.
	Rounds int
	// Resumed is how many of the queries were answered from a journal.
	Resumed int
	// Failed is how many queries failed, and Failures counts them by kind. FailedPoint is the
	// first such point, and FailedReason says in words why it failed.
	Failed       int
	Failures     Failures
	FailedPoint  []float64
	FailedReason string

	// Stages says what the queries were spent on, in order.
	Stages []Stage
	// Curve is the best value at log-spaced numbers of queries and at the end.
	Curve []objective.Sample
	// Improvements are the points that were better than all before them, in order. The
	// last is Point. If they would take more than 16 MiB, some of the earlier ones are
	// missing.
	Improvements []objective.Improvement
	// Notes say in words what else the user should know.
	Notes []string

	// Outputs are those of the options at the best point, and Limits the sums of the linear limits
	// there. Feasible says that all are kept to; without limits it is true. Violation is by how much
	// one of an output is exceeded at most, in units of what it may be exceeded by: a point is feasible
	// up to 1. If no point is feasible, Point is the one that exceeds its limits least.
	// Violations is what Violation was at the numbers of queries of Curve; nil: outputs have no limits.
	Outputs    []Measured
	Limits     []Held
	Feasible   bool
	Violation  float64
	Violations []objective.Sample
}

// StoppedBy says what ended the run: "budget", "time", "target", "tolerance", "interrupt"
// (its context ended), "failures" (an error ended it) or "done".
func (a Account) StoppedBy() string { return cmp.Or(stoppers[a.Status], "done") }

// stoppers are what ended a run that was not done.
var stoppers = map[objective.Status]string{
	objective.BudgetSpent: "budget", objective.TimeSpent: "time", objective.TargetReached: "target",
	objective.ToleranceReached: "tolerance", objective.Cancelled: "interrupt", objective.Failed: "failures",
}

// A Stage is a part of a run, with what it cost.
type Stage struct {
	objective.Stage
	Queries int `json:"queries"`
	// Gain is by how much the best value fell meanwhile, or rose if it is maximised, from the first value on.
	Gain float64 `json:"-"`
}

// Spent returns how many queries the stages of a purpose took.
func (a Account) Spent(purpose objective.Purpose) int {
	sum := 0
	for _, s := range a.Stages {
		if s.Purpose == purpose {
			sum += s.Queries
		}
	}
	return sum
}

// Progress is what is known during a search.
type Progress struct {
	Stage           string // what is being done
	Queries, Budget int
	Best            float64   // the best value so far
	Feasible        bool      // whether its point keeps to all limits; if not, none does so far
	Point           []float64 // where it was found, nil before the first query; it may be kept, not changed
	Failed          int       // queries that failed

	// SoFar returns what Result says at the end, as far as it is known: its Status is
	// objective.Running, and Structure is there once coordinates are known. The improvements
	// are left out. As long as nothing new is learnt, Structure is the same. It may be called while the call of Options.Progress lasts, and what it
	// returns may be kept, not changed. nil: nobody knows.
	SoFar func() Result
}

// fit fills in what residuals tell of the parameters.
func (r *run) fit(result *Result, fit *strategy.Fit) {
	if fit == nil || fit.Jacobian == nil {
		return
	}
	e := leastsquares.Errors(fit.Jacobian, fit.Residuals)
	result.Fit = &Fit{Residuals: fit.Residuals, Singular: e.Singular, Directions: e.Directions}
	_, half := r.scale.Units()
	x := r.outward(fit.Point)
	var unit []float64 // dx/dz
	for k, i := range r.free() {
		switch {
		case fit.Coordinates != nil && !slices.Contains(fit.Coordinates, k):
			continue
		case r.options.Parameters != nil && r.options.Parameters[i].Log:
			unit = append(unit, half[k]*x[i])
		default:
			unit = append(unit, half[k])
		}
		result.Fit.Parameters = append(result.Fit.Parameters, i)
	}
	result.Fit.Errors, result.Fit.Covariance = e.In(unit)
	rows, _ := fit.Jacobian.Dims()
	for i := range rows {
		row := slices.Clone(fit.Jacobian.RawRowView(i))
		for k := range row {
			row[k] /= unit[k]
		}
		result.Fit.Jacobian = append(result.Fit.Jacobian, row)
	}
	if rows <= len(unit) {
		result.Notes = append(result.Notes, "there are no more residuals than parameters, and so their standard errors are not known")
		return
	}
	limits := r.options.limits()
	for k, se := range result.Fit.Errors {
		if i := result.Fit.Parameters[k]; math.IsInf(se, 1) {
			result.Notes = append(result.Notes, fmt.Sprintf("the residuals do not determine %s", r.options.called(i)))
		} else if x[i]-2*se < limits.Lo[i] || x[i]+2*se > limits.Hi[i] {
			result.Notes = append(result.Notes, fmt.Sprintf("the 95 %% interval of %s goes beyond its limits: the linearisation is not to be trusted there", r.options.called(i)))
		}
	}
}

// free returns the indices of the parameters that are searched.
func (r *run) free() (free []int) {
	if r.options.Parameters != nil {
		return r.options.space().Free()
	}
	for i := range r.scale.Dim() {
		free = append(free, i)
	}
	return free
}
