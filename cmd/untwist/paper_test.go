package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A journal of older numerics has a page with what needs no replay, and it says what is missing.
// That of a run that was interrupted has one, and is not written.
func TestReportOfOldJournal(t *testing.T) {
	dir := t.TempDir()
	file, to := filepath.Join(dir, "old.journal"), filepath.Join(dir, "old.html")
	space := parameter.Space{{Name: "rate", Unit: "1/s", Min: new(0.1), Max: new(10.), Log: true}, {Name: "depth", Unit: "m", Min: new(0.), Max: new(5.)}}
	f := objective.Fallible(2, func(_ context.Context, x []float64) (float64, error) {
		if x[1] > 4 {
			return 0, os.ErrDeadlineExceeded
		}
		return x[0] + x[1], nil
	})
	about, err := untwist.About(f, "minimize", untwist.Options{Parameters: space, Budget: 50})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(journal.Config{File: file}, journal.Header{Numerics: untwist.Numerics - 1, Dim: 2, About: about})
	if err != nil {
		t.Fatal(err)
	}
	points := mat.NewDense(3, 2, []float64{1, 2, 0.5, 0.25, 1, 4.5})
	if err := j.Wrap(f).Evaluate(t.Context(), points, make([]float64, 3)); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, file)
	var out, talk bytes.Buffer
	if status := run([]string{"journal", file, "--report", to}, &out, &talk); status != 0 {
		t.Fatalf("status %d: %s", status, talk.String())
	}
	text := read(t, to)
	for _, want := range []string{
		"What was learnt about the function is not shown", fmt.Sprintf("computes otherwise (numerics %d, and this one has %d)", untwist.Numerics-1, untwist.Numerics), "the lowest value found is 0.75 after 3 queries",
		`depth</th><td class="number" data-label="Value">0.25</td><td data-label="Unit">m</td>`, "1 of 3 queries failed (33.3 %)", "i/o timeout", `id="convergence"`,
	} {
		if !strings.Contains(strings.ReplaceAll(text, "The lowest", "the lowest"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, `id="learnt"`) || strings.Contains(text, `id="profiles"`) {
		t.Error("the page shows what nobody knows")
	}
	if read(t, file) != before {
		t.Error("the journal was written")
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page of a run that is interrupted is written.
func TestReportOfInterrupted(t *testing.T) {
	to := filepath.Join(t.TempDir(), "run.html")
	batches := 0
	f := squares{before: func(ctx context.Context) {
		if batches++; batches == 3 {
			interrupt(t)
			<-ctx.Done()
		}
	}}
	cmd, _, stderr := quietly()
	cmd.Annotations = map[string]string{arguments: "minimize --sought"}
	flags := minimizeFlags{strategy: "cbo", runFlags: runFlags{chosen: untwist.Options{Budget: math.MaxInt}, report: to}}
	if _, ok := flags.minimize(cmd, nil, foreign(f), newProgressLine(stderr, true)).(signalled); !ok {
		t.Error("it did not end by the signal")
	}
	page := read(t, to)
	for _, want := range []string{"it was interrupted", "untwist minimize --sought", `id="best"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// interrupt sends SIGINT to this process.
func interrupt(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Error(err)
	}
}
