package untwist_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A patient function counts how often each point is asked, fails at some points, and can be
// told to stop the run after so many more queries.
type patient struct {
	mu    sync.Mutex
	asked map[string]int
	calls int
	left  int // -1: it does not stop
}

var errPower = errors.New("the power is gone")

func (p *patient) objective(d int) objective.Objective {
	return objective.Fallible(d, func(_ context.Context, x []float64) (float64, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.left == 0 {
			return 0, objective.Stop(errPower)
		}
		p.left--
		p.calls++
		p.asked[fmt.Sprintf("%x", x)]++
		if v := ripple(x); int(v*1e6)%31 != 0 {
			return v, nil
		}
		return 0, errors.New("diverged")
	})
}

// A run that is stopped again and again at random queries, and resumed, ends as if it had
// never been stopped, for every strategy and any number of workers, and asks for no point
// that it knows.
func TestResumeIsReplay(t *testing.T) {
	t.Parallel()
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		for _, workers := range []int{1, 3} {
			o := untwist.Options{Strategy: s, Budget: flags.Few(2500, flags.Usually(900, 500)), Seed: 7, Frame: identityFor(s), KeepGoing: true, Workers: workers}
			whole := &patient{asked: map[string]int{}, left: -1}
			want, err := untwist.Minimize(ctx, whole.objective(3), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Journal.File = filepath.Join(t.TempDir(), "run.journal")
			o.Journal.HashPoints = workers > 1
			chance := rand.New(rand.NewPCG(1, uint64(workers)))
			f := &patient{asked: map[string]int{}}
			recorded := 0
			for f.left = 1; f.left >= 0; f.left = chance.IntN(flags.Few(900, flags.Usually(400, 250))) {
				got, err := untwist.Minimize(ctx, f.objective(3), o)
				if got.Resumed > f.calls || got.Resumed < recorded {
					t.Fatalf("%d queries are resumed, after %d and %d calls", got.Resumed, recorded, f.calls)
				}
				recorded = got.Resumed
				if err == nil {
					same(t, want, got)
					break
				}
				if !errors.Is(err, errPower) || got.StoppedBy() != "failures" {
					t.Fatalf("stopped by %s: %v", got.StoppedBy(), err)
				}
			}
			if f.calls != whole.calls || !cmp.Equal(f.asked, whole.asked) {
				t.Errorf("%d workers: %d calls, %d without stops", workers, f.calls, whole.calls)
			}
			// Once more: all from the journal.
			f.left = 0
			got, err := untwist.Minimize(ctx, f.objective(3), o)
			if err != nil || got.Resumed != got.Queries {
				t.Errorf("%d of %d queries from the journal, error %v", got.Resumed, got.Queries, err)
			}
			same(t, want, got)
		}
	})
}

// same compares results but for where the queries came from.
func same(t *testing.T, want, got untwist.Result) {
	t.Helper()
	if diff := cmp.Diff(want, got, everything, cmpopts.IgnoreFields(untwist.Account{}, "Resumed")); diff != "" {
		t.Errorf("the result differs:\n%s", diff)
	}
}

// With a larger budget a run goes on and repeats no query; with a smaller one it is cut. Its
// plan stays the same.
func TestResumeWithAnotherBudget(t *testing.T) {
	t.Parallel()
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		for _, budget := range []int{flags.Usually(997, 300), 110} { // 110: hardly enough for a step of all swarms
			testAnotherBudget(t, s, budget)
		}
	})
}

