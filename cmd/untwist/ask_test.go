package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// told is the function of which values are told. It fails at some points.
func told(x []float64) float64 {
	sum := 0.
	for i, v := range x {
		sum += float64((v-float64(i))*(v-float64(i))) + math.Cos(3*v)
	}
	if int(sum*1e6)%29 == 0 {
		return math.NaN()
	}
	return sum
}

// tolds is what Minimize makes of it, and the flags that ask for the same.
func tolds(t *testing.T) (untwist.Result, []string) {
	t.Helper()
	budget := flags.Usually(150, 70)
	space := parameter.Plain(3)
	for i := range space {
		space[i].Min, space[i].Max = new(-4.), new(6.)
	}
	want, err := untwist.Minimize(t.Context(), objective.Func(3, told), untwist.Options{Parameters: space, Budget: budget, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return want, []string{"--dim", "3", "--bounds", "-4:6", "--budget", strconv.Itoa(budget), "--seed", "5"}
}

// points reads what ask prints.
func points(t *testing.T, printed string) map[int][]float64 {
	t.Helper()
	all := map[int][]float64{}
	for line := range strings.Lines(printed) {
		fields := strings.Fields(line)
		id, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, f := range fields[1:] {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all[id] = append(all[id], v)
		}
	}
	return all
}

// call runs the program until it ends or ctx kills it. It returns its exit status, -1 if it
// was killed.
func call(t *testing.T, ctx context.Context, stdin string, args ...string) (int, string) {
	t.Helper()
	cmd := command(t, ctx, args...)
	var out, talk bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &talk
	err := cmd.Run()
	if cmd.ProcessState == nil && ctx.Err() != nil {
		return -1, "" // before it began
	}
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 && ctx.Err() == nil {
		t.Fatalf("%v: %v", args, err)
	}
	if status := cmd.ProcessState.ExitCode(); status != 0 && status != 3 && status != -1 {
		t.Fatalf("%v: status %d: %s", args, status, talk.String())
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// finds checks that a journal has come to the same end as Minimize, and still has the values
// that tell has taken.
func finds(t *testing.T, file string, want untwist.Result, taken map[int]float64) {
	t.Helper()
	status, printed := call(t, t.Context(), "", "ask", file)
	line := fmt.Sprintf("best value  %v\nqueries     %d of %d (%d from the journal)\n", want.Value, want.Queries, want.Budget, want.Queries)
	if status != 3 || !strings.Contains(printed, strings.Split(line, "\n")[0]) || !strings.Contains(printed, strings.Split(line, "\n")[1]) {
		t.Errorf("status %d:\n%s\nwant\n%s", status, printed, line)
	}
	for i, v := range want.Point {
		if line := fmt.Sprintf("  x%d %v\n", i+1, v); !strings.Contains(printed, line) {
			t.Errorf("%s\nwant\n%s", printed, line)
		}
	}
	seen := map[int]bool{}
	if _, err := journal.Read(file, func(q journal.Query) error {
		if v := told(q.Point); seen[q.Number] || q.Value != v && !(math.IsNaN(v) && math.IsInf(q.Value, 1)) {
			t.Errorf("query %d, there before: %v, has the value %v, not %v", q.Number, seen[q.Number], q.Value, v)
		}
		seen[q.Number] = true
		delete(taken, q.Number)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(taken) > 0 || len(seen) != want.Queries {
		t.Errorf("%d queries are there, and %v are lost", len(seen), taken)
	}
}

// inMemory is a folder in memory, where there is one: tests wait for the disk otherwise.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "untwist-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A hundred asks and tells, or some dozens, that are killed at random lose nothing: every value that tell has
// taken is in the journal, and the run comes to the same end as Minimize.
func TestKilledAsksAndTells(t *testing.T) {
	t.Parallel()
	want, run := tolds(t)
	file := filepath.Join(inMemory(t), "run.journal")
	chance := rand.New(rand.NewPCG(3, 4))
	taken := map[int]float64{}
	calls, killed := 0, 0
	usual := 20 * time.Millisecond // how long a call takes
	attempt := func(stdin string, args ...string) (int, string) {
		calls++
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if killed < 100 && chance.IntN(5) > 0 {
			defer time.AfterFunc(time.Duration(chance.Float64()*float64(usual)), cancel).Stop()
		}
		began := time.Now()
		status, out := call(t, ctx, stdin, args...)
		if status < 0 {
			killed++
		} else {
			usual = (3*usual + time.Since(began)) / 4
		}
		return status, out
	}
	open := map[int]float64{} // asked and not taken
	for {
		if len(open) == 0 {
			status, printed := attempt("", slices.Concat([]string{"ask", file, "--n", strconv.Itoa(5 + chance.IntN(100)), "--lease", "1ns"}, run)...)
			if status == 3 {
				break
			}
			if status == 0 {
				for id, x := range points(t, printed) {
					open[id] = told(x)
				}
				if chance.IntN(2) == 0 { // from now on the journal is enough, but for a killed first call
					run = nil
				}
			}
			continue
		}
		var lines strings.Builder
		some := map[int]float64{}
		for id, v := range open {
			if chance.IntN(4) > 0 {
				some[id] = v
				fmt.Fprintf(&lines, "%d %v\n", id, v)
			}
		}
		if status, _ := attempt(lines.String(), "tell", file); status == 0 {
			for id, v := range some {
				taken[id] = v
				delete(open, id)
			}
		}
	}
	t.Logf("%d of %d calls were killed", killed, calls)
	if killed < flags.Usually(30, 3) { // where tests are quick some 25 calls are not killed
		t.Errorf("only %d of %d calls were killed", killed, calls)
	}
	finds(t, file, want, taken)
}

// Workers that ask with leases and tell at the same time never get the same point, and come to
// the same end as Minimize.
func TestManyWorkersAskAndTell(t *testing.T) {
	t.Parallel()
	want, flags := tolds(t)
	file := filepath.Join(inMemory(t), "run.journal")
	var mu sync.Mutex
	taken := map[int]float64{}
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for {
				status, printed := call(t, t.Context(), "", slices.Concat([]string{"ask", file, "--n", "40", "--lease", "1h"}, flags)...)
				if status == 3 || t.Failed() {
					return
				}
				var lines strings.Builder
				for id, x := range points(t, printed) {
					fmt.Fprintf(&lines, "%d %v\n", id, told(x))
					mu.Lock()
					if _, again := taken[id]; again {
						t.Errorf("%d was given out twice", id)
					}
					taken[id] = told(x)
					mu.Unlock()
				}
				if lines.Len() > 0 {
					call(t, t.Context(), lines.String(), "tell", file)
				}
			}
		})
	}
	workers.Wait()
	finds(t, file, want, taken)
	if _, err := os.Stat(file + ".lock"); err == nil {
		t.Error("the lock is left behind")
	}
}

// A session in Go goes on with what ask has begun, and ask with what a session has begun.
func TestSessionGoesOnWithAsk(t *testing.T) {
	t.Parallel()
	want, flags := tolds(t)
	file := filepath.Join(inMemory(t), "run.journal")
	_, printed := call(t, t.Context(), "", slices.Concat([]string{"ask", file, "--lease", "1h"}, flags)...)
	taken := map[int]float64{}
	some := ""
	for id, x := range points(t, printed) {
		if taken[id] = told(x); id%3 > 0 {
			some += fmt.Sprintf("%d %v\n", id, told(x))
		}
	}
	call(t, t.Context(), some, "tell", file)
	space := parameter.Plain(3)
	for i := range space {
		space[i].Min, space[i].Max = new(-4.), new(6.)
	}
	session, err := untwist.Ask(t.Context(), 3, untwist.Options{Parameters: space, Budget: want.Budget, Seed: 5, Journal: untwist.Journal{File: file}})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		points, _ := session.Ask()
		n, _ := points.Dims()
		if round == 0 && n != len(taken)/3 {
			t.Errorf("%d points are asked for, of %d", n, len(taken))
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = told(points.RawRowView(i))
		}
		if err := session.Tell(values); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	for status := 0; status == 0; {
		status, printed = call(t, t.Context(), "", "ask", file)
		lines := ""
		if status == 0 {
			for id, x := range points(t, printed) {
				lines += fmt.Sprintf("%d %v\n", id, told(x))
			}
			call(t, t.Context(), lines, "tell", file)
		}
	}
	finds(t, file, want, taken)
}

// Leases count until their time is over, and are kept as long as one of their points is not told.
func TestLeases(t *testing.T) {
	now := time.UnixMilli(1000)
	all := leases{}.add([]int{1}, time.UnixMilli(1001)).add([]int{2, 3, 4, 8}, time.UnixMilli(2000)).add([]int{9, 10}, now)
	if want := (leases{{1, 1, 1001}, {2, 4, 2000}, {8, 8, 2000}, {9, 10, 1000}}); !slices.Equal(all, want) {
		t.Fatalf("%v, want %v", all, want)
	}
	for _, c := range []struct {
		open, still, out []int
	}{
		{[]int{1, 4, 5, 9}, []int{1, 2, 3, 4}, []int{5, 9}},
		{[]int{3}, []int{2, 3, 4}, []int{1, 8}},
		{[]int{8, 9, 10}, []int{8}, []int{1, 2, 9}},
		{[]int{5, 6, 7}, nil, []int{1, 4, 8, 9}},
	} {
		some := slices.Clone(all).since(now).of(c.open)
		for _, query := range c.still {
			if !some.has(query) {
				t.Errorf("with %v open, %d is not on lease", c.open, query)
			}
		}
		for _, query := range c.out {
			if some.has(query) {
				t.Errorf("with %v open, %d is on lease", c.open, query)
			}
		}
	}
}

// ask goes on with a session of any strategy that has a name, and says so where it cannot.
func TestAskGoesOnWithSession(t *testing.T) {
	t.Parallel()
	of := func(name string, knobs untwist.Knobs) strategy.Strategy {
		s, err := untwist.StrategyNamed(name, knobs)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, o := range map[string]untwist.Options{
		"auto":    {},
		"cmaes":   {Strategy: strategy.CMAES{}},
		"cbo":     {Strategy: strategy.CBO{}, Start: objective.Cube(2, 1, 4), Bounds: objective.Cube(2, 0, math.Inf(1))},
		"road":    {Identifier: identify.Paper{}},
		"knobs":   {Strategy: of("cmaes", untwist.Knobs{Particles: 9})},
		"its own": {Strategy: of("cbo", untwist.Knobs{Alpha: new(50.)})},
	} {
		for _, rounds := range []int{0, 2} {
			o.Budget, o.Journal.File = 100, filepath.Join(inMemory(t), "run.journal")
			session, err := untwist.Ask(t.Context(), 2, o)
			if err != nil {
				t.Fatal(err)
			}
			for range rounds {
				asked, _ := session.Ask()
				n, _ := asked.Dims()
				if err := session.Tell(make([]float64, n)); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := session.Ask()
			if err := session.Close(); err != nil {
				t.Fatal(err)
			}
			if name == "its own" {
				out, err := command(t, t.Context(), "ask", o.Journal.File).CombinedOutput()
				if err == nil || !strings.Contains(string(out), "whose strategy has settings of its own") {
					t.Errorf("%s: %v: %s", name, err, out)
				}
				continue
			}
			_, printed := call(t, t.Context(), "", "ask", o.Journal.File, "--target", "-1")
			got := points(t, printed)
			first := slices.Min(slices.Collect(maps.Keys(got)))
			n, _ := want.Dims()
			for i := range n {
				if !slices.Equal(got[first+i], want.RawRowView(i)) || len(got) != n {
					t.Fatalf("%s: asked for %v, the session for %v", name, got, want)
				}
			}
			if _, again := call(t, t.Context(), "", "ask", o.Journal.File); again != printed {
				t.Errorf("%s: asked for\n%s\nand then for\n%s", name, printed, again)
			}
		}
	}
}

// Of first calls at the same time that want other runs, one makes the journal. The others are
// refused, and its points are still asked for.
func TestFirstAsksAtOnce(t *testing.T) {
	t.Parallel()
	for range flags.Usually(5, 2) {
		file := filepath.Join(inMemory(t), "run.journal")
		var calls sync.WaitGroup
		var printed, refused [4]string
		for k := range printed {
			calls.Go(func() {
				out, err := command(t, t.Context(), "ask", file, "--dim", "2", "--bounds", "-5:5", "--budget", "60", "--seed", strconv.Itoa(k)).CombinedOutput()
				if err == nil {
					printed[k] = string(out)
				} else {
					refused[k] = string(out)
				}
			})
		}
		calls.Wait()
		won := 0
		for k, out := range printed {
			if out == "" {
				if !strings.Contains(refused[k], "is the journal of another run: Seed is ") {
					t.Errorf("seed %d is refused: %s", k, refused[k])
				}
				continue
			}
			won++
			if _, again := call(t, t.Context(), "", "ask", file); again != out {
				t.Errorf("seed %d was asked for\n%s\nand then for\n%s", k, out, again)
			}
		}
		if won != 1 {
			t.Errorf("%d calls were given points", won)
		}
	}
}
