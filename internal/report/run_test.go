package report_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/objective"
)

// result is one of a search that saw two components, the second with two wells.
func result() untwist.Result {
	return untwist.Result{
		Account: untwist.Account{
			Point: []float64{1, -2.5}, Value: 3.5, Status: objective.Converged, Seed: 7,
			Queries: 1, Budget: 2000, Rounds: 1, BestQuery: 1,
			Stages: []untwist.Stage{{Stage: objective.Stage{Name: "hessians", Purpose: objective.ToFind}, Queries: 1}},
			Curve:  []objective.Sample{{Queries: 1, Value: 3.5}},
		},
		Strategy: "auto",
		Structure: &untwist.Structure{
			Dim: 2, Frame: frame.Identity(2), Blocks: [][]int{{0}, {1}}, Linear: 1,
			Certificate: certify.Certificate{Verdict: certify.Separable, Culprit: -1},
			Spectrum:    identify.Spectrum{Kind: identify.Eigenvalues, Values: []float64{2, 1}},
		},
		Profiles: []untwist.Profile{
			{Component: 0, Y: []float64{0, 1}, Value: []float64{2, 1}, Wells: []untwist.Well{{Y: 1}}},
			{Component: 1, Y: []float64{0, 1, 2}, Value: []float64{2, 1, 3}, Wells: []untwist.Well{{Y: 1}, {Y: 2, Value: math.Inf(1)}}},
		},
	}
}

var planned = report.Subject{Name: "levy", Dim: 2, Components: 2, Mix: "none"}