func testAnotherBudget(t *testing.T, s strategy.Strategy, budget int) {
	t.Helper()
	o := untwist.Options{Strategy: s, Budget: budget, Seed: 2, Frame: identityFor(s), KeepGoing: true}
	o.Journal.File = filepath.Join(t.TempDir(), "run.journal")
	f := &patient{asked: map[string]int{}, left: -1}
	begun, err := untwist.Minimize(ctx, f.objective(3), o)
	if err != nil {
		t.Fatal(err)
	}
	cut := min(100, begun.Queries)
	for range 2 {
		known := f.calls
		o.Budget *= 2
		longer, err := untwist.Minimize(ctx, f.objective(3), o)
		if err != nil || longer.Resumed != known || longer.Queries != f.calls || longer.Value > begun.Value {
			t.Fatalf("%d queries, %d of them of the %d known, %d calls, value %v after %v, error %v",
				longer.Queries, longer.Resumed, known, f.calls, longer.Value, begun.Value, err)
		}
		if goesOn := begun.Status == objective.BudgetSpent || begun.Status == objective.StepLimit; goesOn && longer.Queries <= begun.Queries {
			t.Errorf("%v after %d queries, and %v after %d with twice the budget", begun.Status, begun.Queries, longer.Status, longer.Queries)
		}
		begun = longer
	}
	o.Budget = 100
	f.left = 0
	shorter, err := untwist.Minimize(ctx, f.objective(3), o)
	if err != nil || shorter.Queries != cut || shorter.Resumed != cut || cut == 100 && shorter.Status != objective.BudgetSpent {
		t.Errorf("%d queries, %d resumed, %v, error %v", shorter.Queries, shorter.Resumed, shorter.Status, err)
	}
}

// described is an objective that says which one it is.
type described struct {
	objective.Objective
	name string
}

func (d described) Description() any { return struct{ Name string }{d.name} }

// A journal of another run is refused, and the error names what differs.
func TestResumeOfAnotherRun(t *testing.T) {
	f := &patient{asked: map[string]int{}, left: -1}
	named := func(name string) objective.Objective { return described{f.objective(3), name} }
	file := filepath.Join(t.TempDir(), "run.journal")
	plain := func(change func(*untwist.Options)) untwist.Options {
		o := untwist.Options{Budget: 300, Parameters: limited(parameter.Plain(3))}
		o.Journal.File = file
		if change != nil {
			change(&o)
		}
		return o
	}
	if _, err := untwist.Minimize(ctx, named("a"), plain(nil)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]untwist.Options{
		"Seed is 0 in the journal and 4 now": plain(func(o *untwist.Options) { o.Seed = 4 }),
		"Parameters[0].Max is 5 in":          plain(func(o *untwist.Options) { o.Parameters[0].Max = new(6.) }),
		"Parameters[0].Name is ":             plain(func(o *untwist.Options) { slices.Reverse(o.Parameters) }),
		"Strategy":                           plain(func(o *untwist.Options) { o.Strategy = strategy.CMAES{} }),
		"Identifier":                         plain(func(o *untwist.Options) { o.Identifier = identify.Paper{} }),
		"Parallel is 1 in":                   plain(func(o *untwist.Options) { o.Parallel = 4 }),
		"Points":                             plain(func(o *untwist.Options) { o.Points = [][]float64{{0, 0, 0}} }),
	} {
		calls := f.calls
		_, err := untwist.Minimize(ctx, named("a"), o)
		var differs *journal.DiffersError
		if !errors.As(err, &differs) || !strings.Contains(err.Error(), want) || f.calls != calls {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := untwist.Minimize(ctx, named("b"), plain(nil)); err == nil || !strings.Contains(err.Error(), "Objective.Name is a in") && !strings.Contains(err.Error(), `Objective.Name is "a" in`) {
		t.Errorf("error %v of another objective", err)
	}
	probing := plain(nil)
	if _, err := untwist.Probe(ctx, named("a"), probing); err == nil || !strings.Contains(err.Error(), "Command") {
		t.Errorf("error %v of a probe", err)
	}
	// Another function under the same name parts from the record where its points do.
	other := described{objective.Func(3, func(x []float64) float64 { return -ripple(x) }), "a"}
	o := plain(func(o *untwist.Options) { o.Journal.Accept = nil; o.Budget = 600 })
	if _, err := untwist.Minimize(ctx, other, o); err != nil { // all is answered from the record first
		t.Errorf("error %v", err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !slices.Equal(before, after[:len(before)]) {
		t.Errorf("the journal was changed, error %v", err)
	}
}
