package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// A minimizeReport is what minimize prints.
type minimizeReport struct {
	Problem       string           `json:"problem"`
	Dim           int              `json:"dim"`
	Components    int              `json:"components"`
	Mix           string           `json:"mix"`
	Strategy      string           `json:"strategy"`
	Status        objective.Status `json:"status"`
	BestValue     finite           `json:"best_value"`
	Gap           finite           `json:"gap"`
	Minimum       finite           `json:"minimum"`
	Attainable    bool             `json:"minimum_attainable"` // the minimiser that is known lies within the bounds
	BestPoint     []float64        `json:"best_point"`
	Queries       int              `json:"queries"`
	Budget        int              `json:"budget"`
	BestQuery     int              `json:"best_query"`
	TargetQuery   int              `json:"target_query"` // 0: the target was not reached
	FailedQueries int              `json:"failed_queries"`
	Seed          uint64           `json:"seed"`
	Seconds       float64          `json:"seconds"`
	Stages        []untwist.Stage  `json:"stages"`
	Frame         *frameReport     `json:"frame"` // null: none was looked for, or found
	Learnt        string           `json:"learnt"`
	Wells         []componentWells `json:"wells"` // of the components that have several
	Curve         []sample         `json:"curve"`

	learnt bool // there is something to tell
}

// componentWells are the wells along a component, the one chosen first: where, and how
// much higher than that.
type componentWells struct {
	Component int       `json:"component"`
	Y         []float64 `json:"y"`
	Above     []float64 `json:"above"`
}

// A sample of the convergence curve.
type sample struct {
	Queries int    `json:"queries"`
	Value   finite `json:"value"`
}

// finite is a number that JSON can write: null where it is infinite.
type finite float64

// infinite is the error of what was not found.
var infinite = math.Inf(1)

func (v finite) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func newMinimizeReport(p *problem.Problem, r untwist.Result, took time.Duration) minimizeReport {
	s := p.Spec()
	out := minimizeReport{
		Problem: s.Name, Dim: s.Dim, Components: s.Components, Mix: s.Mix,
		Strategy: r.Strategy, Status: r.Status,
		BestValue: finite(r.Value), Gap: finite(r.Value - p.Minimum()), Minimum: finite(p.Minimum()),
		Attainable: s.Bounds == nil || s.Bounds.Contains(p.Minimiser()),
		BestPoint:  r.Point,
		Queries:    r.Queries, Budget: r.Budget, BestQuery: r.BestQuery, TargetQuery: r.TargetQuery,
		FailedQueries: r.Failed, Seed: r.Seed, Seconds: took.Seconds(),
		Stages: r.Stages, Learnt: r.String(), learnt: r.Structure != nil || r.Notes != nil,
		Frame: newFrameReport(r.Structure, r.Spent(objective.ToFind)+r.Spent(objective.ToCheck)),
	}
	for _, p := range r.Profiles {
		if len(p.Wells) > 1 {
			w := componentWells{Component: p.Component}
			for _, well := range p.Wells {
				w.Y, w.Above = append(w.Y, well.Y), append(w.Above, well.Value)
			}
			out.Wells = append(out.Wells, w)
		}
	}
	for _, c := range r.Curve {
		out.Curve = append(out.Curve, sample{c.Queries, finite(c.Value)})
	}
	return out
}

// print writes the report for a program or for a person.
func (r minimizeReport) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	point := make([]string, len(r.BestPoint))
	for i, v := range r.BestPoint {
		point[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	learnt := ""
	if r.learnt {
		learnt = "learnt      " + r.Learnt + "\n"
	}
	_, err := fmt.Fprintf(out, `problem     %s, %d dimensions, %d components, mix %s, seed %d
strategy    %s
status      %s
best value  %v
gap         %v
queries     %s of %s
%sseconds     %.1f
best point  %s
`,
		r.Problem, r.Dim, r.Components, r.Mix, r.Seed, r.Strategy, r.Status,
		float64(r.BestValue), float64(r.Gap), words.Thousands(r.Queries), words.Thousands(r.Budget), learnt, r.Seconds, strings.Join(point, " "))
	return err
}
