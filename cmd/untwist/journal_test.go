package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A journal can be read while a run writes to it, and if its numerics are not ours. It can
// also be started from, and is not resumed.
func TestJournalsOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.journal")
	f := objective.Func(3, func(x []float64) float64 { return x[0] + x[1] + x[2] })
	about, err := untwist.About(f, "minimize", untwist.Options{Budget: 50})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(journal.Config{File: file}, journal.Header{Numerics: untwist.Numerics + 1, Dim: 3, About: about})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	points := mat.NewDense(2, 3, []float64{1, 2, 3, 0.5, 0.25, 0.125})
	if err := j.Wrap(f).Evaluate(t.Context(), points, make([]float64, 2)); err != nil {
		t.Fatal(err)
	}
	invoke := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, talk bytes.Buffer
		if status := run(args, &out, &talk); status != want {
			t.Errorf("%q: status %d: %s", args, status, talk.String())
		}
		return out.String(), talk.String()
	}
	if out, _ := invoke(0, "journal", file); !strings.Contains(out, "best value  0.875, query 2\n") {
		t.Errorf("%s", out)
	}
	if out, _ := invoke(0, "journal", file, "--csv"); !strings.HasSuffix(out, "\n2,0.5,0.25,0.125,0.875,,,\n") {
		t.Errorf("%s", out)
	}
	if _, talk := invoke(1, "minimize", "--problem", "levy", "--dim", "3", "--journal", file); !strings.Contains(talk, "is being written by process") {
		t.Errorf("%s", talk)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, talk := invoke(1, "minimize", "--problem", "levy", "--dim", "3", "--journal", file); !strings.Contains(talk, "not resumed") || strings.Count(talk, "\n") != 1 {
		t.Errorf("%s", talk)
	}
	if _, talk := invoke(0, "minimize", "--problem", "levy", "--dim", "3", "--budget", "30", "--from", file); !strings.Contains(talk, "starts from 2 points") {
		t.Errorf("%s", talk)
	}
}
