package untwist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/asktell"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

// valuesOf are the values of f at the rows of points.
func valuesOf(points *mat.Dense, f func([]float64) float64) []float64 {
	n, _ := points.Dims()
	values := make([]float64, n)
	for i := range values {
		values[i] = f(points.RawRowView(i))
	}
	return values
}

// patchy is ripple, which fails at some points.
func patchy(x []float64) float64 {
	if v := ripple(x); int(v*1e6)%31 != 0 {
		return v
	}
	return math.NaN()
}

// converse answers a session to its end, and returns how often it was asked.
func converse(t *testing.T, s *untwist.Session, f func([]float64) float64) (untwist.Result, int) {
	t.Helper()
	rounds := 0
	for points, done := s.Ask(); !done; points, done = s.Ask() {
		rounds++
		if err := s.Tell(valuesOf(points, f)); err != nil {
			t.Fatal(err)
		}
	}
	result, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return result, rounds
}

// A session comes to the same bits as Minimize, for every strategy.
func TestSessionIsMinimize(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, name := range untwist.Strategies() {
		s, err := untwist.StrategyNamed(name, untwist.Knobs{})
		if err != nil {
			t.Fatal(err)
		}
		o := untwist.Options{Strategy: s, Budget: 1200, Seed: 7, Frame: identityFor(s), Workers: 3}
		want, err := untwist.Minimize(ctx, objective.Func(3, patchy), o)
		if err != nil {
			t.Fatal(err)
		}
		session, err := untwist.Ask(ctx, 3, o)
		if err != nil {
			t.Fatal(err)
		}
		got, rounds := converse(t, session, patchy)
		same(t, want, got)
		if rounds < 2 || got.Failed == 0 {
			t.Errorf("%s: asked %d times, %d failed", name, rounds, got.Failed)
		}
	}
	goleak.VerifyNone(t, before)
}

