package strategy

import (
	"context"

	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An aside is f to an algorithm, and takes questions of another along: with n points that the
// first wants go s/(1−s)·n that the second wants, in one batch, those of the first before.
type aside struct {
	f     objective.Objective
	share float64 // s
	// next returns what to run aside, nil for nothing. It is asked whenever nothing runs.
	next func(context.Context) func(objective.Objective) error

	talk  *asktell.Talk // with what runs; nil: nothing does
	asked *mat.Dense    // the points that it wants
	told  []float64     // their values, as far as they are known
	owed  float64       // how many queries it may make
}

func (a *aside) Dim() int { return a.f.Dim() }

// Evaluate evaluates the points, and some of those that are wanted aside.
func (a *aside) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if a.share == 0 || !a.wants(ctx) {
		return a.f.Evaluate(ctx, points, values)
	}
	n, d := points.Dims()
	rows, _ := a.asked.Dims()
	a.owed += float64(a.share / (1 - a.share) * float64(n))
	m := min(int(a.owed), rows-len(a.told))
	a.owed -= float64(m)

	all, both := mat.NewDense(n+m, d, nil), make([]float64, n+m)
	all.Copy(points)
	for k := range m {
		all.SetRow(n+k, a.asked.RawRowView(len(a.told)+k))
	}
	err := a.f.Evaluate(ctx, all, both)
	copy(values, both)
	if err != nil {
		return err
	}
	a.told = append(a.told, both[n:]...)
	if len(a.told) == rows {
		a.talk.Tell(a.told, nil)
		a.asked, a.told = nil, nil
		a.wants(ctx) // what is learnt counts from the next step on
	}
	return nil
}

// wants reports whether points are wanted aside, and begins what is next.
func (a *aside) wants(ctx context.Context) bool {
	if a.talk == nil {
		if run := a.next(ctx); run != nil {
			a.talk = asktell.New(a.Dim(), run)
		}
	}
	if a.talk != nil && a.asked == nil {
		if a.asked = a.talk.Ask(); a.asked == nil {
			a.talk = nil
		}
	}
	return a.asked != nil
}

// stop ends what runs aside.
func (a *aside) stop() {
	if a.talk != nil {
		a.talk.Stop()
	}
}
