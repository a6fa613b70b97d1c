package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// squares is Σ xᵢ², of which nothing is known; before is called before every batch.
type squares struct{ before func(ctx context.Context) }

func (squares) Dim() int { return 3 }

func (s squares) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if s.before != nil {
		s.before(ctx)
	}
	for i := range values {
		values[i] = 0
		for _, v := range points.RawRowView(i) {
			values[i] += v * v
		}
	}
	return nil
}

// foreign is a subject that is no built-in problem.
func foreign(f objective.Objective) subject {
	return subject{objective: f, words: report.Subject{Name: "./squares", Dim: 3}, seed: 5}
}

// quietly is a command whose outputs are kept.
func quietly() (cmd *cobra.Command, stdout, stderr *bytes.Buffer) {
	cmd, stdout, stderr = &cobra.Command{}, new(bytes.Buffer), new(bytes.Buffer)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return cmd, stdout, stderr
}

// A function of which nothing is known is minimised, to a target that is a value, told and
// drawn.
func TestForeignSubject(t *testing.T) {
	dir := t.TempDir()
	cmd, stdout, stderr := quietly()
	f := minimizeFlags{strategy: "auto", runFlags: runFlags{json: true, plot: dir, chosen: untwist.Options{Target: new(1e-6)}}}
	if err := f.minimize(cmd, nil, foreign(squares{}), newProgressLine(stderr, true)); err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	if object["problem"] != "./squares" || object["status"] != "target-reached" || object["seed"] != 5. || stderr.Len() > 0 {
		t.Errorf("%v, and on standard error %q", object, stderr)
	}
	for _, name := range []string{"gap", "minimum", "minimum_attainable", "components", "mix"} {
		if _, there := object[name]; there {
			t.Errorf("there is a %s", name)
		}
	}
	picture, err := os.ReadFile(filepath.Join(dir, "convergence.svg"))
	if err != nil || !strings.Contains(string(picture), ">best value<") {
		t.Errorf("no picture of values: %v", err)
	}
}

// The same for probe, which has no true coordinates to compare with.
func TestForeignProbe(t *testing.T) {
	cmd, stdout, stderr := quietly()
	var f probeFlags
	if err := f.probe(cmd, nil, foreign(squares{}), newProgressLine(stderr, true)); err != nil {
		t.Fatal(err)
	}
	if text := stdout.String(); strings.Contains(text, "recovery error") || !strings.Contains(text, "problem         ./squares, 3 dimensions, seed 5\n") {
		t.Errorf("%s", text)
	}
}

// A watcher is a standard output that looks at what is in a folder when something is
// printed.
type watcher struct {
	dir     string
	printed bool
	seen    []string
}

func (w *watcher) Write(p []byte) (int, error) {
	if !w.printed {
		w.seen, _ = filepath.Glob(filepath.Join(w.dir, "[a-z]*.*[gv]")) // csv, svg
	}
	w.printed = true
	return len(p), nil
}

// What was found is printed before it is written and drawn, so that nobody loses it to a
// second interrupt.
func TestPrintedFirst(t *testing.T) {
	for command, text := range map[string]string{ // which is in a picture
		"minimize --problem levy --dim 3 --plot":                                             "queries",
		"probe --problem levy --dim 3 --plot":                                                "eigenvalue",
		"reproduce figure1 --seed 0 --out":                                                   ">untwist reproduce figure1 --seed 0<",
		"reproduce table1 --dim 2 --runs 1 --budget 100 --methods cbo --problems levy --out": "levy",
	} {
		out := &watcher{dir: t.TempDir()}
		var talk bytes.Buffer
		if status := run(append(strings.Fields(command), out.dir), out, &talk); status != 0 {
			t.Errorf("%s: status %d, %s", command, status, talk.String())
		}
		if !out.printed || len(out.seen) > 0 {
			t.Errorf("%s: printed %t, after %q were there", command, out.printed, out.seen)
		}
		drawn, _ := filepath.Glob(filepath.Join(out.dir, "*.svg"))
		if !slices.ContainsFunc(drawn, func(path string) bool {
			picture, _ := os.ReadFile(path)
			return strings.Contains(string(picture), text)
		}) {
			t.Errorf("%s: none of %q has %q", command, drawn, text)
		}
	}
}
