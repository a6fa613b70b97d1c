package report

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

func labels(ticks []plot.Tick) (all []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			all = append(all, t.Label)
		}
	}
	return all
}

func TestPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   int // numbers
		first  string
	}{
		{1, 41784, 5, "1"},
		{3e-10, 3e3, 6, "1e-08"}, // every second
		{2.1, 19, 2, "5"},        // and 10
		{200, 2000, 4, "200"},    // 500, 1000, 2000
	} {
		got := labels(powers(c.lo, c.hi, "%g"))
		if len(got) != c.want || got[0] != c.first {
			t.Errorf("from %g to %g: %q, want %d from %s", c.lo, c.hi, got, c.want, c.first)
		}
	}
}

// There are two numbers at least and not too many, all on the axis.
func TestPowersAreEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-300, 290).Draw(t, "log lo"))
		hi := lo * math.Pow(10, rapid.Float64Range(math.Log10(9), 9).Draw(t, "decades"))
		if n := len(labels(powers(lo, hi, "%.0e"))); n < 2 || n > 11 {
			t.Errorf("from %g to %g: %d numbers", lo, hi, n)
		}
		for _, tick := range powers(lo, hi, "%.0e") {
			if tick.Value < 0.99*lo || tick.Value > 1.01*hi {
				t.Errorf("from %g to %g: a mark at %g", lo, hi, tick.Value)
			}
		}
	})
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		from, to string
	}{
		{-5.12, 5.12, "-5.12", "5.12"},
		{1e-12, 40.34, "0", "40.3"},
		{math.Copysign(0, -1), 5698, "0", "5700"},
		{123456.7, 123456.75, "123456.7", "123456.75"},
		{1e-7, 2e30, "0", "2e+30"},
		{0.00051, 0.5, "0.00051", "0.5"},
		{1, 1 + 1e-12, "1", "1"}, // not told apart by 9 digits
	} {
		if from, to := ends(c.lo, c.hi, 9); from != c.from || to != c.to {
			t.Errorf("%g to %g: %s to %s, want %s to %s", c.lo, c.hi, from, to, c.from, c.to)
		}
	}
}
