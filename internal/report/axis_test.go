package report

import (
	"math"
	"strings"
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
		{3e-10, 3e3, 6, "10⁻⁸"}, // every second
		{2.1, 19, 2, "5"},       // and 10
		{200, 2000, 4, "200"},   // 500, 1000, 2000
	} {
		got := labels(powers(c.lo, c.hi))
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
		if n := len(labels(powers(lo, hi))); n < 2 || n > 11 {
			t.Errorf("from %g to %g: %d numbers", lo, hi, n)
		}
		for _, tick := range powers(lo, hi) {
			if tick.Value < 0.99*lo || tick.Value > 1.01*hi {
				t.Errorf("from %g to %g: a mark at %g", lo, hi, tick.Value)
			}
		}
	})
}

func TestEvenly(t *testing.T) {
	for _, c := range []struct {
		lo, hi, least float64
		want          string
	}{
		{0, 1, 0, "0 0.2 0.4 0.6 0.8 1"},
		{0.5, 3.5, 1, "1 2 3"},
		{0.5, 1.5, 1, "1"},
		{0.5, 10000.5, 1, "2,000 4,000 6,000 8,000 10,000"},
		{-12, 32, 0, "−10 0 10 20 30"},
		{-0.3, 0.3, 0, "−0.3 −0.2 −0.1 0 0.1 0.2 0.3"},
		{0, 3e7, 0, "0 5×10⁶ 10⁷ 1.5×10⁷ 2×10⁷ 2.5×10⁷ 3×10⁷"},
		{123456.7, 123456.75, 0, "123,456.7 123,456.71 123,456.72 123,456.73 123,456.74 123,456.75"},
	} {
		if got := strings.Join(labels(evenly(c.lo, c.hi, c.least)), " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e300, 1e300).Draw(t, "lo")
		hi := rapid.Float64Range(-1e300, 1e300).Draw(t, "hi")
		if lo, hi = min(lo, hi), max(lo, hi); lo == hi {
			return
		}
		ticks := evenly(lo, hi, 0)
		for _, tick := range ticks {
			if tick.Value < lo || tick.Value > hi {
				t.Errorf("from %g to %g: a mark at %g", lo, hi, tick.Value)
			}
		}
		if len(ticks) > mostNumbers+1 {
			t.Errorf("from %g to %g: %d numbers", lo, hi, len(ticks))
		}
	})
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		from, to string
	}{
		{-5.12, 5.12, "−5.12", "5.12"},
		{1e-12, 40.34, "0", "40.3"},
		{math.Copysign(0, -1), 5698, "0", "5,700"},
		{123456.7, 123456.75, "123,456.7", "123,456.75"},
		{1e-7, 2e30, "0", "2×10³⁰"},
		{0.00051, 0.5, "0.00051", "0.5"},
		{1, 1 + 1e-12, "1", "1"}, // not told apart by 9 digits
	} {
		if from, to := ends(c.lo, c.hi, 9); from != c.from || to != c.to {
			t.Errorf("%g to %g: %s to %s, want %s to %s", c.lo, c.hi, from, to, c.from, c.to)
		}
	}
}
