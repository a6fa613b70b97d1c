package asktell_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func bowl(x []float64) float64 { return x[0]*x[0] + 2*x[1]*x[1] }

// walk is an algorithm: it halves x as long as that helps, and keeps what it saw.
func walk(seen *[]float64) func(f objective.Objective) error {
	return func(f objective.Objective) error {
		x := mat.NewDense(2, 2, []float64{3, 4, 5, 6})
		values := make([]float64, 2)
		for range 5 {
			if err := f.Evaluate(ctx, x, values); err != nil {
				return err
			}
			*seen = append(*seen, values...)
			x.Scale(0.5, x)
		}
		return nil
	}
}

func answer(points *mat.Dense) []float64 {
	n, _ := points.Dims()
	values := make([]float64, n)
	for i := range values {
		values[i] = bowl(points.RawRowView(i))
	}
	return values
}

// An algorithm that is talked to sees what one that calls f itself does.
func TestATalkIsTheAlgorithm(t *testing.T) {
	var want, got []float64
	if err := walk(&want)(objective.Func(2, bowl)); err != nil {
		t.Fatal(err)
	}
	talk := asktell.New(2, walk(&got))
	for {
		points := talk.Ask()
		if points == nil {
			break
		}
		if talk.Ask() != points {
			t.Fatal("asked twice, it wants something else")
		}
		talk.Tell(answer(points), nil)
	}
	if talk.Err() != nil || !slices.Equal(got, want) || talk.Ask() != nil {
		t.Errorf("%v, %v; want %v", talk.Err(), got, want)
	}
}

// Two talks advance side by side, and when one fails that is seen.
func TestTalksSideBySide(t *testing.T) {
	var one, two []float64
	talks := []*asktell.Talk{asktell.New(2, walk(&one)), asktell.New(2, walk(&two))}
	steps := 0
	for {
		wants, err := asktell.Wanted(talks)
		if err != nil {
			t.Fatal(err)
		}
		if len(wants) == 0 {
			break
		}
		if steps++; len(wants) != 4 || wants[1].Talk != 0 || wants[2].Talk != 1 {
			t.Fatalf("wanted %v", wants)
		}
		var values []float64
		for _, w := range wants {
			values = append(values, bowl(w.Point))
		}
		asktell.TellAll(talks, values)
	}
	if steps != 5 || len(one) != 10 || !slices.Equal(one, two) {
		t.Errorf("%d steps: %v and %v", steps, one, two)
	}
	broken := errors.New("broken")
	talks = append(talks, asktell.New(1, func(objective.Objective) error { return broken }))
	if _, err := asktell.Wanted(talks); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// An error that is told reaches the algorithm, and Stop ends it.
func TestHowATalkEnds(t *testing.T) {
	var seen []float64
	talk := asktell.New(2, walk(&seen))
	talk.Ask()
	talk.Tell([]float64{1}, objective.ErrBudget)
	if talk.Ask() != nil || !errors.Is(talk.Err(), objective.ErrBudget) || len(seen) != 0 {
		t.Errorf("%v after %v", talk.Err(), seen)
	}
	talk = asktell.New(2, walk(&seen))
	talk.Ask()
	talk.Stop()
	talk.Stop()
	if talk.Ask() != nil || !errors.Is(talk.Err(), asktell.ErrStopped) {
		t.Errorf("stopped: %v", talk.Err())
	}
	never := asktell.New(2, walk(&seen))
	never.Stop()
	if never.Ask() != nil || never.Err() != nil {
		t.Errorf("stopped before it began: %v", never.Err())
	}
}

// A panic in the algorithm is the caller's, and ends the talk.
func TestPanics(t *testing.T) {
	talk := asktell.New(1, func(f objective.Objective) error {
		if err := f.Evaluate(ctx, mat.NewDense(1, 1, nil), make([]float64, 1)); err != nil {
			return err
		}
		panic(math.Pi)
	})
	talk.Ask()
	talk.Tell([]float64{1}, nil)
	if got := panicOf(func() { talk.Ask() }); got != math.Pi {
		t.Errorf("Ask panics with %v", got)
	}
	if talk.Ask() != nil || talk.Err() != nil {
		t.Errorf("after that it wants %v, error %v", talk.Ask(), talk.Err())
	}
}

// panicOf returns what f panics with, nil if it does not.
func panicOf(f func()) (what any) {
	defer func() { what = recover() }()
	f()
	return nil
}

// Misuse is a panic that says what to do, and does no harm: the talk goes on.
func TestMisuse(t *testing.T) {
	var seen []float64
	talk := asktell.New(2, walk(&seen))
	defer talk.Stop()
	wants := func(what, sentence string, f func()) {
		t.Helper()
		if got, _ := panicOf(f).(string); !strings.HasPrefix(got, "asktell: ") || !strings.HasSuffix(got, sentence) {
			t.Errorf("%s: %q", what, got)
		}
	}
	wants("Tell before Ask", "call Ask first, and Tell once for each Ask that returns points", func() { talk.Tell(nil, nil) })
	points := talk.Ask()
	wants("too few values", "1 values for 2 points; give one for each, or an error", func() { talk.Tell([]float64{1}, nil) })
	wants("no values", "0 values for 2 points; give one for each, or an error", func() { talk.Tell(nil, nil) })
	wants("too many values", "3 values for 2 points; give one for each, or an error", func() { talk.Tell([]float64{1, 2, 3}, nil) })
	wants("too many and an error", "3 values for 2 points; give one for each, or an error", func() { talk.Tell([]float64{1, 2, 3}, ctx.Err()) })
	wants("too few for all", "TellAll with 1 values for 2 points; give one for each", func() { asktell.TellAll([]*asktell.Talk{talk}, []float64{1}) })
	talk.Tell(answer(points), nil)
	wants("Tell twice", "call Ask first, and Tell once for each Ask that returns points", func() { talk.Tell(answer(points), nil) })
	if talk.Ask() == nil || !slices.Equal(seen, []float64{41, 97}) {
		t.Errorf("after misuse it has seen %v", seen)
	}
	talk.Stop()
	wants("Tell after Stop", "call Ask first, and Tell once for each Ask that returns points", func() { talk.Tell([]float64{1, 2}, nil) })
	wants("no dimension", "New with 0 dimensions; it needs at least 1", func() { asktell.New(0, walk(&seen)) })
	wants("no algorithm", "New without an algorithm", func() { asktell.New(2, nil) })
}
