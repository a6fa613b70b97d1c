package experiment

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// Methods that share a frame give the same bits as each gives by itself, and the queries
// for the frame count for each of them.
func TestSharedFramesChangeNothing(t *testing.T) {
	t.Parallel()
	dim, budget := flags.Usually(6, 3), flags.Usually(9000, 2000)
	g := complete(t, Table1{Dim: dim, Runs: 1, Budget: budget})
	s := open(t, g.Grid(), t.TempDir())
	if err := g.Grid().Run(ctx, s, 2, nil); err != nil {
		t.Fatal(err)
	}
	frames := 0
	for _, run := range stored(t, s) {
		if strings.HasPrefix(run.Method, identification.Name) {
			frames++
			continue
		}
		m, err := MethodNamed(run.Method)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(run.Problem, " ")
		spec := problem.Spec{Name: name, Dim: dim, Seed: run.Seed}
		o := untwist.Options{Strategy: m.Strategy, Seed: run.Seed, Budget: budget}
		if m.Unmixed {
			spec.Mix = "none"
		}
		if m.Shared {
			o.Identifier = m.finder().Identifier
		}
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if o.Start = p.Domain(); !m.Answers {
			o.Target = new(p.Minimum() + 0.005)
		}
		want, err := untwist.Minimize(ctx, p, o)
		if err != nil {
			t.Fatal(err)
		}
		if gap := want.Value - p.Minimum(); m.Answers && run.Gap >= gap { // its answers are among all queries
			want.Value, want.TargetQuery = p.Minimum()+run.Gap, run.Reached
		}
		if run.Gap != want.Value-p.Minimum() && !m.Answers || run.Queries != want.Queries || run.Reached != want.TargetQuery || run.Status != want.Status.String() {
			t.Errorf("%v: gap %v, %d queries, reached at %d, %s; by itself %v, %d, %d, %v", run.Key, run.Gap, run.Queries, run.Reached, run.Status,
				want.Value-p.Minimum(), want.Queries, want.TargetQuery, want.Status)
		}
		if (run.Recovered >= 0) != m.Shared {
			t.Errorf("%v: %d recovered", run.Key, run.Recovered)
		}
		if run.Rounds < 1 || run.Version != store.Version() {
			t.Errorf("%v: %d rounds, version %q", run.Key, run.Rounds, run.Version)
		}
		if last := run.Curve[len(run.Curve)-1]; last.Queries != run.Queries || last.Value != run.Gap || !descends(run.Curve) {
			t.Errorf("%v: the curve ends at %v, or does not descend", run.Key, last)
		}
	}
	if frames != 8 {
		t.Errorf("%d frames for 4 problems and 2 selections", frames)
	}
}

// descends reports whether values only fall, and queries only rise, along a curve.
func descends(curve []objective.Sample) bool {
	for i := 1; i < len(curve); i++ {
		if curve[i].Queries <= curve[i-1].Queries || curve[i].Value > curve[i-1].Value {
			return false
		}
	}
	return true
}

