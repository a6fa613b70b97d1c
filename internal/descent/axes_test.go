package descent

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/objective"
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
