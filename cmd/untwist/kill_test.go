package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// command is the program with these arguments, as a process of its own.
func command(t *testing.T, ctx context.Context, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"untwist"}, args...) // TestMain goes by the name
	return cmd
}

// seconds are the times in the forms of a table, which are last.
var seconds = map[string]*regexp.Regexp{
	"":          regexp.MustCompile(`(?m) +[0-9.]+$`),
	".md":       regexp.MustCompile(`(?m)[0-9.]+ \|$`),
	".tex":      regexp.MustCompile(`(?m)[0-9.]+ \\\\$`),
	".csv":      regexp.MustCompile(`(?m)[0-9.e-]+$`),
	"-runs.csv": regexp.MustCompile(`(?m)[0-9.e-]+$`),
	".json":     regexp.MustCompile(`(?m)"seconds": .*$`),
}

// forms are all forms of a table without times, by the endings of their names; "" is standard
// output.
func forms(t *testing.T, table string, stdout []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, times := range seconds {
		data := stdout
		if name != "" {
			var err error
			if data, err = os.ReadFile(table + name); err != nil {
				t.Fatal(err)
			}
		}
		out[name] = times.ReplaceAllString(string(data), "")
	}
	for _, name := range []string{"rastrigin", "squared-norm"} {
		data, err := os.ReadFile(table + "-convergence-" + name + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

// Killed ten times at random moments, and gone on with each time, a grid comes to the
// same table as at one go, times aside, with every run once.
func TestKilledGrids(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := func(out string) []string {
		return []string{"reproduce", "table1", "--dim", "7", "--runs", "2", "--problems", "rastrigin,squared-norm", "--out", filepath.Join(dir, out)}
	}
	began := time.Now()
	stdout, err := command(t, t.Context(), grid("whole")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	want := forms(t, filepath.Join(dir, "whole", "table1-d7-rastrigin-squared-norm-2runs"), stdout)

	r := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for try := 0; ; try++ {
		ctx, cancel := t.Context(), context.CancelFunc(func() {})
		if killed < 10 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(r.Float64()*float64(took)/10))
		}
		cmd := command(t, ctx, grid("killed")...) // a context that ends kills
		var out, talk bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &talk
		err := cmd.Run()
		cancel()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() < 0 && killed < 10 {
			killed++
			continue
		}
		if err != nil || try > 100 {
			t.Fatalf("%v: %s", err, talk.String())
		}
		got := forms(t, filepath.Join(dir, "killed", "table1-d7-rastrigin-squared-norm-2runs"), out.Bytes())
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%q differs:\n%s\nnot\n%s", name, got[name], want[name])
			}
		}
		break
	}
	t.Logf("killed %d times", killed)
	if killed == 0 {
		t.Error("it was never killed")
	}
	if n := strings.Count(want["-runs.csv"], "\n"); n != 1+2*7*2 {
		t.Errorf("%d lines of runs", n)
	}
}

// Two programs that make the same table at once come to the one that one makes alone.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"reproduce", "table1", "--dim", "5", "--runs", "2", "--problems", "rastrigin,squared-norm", "--out"}
	alone, err := command(t, t.Context(), append(args, filepath.Join(dir, "alone"))...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := forms(t, filepath.Join(dir, "alone", "table1-d5-rastrigin-squared-norm-2runs"), alone)
	var outs [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = command(t, t.Context(), append(args, filepath.Join(dir, "both"))...)
		cmds[i].Stdout = &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		got := forms(t, filepath.Join(dir, "both", "table1-d5-rastrigin-squared-norm-2runs"), outs[i].Bytes())
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%q differs:\n%s\nnot\n%s", name, got[name], want[name])
			}
		}
	}
}
