package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/journal"
)

// timeless is the JSON object that a run prints, without times and without how much was
// resumed.
func timeless(t *testing.T, stdout []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(stdout, &object); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	for name := range object {
		if name == "resumed_queries" || name == "seconds" || strings.HasSuffix(name, "_seconds") {
			delete(object, name)
		}
	}
	return object
}

// Runs that are killed at random moments by SIGKILL, and begun again with the same command,
// print the same as runs that are not. The log of the program shows that no recorded query
// is asked again, and that no more is lost than a second's worth.
func TestKilledRuns(t *testing.T) {
	t.Parallel()
	bench := func(args ...string) []string { return append([]string{"--exec", "BENCH"}, args...) }
	type victims struct {
		name  string
		args  []string
		pause time.Duration // for each point
	}
	runs, kills := 1, flags.Usually(3, 1)
	cases := []victims{
		{"a built-in problem, auto", []string{"--problem", "rastrigin", "--dim", strconv.Itoa(flags.Usually(30, 15))}, 0},
		{"a program, cmaes, slow", bench("--dim", "5", "--bounds", "-5:5", "--strategy", "cmaes", "--budget", strconv.Itoa(flags.Usually(120, 60))), 5 * time.Millisecond},
	}
	if *flags.Whole {
		runs, kills = 3, 6 // of each
		cases = []victims{
			{"a built-in problem, auto", []string{"--problem", "rastrigin", "--dim", "60"}, 0},
			{"a built-in problem, cmaes", []string{"--problem", "rosenbrock", "--dim", "10", "--strategy", "cmaes", "--budget", "60000"}, 0},
			{"a built-in problem, cbo", []string{"--problem", "rastrigin", "--dim", "20", "--strategy", "cbo", "--budget", "200000"}, 0},
			{"a program, auto, a batch of 5,151", bench("--dim", "100", "--start", "-3:3", "--budget", "9000"), 0},
			{"a program, auto, slow", bench("--dim", "4", "--bounds", "-3:3", "--budget", "400"), 5 * time.Millisecond},
			{"a program, cmaes, slow", bench("--dim", "10", "--bounds", "-5:5", "--strategy", "cmaes", "--budget", "400"), 5 * time.Millisecond},
			{"a program, cbo, slow", bench("--dim", "10", "--bounds", "-5:5", "--strategy", "cbo", "--budget", "400"), 5 * time.Millisecond},
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for run := range runs {
				v := newVictim(t, c.args, uint64(run), c.pause)
				v.kill(t, kills)
			}
		})
	}
}

// A victim is a run that is killed again and again.
type victim struct {
	dir, journal, log string
	args              []string
	pause             time.Duration
	chance            *rand.Rand
}

func newVictim(t *testing.T, args []string, seed uint64, pause time.Duration) *victim {
	t.Helper()
	v := &victim{dir: t.TempDir(), pause: pause, chance: rand.New(rand.NewPCG(seed, 1))}
	v.journal, v.log = filepath.Join(v.dir, "run.journal"), filepath.Join(v.dir, "killed.log")
	program := benchIn(t, v.dir)
	v.args = []string{"minimize", "--json", "--quiet", "--seed", fmt.Sprint(seed)}
	for _, a := range args {
		v.args = append(v.args, strings.Replace(a, "BENCH", program, 1))
	}
	return v
}

// run runs the command to its end, or until ctx ends, which kills it. It returns nil if it
// was killed.
func (v *victim) run(t *testing.T, ctx context.Context, log string, more ...string) []byte {
	t.Helper()
	cmd := command(t, ctx, append(v.args, more...)...)
	cmd.Dir = v.dir
	cmd.Env = append(os.Environ(), "BENCH_LOG="+log, "BENCH_PAUSE="+v.pause.String())
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 {
		return nil
	}
	if err != nil && ctx.Err() == nil {
		t.Fatalf("%v: %s", err, talk.String())
	}
	if err != nil {
		return nil
	}
	return out
}

// recorded returns the points that the journal has, as the program is asked for them.
func (v *victim) recorded(t *testing.T) map[string]int {
	t.Helper()
	lines := map[string]int{}
	_, err := journal.Read(v.journal, func(q journal.Query) error {
		words := make([]string, len(q.Point))
		for i, x := range q.Point {
			words[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		lines[strings.Join(words, " ")]++
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return lines
}

// kill kills the run so many times, each when its journal has come to a random length, and
// compares what it prints in the end.
func (v *victim) kill(t *testing.T, kills int) {
	t.Helper()
	wholeJournal := filepath.Join(v.dir, "whole.journal")
	want := timeless(t, v.run(t, t.Context(), filepath.Join(v.dir, "whole.log"), "--journal", wholeJournal))
	times := logged(t, filepath.Join(v.dir, "whole.log")) // some points are asked for twice
	lengths := make([]int64, kills)
	for i := range lengths {
		lengths[i] = int64(v.chance.Float64() * 0.95 * float64(length(wholeJournal)))
	}
	slices.Sort(lengths)
	for died, late := 0, 0; ; {
		before, known := logged(t, v.log), v.recorded(t)
		ctx, cancel := context.WithCancel(t.Context())
		if died < kills {
			go cancelAt(ctx, cancel, v.journal, lengths[died])
		}
		out := v.run(t, ctx, v.log, "--journal", v.journal)
		cancel()
		nobodyLeft(t, "BENCH_LOG="+v.log)
		for line, n := range logged(t, v.log) {
			if asked := n - before[line]; asked+known[line] > times[line] {
				t.Fatalf("%d times asked, %d times recorded, and asked %d times without kills: %s", asked, known[line], times[line], line)
			}
		}
		if out == nil {
			died++
			lost := 0
			now := v.recorded(t)
			for line, n := range logged(t, v.log) {
				lost += max(0, n-before[line]-max(0, now[line]-known[line]))
			}
			if most := int(time.Second/max(v.pause, 1)) + 1; v.pause > 0 && lost > most {
				t.Errorf("%d answers were lost, more than a second's worth", lost)
			}
			continue
		}
		if diff := cmp.Diff(want, timeless(t, out)); diff != "" {
			t.Errorf("killed %d times:\n%s", died, diff)
		}
		if died == 0 && late < 20 { // on a busy machine we may come too late: once more
			late++
			for _, file := range []string{v.journal, v.log} {
				if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
			continue
		}
		if died == 0 {
			t.Error("it was never killed")
		}
		t.Logf("killed %d times", died)
		return
	}
}

// length returns how long a file is, 0 if there is none.
func length(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// cancelAt cancels when a file has come to a length.
func cancelAt(ctx context.Context, cancel func(), file string, at int64) {
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	for length(file) < at {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	cancel()
}

// nobodyLeft waits until no process has a mark in its environment.
func nobodyLeft(t *testing.T, mark string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for {
		left := ""
		processes, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range processes {
			if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(mark)) {
				left = file
			}
		}
		if left == "" {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s is left behind", left)
		}
	}
}
