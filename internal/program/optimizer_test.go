package program

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A desk is an optimiser in a test: the seeker.
type desk struct {
	*Optimizer
	token string
	mu    sync.Mutex
	notes []string
}

func newDesk(t *testing.T, p patience, words ...string) *desk {
	t.Helper()
	d := &desk{token: rand.Text()}
	o, err := NewOptimizer(OptimizerConfig{
		Exec: Quote(as(t, "seeker", append([]string{d.token}, words...)...)),
		Note: func(line string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.notes = append(d.notes, line)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.patience = p
	d.Optimizer = o
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := d.alive(t); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return d
}

// alive returns the processes of the optimiser.
func (d *desk) alive(t *testing.T) (pids []string) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(all) == 0 {
		t.Fatalf("/proc cannot be read: %v", err)
	}
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("\x00"+d.token+"\x00")) {
			pids = append(pids, path)
		}
	}
	return pids
}

// seen is an objective that remembers its points, in order.
type seen struct {
	objective.Objective
	points [][]float64
}

func (s *seen) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	for i := range values {
		s.points = append(s.points, slices.Clone(points.RawRowView(i)))
	}
	return s.Objective.Evaluate(ctx, points, values)
}

var box3 = objective.Box{Lo: []float64{-5, 0, 1e-3}, Hi: []float64{5, 2, 1e3}}

// naiveSearch are the first points of a random search.
func naiveSearch(box objective.Box, seed uint64, n int) (points [][]float64) {
	k := task{Dim: len(box.Lo), Lower: box.Lo, Upper: box.Hi, Seed: seed}
	r := k.rand()
	for range n {
		points = append(points, k.point(r))
	}
	return points
}