// A session with a journal is forgotten after every third Tell and opened again, in the middle
// of a batch too. It asks for what was not told, and comes to the same bits as Minimize.
func TestSessionResumes(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		space := parameter.Space{
			{Name: "k", Low: new(1e-3), High: new(1e2), Log: true}, {Name: "n", Fixed: new(2.)}, {Name: "a", Low: new(-3.), High: new(4.)}, {Name: "b", Low: new(0.), High: new(9.)},
		}
		o := untwist.Options{Strategy: s, Budget: flags.Usually(400, 200), Seed: 3, Parameters: space, Frame: identityFor(s)}
		want, err := untwist.Minimize(ctx, objective.Func(4, ripple), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Journal.File = filepath.Join(t.TempDir(), "run.journal")
		var waiting *mat.Dense
		for told := 0; ; {
			session, err := untwist.Ask(ctx, 4, o)
			if err != nil {
				t.Fatal(err)
			}
			points, done := session.Ask()
			if waiting != nil && (done || !mat.Equal(points, waiting)) {
				t.Fatalf("after %d queries, asked for\n%v\nand before that for\n%v", told, points, waiting)
			}
			for range 3 {
				if done {
					break
				}
				values := valuesOf(points, ripple)
				if err := session.Tell(values); err != nil {
					t.Fatal(err)
				}
				if told += len(values); recorded(t, o.Journal.File) != told {
					t.Fatalf("%d values were told, and the file has %d", told, recorded(t, o.Journal.File))
				}
				points, done = session.Ask()
			}
			if !done {
				waiting = points
				if err := session.Close(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			got, err := session.Result()
			if err != nil {
				t.Fatal(err)
			}
			same(t, want, got)
			return
		}
	})
}

// recorded is how many queries a journal has.
func recorded(t *testing.T, file string) int {
	t.Helper()
	summary, err := journal.Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return summary.Queries
}

// Wrong sizes and a wrong order are errors that change nothing.
func TestSessionMisuse(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Tell([]float64{1}); !errors.Is(err, untwist.ErrNotAsked) {
		t.Errorf("told before it was asked: %v", err)
	}
	points, _ := s.Ask()
	n, _ := points.Dims()
	for _, wrong := range []int{0, n - 1, n + 1} {
		sentence := fmt.Sprintf("told %d values for %d points: give one for each", wrong, n)
		if err := s.Tell(make([]float64, wrong)); err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%d values for %d points: %v", wrong, n, err)
		}
	}
	want := mat.DenseCopyOf(points)
	points.Zero() // they are the caller's
	if again, done := s.Ask(); done || !mat.Equal(again, want) {
		t.Error("asked twice, it shows other points")
	}
	values := valuesOf(want, ripple)
	if err := s.Tell(values); err != nil {
		t.Fatal(err)
	}
	if err := s.Tell(values); !errors.Is(err, untwist.ErrNotAsked) {
		t.Errorf("told twice: %v", err)
	}
	got, _ := converse(t, s, ripple)
	whole, err := untwist.Minimize(ctx, objective.Func(2, ripple), untwist.Options{Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	same(t, whole, got)
	if err := s.Tell(values); !errors.Is(err, untwist.ErrEnded) {
		t.Errorf("told after the end: %v", err)
	}
	if points, done := s.Ask(); points != nil || !done {
		t.Error("asked after the end, it is not done")
	}
}

// What is wrong from the beginning is said at once.
func TestSessionRefuses(t *testing.T) {
	before := goleak.IgnoreCurrent()
	var bad *untwist.OptionError
	if _, err := untwist.Ask(ctx, 2, untwist.Options{Budget: -1}); !errors.As(err, &bad) || bad.Option != "Budget" {
		t.Errorf("a bad budget: %v", err)
	}
	if _, err := untwist.Ask(ctx, 0, untwist.Options{}); err == nil {
		t.Error("no dimension, and no error")
	}
	o := untwist.Options{Budget: 50, Journal: untwist.Journal{File: filepath.Join(t.TempDir(), "it")}}
	s, err := untwist.Ask(ctx, 2, o)
	if err != nil {
		t.Fatal(err)
	}
	var locked *journal.LockedError
	if _, err := untwist.Ask(ctx, 2, o); !errors.As(err, &locked) {
		t.Errorf("a second session on the same journal: %v", err)
	}
	points, _ := s.Ask()
	if err := s.Tell(valuesOf(points, ripple)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var differs *journal.DiffersError
	o.Seed++
	if _, err := untwist.Ask(ctx, 2, o); !errors.As(err, &differs) {
		t.Errorf("another seed: %v", err)
	}
	goleak.VerifyNone(t, before)
}

// A session that is closed, whose context ends or that is forgotten leaves nothing behind, and
// its journal is free again.
func TestSessionAbandoned(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for name, leave := range map[string]func(s *untwist.Session, cancel func()){
		"closed":    func(s *untwist.Session, _ func()) { s.Close(); s.Close() },
		"cancelled": func(_ *untwist.Session, cancel func()) { cancel() },
		"forgotten": func(*untwist.Session, func()) {},
	} {
		o := untwist.Options{Budget: 500, Journal: untwist.Journal{File: filepath.Join(t.TempDir(), "it")}}
		func() {
			ctx, cancel := context.WithCancel(ctx)
			if name == "cancelled" {
				defer cancel()
			}
			s, err := untwist.Ask(ctx, 2, o)
			if err != nil {
				t.Fatal(err)
			}
			points, _ := s.Ask()
			if err := s.Tell(valuesOf(points, ripple)); err != nil {
				t.Fatal(err)
			}
			s.Ask()
			leave(s, cancel)
			if name == "forgotten" {
				return
			}
			if err := s.Tell(nil); !errors.Is(err, untwist.ErrEnded) {
				t.Errorf("%s, it is told: %v", name, err)
			}
			got, err := s.Result()
			if n, _ := points.Dims(); err != nil || got.Status != objective.Cancelled || got.Queries != n || got.Point == nil {
				t.Errorf("%s: %v after %d queries, error %v", name, got.Status, got.Queries, err)
			}
		}()
		for { // until the garbage is gone
			runtime.GC()
			again, err := untwist.Ask(ctx, 2, o)
			if err == nil {
				again.Close()
				break
			}
			if locked := new(*journal.LockedError); !errors.As(err, locked) {
				t.Fatal(err)
			}
		}
	}
	goleak.VerifyNone(t, before)
}

// The best so far is known at any time, also while another goroutine ends the session.
func TestSessionSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for range 3 {
		points, _ := s.Ask()
		values := valuesOf(points, ripple)
		if err := s.Tell(values); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			best = min(best, v)
		}
		got, err := s.Result()
		if err != nil || got.Status != objective.Running || got.Value != best || ripple(got.Point) != best {
			t.Errorf("%v %v, error %v; want %v", got.Status, got.Value, err, best)
		}
	}
	go cancel()
	for {
		if got, err := s.Result(); err != nil || got.Value != best {
			t.Fatalf("%v, error %v; want %v", got.Value, err, best)
		} else if got.Status == objective.Cancelled {
			break
		}
	}
}

// Goroutines take turns, those that are locked to a thread too.
func TestSessionFromAnyGoroutine(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 60})
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		over := make(chan bool)
		go func() {
			if k%2 == 0 {
				runtime.LockOSThread()
			}
			points, done := s.Ask()
			if !done {
				if err := s.Tell(valuesOf(points, ripple)); err != nil {
					t.Error(err)
				}
			}
			over <- done
		}()
		if <-over {
			break
		}
	}
	if got, err := s.Result(); err != nil || got.Queries != 60 {
		t.Errorf("%d queries, error %v", got.Queries, err)
	}
}

