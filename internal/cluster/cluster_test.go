package cluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
)

// One process and any number of workers, that come and go too, come to the same bits.
func TestSameBitsWithAnyWorkers(t *testing.T) {
	t.Parallel()
	for _, strategy := range flags.Sample([]string{"auto", "cmaes", "cbo"}, 2) {
		f := objective.Func(4, ripple)
		o := untwist.Options{Budget: 1500, Seed: 3, Start: objective.Cube(4, -2, 1), Workers: 1}
		var err error
		if o.Strategy, err = untwist.StrategyNamed(strategy, untwist.Knobs{}); err != nil {
			t.Fatal(err)
		}
		want, err := untwist.Minimize(context.Background(), f, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range flags.Sample([]int{1, 2, 7}, 2) {
			t.Run(fmt.Sprintf("%s/%d", strategy, workers), func(t *testing.T) {
				t.Parallel() // workers that go wait for a second
				s := newStand(t, 4, nil)
				var stop []func() error
				for i := range workers {
					stop = append(stop, s.worker(fmt.Sprint("w", i), f, func(c *WorkerConfig) { c.Procs = 1 + i%2 }))
				}
				come := 0
				o := o
				o.Progress = func(p untwist.Progress) { // one goes, and another comes
					if come++; come%40 != 0 || come > 80 {
						return
					}
					stop = append(stop, s.worker(fmt.Sprint("late", come), f, nil))
					if err := stop[0](); !errors.Is(err, errSent) {
						t.Errorf("a worker that was sent home ended with %v", err)
					}
					stop = stop[1:]
				}
				got, err := untwist.Minimize(context.Background(), s.Coordinator, o)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.Account, want.Account) {
					t.Errorf("with %d workers\n%+v\nand with one process\n%+v", workers, got.Account, want.Account)
				}
			})
		}
	}
}
