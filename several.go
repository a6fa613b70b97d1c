package untwist

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/mixed"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/several"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Vector makes an objective of f, a function that answers several numbers, as objective.Vector does:
// a value, or residuals whose squares are summed, and then Options.Outputs.
func Vector(dim, numbers int, f func(x, out []float64) error) objective.Objective {
	return objective.Vector(dim, numbers, f)
}

// A Measured output is what an output was at the best point.
type Measured struct {
	Output
	Value float64
	// Active says that it is at one of its limits, and Multiplier by how much f would improve for
	// each unit by which that limit were wider; 0: by nothing, or that is not known.
	Active     bool
	Multiplier float64
}

// A Held limit is what the sum of one of Options.Limits was at the best point.
type Held struct {
	Limit      string
	Value      float64
	Active     bool
	Multiplier float64 // as that of a Measured output
}

// A Fit is what residuals tell of the parameters, by their Jacobian at the best point: with s² the
// sum of squares over the number of residuals less that of the parameters, the covariance is
// s²·(JᵀJ)⁻¹.
type Fit struct {
	Residuals []float64 // at the best point
	// Parameters are the indices of the parameters that all the following is about: those that are neither
	// fixed nor integers, numbers with a step or choices.
	Parameters []int
	// Jacobian has the derivatives of the residuals by these, in the user's units, a row for each residual.
	Jacobian [][]float64
	// Errors are the standard errors of these parameters, and Covariance is theirs; +Inf and nil:
	// the residuals do not determine it, or there are no more residuals than parameters.
	Errors     []float64
	Covariance [][]float64
	// Singular are the singular values of the Jacobian by the parameters as they are searched, each in
	// units of half its range, the largest first; Directions are the combinations of parameters that
	// belong to them, a row each.
	Singular   []float64
	Directions [][]float64
}

// numbers is what a run knows of answers with several numbers, and of limits.
type numbers struct {
	reading query.Reading
	limits  *query.Limits      // nil: answers have a value alone
	linear  []parameter.Linear // in the user's units, by all parameters
}

// numbers returns how many numbers an answer has, for one who tells them; 0: a value alone.
func (o *Options) numbers() int {
	if o.Residuals == 0 && len(o.Outputs) == 0 {
		return 0
	}
	return query.Reading{Residuals: o.Residuals, Outputs: o.Outputs}.Numbers()
}

// width returns how many numbers an answer has; 0: a value alone.
func (n numbers) width() int {
	if n.limits == nil {
		return 0
	}
	return n.reading.Numbers()
}

// completeSeveral checks what f answers besides a value, and the limits.
func (o *Options) completeSeveral(f objective.Objective) (n numbers, err error) {
	width := query.NumbersOf(f)
	switch front := width - len(o.Outputs); {
	case o.Residuals < 0:
		return n, objective.BadOption("Residuals", "%d, must not be negative", o.Residuals)
	case width == 0 && (o.Residuals > 0 || len(o.Outputs) > 0):
		return n, objective.BadOption("Outputs", "the objective answers a value alone")
	case width > 0 && front < 1:
		return n, objective.BadOption("Outputs", "there are %d, and the objective answers %d numbers: a value or residuals come first", len(o.Outputs), width)
	case o.Residuals > 0 && front != o.Residuals:
		return n, objective.BadOption("Residuals", "%d, but the objective answers %d numbers, and %d of them are outputs", o.Residuals, width, len(o.Outputs))
	case front > 1:
		o.Residuals = front
	}
	for i, out := range o.Outputs {
		if err := out.Check(); err != nil {
			return n, objective.BadOption("Outputs", "%s: %v", out.Name, err)
		}
		if out.Name == "" || slices.ContainsFunc(o.Outputs[:i], func(other Output) bool { return other.Name == out.Name }) {
			return n, objective.BadOption("Outputs", "Outputs[%d] has no name, or that of another", i)
		}
	}
	if o.Maximize && o.Residuals > 0 {
		return n, objective.BadOption("Maximize", "residuals are to be small: the sum of their squares cannot be maximised")
	}
	n.reading = query.Reading{Residuals: o.Residuals, Outputs: o.Outputs}
	if width > 0 {
		n.limits = query.NewLimits(n.reading)
	}
	names := parameter.Plain(f.Dim()).Names()
	if o.Parameters != nil {
		names = o.space().Names()
	}
	for _, text := range o.Limits {
		l, err := parameter.ParseLinear(text, names)
		if err != nil {
			return n, objective.BadOption("Limits", "%v", err)
		}
		n.linear = append(n.linear, l)
	}
	return n, o.checkLimits(n)
}

// straighten has parameters that are in a linear limit searched on a linear scale, where on a logarithmic
// one the limit is curved.
func (o *Options) straighten() {
	space := o.space()
	var limits []parameter.Linear
	for _, text := range o.Limits {
		l, err := parameter.ParseLinear(text, space.Names())
		if err != nil {
			return // completeSeveral says so
		}
		limits = append(limits, l)
	}
	o.Parameters = space.Straight(limits)
}

// checkLimits checks that the strategy and the known points keep to the limits.
func (o *Options) checkLimits(n numbers) error {
	_, isAuto := o.Strategy.(auto.Auto)
	if (len(n.linear) > 0 || n.limits.Exist()) && !isAuto {
		return objective.BadOption("Strategy", "%s does not know limits: only auto does", o.Strategy.Name())
	}
	if (len(n.linear) > 0 || n.limits.Exist()) && (o.Frame != nil || o.Identifier != nil) {
		return objective.BadOption("Limits", "with limits the search is in the coordinates given, without a Frame or an Identifier")
	}
	for _, l := range n.linear {
		for i, p := range o.Parameters {
			if p.Choices != nil && l.Coefficients[i] != 0 {
				return objective.BadOption("Limits", "%s: %s has choices, which are no numbers", l.Text, p.Name)
			}
		}
		for i, x := range o.Points {
			if s := l.Sum(x); overdrawn(s, l) > 0 {
				return objective.BadOption("Points", "Points[%d] violates the limit %s: it has %v there", i, l.Text, s)
			}
		}
	}
	return nil
}