// The time of a session ends it between two questions: what was asked in time is taken.
func TestSessionTime(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 500, Time: time.Nanosecond, Points: [][]float64{{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for points, done := s.Ask(); !done; points, done = s.Ask() {
		if err := s.Tell(valuesOf(points, ripple)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Result(); err != nil || got.Status != objective.TimeSpent {
		t.Errorf("%v, error %v", got.Status, err)
	}
}

// Where everything fails, the error comes with the Tell that ends the search.
func TestSessionFails(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	for points, done := s.Ask(); !done; points, done = s.Ask() {
		failed = s.Tell(valuesOf(points, func([]float64) float64 { return math.NaN() }))
	}
	got, err := s.Result()
	if !errors.Is(failed, untwist.ErrAllFailed) || !errors.Is(err, untwist.ErrAllFailed) || got.Status != objective.Failed {
		t.Errorf("%v, error %v, told %v", got.Status, err, failed)
	}
}

// A panic of the search is the caller's.
func TestSessionPanics(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 500, Progress: func(untwist.Progress) { panic("progress") }})
	if err != nil {
		t.Fatal(err)
	}
	points, _ := s.Ask()
	func() {
		defer func() {
			if cause := recover(); cause != "progress" {
				t.Errorf("it panics with %v", cause)
			}
		}()
		s.Tell(valuesOf(points, ripple))
	}()
	if _, err := s.Result(); err == nil {
		t.Error("no error after a panic")
	}
}

// A search that ends its goroutine has failed.
func TestSessionExits(t *testing.T) {
	s, err := untwist.Ask(ctx, 2, untwist.Options{Budget: 500, Progress: func(untwist.Progress) { runtime.Goexit() }})
	if err != nil {
		t.Fatal(err)
	}
	points, _ := s.Ask()
	if err := s.Tell(valuesOf(points, ripple)); err == nil || !strings.Contains(err.Error(), "Goexit") {
		t.Errorf("error %v", err)
	}
}

// What has no dimension is refused in words of its own: there is no objective.
func TestSessionWithoutDimension(t *testing.T) {
	if _, err := untwist.Ask(t.Context(), 0, untwist.Options{}); err == nil || !strings.Contains(err.Error(), "dim is 0") {
		t.Errorf("error %v", err)
	}
}

// A function that has the same value everywhere is said to be one, whatever the strategy; one
// that has not is not.
func TestConstantIsSaid(t *testing.T) {
	for _, s := range []strategy.Strategy{nil, strategy.CMAES{}, strategy.CBO{}} {
		for want, f := range map[bool]func([]float64) float64{
			true:  func([]float64) float64 { return 41 },
			false: func(x []float64) float64 { return 41 + x[0]*x[0] },
		} {
			r, err := untwist.Minimize(t.Context(), objective.Func(3, f), untwist.Options{Strategy: s, Budget: 200})
			if got := strings.Contains(strings.Join(r.Notes, ";"), "f is 41 at all "); err != nil || got != want {
				t.Errorf("%v: notes %q, error %v; want a note: %v", s, r.Notes, err, want)
			}
		}
	}
}

// signalled says on refused that a call has failed.
type signalled struct {
	objective.Objective
	refused chan error
}

func (s signalled) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := s.Objective.Evaluate(ctx, points, values)
	if err != nil {
		s.refused <- err
	}
	return err
}

// Several workers inside a conversation are refused with a clear error; one works.
func TestWorkersInsideATalk(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, workers := range []int{1, 8} {
		refused := make(chan error, 1000)
		talk := asktell.New(2, func(f objective.Objective) error {
			options := untwist.Options{Workers: workers, Budget: 500, Strategy: strategy.CBO{}} // asks for 50 points at first, 20 of them before the others
			_, err := untwist.Minimize(t.Context(), signalled{f, refused}, options)
			return err
		})
		asked := 0
		for points := talk.Ask(); points != nil; points = talk.Ask() {
			if asked++; asked == 1 && workers > 1 { // the others ask while the first one waits
				if err := <-refused; !errors.Is(err, asktell.ErrConcurrent) {
					t.Errorf("a worker gets %v", err)
				}
			}
			n, _ := points.Dims()
			values := make([]float64, n)
			for i := range values {
				values[i] = points.At(i, 0)*points.At(i, 0) + points.At(i, 1)
			}
			talk.Tell(values, nil)
		}
		if err := talk.Err(); workers == 1 && err != nil || workers > 1 && !errors.Is(err, asktell.ErrConcurrent) {
			t.Errorf("%d workers: error %v after %d questions", workers, err, asked)
		}
		if workers == 1 && asked != 11 || workers > 1 && asked != 1 {
			t.Errorf("%d workers ask %d times", workers, asked)
		}
	}
	goleak.VerifyNone(t, before)
}