// The runs are the same if the grid is stopped after any run, made by one job or several,
// made by two programs at once, or grown from a smaller grid.
func TestRunsAreTheSameHoweverMade(t *testing.T) {
	t.Parallel()
	g := small(t)
	g.Problems = g.Problems[1:3] // for the second the paper's road finds no frame
	once := open(t, g.Grid(), t.TempDir())
	if err := g.Grid().Run(ctx, once, 1, nil); err != nil {
		t.Fatal(err)
	}
	want := stored(t, once)
	if len(want) != 2*(8+2)*2 {
		t.Fatalf("%d runs", len(want))
	}
	check := func(how string, s *store.Store) {
		if got := stored(t, s); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", how, cmp.Diff(want, got))
		}
	}

	stopped, errStopped := open(t, g.Grid(), t.TempDir()), errors.New("stopped")
	for n := 1; ; n += flags.Usually(1, 10) {
		limited, cancel := context.WithCancelCause(ctx)
		seen := 0
		err := g.Grid().Run(limited, stopped, 2, func(Progress) {
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
		s := open(t, g.Grid(), dir)
		both.Go(func() {
			if err := g.Grid().Run(ctx, s, 3, nil); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	check("two at once", open(t, g.Grid(), dir))

	grown := open(t, g.Grid(), t.TempDir())
	less := g
	less.Runs, less.Methods, less.Problems = 1, g.Methods[3:5], g.Problems[1:]
	for _, part := range []Table1{less, g} {
		if err := part.Grid().Run(ctx, grown, 7, nil); err != nil {
			t.Fatal(err)
		}
	}
	check("grown", grown)
}

// A budget that ends during identification ends the methods that need coordinates, and
// not one more query is spent.
func TestBudgetsThatEndInTheHessians(t *testing.T) {
	g := complete(t, Table1{Dim: 5, Runs: 1, Budget: 100, Methods: []string{"reparametrised", "transformed", "componentwise"}})
	s := open(t, g.Grid(), t.TempDir())
	if err := g.Grid().Run(ctx, s, 1, nil); err != nil {
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

// Where identification takes exactly the whole budget, the methods that need it give the
// same results as by themselves.
func TestBudgetsOfTheFrameAlone(t *testing.T) {
	g := complete(t, Table1{Dim: 2, Runs: 1, Budget: 140, Problems: []string{"rastrigin"}, Methods: []string{"reparametrised", "transformed", "componentwise"}})
	s := open(t, g.Grid(), t.TempDir())
	if err := g.Grid().Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range stored(t, s) {
		if run.Method == identification.Name {
			if run.Status != "converged" || run.Queries != 134 {
				t.Fatalf("a frame takes %d queries, %s: the test is about another number", run.Queries, run.Status)
			}
			continue
		}
		m, _ := MethodNamed(run.Method)
		want, err := untwist.Minimize(ctx, p, untwist.Options{Strategy: m.Strategy, Identifier: identify.Paper{}, Budget: 140, Start: p.Domain(), Target: new(0.005)})
		if err != nil || run.Status != want.Status.String() || run.Gap != want.Value || run.Queries != want.Queries {
			t.Errorf("%v: %s, gap %v, %d queries; by itself %v, %v, %d, error %v", run.Key, run.Status, run.Gap, run.Queries, want.Status, want.Value, want.Queries, err)
		}
	}
}

// The queries of identification count for a run, and so does its best value.
func TestAfter(t *testing.T) {
	before := store.Run{Gap: 3, Queries: 100, Seconds: 7, Own: 3, Rounds: 5, Recovered: 4, Curve: []objective.Sample{{Queries: 1, Value: 9}, {Queries: 100, Value: 3}}}
	run := store.Run{Key: store.Key{Method: "m"}, Gap: 1, Queries: 20, Reached: 20, Seconds: 2, Own: 1, Rounds: 2, Recovered: -1, Curve: []objective.Sample{{Queries: 1, Value: 5}, {Queries: 20, Value: 1}}}
	want := store.Run{
		Key: run.Key, Gap: 1, Queries: 120, Reached: 120, Seconds: 9, Own: 4, Rounds: 7, Recovered: 4,
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

// A store that fails ends the grid with an error of one line. Finished runs stay.
func TestErrorsEndAGrid(t *testing.T) {
	g, dir := small(t), t.TempDir()
	s := open(t, g.Grid(), dir)
	err := g.Grid().Run(ctx, s, 1, func(p Progress) {
		if p.Done == 3 {
			s.Close() // as if the disk were gone
		}
	})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "table1.jsonl: ") {
		t.Errorf("%v", err)
	}
	if n := len(stored(t, open(t, g.Grid(), dir))); n != 4 { // three runs and a frame
		t.Errorf("%d runs are there", n)
	}
}
