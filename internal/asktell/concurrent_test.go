package asktell_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A watched objective says on refused how calls that failed did.
type watched struct {
	objective.Objective
	refused chan error
}

func watch(f objective.Objective) watched { return watched{f, make(chan error, 1000)} }

func (w watched) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := w.Objective.Evaluate(ctx, points, values)
	if err != nil {
		w.refused <- err
	}
	return err
}

// Workers that ask at once are refused, one of them excepted, and so is whatever the
// algorithm asks afterwards.
func TestWorkersAreRefused(t *testing.T) {
	ready := make(chan watched, 1)
	var again error
	talk := asktell.New(1, func(f objective.Objective) error {
		w := watch(f)
		ready <- w
		err := query.NewPool(w, 8).Evaluate(ctx, mat.NewDense(100, 1, nil), make([]float64, 100))
		again = f.Evaluate(ctx, mat.NewDense(1, 1, nil), make([]float64, 1))
		return err
	})
	points := talk.Ask() // of the one that was let in
	w := <-ready
	if err := <-w.refused; !errors.Is(err, asktell.ErrConcurrent) { // while that waits for its values
		t.Errorf("another worker gets %v", err)
	}
	n, _ := points.Dims()
	talk.Tell(make([]float64, n), nil)
	if talk.Ask() != nil || !errors.Is(talk.Err(), asktell.ErrConcurrent) || !errors.Is(again, asktell.ErrConcurrent) {
		t.Errorf("it ends with %v, and gets %v afterwards", talk.Err(), again)
	}
}

// Stop ends an algorithm whose workers wait, or were refused.
func TestWorkersAreStopped(t *testing.T) {
	ready := make(chan watched, 1)
	talk := asktell.New(1, func(f objective.Objective) error {
		w := watch(f)
		ready <- w
		return query.NewPool(w, 2).Evaluate(ctx, mat.NewDense(100, 1, nil), make([]float64, 100))
	})
	talk.Ask()
	w := <-ready
	<-w.refused
	talk.Stop()
	if err := talk.Err(); !errors.Is(err, asktell.ErrStopped) && !errors.Is(err, asktell.ErrConcurrent) {
		t.Errorf("it ends with %v", err)
	}
	if err := <-w.refused; !errors.Is(err, asktell.ErrStopped) {
		t.Errorf("the one that was let in gets %v", err)
	}
}

// Workers that take turns are no harm.
func TestWorkersThatTakeTurns(t *testing.T) {
	sum := 0.0
	talk := asktell.New(1, func(f objective.Objective) error {
		for k := range 5 {
			var failed error
			var wait sync.WaitGroup
			wait.Go(func() {
				values := make([]float64, 1)
				failed = f.Evaluate(ctx, mat.NewDense(1, 1, []float64{float64(k)}), values)
				sum += values[0]
			})
			wait.Wait()
			if failed != nil {
				return failed
			}
		}
		return nil
	})
	for points := talk.Ask(); points != nil; points = talk.Ask() {
		talk.Tell([]float64{2 * points.At(0, 0)}, nil)
	}
	if talk.Err() != nil || sum != 20 {
		t.Errorf("sum %v, error %v", sum, talk.Err())
	}
}

// An algorithm that leaves a goroutine behind has not ended before that has its
// values, whether it returns, panics or is stopped; later calls are refused.
func TestGoroutinesLeftBehind(t *testing.T) {
	for _, how := range []string{"return", "panic", "stop"} {
		values, late := make([]float64, 1), errors.New("none")
		var wait sync.WaitGroup
		var inside objective.Objective
		talk := asktell.New(1, func(f objective.Objective) error {
			inside = f
			left := make(chan bool)
			wait.Go(func() {
				close(left)
				late = f.Evaluate(ctx, mat.NewDense(1, 1, []float64{3}), values)
			})
			<-left
			if err := f.Evaluate(ctx, mat.NewDense(1, 1, []float64{3}), make([]float64, 1)); how == "panic" {
				panic(err)
			}
			return nil
		})
		// One of the two calls is let in first, and maybe the other after it.
		got := panicOf(func() {
			for points := talk.Ask(); points != nil; points = talk.Ask() {
				if how == "stop" {
					talk.Stop()
					continue
				}
				talk.Tell([]float64{points.At(0, 0)}, nil)
			}
		})
		wait.Wait()
		if how != "panic" && got != nil || talk.Ask() != nil {
			t.Errorf("%s: it panics with %v", how, got)
		}
		if late == nil && values[0] != 3 {
			t.Errorf("%s: told %v", how, values)
		}
		if err := inside.Evaluate(ctx, mat.NewDense(1, 1, nil), values); err == nil {
			t.Errorf("%s: asked after its end, and no error", how)
		}
	}
}

// Two goroutines that use a talk at once, and an algorithm that uses its own, are told
// so.
func TestATalkIsForOneGoroutine(t *testing.T) {
	const sentence = "asktell: a Talk is used by several goroutines at once, or by its own algorithm; let one goroutine ask and tell"
	runs, done := make(chan bool), make(chan bool)
	talk := asktell.New(1, func(objective.Objective) error {
		close(runs)
		<-done
		return nil
	})
	var wait sync.WaitGroup
	wait.Go(func() { talk.Ask() })
	<-runs
	for name, use := range map[string]func(){
		"Ask": func() { talk.Ask() }, "Tell": func() { talk.Tell(nil, nil) }, "Stop": talk.Stop, "Err": func() { _ = talk.Err() },
	} {
		if got := panicOf(use); got != sentence {
			t.Errorf("%s: %v", name, got)
		}
	}
	close(done)
	wait.Wait()
	if talk.Ask() != nil || talk.Err() != nil {
		t.Errorf("error %v", talk.Err())
	}
	var own *asktell.Talk
	own = asktell.New(1, func(objective.Objective) error { own.Ask(); return nil })
	if got := panicOf(func() { own.Ask() }); got != sentence {
		t.Errorf("its own: %v", got)
	}
}
