package auto

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// plane is a function of the plane in the coordinates given, watched, and asked at 0.
func plane(t *testing.T, f func(x []float64) float64, scale float64) (*watched, *coordinates) {
	t.Helper()
	w := watch(objective.Func(2, f), func(objective.Stage) {})
	if _, err := w.ask(ctx, []float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	found := &identify.Finding{Frame: frame.Identity(2), Blocks: [][]int{{0}, {1}}, Scale: []float64{scale, scale}}
	return w, newCoordinates(found, objective.Cube(2, math.Inf(-1), math.Inf(1)))
}

func ellipse(x []float64) float64 { return (x[0]-1)*(x[0]-1) + 2*(x[1]+1)*(x[1]+1) }

// Two grids of eleven points and three fifths as many again, with six for a Newton step, do not fit
// into 28 queries: they are made 1.6 times as coarse.
func TestGridsThatTheBudgetAffords(t *testing.T) {
	f, at := plane(t, ellipse, 1)
	for budget, want := range map[int]float64{1 + 6 + 36: 1, 1 + 6 + 22: 1.6, 1 + 6: 1} {
		ranges := []line.Range{{Lo: 0, Hi: 10, Step: 1}, {Lo: -5, Hi: 5, Step: 1}}
		(&lines{f: f, at: at, budget: budget}).afford(ranges)
		if ranges[0].Step != want || ranges[1].Step != want {
			t.Errorf("a budget of %d: steps %v and %v, want %v", budget, ranges[0].Step, ranges[1].Step, want)
		}
	}
}

// A series that is paused asks for the same points as one that is not, and remembers how it
// ended.
func TestAPausedFallbackGoesOn(t *testing.T) {
	var asked [2][]float64
	var end [2]objective.Status
	for i, pieces := range [][]int{{throughout}, {10, 1, 200, throughout, throughout}} {
		f, at := plane(t, func(x []float64) float64 {
			asked[i] = append(asked[i], x...)
			return ellipse(x)
		}, 1)
		limited := watch(query.NewMeter(f, 3000), f.stage)
		s := &fallback{run: &run{f: limited, task: strategy.Task{Bounds: at.bounds, Seed: 3}}}
		s.run.fallback = s
		var err error
		for k, queries := range pieces {
			before := limited.queries
			end[i], err = s.search(ctx, queries)
			if queries < throughout && (end[i] != objective.Running || err != nil || limited.queries-before < queries) {
				t.Fatalf("piece %d: %v after %d queries, error %v", k, end[i], limited.queries-before, err)
			}
			if err != nil {
				break
			}
		}
		s.stop()
		if len(asked[i]) < 1000 {
			t.Errorf("%d numbers asked", len(asked[i]))
		}
	}
	if !slices.Equal(asked[0], asked[1]) || end[0] != end[1] {
		t.Errorf("%d and %d numbers were asked for, %v and %v", len(asked[0]), len(asked[1]), end[0], end[1])
	}
}

// Before a part in doubt CMA-ES has had five queries for each of the survey's. Where the budget is
// not enough for both, the survey ends.
func TestTheRace(t *testing.T) {
	f, at := plane(t, ellipse, 1)
	s := &fallback{run: &run{f: f, task: strategy.Task{Bounds: at.bounds}}}
	s.run.fallback = s
	defer s.stop()
	r := &race{fallback: s, survey: &share{watched: f, most: 1000, spent: 10}, budget: 240}
	for _, next := range []int{20, 20, 30} {
		if err := r.pause(ctx, identify.Next{Queries: next}); err != nil {
			t.Error(err)
		}
		if want := 5 * (10 + next); s.spent() < want || s.spent() > want+10 {
			t.Errorf("%d queries by CMA-ES, want %d", s.spent(), want)
		}
	}
	if err := r.pause(ctx, identify.Next{Queries: 31}); !errors.Is(err, errShare) {
		t.Errorf("6·41 queries of 240: error %v", err)
	}
}

// A share ends where the next batch would go beyond it.
func TestShare(t *testing.T) {
	f, _ := plane(t, ellipse, 1)
	s := &share{watched: f, most: 5}
	for _, c := range []struct {
		n    int
		want error
	}{{3, nil}, {3, errShare}, {2, nil}, {1, errShare}} {
		if err := s.Evaluate(ctx, mat.NewDense(c.n, 2, nil), make([]float64, c.n)); err != c.want {
			t.Errorf("%d more: error %v, want %v", c.n, err, c.want)
		}
	}
	if s.spent != 5 {
		t.Errorf("%d queries", s.spent)
	}
}

// A point within 1e-6 of a bound is on its face.
func TestInterior(t *testing.T) {
	box := objective.Cube(2, -1, 1)
	for _, c := range []struct {
		x    float64
		want bool
	}{{0, true}, {1, false}, {-1, false}, {1 - 2e-6, true}, {1 - 5e-7, false}, {-1 + 5e-7, false}} {
		if got := interior(box, []float64{0, c.x}); got != c.want {
			t.Errorf("at %v: %v", c.x, got)
		}
	}
}

// A point far outside of the start box, or in its middle but not in the very middle, leads to
// a note, once.
func TestNoteStartBox(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want bool
	}{
		{[]float64{0.5, -0.2}, false}, {[]float64{0.01, -0.02}, true}, {[]float64{1e-9, -1e-8}, false},
		{[]float64{0.01, -0.3}, false}, {[]float64{3, -2}, false}, {[]float64{0, 40}, true}, {[]float64{0.01}, false},
	} {
		r := &run{f: &watched{best: query.Best{Point: c.x}}, learnt: &strategy.Learnt{}}
		for range 2 {
			r.noteStartBox()
		}
		if n := len(r.learnt.Notes); n > 1 || (n == 1) != c.want {
			t.Errorf("at %v: %q", c.x, r.learnt.Notes)
		}
	}
}
