package report

import (
	"encoding/json"
	"math"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// A number is a float64 as JSON can write it: null where it is not finite.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if !finite(float64(v)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// runForm is the JSON object of a Run.
type runForm struct {
	Subject
	Strategy   string           `json:"strategy"`
	Status     objective.Status `json:"status"`
	StoppedBy  string           `json:"stopped_by"`
	BestValue  number           `json:"best_value"`
	ValueClean *number          `json:"value_clean,omitempty"`        // absent: f is no built-in problem
	Gap        *number          `json:"gap,omitempty"`                // likewise; null: the minimum is not known
	Minimum    *number          `json:"minimum,omitempty"`            // likewise
	Attainable *bool            `json:"minimum_attainable,omitempty"` // absent: the minimum is not known
	Noise      *noiseForm       `json:"noise,omitempty"`              // absent: not measured
	ValueMean  *number          `json:"value_mean,omitempty"`         // absent: f is exact, or the run ended too early
	ValueError *number          `json:"value_error,omitempty"`        // likewise; a 95 % half-width
	BestPoint  []float64        `json:"best_point"`
	severalForm
	Minimisers    []minimiserForm  `json:"minimisers,omitempty"` // absent: one was looked for
	Parameters    []parameterForm  `json:"parameters,omitempty"` // absent: they have no names and no limits
	Queries       int              `json:"queries"`
	Budget        int              `json:"budget"`
	Rounds        int              `json:"rounds"` // batches, one after another
	BestQuery     int              `json:"best_query"`
	TargetQuery   int              `json:"target_query"` // 0: the target was not reached
	FailedQueries int              `json:"failed_queries"`
	Failures      untwist.Failures `json:"failures"` // by kind
	Resumed       int              `json:"resumed_queries"`
	Seed          uint64           `json:"seed"`
	Seconds       float64          `json:"seconds"`
	Stages        []untwist.Stage  `json:"stages"`
	Moves         []moveForm       `json:"moves"`                   // what the stages of each name cost and gained together
	Frame         *frameForm       `json:"frame"`                   // null: none was looked for, or none was found
	CouplingTrue  *number          `json:"coupling_true,omitempty"` // frame.coupling of the true frame; absent: it is not known, or there is none
	Interactions  *graphForm       `json:"interactions,omitempty"`  // which parameters interact; absent: nobody has asked
	Sensitivity   *sensitivityForm `json:"sensitivity,omitempty"`   // absent: not computed
	Learnt        string           `json:"learnt"`
	Wells         []wellsForm      `json:"wells"` // of the components that have several
	Curve         []sampleForm     `json:"curve"`
}

// A noiseForm says how exact f's values are: none, random, deterministic or raster, and the
// standard deviation.
type noiseForm struct {
	Kind  string `json:"kind"`
	Sigma number `json:"sigma"`
}

// A minimiserForm is one of several minimisers: where, its value, and how many particles are there.
type minimiserForm struct {
	Point     []float64 `json:"point"`
	Value     number    `json:"value"`
	Particles int       `json:"particles"`
}

// wellsForm has the wells along one component, the chosen one first: where they are, and
// how much higher than the chosen one.
type wellsForm struct {
	Component int      `json:"component"` // counted from 0
	Y         []number `json:"y"`
	Above     []number `json:"above"`
}

// A sampleForm is a point of the convergence curve.
type sampleForm struct {
	Queries int    `json:"queries"`
	Value   number `json:"value"`
}

// MarshalJSON writes the run as a JSON object. Where nothing is known about f, value_clean,
// gap, minimum and minimum_attainable are absent. value_clean is f at the best point without
// the blemishes of a built-in problem, and gap is its distance from the minimum. Where that is
// not known, gap and minimum are null. Components are counted from 0.
func (r Run) MarshalJSON() ([]byte, error) {
	found := r.Result
	out := runForm{
		Subject: r.Subject, Strategy: found.Strategy, Status: found.Status, StoppedBy: found.StoppedBy(),
		BestValue: number(found.Value), BestPoint: found.Point, Parameters: parameterForms(r.Subject.space(), found.Point),
		Queries: found.Queries, Budget: found.Budget, Rounds: found.Rounds, BestQuery: found.BestQuery, TargetQuery: found.TargetQuery,
		FailedQueries: found.Failed, Failures: found.Failures, Resumed: found.Resumed, Seed: found.Seed, Seconds: r.Took.Seconds(),
		Stages: found.Stages, Moves: moves(found.Stages), Learnt: found.String(),
		Frame: newFrameForm(found.Structure, found.Spent(objective.ToFind)+found.Spent(objective.ToCheck)),
	}
	out.severalForm, out.Sensitivity = newSeveralForm(found), newSensitivityForm(r.Sensitivity)
	out.CouplingTrue, out.Interactions = r.Known.coupling(), newGraphForm(r.Subject, found.Structure)
	if r.Known != nil {
		out.ValueClean, out.Gap, out.Minimum = new(number(r.clean())), new(number(r.gap())), new(number(r.Known.Minimum))
	}
	if n := found.Noise; n != nil {
		out.Noise = &noiseForm{n.Kind.String(), number(n.Sigma)}
	}
	if found.ValueMean != nil && found.ValueError != nil {
		out.ValueMean, out.ValueError = new(number(*found.ValueMean)), new(number(*found.ValueError))
	}
	if r.hasGap() {
		out.Attainable = &r.Known.Attainable
	}
	for _, p := range found.Profiles {
		if len(p.Wells) < 2 {
			continue
		}
		w := wellsForm{Component: p.Component}
		for _, well := range p.Wells {
			w.Y, w.Above = append(w.Y, number(well.Y)), append(w.Above, number(well.Value))
		}
		out.Wells = append(out.Wells, w)
	}
	for _, m := range found.Minimisers {
		out.Minimisers = append(out.Minimisers, minimiserForm{m.Point, number(m.Value), m.Particles})
	}
	for _, c := range found.Curve {
		out.Curve = append(out.Curve, sampleForm{c.Queries, number(c.Value)})
	}
	return json.Marshal(out)
}

// probeForm is the JSON object of a Probe.
type probeForm struct {
	Subject
	Seed          uint64           `json:"seed"`
	Status        objective.Status `json:"status"`
	StoppedBy     string           `json:"stopped_by"`
	Frame         *frameForm       `json:"frame"`                    // null: none was found
	RecoveryError *number          `json:"recovery_error,omitempty"` // absent: the true frame is not known
	CouplingError *number          `json:"coupling_error,omitempty"` // likewise
	Recovered     *int             `json:"recovered,omitempty"`      // likewise; the rows found to 1e-4
	BlocksRight   *bool            `json:"blocks_right,omitempty"`   // likewise
	CouplingTrue  *number          `json:"coupling_true,omitempty"`  // frame.coupling of the true frame; absent: it is not known, or there is none
	Noise         *noiseForm       `json:"noise,omitempty"`          // absent: not measured
	Forecast      *forecastForm    `json:"forecast,omitempty"`       // as the search began; absent: there was none
	Queries       int              `json:"queries"`
	Budget        int              `json:"budget"`
	Rounds        int              `json:"rounds"` // batches, one after another
	FailedQueries int              `json:"failed_queries"`
	Failures      untwist.Failures `json:"failures"` // by kind
	Resumed       int              `json:"resumed_queries"`
	Seconds       float64          `json:"seconds"`
	Stages        []untwist.Stage  `json:"stages"`
	Spectrum      []float64        `json:"spectrum"`
	Interactions  *graphForm       `json:"interactions,omitempty"` // absent: only coordinates were looked for
	Sensitivity   *sensitivityForm `json:"sensitivity,omitempty"`  // absent: not computed
}

// A forecastForm is how many queries coordinates were to take, and the probability that f separates.
type forecastForm struct {
	Queries int     `json:"queries"`
	Odds    float64 `json:"odds"`
}

// MarshalJSON writes the probe as a JSON object. Where the true frame is not known,
// recovery_error, coupling_error, recovered and blocks_right are absent. Components are
// counted from 0.
func (p Probe) MarshalJSON() ([]byte, error) {
	found := p.Findings
	out := probeForm{
		Subject: p.Subject, Seed: found.Seed, Status: found.Status, StoppedBy: found.StoppedBy(), Frame: newFrameForm(&found.Structure, found.Queries),
		Queries: found.Queries, Budget: found.Budget, Rounds: found.Rounds, FailedQueries: found.Failed,
		Failures: found.Failures, Resumed: found.Resumed, Seconds: p.Took.Seconds(), Stages: found.Stages, Spectrum: found.Spectrum.Values,
	}
	out.CouplingTrue, out.Interactions = p.Known.coupling(), newGraphForm(p.Subject, &found.Structure)
	out.Sensitivity = newSensitivityForm(p.Sensitivity)
	if found.Forecast > 0 {
		out.Forecast = &forecastForm{found.Forecast, found.Odds}
	}
	if n := found.Noise; n != nil {
		out.Noise = &noiseForm{n.Kind.String(), number(n.Sigma)}
	}
	if e := p.errors(); e != nil {
		out.RecoveryError, out.CouplingError = new(number(e.recovery)), new(number(e.coupling))
		out.Recovered, out.BlocksRight = &e.recovered, &e.blocksRight
	}
	return json.Marshal(out)
}

// A frameForm is the JSON object of a frame: what is known about it, without its rows.
type frameForm struct {
	Components  int             `json:"components"`
	Dim         int             `json:"dim"`
	Residual    number          `json:"residual"`
	Certificate number          `json:"certificate"`
	Alone       number          `json:"certificate_alone"` // of the worst block by itself; null: not tested
	Beyond      number          `json:"beyond"`            // how much f depends on what the frame leaves out
	Rounding    number          `json:"rounding"`
	Splits      int             `json:"splits"`
	Verdict     certify.Verdict `json:"verdict"`
	Coupling    *number         `json:"coupling,omitempty"` // mixed differences as a part of single ones; absent: f separates, or that was not certified
	Pairs       []pairForm      `json:"pairs,omitempty"`    // that carry the couplings, the strongest first; absent: f does not nearly separate
	Blocks      [][]int         `json:"blocks"`             // of components, counted from 0
	Map         *mapForm        `json:"map,omitempty"`      // absent: there is none
	Linear      int             `json:"linear"`             // the component in which f is linear, counted from 0; -1: none
	Quadratic   bool            `json:"quadratic"`
	Queries     int             `json:"queries"`
}

// A mapForm is the JSON object of an outer map.
type mapForm struct {
	Name     string `json:"name"`
	Exponent number `json:"exponent"` // null: a logarithm, an exponential, or no power at all
}

func newMapForm(m identify.Map) *mapForm {
	form := &mapForm{m.Name(), number(math.NaN())}
	switch form.Name {
	case outer.Root, outer.Square, outer.PowerLaw:
		form.Exponent = number(m.Exponent())
	}
	return form
}

// A pairForm says how much two components couple.
type pairForm struct {
	Components [2]int `json:"components"` // counted from 1
	Coupling   number `json:"coupling"`   // their mixed differences as a part of their own single ones
}

// newFrameForm describes a frame that took this many queries to find and check; nil if
// there is none.
func newFrameForm(found *untwist.Structure, queries int) *frameForm {
	if found == nil || found.Frame == nil {
		return nil
	}
	c := found.Certificate
	form := &frameForm{
		Components: found.Frame.Components(), Dim: found.Frame.Dim(), Residual: number(found.Residual),
		Certificate: number(c.Coupling), Alone: number(alone(c)), Beyond: number(c.Beyond), Rounding: number(c.Rounding),
		Splits: c.Splits, Verdict: c.Verdict,
		Blocks: found.Blocks, Linear: found.Linear, Quadratic: found.Quadratic, Queries: queries,
	}
	if m := found.Map; m != nil {
		form.Map = newMapForm(m)
	}
	if Couples(found) {
		form.Coupling = new(number(c.Coupling))
	}
	for _, p := range found.Pairs {
		form.Pairs = append(form.Pairs, pairForm{[2]int{p.I + 1, p.J + 1}, number(p.Coupling)})
	}
	return form
}

// Certified reports whether coordinates were found, tested and fit.
func Certified(found *untwist.Structure) bool {
	if found == nil || found.Frame == nil {
		return false
	}
	switch found.Certificate.Verdict {
	case certify.Separable, certify.Blocks, certify.NearlySeparable:
		return true
	}
	return false
}

// Couples reports whether the size of couplings is one of the findings: f was found not to
// separate, or nearly to do so.
func Couples(found *untwist.Structure) bool {
	if found == nil || found.Frame == nil || found.Certificate.Splits == 0 {
		return false
	}
	v := found.Certificate.Verdict
	return v == certify.NearlySeparable || v == certify.NotSeparable
}

// alone returns the certificate of the worst block by itself; +Inf if none was tested.
func alone(c certify.Certificate) float64 {
	if c.Culprit < 0 {
		return math.Inf(1)
	}
	return c.Alone
}
