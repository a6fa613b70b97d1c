package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
)

// Gaps are where f failed, with the points beside them.
func TestGaps(t *testing.T) {
	inf := math.Inf(1)
	got := gaps([]frame.Profile{
		{Y: []float64{0, 1, 2}, Value: []float64{3, 0, 1}},
		{Y: []float64{0, 1, 2, 3, 4, 5, 6}, Value: []float64{inf, 1, inf, inf, 0, 2, inf}},
	})
	if want := []gap{{1, 0, 1}, {1, 1, 4}, {1, 5, 6}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Two profiles of y², seen up to 1 from elsewhere and from −1 to 3 from y = 1, where the
// second was higher by a constant: together they are y² again, above their least value. A
// deeper well of the second is the first of both.
func TestJoined(t *testing.T) {
	p := frame.Profile{Component: 4, Y: []float64{0, 1, 2, 3}, Value: []float64{0, 1, math.Inf(1), math.Inf(1)}, Wells: []frame.Well{{Y: 0, Value: 0}}}
	more := frame.Profile{Y: []float64{1, 2, 3}, Value: []float64{9, 12, 0}, Wells: []frame.Well{{Y: 3, Value: 0}, {Y: 1, Value: 9}}}
	got := joined(p, more, 1)
	want := frame.Profile{Component: 4, Y: []float64{0, 1, 2, 3}, Value: []float64{8, 9, 12, 0}, Wells: []frame.Well{{Y: 3, Value: 0}, {Y: 0, Value: 8}}}
	if got.Component != 4 || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Value, want.Value) || !slices.Equal(got.Wells, want.Wells) {
		t.Errorf("%v, want %v", got, want)
	}
}

// (|x| − 5)² + x + (|y| − 5)² + y has its least value at (−5.5, −5.5), and f fails where
// x − y > 2. From 0 only the worse minimum of y is to be seen. From (−5.5, 4.5), where the
// minima meet, the line along y goes on to the better one.
func TestLinesGoPastWalls(t *testing.T) {
	side := func(v float64) float64 { return (math.Abs(v)-5)*(math.Abs(v)-5) + v }
	f, at := plane(t, func(x []float64) float64 {
		if x[0]-x[1] > 2 {
			return math.NaN()
		}
		return side(x[0]) + side(x[1])
	}, 0.5)
	l := newLines(f, at, 10_000)
	l.scanned = make([]scan, 2)
	from := query.Best{Point: []float64{0, 0}, Value: f.best.Value}
	ranges := []line.Range{at.span(from.Point, 0, -8, 8), at.span(from.Point, 1, -8, 8)}
	profiles, err := l.along(ctx, from, []int{0, 1}, ranges)
	if err != nil {
		t.Fatal(err)
	}
	if y := profiles[1].Wells[0].Y; math.Abs(y-4.5) > 0.1 {
		t.Errorf("the well of y is at %v", y)
	}
	if err := l.past(ctx, profiles); err != nil {
		t.Fatal(err)
	}
	if x := f.best.Point; math.Abs(x[0]+5.5) > 0.1 || math.Abs(x[1]+5.5) > 0.1 {
		t.Errorf("the best point is %v", x)
	}
	if y := profiles[1].Wells[0].Y; math.Abs(y+5.5) > 0.1 {
		t.Errorf("the well of y is at %v then", y)
	}
}

// Where f fails at the point where all minima meet, the deepest of them are gone to.
func TestShortOfAWall(t *testing.T) {
	f, at := plane(t, func(x []float64) float64 {
		if x[0]+x[1] > 3 {
			return math.NaN()
		}
		return (x[0]-2)*(x[0]-2) + 2*(x[1]-2)*(x[1]-2)
	}, 0.5)
	l := newLines(f, at, 1000)
	amiss, err := l.short(ctx, query.Best{Point: []float64{0, 0}, Value: 12}, []shift{{0, 2, -4}, {1, 2, -8}})
	if err != nil || amiss != 0 || !slices.Equal(f.best.Point, []float64{0, 2}) || f.queries != 2 {
		t.Errorf("at %v, %v amiss after %d queries, error %v", f.best.Point, amiss, f.queries, err)
	}
}
