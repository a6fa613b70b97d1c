package report_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
)

// findings are those of a probe that found the coordinates as they were given.
func findings() untwist.Findings {
	return untwist.Findings{
		Structure: untwist.Structure{
			Dim: 1, Frame: frame.Identity(1), Blocks: [][]int{{0}}, Linear: -1,
			Certificate: certify.Certificate{Verdict: certify.Separable, Splits: 1, Culprit: 0, Alone: 2e-9, Coupling: 1e-9, Rounding: 1e-16},
		},
		Account: untwist.Account{Status: objective.Converged, Seed: 7, Queries: 9, Budget: 2000, Rounds: 3,
			Stages: []untwist.Stage{{Stage: objective.Stage{Name: "first look", Purpose: objective.ToFind}, Queries: 5}, {Stage: objective.Stage{Name: "certificate", Purpose: objective.ToCheck}, Queries: 4}}},
	}
}

// The whole JSON object, once. Programs read it: names may be added, but none may change.
func TestProbeAsJSON(t *testing.T) {
	before := `{"problem":"levy","dim":1,"components":1,"mix":"none","seed":7,"status":"converged","stopped_by":"done",` +
		`"frame":{"components":1,"dim":1,"residual":0,"certificate":1e-9,"certificate_alone":2e-9,"beyond":0,"rounding":1e-16,"splits":1,` +
		`"verdict":"separable","blocks":[[0]],"linear":-1,"quadratic":false,"queries":9},`
	errs := `"recovery_error":0,"coupling_error":0,"recovered":1,"blocks_right":true,`
	after := `"queries":9,"budget":2000,"rounds":3,"failed_queries":0,` +
		`"failures":{"exit":0,"signal":0,"timeout":0,"no_number":0,"nan":0,"error":0},"resumed_queries":0,"seconds":1.5,` +
		`"stages":[{"name":"first look","purpose":"to find coordinates","queries":5},{"name":"certificate","purpose":"to check them","queries":4}],"spectrum":null}`
	probe := report.Probe{
		Subject: report.Subject{Name: "levy", Dim: 1, Components: 1, Mix: "none"}, Findings: findings(), Took: 1500 * time.Millisecond,
		Known: &report.Known{Frame: frame.Identity(1), Blocks: [][]int{{0}}},
	}
	for _, want := range []string{before + errs + after, before + after} {
		text, err := json.Marshal(probe)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, string(text)); diff != "" {
			t.Errorf("not as wanted:\n%s", diff)
		}
		probe.Known = nil // then the errors are absent
	}
}

func TestProbeInWords(t *testing.T) {
	probe := report.Probe{Subject: report.Subject{Name: "./f", Dim: 1}, Findings: findings()}
	want := `problem         ./f, 1 dimension, seed 7
found           ` + findings().String() + `
verdict         separable
certificate     1.0e-09 over 1 random split, 2.0e-09 for the worst alone (rounding 1e-16)
status          converged
queries         9 of 2,000: 5 first look, 4 certificate
seconds         0.0
`
	if diff := gocmp.Diff(want, probe.String()); diff != "" {
		t.Errorf("not as wanted:\n%s", diff)
	}
	probe.Known = &report.Known{Frame: frame.Identity(1), Blocks: [][]int{{0}}}
	if text := probe.String(); !strings.Contains(text, "\nrecovery error  0.0e+00\ncoupling error  0.0e+00\nqueries ") {
		t.Errorf("the errors are missing:\n%s", text)
	}
	probe.Findings.Frame = nil
	if text := probe.String(); strings.Contains(text, "error") || !strings.Contains(text, "\nverdict         unknown\ncertificate     none\n") {
		t.Errorf("without a frame:\n%s", text)
	}
	if err := probe.Draw(t.TempDir()); !errors.Is(err, report.ErrNothingToDraw) {
		t.Errorf("drawn without a spectrum: %v", err)
	}
}