// logged returns what the optimiser has read, line by line.
func logged(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// An optimiser gets the values of what it asks for, and spends its budget to the last query.
func TestAnOptimizerSearches(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
	for _, c := range []struct{ batch, budget, lines, last int }{{7, 20, 3, 6}, {5, 20, 4, 5}, {100, 20, 1, 20}, {1, 1, 1, 1}} {
		d := newDesk(t, ordinary, "search", fmt.Sprint(c.batch), "0")
		s := &seen{Objective: objective.Func(3, f)}
		if err := d.Minimize(t.Context(), s, box3, c.budget, math.MaxUint64); err != nil {
			t.Fatal(err)
		}
		want := naiveSearch(box3, math.MaxUint64, c.budget)
		if !slices.EqualFunc(s.points, want, slices.Equal) {
			t.Errorf("%+v: other points were evaluated: %v", c, s.points)
		}
		lines := logged(t, log)
		if want := fmt.Sprintf(`{"dim":3,"lower":[-5.0,0.0,0.001],"upper":[5.0,2.0,1000.0],"budget":%d,"seed":18446744073709551615}`, c.budget); lines[0] != want {
			t.Errorf("the task is %s, want %s", lines[0], want)
		}
		var told []float64
		for _, line := range lines[1:] {
			var v struct{ Values []float64 }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			if told = append(told, v.Values...); len(told) == c.budget && len(v.Values) != c.last {
				t.Errorf("%+v: the last line has %d values", c, len(v.Values))
			}
		}
		if len(lines)-1 != c.lines || len(told) != c.budget {
			t.Fatalf("%+v: %d values on %d lines", c, len(told), len(lines)-1)
		}
		for i, v := range told {
			if v != f(want[i]) {
				t.Errorf("%+v: value %d is %v, want %v", c, i+1, v, f(want[i]))
			}
		}
		if len(d.notes) > 0 {
			t.Error(d.notes)
		}
	}
}

// An optimiser may end before its budget is spent.
func TestAnOptimizerThatIsDone(t *testing.T) {
	d := newDesk(t, ordinary, "search", "3", "4")
	s := &seen{Objective: objective.Func(3, f)}
	if err := d.Minimize(t.Context(), s, box3, 1000, 1); err != nil || len(s.points) != 12 {
		t.Errorf("%d points, %v", len(s.points), err)
	}
}

// Where f fails, the value is null. The run stops at the target, within a batch, and the
// optimiser gets what is known.
func TestAnOptimizersFailuresAndTarget(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
	n, target := 0, -1e-3
	odd := objective.Func(3, func([]float64) float64 {
		n++
		return []float64{2, math.NaN(), math.Inf(1), 1e-320, -0.5, 7}[n-1]
	})
	r := query.NewRecord(query.NewMeter(query.NewGuard(odd), 100), query.Rules{Target: &target}, nil)
	d := newDesk(t, ordinary, "search", "3", "0")
	if err := d.Minimize(t.Context(), query.NewChunk(r, 1, 0), box3, 100, 1); err != nil {
		t.Fatal(err)
	}
	lines := logged(t, log)
	if want := []string{`{"values":[2.0,null,null]}`, `{"values":[1e-320,-0.5]}`}; !slices.Equal(lines[1:], want) || r.TargetAt() != 5 {
		t.Errorf("%q, target at %d", lines[1:], r.TargetAt())
	}
}

func TestWhatIsWrongWithAnOptimizer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, want string }{
		{"exit 3", "the optimiser ended with exit status 3: KeyError: 'dim'"},
		{"exit 0", `the optimiser ended with exit status 0 and asked for no point: it should write {"points":[[…],…]}, one object a line, and nothing else to its standard output`},
		{"exit 75", "the program ended with exit status 75, which says that the machine failed: KeyError: 'dim'; put the machine right, then start the run again"},
		{"crash", "the optimiser was ended by SIGHUP"},
		{"say hello|", `the optimiser wrote the line "hello", which is no JSON object: ` + whatToWrite},
		{"say |\t|[[1,2,3]]|", `the optimiser wrote the line "[[1,2,3]]", which is no JSON object: ` + whatToWrite},
		{`say {"point":[1,2,3]}|`, `the optimiser wrote the line "{\"point\":[1,2,3]}", which has no points: ` + whatToWrite},
		{`say {"points":null}|`, `"points" is null, and should be a list of points, such as [[0.5,1.5],[2.0,3.0]]`},
		{`say {"points":[]}|`, "the optimiser asked for no point: a list of points must have one at least; an optimiser that is done closes its output or ends"},
		{`say {"points":[1,2,3]}|`, "point 1 of the optimiser is 1, and should be a list of coordinates"},
		{`say {"points":[[1,2,3],[4,5]]}|`, "point 2 of the optimiser has 2 coordinates, and f has 3"},
		{`say {"points":[[]]}|`, "point 1 of the optimiser has 0 coordinates, and f has 3"},
		{`say {"points":[[1,2,3,4]]}|`, "point 1 of the optimiser has 4 coordinates, and f has 3"},
		{`say {"points":[[1,2,3],[4,NaN,6]]}|`, "coordinate 2 of point 2 of the optimiser is NaN, and should be a finite number"},
		{`say {"points":[[1,2,-Infinity]]}|`, "coordinate 3 of point 1 of the optimiser is -Infinity, and should be a finite number"},
		{`say {"points":[[1e999,2,3]]}|`, "coordinate 1 of point 1 of the optimiser is 1e999, and should be a finite number"},
		{`say {"points":[[1,null,3]]}|`, "coordinate 2 of point 1 of the optimiser is null, and should be a finite number"},
		{`say {"points":[["1",2,3]]}|`, "coordinate 1 of point 1 of the optimiser is 1, and should be a finite number"},
		{`say {"points":[[[1],2,3]]}|`, "coordinate 1 of point 1 of the optimiser is [1], and should be a finite number"},
		{`last {"points":[[1,2`, `the optimiser ended in the middle of a line, "{\"points\":[[1,2"`},
	} {
		t.Run(c.words, func(t *testing.T) {
			d := newDesk(t, short, strings.SplitN(c.words, " ", 2)...)
			err := d.Minimize(t.Context(), objective.Func(3, f), box3, 100, 1)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// Commands that cannot be run are found before anything is started.
func TestOptimizersThatCannotBeStarted(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{"plain": "x", "run*": "#!/bin/sh\n", "lost*": "#!/no/such/thing\n"})
	for _, c := range []struct {
		field, words string
		config       OptimizerConfig
	}{
		{"Exec", "no command", OptimizerConfig{}},
		{"Exec", "no command", OptimizerConfig{Exec: "''"}},
		{"Exec", "not closed", OptimizerConfig{Exec: "sh -c '"}},
		{"Exec", "only to a shell", OptimizerConfig{Exec: "./run | ./run"}},
		{"Exec", "zero byte", OptimizerConfig{Exec: "./run a\x00"}},
		{"Exec", "not found in PATH", OptimizerConfig{Exec: "no-such-program-anywhere x"}},
		{"Exec", "write ./run", OptimizerConfig{Exec: "run"}},
		{"Exec", "./none does not exist in " + folder, OptimizerConfig{Exec: "./none"}},
		{"Exec", "chmod +x", OptimizerConfig{Exec: "./plain"}},
		{"Exec", "names /no/such/thing", OptimizerConfig{Exec: "./lost"}},
		{"Timeout", "negative", OptimizerConfig{Exec: "./run", Timeout: -1}},
	} {
		c.config.Dir = folder
		_, err := NewOptimizer(c.config)
		bad, is := errors.AsType[*objective.OptionError](err)
		if !is || bad.Option != c.field || !strings.Contains(bad.Reason, c.words) {
			t.Errorf("%q: %v, want %s: … %s …", c.config.Exec, err, c.field, c.words)
		}
	}
}

// A long line, and lines that are written before values are read, do not make the two wait
// for each other.
func TestLongLinesOfAnOptimizer(t *testing.T) {
	points, dim := flags.Usually(1000, 300), flags.Usually(100, 50)
	if *flags.Whole {
		points, dim = 10_000, 1000
	}
	box := objective.Cube(dim, -5, 5)
	sum := objective.Func(dim, func(x []float64) float64 { return x[0] + x[dim-1] })
	s := &seen{Objective: sum}
	d := newDesk(t, ordinary, "search", fmt.Sprint(points), "1")
	if err := d.Minimize(t.Context(), s, box, points, 3); err != nil || !slices.EqualFunc(s.points, naiveSearch(box, 3, points), slices.Equal) {
		t.Errorf("%d points, %v", len(s.points), err)
	}

	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
	s = &seen{Objective: sum}
	each := flags.Usually(100, 30)
	d = newDesk(t, ordinary, "ahead", fmt.Sprint(each), "100")
	if err := d.Minimize(t.Context(), s, box, 100*each, 3); err != nil || len(s.points) != 100*each {
		t.Errorf("%d points, %v", len(s.points), err)
	}
	if lines := logged(t, log); lines[len(lines)-1] != "lines: 100" {
		t.Errorf("the last line is %.50s", lines[len(lines)-1])
	}
}

// An optimiser that does not read its values gets what it asks for.
func TestADeafOptimizer(t *testing.T) {
	impatient := brief
	impatient.close = time.Millisecond
	d := newDesk(t, impatient, "deaf")
	s := &seen{Objective: objective.Func(3, f)}
	if err := d.Minimize(t.Context(), s, box3, 500, 1); err != nil || len(s.points) != 500 {
		t.Errorf("%d points, %v", len(s.points), err)
	}
}

// An optimiser that does not end is ended, and so is what it leaves behind.
func TestOptimizersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	impatient := brief
	impatient.close = time.Millisecond
	for _, c := range []struct {
		words string
		note  bool
	}{{"linger", true}, {"hush", false}, {"fork", false}} {
		d := newDesk(t, brief, c.words)
		budget := 1000
		if c.note {
			d.patience, budget = impatient, 1
		}
		s := &seen{Objective: objective.Func(3, f)}
		if err := d.Minimize(t.Context(), s, box3, budget, 1); err != nil || len(s.points) != 1 {
			t.Errorf("%s: %d points, %v", c.words, len(s.points), err)
		}
		if left := d.alive(t); len(left) > 0 {
			t.Errorf("%s: left behind: %v", c.words, left)
		}
		if c.note != (len(d.notes) == 1 && strings.Contains(d.notes[0], "did not end")) {
			t.Errorf("%s: %q", c.words, d.notes)
		}
	}
}

// The user is told, once, that an optimiser is silent. With a timeout, it is given up.
func TestASilentOptimizer(t *testing.T) {
	quick := short
	quick.silence = time.Millisecond
	d := newDesk(t, quick, "silent")
	d.config.Timeout = 20 * time.Millisecond
	for range 2 {
		if err := d.Minimize(t.Context(), objective.Func(3, f), box3, 10, 1); err == nil || err.Error() != "the optimiser wrote no points within 20ms" {
			t.Error(err)
		}
	}
	if len(d.notes) != 1 || !strings.Contains(d.notes[0], "has not asked for a point") {
		t.Errorf("%q", d.notes)
	}
}

// The end of the context, an error of f, and Close end a run.
func TestARunOfAnOptimizerIsEnded(t *testing.T) {
	why := errors.New("enough")
	heard := make(chan string, 1)
	quick := short
	quick.silence = time.Millisecond
	d := newDesk(t, quick, "silent")
	d.config.Note = func(line string) { heard <- line }
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-heard
		cancel(why)
	}()
	if err := d.Minimize(ctx, objective.Func(3, f), box3, 10, 1); err != why {
		t.Errorf("cancelled: %v", err)
	}

	broken := objective.Fallible(3, func(context.Context, []float64) (float64, error) { return 0, objective.Stop(why) })
	if err := newDesk(t, short, "search", "1", "0").Minimize(t.Context(), broken, box3, 10, 1); err != why {
		t.Errorf("f is broken: %v", err)
	}

	d = newDesk(t, quick, "silent")
	d.config.Note = func(line string) { heard <- line }
	closed := make(chan error)
	go func() {
		<-heard
		closed <- d.Close()
	}()
	if err := d.Minimize(t.Context(), objective.Func(3, f), box3, 10, 1); err != errOptimizerClosed {
		t.Errorf("closed: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := d.Minimize(t.Context(), objective.Func(3, f), box3, 10, 1); err != errOptimizerClosed {
		t.Errorf("after Close: %v", err)
	}
}

// Runs at the same time do not mix.
func TestRunsOfAnOptimizerAtTheSameTime(t *testing.T) {
	d := newDesk(t, ordinary, "search", "4", "0")
	var all sync.WaitGroup
	for seed := range uint64(6) {
		all.Go(func() {
			s := &seen{Objective: objective.Func(3, f)}
			if err := d.Minimize(t.Context(), s, box3, 30, seed); err != nil {
				t.Error(err)
			}
			if !slices.EqualFunc(s.points, naiveSearch(box3, seed, 30), slices.Equal) {
				t.Errorf("seed %d: other points", seed)
			}
		})
	}
	all.Wait()
}

// What an optimiser is called in a store changes with its files.
func TestSettingsOfAnOptimizer(t *testing.T) {
	folder := t.TempDir()
	settings := func(text string) string {
		put(t, folder, map[string]string{"search.sh": text})
		o, err := NewOptimizer(OptimizerConfig{Exec: "sh search.sh -n 3", Dir: folder})
		if err != nil {
			t.Fatal(err)
		}
		return o.Settings()
	}
	a, b := settings("a"), settings("b")
	if a == b || a != settings("a") || !strings.HasPrefix(a, "exec:sh search.sh -n 3 ") {
		t.Errorf("%s, %s", a, b)
	}
}

func TestTasksThatAreWrong(t *testing.T) {
	d := newDesk(t, short, "silent")
	for _, err := range []error{
		d.Minimize(t.Context(), objective.Func(3, f), objective.Cube(2, 0, 1), 10, 1),
		d.Minimize(t.Context(), objective.Func(3, f), objective.Cube(3, 0, math.Inf(1)), 10, 1),
		d.Minimize(t.Context(), objective.Func(3, f), box3, 0, 1),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}
