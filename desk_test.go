package untwist_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// deaf asks for a point, ends the context, and then does not listen until it is told to go on.
// It asks again then.
type deaf struct {
	end     func()
	goOn    chan struct{}
	refused chan error // what it was told when it asked again
}

func newDeaf(end func()) deaf {
	return deaf{end, make(chan struct{}), make(chan error, 1)}
}

func (deaf) Name() string { return "deaf" }

func (s deaf) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	err := s.ask(ctx, f, task.Stage)
	task.Found(identify.Known(nil, nil))
	return strategy.Outcome{Status: objective.Converged}, err
}

func (s deaf) Identify(ctx context.Context, f objective.Objective, r identify.Request) (*identify.Finding, error) {
	return identify.Known(nil, nil), s.ask(ctx, f, r.Stage)
}

func (s deaf) ask(ctx context.Context, f objective.Objective, stage func(objective.Stage)) error {
	var value [1]float64
	point := mat.NewDense(1, f.Dim(), nil)
	if err := f.Evaluate(ctx, point, value[:]); err != nil {
		return err
	}
	s.end()
	<-s.goOn
	stage(objective.Stage{Name: "late"})
	err := f.Evaluate(context.Background(), point, value[:])
	s.refused <- err
	return err
}

// Minimize, Probe and a Session return when the context has ended, although the algorithm
// does not: it computes for minutes. What it asks for later is not done, and what was returned
// does not change.
func TestAnAlgorithmThatDoesNotReturnIsLeft(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	f := objective.Func(2, func([]float64) float64 { asked.Add(1); return 7 })
	check := func(t *testing.T, s deaf, account untwist.Account, notes []string, err error) {
		t.Helper()
		if err != nil || account.Status != objective.Cancelled || account.Value != 7 || account.Queries != 1 || len(account.Point) != 2 {
			t.Errorf("it returns %+v, %v", account, err)
		}
		if !strings.Contains(strings.Join(notes, ";"), "not waited for") {
			t.Errorf("it notes %q", notes)
		}
		before, stages := asked.Load(), len(account.Stages)
		close(s.goOn)
		if err := <-s.refused; err == nil {
			t.Error("nobody is there, and yet a query was answered")
		}
		if asked.Load() != before || len(account.Stages) != stages {
			t.Error("something was done for an algorithm that was left")
		}
	}
	t.Run("Minimize", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newDeaf(cancel)
		r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s})
		check(t, s, r.Account, r.Notes, err)
	})
	t.Run("Probe", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newDeaf(cancel)
		r, err := untwist.Probe(ctx, f, untwist.Options{Identifier: s, NoiseLevel: 1})
		check(t, s, r.Account, r.Notes, err)
	})
	t.Run("Session", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newDeaf(cancel)
		session, err := untwist.Ask(ctx, 2, untwist.Options{Strategy: s})
		if err != nil {
			t.Fatal(err)
		}
		if _, done := session.Ask(); done {
			t.Fatal("it asks for nothing")
		}
		if err := session.Tell([]float64{7}); err != nil {
			t.Fatal(err)
		}
		r, err := session.Result()
		check(t, s, r.Account, r.Notes, err)
	})
}

// broken is a strategy with a bug.
type broken struct{ deaf }

func (broken) Minimize(context.Context, objective.Objective, strategy.Task) (strategy.Outcome, error) {
	panic("an index out of range")
}

// A strategy that panics does so for its caller, who can catch it, and says where.
func TestAPanicOfAStrategyIsItsCallers(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "an index out of range") || !strings.Contains(err.Error(), "desk_test.go") {
			t.Errorf("it panics with %v", err)
		}
	}()
	f := objective.Func(2, func(x []float64) float64 { return math.Hypot(x[0], x[1]) })
	untwist.Minimize(t.Context(), f, untwist.Options{Strategy: broken{}})
}