// slack is by how much the rounding of a sum may exceed a linear limit, as a part of its size.
const slack = 1e-9

// overdrawn returns by how much a sum exceeds a linear limit; 0: it keeps to it.
func overdrawn(sum float64, l parameter.Linear) float64 {
	over := max(sum-l.Hi, l.Lo-sum)
	if over <= slack*max(math.Abs(sum), 1) {
		return 0
	}
	return over
}

// strategy returns the strategy of the run: auto leaves residuals and limits to package several, and
// lattices to package mixed.
func (r *run) strategy() strategy.Strategy {
	if a, ok := r.options.Strategy.(auto.Auto); ok && r.options.space().Discrete() {
		return mixed.Strategy{Called: a.Name()}
	}
	if a, ok := r.options.Strategy.(auto.Auto); ok && (r.numbers.reading.Residuals > 0 || len(r.numbers.linear) > 0 || r.numbers.limits.Exist()) {
		return several.Strategy{Called: a.Name()}
	}
	return r.options.Strategy
}

// several returns what the strategy is told of answers with several numbers; nil: they have a value
// alone, and there are no limits.
func (r *run) several(a attended) *strategy.Several {
	n := r.numbers
	if n.limits == nil && len(n.linear) == 0 {
		return nil
	}
	s := &strategy.Several{Residuals: n.reading.Residuals, Maximize: r.options.Maximize, Outputs: n.reading.Outputs, Recent: func() (rows [][]float64) {
		a.do(func() { rows = r.recent() })
		return rows
	}}
	if n.limits != nil {
		s.Within = n.limits.Within
	}
	space := r.options.space()
	if space == nil {
		space = parameter.Plain(r.scale.Dim())
	}
	centre, half := r.scale.Units()
	for _, l := range n.linear {
		z := space.InwardLimit(l).Scaled(centre, half)
		s.Limits = append(s.Limits, strategy.Limit{Coefficients: z.Coefficients, Lo: z.Lo, Hi: z.Hi})
	}
	return s
}

// measured fills in what the outputs and the linear limits come to at the best point.
func (r *run) measured(a *Account) {
	v := r.record.Verdict()
	a.Violation, a.Feasible, a.Violations = v.Violation, a.Point != nil && v.Feasible(), r.record.Violations()
	for k, o := range r.options.Outputs {
		if v.Numbers == nil {
			break
		}
		value := v.Numbers[r.numbers.reading.Front()+k]
		m := Measured{Output: o, Value: value}
		for _, limit := range []*float64{o.Min, o.Max, o.Equal} {
			m.Active = m.Active || limit != nil && math.Abs(value-*limit) <= atLimit*max(math.Abs(*limit), r.numbers.limits.Within(k, *limit))
		}
		a.Outputs = append(a.Outputs, m)
	}
	if a.Point == nil {
		return
	}
	for _, l := range r.numbers.linear {
		sum := l.Sum(a.Point)
		size := atLimit * max(math.Abs(sum), 1)
		a.Limits = append(a.Limits, Held{Limit: l.Text, Value: sum, Active: math.Abs(sum-l.Hi) <= size || math.Abs(sum-l.Lo) <= size})
	}
}

// atLimit is how near to a limit an output is called at it, as a part of the limit's size.
const atLimit = 1e-4

// costs fills in what the limits cost.
func (r *run) costs(result *Result, all []strategy.Multiplier) {
	for _, m := range all {
		if m.Output >= 0 && m.Output < len(result.Outputs) && result.Outputs[m.Output].Active {
			result.Outputs[m.Output].Multiplier = m.Value
		}
		if m.Limit >= 0 && m.Limit < len(result.Limits) && result.Limits[m.Limit].Active {
			slope := 1.
			if space := r.options.space(); space != nil {
				slope = space.Slope(r.numbers.linear[m.Limit], result.Point)
			}
			result.Limits[m.Limit].Multiplier = m.Value / slope
		}
	}
	if !result.Feasible && result.Point != nil {
		result.Notes = append(result.Notes, fmt.Sprintf("no point was found that keeps to all limits: this is the one that exceeds them least, by %.3g times what they may be exceeded by", result.Violation))
	}
}

// rules are those by which the run stops, and what sees its answers.
func (r *run) rules() query.Rules {
	o := &r.options
	rules := query.Rules{Target: o.Target, Clean: r.clean, Tolerance: o.Tolerance, Seen: o.Seen, Limits: r.numbers.limits}
	if o.Parameters != nil {
		rules.Told = o.space().Told
	}
	if o.Maximize && o.Target != nil {
		rules.Target = new(-*o.Target)
	}
	if o.Maximize && o.Seen != nil {
		rules.Seen = func(query int, point []float64, a objective.Answer) {
			a.Value = r.inUsersSign(a.Value)
			o.Seen(query, point, a)
		}
	}
	return rules
}

// inUsersSign returns a value of the search as the user's: that of f, if f is maximised.
func (r *run) inUsersSign(v float64) float64 {
	if r.options.Maximize {
		return query.Opposite(v)
	}
	return v
}

// recent returns the numbers of the points that were asked since it was last called.
func (r *run) recent() [][]float64 {
	if r.memory != nil {
		return r.memory.Recent()
	}
	return r.record.Recent()
}