// fields are those of a JSON object.
func fields(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The whole JSON object, once. Programs read it: names may be added, but none may change.
func TestRunAsJSON(t *testing.T) {
	run := report.Run{Subject: planned, Known: &report.Known{Minimum: 3, Attainable: true}, Result: result(), Took: 1500 * time.Millisecond}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	learnt, _ := json.Marshal(result().String())
	want := `{"problem":"levy","dim":2,"components":2,"mix":"none","strategy":"auto","status":"converged","stopped_by":"done",` +
		`"best_value":3.5,"value_clean":3.5,"gap":0.5,"minimum":3,"minimum_attainable":true,"best_point":[1,-2.5],"queries":1,"budget":2000,"rounds":1,` +
		`"best_query":1,"target_query":0,"failed_queries":0,` +
		`"failures":{"exit":0,"signal":0,"timeout":0,"no_number":0,"nan":0,"error":0},"resumed_queries":0,"seed":7,"seconds":1.5,"stages":[{"name":"hessians","purpose":"to find coordinates","queries":1}],` +
		`"moves":[{"name":"hessians","queries":1,"gain":0,"forecast":null}],` +
		`"frame":{"components":2,"dim":2,"residual":0,"certificate":0,"certificate_alone":null,"beyond":0,"rounding":0,"splits":0,` +
		`"verdict":"separable","blocks":[[0],[1]],"linear":1,"quadratic":false,"queries":1},` +
		`"learnt":` + string(learnt) + `,"wells":[{"component":1,"y":[1,2],"above":[0,null]}],"curve":[{"queries":1,"value":3.5}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("not as wanted:\n%s", diff)
	}
}

// Where nothing is known about f, nothing is said about a minimum, a true frame or W; all
// else is the same.
func TestUnknownMinimum(t *testing.T) {
	known := report.Run{Subject: planned, Known: &report.Known{}, Result: result()}
	unknown := report.Run{Subject: report.Subject{Name: "./f", Dim: 2}, Result: result()}
	with, without := fields(t, known), fields(t, unknown)
	for _, name := range []string{"value_clean", "gap", "minimum", "minimum_attainable", "components", "mix"} {
		if _, there := with[name]; !there {
			t.Errorf("%s is missing where it is known", name)
		}
		if _, there := without[name]; there {
			t.Errorf("%s is there, though it is not known", name)
		}
		delete(with, name)
	}
	with["problem"] = "./f"
	if diff := cmp.Diff(with, without); diff != "" {
		t.Errorf("the other fields differ:\n%s", diff)
	}
	want := `problem     ./f, 2 dimensions, seed 7
strategy    auto
status      converged
best value  3.5
queries     1 of 2,000
learnt      ` + strings.ReplaceAll(result().String(), "; ", "\n            ") + `
seconds     0.0
best point  1 -2.5
`
	if diff := cmp.Diff(want, unknown.String()); diff != "" {
		t.Errorf("not as wanted:\n%s", diff)
	}
	if text := known.String(); !strings.Contains(text, "\ngap         3.5\n") || !strings.Contains(text, "levy, 2 dimensions, 2 components, mix none, seed 7\n") {
		t.Errorf("known: %s", text)
	}
}

// The gap of a noisy run is that of its clean value, and where the minimum is not known there
// is none. What was asked of the problem is said.
func TestBlemishedRuns(t *testing.T) {
	noisy := planned
	noisy.Options = "map=sqrt noise=1e-06"
	run := report.Run{Subject: noisy, Known: &report.Known{Minimum: 3, Attainable: true}, Result: result()}
	run.Result.ValueClean, run.Result.TargetQuery = new(3.25), 1234
	all := fields(t, run)
	if all["best_value"] != 3.5 || all["value_clean"] != 3.25 || all["gap"] != 0.25 || all["minimum"] != 3. || all["options"] != "map=sqrt noise=1e-06" {
		t.Errorf("%v", all)
	}
	want := `problem     levy, 2 dimensions, 2 components, mix none, seed 7, map=sqrt noise=1e-06
strategy    auto
status      converged
best value  3.5
clean value 3.25
gap         0.25
target      reached by the clean value of query 1,234
queries     1 of 2,000
`
	if text := run.String(); !strings.HasPrefix(text, want) {
		t.Errorf("%s", text)
	}
	dir := t.TempDir()
	if err := run.Draw(dir); err != nil {
		t.Fatal(err)
	}
	if picture := svg(t, filepath.Join(dir, "convergence.svg")); !strings.Contains(picture, ">best value<") {
		t.Error("noisy values are drawn as gaps")
	}

	coupled := report.Run{Subject: planned, Known: &report.Known{Minimum: math.NaN()}, Result: result()}
	all = fields(t, coupled)
	for _, name := range []string{"gap", "minimum"} {
		if v, there := all[name]; !there || v != nil {
			t.Errorf("%s is %v, want null", name, v)
		}
	}
	if _, there := all["minimum_attainable"]; there || all["value_clean"] != 3.5 || strings.Contains(coupled.String(), "gap") || coupled.Warnings() != nil {
		t.Errorf("an unknown minimum: %v\n%s%v", all, coupled, coupled.Warnings())
	}
	if err := coupled.Draw(dir); err != nil {
		t.Fatal(err)
	}
	if picture := svg(t, filepath.Join(dir, "convergence.svg")); !strings.Contains(picture, ">auto: value 3.5 after 1 query<") {
		t.Error("an unknown gap is drawn")
	}
}

// A known minimum is drawn as a gap, another run as values. Components count from 1 in
// pictures and from 0 in CSV.
func TestDrawnRuns(t *testing.T) {
	for _, c := range []struct {
		known       *report.Known
		title, axis string
	}{
		{&report.Known{Minimum: 3}, ">auto: gap 0.5 after 1 query<", ">gap<"},
		{nil, ">auto: value 3.5 after 1 query<", ">best value<"},
	} {
		dir := t.TempDir()
		if err := (report.Run{Subject: planned, Known: c.known, Result: result()}).Draw(dir); err != nil {
			t.Fatal(err)
		}
		picture := svg(t, filepath.Join(dir, "convergence.svg"))
		if !strings.Contains(picture, c.title) || !strings.Contains(picture, c.axis) {
			t.Errorf("%q or %q is missing", c.title, c.axis)
		}
		panels := svg(t, filepath.Join(dir, "profiles.svg"))
		if strings.Contains(panels, "component 0") || !strings.Contains(panels, "component 2") {
			t.Error("components are not counted from 1")
		}
		file, err := os.Open(filepath.Join(dir, "profiles.csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		want := [][]string{{"component", "y", "value"}, {"0", "0", "2"}, {"0", "1", "1"}, {"1", "0", "2"}, {"1", "1", "1"}, {"1", "2", "3"}}
		if diff := cmp.Diff(want, rows); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		svg(t, filepath.Join(dir, "spectrum.svg"))
		if entries, _ := os.ReadDir(dir); len(entries) != 5 {
			t.Errorf("there are %v", entries)
		}
	}
}

// The label of a spectrum says what its values are.
func TestSpectrumLabels(t *testing.T) {
	for kind, want := range map[identify.Kind]string{identify.Eigenvalues: "eigenvalues of the first Hessian", identify.SingularValues: "singular values of all Hessians"} {
		dir := t.TempDir()
		r := result()
		r.Structure.Spectrum.Kind = kind
		if err := (report.Run{Subject: planned, Result: r}).Draw(dir); err != nil {
			t.Fatal(err)
		}
		if picture := svg(t, filepath.Join(dir, "spectrum.svg")); !strings.Contains(picture, ">"+want+"<") {
			t.Errorf("the spectrum of %s is not titled %q", kind, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	outside := "the known minimiser lies outside the bounds; the gap is measured from the minimum without bounds"
	for _, c := range []struct {
		known  *report.Known
		failed int
		want   []string
	}{
		{nil, 0, nil},
		{&report.Known{Attainable: true}, 1, []string{"1 query failed (1 by timeout); the first: no answer within 3 s"}},
		{&report.Known{}, 2500, []string{outside, "2,500 queries failed (2,500 by timeout); the first: no answer within 3 s"}},
	} {
		account := untwist.Account{Failed: c.failed, Failures: untwist.Failures{objective.TimedOut: c.failed}, FailedReason: "no answer within 3 s"}
		got := report.Run{Known: c.known, Result: untwist.Result{Account: account}}.Warnings()
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The value has its name and its unit, and where there is noise the text says what it is.
func TestWhatTheValueIs(t *testing.T) {
	named := report.Subject{Name: "f", Dim: 3, Value: "cost", Unit: "EUR"}
	noise := &untwist.Noise{Kind: objective.RandomNoise, Sigma: 0.125}
	for _, c := range []struct {
		subject     report.Subject
		noise       *untwist.Noise
		mean, error *float64
		want        string
	}{
		{report.Subject{}, nil, nil, nil, "best value  3.5\n"},
		{named, nil, nil, nil, "best value  3.5 EUR (cost)\n"},
		{named, noise, nil, nil, "best value  3.5 EUR (cost), the lowest of values that have noise, too low by chance\n"},
		{report.Subject{Maximize: true}, noise, nil, nil, "best value  3.5, the highest of values that have noise, too high by chance\n"},
		{named, noise, new(3.75), new(0.05), "best value  3.5 EUR (cost) at one query; the mean of later queries there is 3.75 ± 0.05 EUR (95 %)\n"},
	} {
		r := result()
		r.Noise, r.ValueMean, r.ValueError = c.noise, c.mean, c.error
		run := report.Run{Subject: c.subject, Result: r}
		if text := run.String(); !strings.Contains(text, c.want) {
			t.Errorf("%s\nshould have\n%s", text, c.want)
		}
		text, err := json.Marshal(run)
		if named := strings.Contains(string(text), `"value_name":"cost","value_unit":"EUR"`); err != nil || named != (c.subject.Value != "") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// The text and the JSON object say how much each parameter matters, or why that is not known.
func TestSensitivityIsTold(t *testing.T) {
	known := &sensitivity.Indices{Mean: 2, Variance: 4, Terms: 7, Parameters: []sensitivity.Index{{Name: "a", Total: 0.25, Error: 0.01}, {Name: "n", Fixed: true}, {Name: "long", Total: 0.75, Error: 1e-9}}}
	for _, c := range []struct {
		indices    *sensitivity.Indices
		text, json string
	}{
		{known, "\n  long 0.750 ± 0.001\n  a    0.250 ± 0.010\n", `"sensitivity":{"by":"polynomial","mean":2,"variance":4,"parameters":[{"name":"a","total":0.25,"error":0.01},{"name":"long","total":0.75,"error":1e-9}]}`},
		{&sensitivity.Indices{Reason: "too little was seen"}, "sensitivity not known: too little was seen\n", `"sensitivity":{"reason":"too little was seen"}`},
	} {
		for _, of := range []interface {
			fmt.Stringer
			json.Marshaler
		}{report.Run{Result: result(), Sensitivity: c.indices}, report.Probe{Sensitivity: c.indices}} {
			text, err := of.MarshalJSON()
			if err != nil || !strings.Contains(of.String(), c.text) || !strings.Contains(string(text), c.json) {
				t.Errorf("%s\n%s\n%v", of, text, err)
			}
		}
	}
}

// Moves are stages by their names: queries, gains and forecasts add up.
func TestMoves(t *testing.T) {
	run := report.Run{Subject: planned, Result: result()}
	stage := func(name string, queries int, gain float64, forecast int) untwist.Stage {
		return untwist.Stage{Stage: objective.Stage{Name: name, Forecast: forecast}, Queries: queries, Gain: gain}
	}
	run.Result.Stages = []untwist.Stage{stage("lines", 10, 3, 12), stage("cmaes", 5, 1, 0), stage("lines", 2, 0.5, 4)}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	want := `"moves":[{"name":"lines","queries":12,"gain":3.5,"forecast":16},{"name":"cmaes","queries":5,"gain":1,"forecast":null}]`
	if !strings.Contains(string(text), want) {
		t.Errorf("%s is not in\n%s", want, text)
	}
}
