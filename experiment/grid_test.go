package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/store"
	"github.com/untwist/untwist/strategy"
)

var ctx = context.Background()

// complete returns a grid with the defaults put in.
func complete(t *testing.T, g Grid) Grid {
	t.Helper()
	if err := g.Complete(); err != nil {
		t.Fatal(err)
	}
	return g
}

// stored returns all runs of a store, without their times.
func stored(t *testing.T, s *store.Store) []store.Run {
	t.Helper()
	runs, err := s.All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		runs[i].Seconds = 0
	}
	return runs
}

// open opens a grid's store in a folder.
func open(t *testing.T, g Grid, dir string) *store.Store {
	t.Helper()
	s, err := g.OpenStore(ctx, filepath.Join(dir, "table1.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// small is a grid of a second.
func small(t *testing.T) Grid {
	return complete(t, Grid{Dim: 5, Runs: 2, Budget: 4000})
}

// The paper's table is the default.
func TestDefaultsAreThePapers(t *testing.T) {
	g := complete(t, Grid{})
	want := Grid{
		Problems: []string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers"},
		Methods:  []string{"cbo-on-g", "cbo", "reparametrised", "transformed", "componentwise", "cmaes", "auto"},
		Dim:      100, Runs: 100, Budget: 5_000_000, Gap: 0.005, Mix: "paper",
	}
	if !cmp.Equal(g, want) || !g.likePaper() {
		t.Error(cmp.Diff(want, g))
	}
	complete(t, Grid{Seed: math.MaxUint64 - 2, Runs: 3})
	if g := complete(t, Grid{Dim: 10}); g.Budget != 50_000 || g.likePaper() {
		t.Error(g)
	}
}

func TestBadGrids(t *testing.T) {
	for _, test := range []struct {
		grid         Grid
		option, text string
	}{
		{Grid{Problems: []string{"rastrgin"}}, "Problems", `unknown problem "rastrgin": one of rastrigin,`},
		{Grid{Problems: []string{}}, "Problems", "none are named"},
		{Grid{Methods: []string{"CBO"}}, "Methods", `unknown method "CBO": one of cbo-on-g,`},
		{Grid{Methods: []string{"identification"}}, "Methods", "unknown method"},
		{Grid{Methods: []string{"cbo", "auto", "cbo"}}, "Methods", `"cbo" is named twice`},
		{Grid{Dim: -1}, "Dim", "at least 1"},
		{Grid{Dim: 1 << 40}, "Dim", "must be at most 10000"},
		{Grid{Runs: math.MaxInt}, "Runs", "must be at most 1000000"},
		{Grid{Seed: math.MaxUint64 - 1, Runs: 3}, "Seed", "there are no 3 seeds from there"},
		{Grid{Runs: -3}, "Runs", "at least 1"},
		{Grid{Budget: -1}, "Budget", "at least 1"},
		{Grid{Gap: -1}, "Gap", "above 0"},
		{Grid{Gap: math.NaN()}, "Gap", "above 0"},
		{Grid{Mix: "shaken"}, "Mix", "unknown mixing matrix"},
		{Grid{Seed: math.MaxUint64}, "Seed", "there are no 100 seeds from there"},
	} {
		err := test.grid.Complete()
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != test.option || !strings.Contains(bad.Reason, test.text) {
			t.Errorf("%+v: %v", test.grid, err)
		}
	}
}

// Methods that share a frame come, to the bit, to what each comes to by itself, and the
// queries for the frame count for each.
func TestSharedFramesChangeNothing(t *testing.T) {
	g := complete(t, Grid{Dim: 6, Runs: 2, Budget: 9000})
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 2, nil); err != nil {
		t.Fatal(err)
	}
	frames := 0
	for _, run := range stored(t, s) {
		if run.Method == identification.Name {
			frames++
			continue
		}
		m, known := methodNamed(run.Method)
		if !known {
			t.Fatal(run.Method)
		}
		spec := problem.Spec{Name: run.Problem, Dim: 6, Seed: run.Seed}
		o := untwist.Options{Strategy: m.Strategy, Seed: run.Seed, Budget: 9000}
		if m.Unmixed {
			spec.Mix = "none"
		}
		if m.Shared {
			o.Road = untwist.PapersRoad
		}
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		o.Start, o.Target = p.Domain(), new(p.Minimum()+0.005)
		want, err := untwist.Minimize(ctx, p, o)
		if err != nil {
			t.Fatal(err)
		}
		if run.Gap != want.Value-p.Minimum() || run.Queries != want.Queries || run.Reached != want.TargetQuery || run.Status != want.Status.String() {
			t.Errorf("%v: gap %v, %d queries, reached at %d, %s; by itself %v, %d, %d, %v", run.Key, run.Gap, run.Queries, run.Reached, run.Status,
				want.Value-p.Minimum(), want.Queries, want.TargetQuery, want.Status)
		}
		if (run.Recovered >= 0) != m.Shared {
			t.Errorf("%v: %d recovered", run.Key, run.Recovered)
		}
		if last := run.Curve[len(run.Curve)-1]; last.Queries != run.Queries || last.Value != run.Gap || !descends(run.Curve) {
			t.Errorf("%v: the curve ends at %v, or does not descend", run.Key, last)
		}
	}
	if frames != 8 {
		t.Errorf("%d frames for 4 problems at 2 seeds", frames)
	}
}

// descends reports whether a curve goes down, to the right.
func descends(curve []objective.Sample) bool {
	for i := 1; i < len(curve); i++ {
		if curve[i].Queries <= curve[i-1].Queries || curve[i].Value > curve[i-1].Value {
			return false
		}
	}
	return true
}

// Stopped after any run, by one job or several, twice at once, and grown from a smaller
// grid: the runs are the same.
func TestRunsAreTheSameHoweverMade(t *testing.T) {
	g := small(t)
	once := open(t, g, t.TempDir())
	if err := g.Run(ctx, once, 1, nil); err != nil {
		t.Fatal(err)
	}
	want := stored(t, once)
	if len(want) != 4*(7+1)*2 {
		t.Fatalf("%d runs", len(want))
	}
	check := func(how string, s *store.Store) {
		if got := stored(t, s); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", how, cmp.Diff(want, got))
		}
	}

	stopped, errStopped := open(t, g, t.TempDir()), errors.New("stopped")
	for n := 1; ; n++ {
		limited, cancel := context.WithCancelCause(ctx)
		seen := 0
		err := g.Run(limited, stopped, 2, func(Progress) {
			if seen++; seen == n {
				cancel(errStopped)
			}
		})
		cancel(nil)
		if err == nil {
			break
		}
		if !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
	}
	check("stopped now and then", stopped)

	dir := t.TempDir()
	var both sync.WaitGroup
	for range 2 {
		s := open(t, g, dir)
		both.Go(func() {
			if err := g.Run(ctx, s, 3, nil); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	check("two at once", open(t, g, dir))

	grown := open(t, g, t.TempDir())
	less := g
	less.Runs, less.Methods, less.Problems = 1, g.Methods[3:5], g.Problems[1:]
	for _, part := range []Grid{less, g} {
		if err := part.Run(ctx, grown, 7, nil); err != nil {
			t.Fatal(err)
		}
	}
	check("grown", grown)
}

// A budget that ends while coordinates are looked for ends the methods that need them
// there, and no query more is spent.
func TestBudgetsThatEndInTheHessians(t *testing.T) {
	g := complete(t, Grid{Dim: 5, Runs: 1, Budget: 100, Methods: []string{"reparametrised", "transformed", "componentwise"}})
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	runs := stored(t, s)
	if len(runs) != 16 {
		t.Fatalf("%d runs", len(runs))
	}
	for _, r := range runs {
		if r.Queries != 100 || r.Status != "budget-spent" || r.Reached != 0 || r.Recovered != -1 {
			t.Errorf("%v: %d queries, %s", r.Key, r.Queries, r.Status)
		}
	}
}

// Where coordinates take the whole budget exactly, methods that need them are as they are
// by themselves.
func TestBudgetsOfTheFrameAlone(t *testing.T) {
	g := complete(t, Grid{Dim: 2, Runs: 1, Budget: 140, Problems: []string{"rastrigin"}, Methods: []string{"reparametrised", "transformed", "componentwise"}})
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range stored(t, s) {
		if run.Method == identification.Name {
			if run.Status != "converged" || run.Queries != 140 {
				t.Fatalf("a frame takes %d queries, %s: the test is about another number", run.Queries, run.Status)
			}
			continue
		}
		m, _ := methodNamed(run.Method)
		want, err := untwist.Minimize(ctx, p, untwist.Options{Strategy: m.Strategy, Road: untwist.PapersRoad, Budget: 140, Start: p.Domain(), Target: new(0.005)})
		if err != nil || run.Status != want.Status.String() || run.Gap != want.Value || run.Queries != want.Queries {
			t.Errorf("%v: %s, gap %v, %d queries; by itself %v, %v, %d, error %v", run.Key, run.Status, run.Gap, run.Queries, want.Status, want.Value, want.Queries, err)
		}
	}
}

// What goes before a run counts, and is the best if it was.
func TestAfter(t *testing.T) {
	before := store.Run{Gap: 3, Queries: 100, Seconds: 7, Recovered: 4, Curve: []objective.Sample{{Queries: 1, Value: 9}, {Queries: 100, Value: 3}}}
	run := store.Run{Key: store.Key{Method: "m"}, Gap: 1, Queries: 20, Reached: 20, Seconds: 2, Recovered: -1, Curve: []objective.Sample{{Queries: 1, Value: 5}, {Queries: 20, Value: 1}}}
	want := store.Run{
		Key: run.Key, Gap: 1, Queries: 120, Reached: 120, Seconds: 9, Recovered: 4,
		Curve: []objective.Sample{{Queries: 1, Value: 9}, {Queries: 100, Value: 3}, {Queries: 101, Value: 3}, {Queries: 120, Value: 1}},
	}
	if got := after(before, run); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	run.Gap, run.Reached = 5, 0
	if got := after(before, run); got.Gap != 3 || got.Reached != 0 {
		t.Error(got)
	}
}

// A store that fails ends the grid with an error on one line; what was finished stays.
func TestErrorsEndAGrid(t *testing.T) {
	g, dir := small(t), t.TempDir()
	s := open(t, g, dir)
	err := g.Run(ctx, s, 1, func(p Progress) {
		if p.Done == 3 {
			s.Close() // as if the disk were gone
		}
	})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "table1.db: ") {
		t.Errorf("%v", err)
	}
	if n := len(stored(t, open(t, g, dir))); n != 4 { // three and a frame
		t.Errorf("%d runs are there", n)
	}
}

// The time left is what the runs of each cell took so far, for those that are left.
func TestTimeLeft(t *testing.T) {
	g := complete(t, Grid{Dim: 5, Runs: 4, Methods: []string{"cbo", "transformed", "componentwise"}, Problems: []string{"rastrigin"}})
	var told []Progress
	w := newWatch(g, nil, 2, func(p Progress) { told = append(told, p) })
	key := func(method string, seed uint64) store.Key {
		return store.Key{Problem: "rastrigin", Method: method, Seed: seed}
	}
	w.begin(key("cbo", 0))
	w.end(key("cbo", 0), 10)
	w.end(key("identification", 0), 40)
	w.end(key("transformed", 0), 4)
	left := []float64{
		-1,
		// 3 of cbo, 4 of the two others, and 4 frames, all 10 seconds.
		(3*10 + 8*10 + 4*10) / 2.,
		// The others as long as these two on average.
		(3*10 + 8*25 + 3*40) / 2.,
		(3*10 + 3*4 + 4*18 + 3*40) / 2.,
	}
	for i, p := range told {
		if got := p.Left.Seconds(); got != left[i] && i > 0 || i == 0 && p.Left >= 0 || p.Total != 12 {
			t.Errorf("notice %d: %v left, want %v seconds", i, p.Left, left[i])
		}
	}
	if len(told) != 4 || told[3].Done != 2 {
		t.Errorf("%+v", told)
	}
	// A watch that begins later knows the same.
	known := []store.Run{
		{Key: key("cbo", 0), Seconds: 10}, {Key: key("identification", 0), Seconds: 40}, {Key: key("transformed", 0), Seconds: 44},
		{Key: store.Key{Problem: "rastrigin", Method: "cbo", Seed: 9}, Seconds: 1e9}, // not of this grid
	}
	if again := newWatch(g, known, 2, nil); again.left() != told[3].Left || again.done != 2 {
		t.Errorf("%v left, %d done", again.left(), again.done)
	}
}

// A store must not be gone on with by a version whose runs are others. When this test
// fails golden files have moved: raise numerics if methods of the table come to other
// results, and put the new sum here.
func TestNumericsAreTheGoldenOnes(t *testing.T) {
	const sum, at = "518f32e18f68d452", 1
	h := sha256.New()
	for _, name := range []string{"curves.golden", "surveys.golden"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	if got := hex.EncodeToString(h.Sum(nil))[:16]; got != sum || numerics != at {
		t.Errorf("the golden files have the sum %s and numerics is %d", got, numerics)
	}
}

// Every strategy that has a name is a method.
func TestEveryStrategyIsAMethod(t *testing.T) {
	for _, name := range strategy.Names() {
		if !slices.ContainsFunc(methods, func(m Method) bool { return m.Strategy.Name() == name }) {
			t.Errorf("%s is none", name)
		}
	}
}
