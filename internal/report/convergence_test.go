package report

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// By hand: what is not finite is left out, and a worse value is not the best.
func TestStairs(t *testing.T) {
	got := stairs(running([]objective.Sample{
		{Queries: 1, Value: math.Inf(1)}, {Queries: 2, Value: 8}, {Queries: 3, Value: math.NaN()},
		{Queries: 5, Value: 9}, {Queries: 10, Value: 3},
	}))
	want := plotter.XYs{{X: 2, Y: 8}, {X: 5, Y: 8}, {X: 5, Y: 8}, {X: 10, Y: 8}, {X: 10, Y: 3}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestHeights(t *testing.T) {
	for name, c := range map[string]struct {
		values  []float64
		log     bool
		lo, hi  float64
		lastIsY float64
	}{
		"gaps":      {[]float64{900, 3e-9}, true, 1e-9, 2700, 3e-9},
		"a zero":    {[]float64{900, 3e-9, 0}, true, 1e-10, 2700, 3e-10},
		"only 0":    {[]float64{0, 0}, false, -1, 1, 0},
		"raw":       {[]float64{1e9, 20, 10, 0}, true, 1. / 3, 3e9, 1},
		"below 0":   {[]float64{1e9, 30, 10, -10}, false, -12, 32, -10},
		"constant":  {[]float64{-50, -50}, false, -55, -45, -50},
		"a late 1.": {[]float64{100, -100, -100, -100, -100}, false, -110, 110, -100},
	} {
		best := make(plotter.XYs, len(c.values))
		for i, v := range c.values {
			best[i] = plotter.XY{X: float64(i + 1), Y: v}
		}
		p := plot.New()
		lo, hi := heights(p, best)
		if _, log := p.Y.Scale.(plot.LogScale); log != c.log {
			t.Errorf("%s: logarithmic %t", name, log)
		}
		if math.Abs(lo/c.lo-1) > 1e-9 || math.Abs(hi/c.hi-1) > 1e-9 {
			t.Errorf("%s: from %g to %g, want %g to %g", name, lo, hi, c.lo, c.hi)
		}
		if y := best[len(best)-1].Y; math.Abs(y-c.lastIsY) > 1e-9*math.Abs(c.lastIsY) {
			t.Errorf("%s: the last is at %g, want %g", name, y, c.lastIsY)
		}
	}
}

func TestStagesEnd(t *testing.T) {
	got := ended([]untwist.Stage{
		{Stage: objective.Stage{Name: "look"}, Queries: 80}, {Stage: objective.Stage{Name: "none"}}, {Stage: objective.Stage{Name: "lines"}, Queries: 20}, {Stage: objective.Stage{Name: "lines"}, Queries: 100}, {Stage: objective.Stage{Name: "polish"}, Queries: 1},
	})
	want := []stretch{{"look", "look", 0, 80}, {"lines", "lines", 80, 200}, {"polish", "polish", 200, 201}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f := flags{slices.Clone(got), byDifference, nil}
	f.join() // 200 against 121
	if byWidth := []stretch{{"look", "look", 0, 80}, {"lines", "polish", 80, 201}}; !slices.Equal(f.stages, byWidth) {
		t.Errorf("%v, want %v", f.stages, byWidth)
	}
	f = flags{got, byRatio, nil}
	f.join() // 200 : 1 against 201 : 80
	got = f.stages
	want = []stretch{{"look", "look", 0, 80}, {"lines", "polish", 80, 201}}
	if !slices.Equal(got, want) || got[1].name() != "lines … polish" {
		t.Errorf("%v, want %v", got, want)
	}
	many := make([]untwist.Stage, 100)
	for i := range many {
		many[i] = untwist.Stage{Stage: objective.Stage{Name: string(rune('a' + i%26))}, Queries: 1 + i}
	}
	f = flags{ended(many), byRatio, nil}
	for len(f.stages) > 1 {
		f.join()
	}
	if f.stages[0] != (stretch{"a", "v", 0, 5050}) {
		t.Errorf("all together are %v", f.stages[0])
	}
}

// No name meets a line, and no name another.
func TestNamesDoNotMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stages := ended(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) untwist.Stage {
			return untwist.Stage{Stage: objective.Stage{Name: rapid.StringMatching("[a-z]{1,15}").Draw(t, "name")}, Queries: rapid.IntRange(0, 9999).Draw(t, "queries")}
		}), 0, 20).Draw(t, "stages"))
		x := func(q float64) vg.Length { return 50 + vg.Length(70*math.Log10(q)) }
		in := rows(stages, x, 0)
		for k, s := range stages {
			left := x(s.to) - noted.Width(s.name())
			for j := range k {
				if meets := x(stages[j].to) > left; in[k] >= 0 && in[j] >= in[k] && meets {
					t.Errorf("%q in row %d meets the line of %q in row %d", s.name(), in[k], stages[j].name(), in[j])
				}
			}
			if in[k] >= 0 && left < 0 {
				t.Errorf("%q begins at %g", s.name(), left)
			}
		}
	})
}
