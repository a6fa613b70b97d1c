package descent

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// searched goes along the axes of a sum over three of them for at least 30 rounds, and returns how far it is above the minimum of 0.
func searched(t *testing.T, f func(x []float64) float64) float64 {
	t.Helper()
	x, least := []float64{0.3, -0.4, 0.5}, math.Inf(1)
	a := NewAxes(objective.Func(3, func(x []float64) float64 {
		v := f(x)
		least = min(least, v)
		return v
	}), x, f(x), objective.Cube(3, -1, 1))
	for a.rounds < 30 {
		if err := a.Search(ctx, objective.Cube(3, -1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	return least
}

// A point at which f fails is asked once, and lines come to the minimum past such points: one of seven.
func TestAxesPastFailures(t *testing.T) {
	failed := map[string]int{}
	gap := searched(t, func(x []float64) float64 {
		n, sum := uint64(0), 0.0
		for i, at := range []float64{0.123, 0.456, -0.789} {
			n, sum = n*31+math.Float64bits(x[i]), sum+(x[i]-at)*(x[i]-at)
		}
		if n*0x9e3779b97f4a7c15>>32%7 == 0 && x[0] != 0.3 {
			failed[fmt.Sprint(x)]++
			return math.Inf(1)
		}
		return sum
	})
	for x, n := range failed {
		if n > 1 {
			t.Errorf("%s was asked %d times", x, n)
		}
	}
	if gap > 1e-9 || len(failed) < 10 {
		t.Errorf("%g above the minimum, %d failures", gap, len(failed))
	}
}

// A sloppy function fails at one of seven points, which depends on the point alone, and counts its batches.
type sloppy struct {
	f       func(x []float64) float64
	least   float64
	batches int
	points  [][]float64
}

func (*sloppy) Dim() int { return 3 }

func (s *sloppy) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	s.batches++
	for k := range values {
		x, n := slices.Clone(points.RawRowView(k)), uint64(0)
		for _, v := range x {
			n = n*31 + math.Float64bits(v)
		}
		if values[k] = s.f(x); n*0x9e3779b97f4a7c15>>32%7 == 0 && len(s.points) > 0 {
			values[k] = math.Inf(1)
		}
		s.points, s.least = append(s.points, x), min(s.least, values[k])
	}
	return nil
}

// Where many points cost no more than one, lines ask for several each and come to the minimum in far fewer batches, past failures, too.
// Where there is no room for that they ask for the same points as always.
func TestAxesAbreast(t *testing.T) {
	wells := func(x []float64) (sum float64) {
		for i, at := range []float64{0.123, 0.456, -0.789} {
			v := 5 * (x[i] - at)
			sum += v*v + 10 - 10*math.Cos(2*math.Pi*v)
		}
		return sum
	}
	to := func(abreast int) *sloppy {
		s := &sloppy{f: wells, least: math.Inf(1)}
		x := []float64{0.3, -0.4, 0.5}
		a := NewAxes(s, x, wells(x), objective.Cube(3, -1, 1))
		for a.Abreast = abreast; s.least > 1e-9 && s.batches < 1000; {
			if err := a.Search(ctx, objective.Cube(3, -1, 1)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	alone, room, many := to(0), to(3), to(13)
	if !slices.EqualFunc(alone.points, room.points, slices.Equal[[]float64]) {
		t.Error("three points at the same time are no room for three and where they meet, but others are asked")
	}
	t.Logf("%d batches and %d points, %d and %d", many.batches, len(many.points), alone.batches, len(alone.points))
	if 3*many.batches > alone.batches || len(many.points) > 2*len(alone.points) {
		t.Errorf("%d batches and %d points with room for 13, %d and %d without", many.batches, len(many.points), alone.batches, len(alone.points))
	}
}

// A sum is one although f fails at some splits, and not where it fails at most of them.
func TestSumPastFailures(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		values []float64
		sum    bool
	}{
		{[]float64{3, 4, inf, 2, 5, 2}, true},
		{[]float64{3, 4, inf, 2, 5, 3}, false},
		{[]float64{3, 4, inf, 2, 2, inf}, false},
		{[]float64{inf, 1}, false},
	} {
		if sum, spread := Adds(1, 6, c.values); sum != c.sum || sum && spread != 5 {
			t.Errorf("%v: %v, spread %g", c.values, sum, spread)
		}
	}
}
