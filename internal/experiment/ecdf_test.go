package experiment

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// The mean of simulated running times is the ERT: with n runs of which s succeed,
// E = Σ_{success}/s + (n−s)/s · Σ_{failure}/(n−s). The bound is five standard errors.
func TestRestartsTakeTheERT(t *testing.T) {
	runs := []effort{{10, true}, {100, false}, {40, true}, {70, false}, {100, false}}
	var times []float64
	for k := range 100 {
		times = append(times, restarts(runs, 2, rng.Seed(1).Stream("test", k))...)
	}
	if len(times) != 100*leastRestarts {
		t.Fatalf("%d times", len(times))
	}
	mean, square := 0.0, 0.0
	for _, x := range times {
		mean += x / float64(len(times))
		square += x * x / float64(len(times))
	}
	if want, spread := ert(runs)/2, math.Sqrt((square-mean*mean)/float64(len(times))); math.Abs(mean-want) > 5*spread {
		t.Errorf("mean %v ± %v, want %v", mean, spread, want)
	}
}

// Without failures the times are those of the runs, each equally often. Without a success there
// are none, and of a single run only its own.
func TestRestartsWithoutFailures(t *testing.T) {
	stream := rng.Seed(1).Stream("test")
	times := restarts([]effort{{10, true}, {20, true}, {60, true}}, 10, stream)
	if len(times) != 102 || !slices.Equal(times[:6], []float64{1, 2, 6, 1, 2, 6}) {
		t.Errorf("%d times: %v", len(times), times[:6])
	}
	times = restarts([]effort{{10, false}, {20, false}}, 10, stream)
	if len(times) != 100 || !math.IsInf(slices.Min(times), 1) {
		t.Error(times)
	}
}

// naiveShare is the share of solved pairs after x queries.
func naiveShare(pairs [][]float64, x float64) (share float64) {
	for _, times := range pairs {
		for _, v := range times {
			if v <= x {
				share += 1 / float64(len(times)) / float64(len(pairs))
			}
		}
	}
	return share
}

// At its points a distribution is the share that one counts, and it is late by less than a
// twentieth: what it has at a point was not there yet at 1/1.05 of it.
func TestDistributionCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := rapid.OneOf(rapid.Float64Range(0.01, 1e6), rapid.Just(math.Inf(1)), rapid.SampledFrom([]float64{0.1, 1, 10, 100}))
		pairs := rapid.SliceOfN(rapid.SliceOfN(time, 1, 10), 1, 6).Draw(t, "pairs")
		d := distribution(pairs)
		before := 0.0
		for i, x := range d.Queries {
			if want := naiveShare(pairs, x*(1+1e-10)); math.Abs(d.Share[i]-want) > 1e-12 {
				t.Errorf("%v at %v, want %v", d.Share[i], x, want)
			}
			if earlier := naiveShare(pairs, x/1.05); earlier > before+1e-12 {
				t.Errorf("%v shortly before %v, want at most %v", earlier, x, before)
			}
			before = d.Share[i]
		}
		if want := naiveShare(pairs, 1e300); math.Abs(before-want) > 1e-12 {
			t.Errorf("ends at %v, want %v", before, want)
		}
	})
}

// Two cases of one dimension and one of another. The third has no run of one of the methods,
// so it does not count.
func TestRuntimes(t *testing.T) {
	g := Grid{
		Cases:   []Case{{Problem: "a", Dim: 2}, {Problem: "b", Dim: 2}, {Problem: "a", Dim: 3}, {Problem: "a", Dim: 4}},
		Methods: []Method{{Name: "m"}, {Name: "n"}}, Runs: 2, Budget: "30", Targets: []float64{100, 10},
	}
	var runs []store.Run
	add := func(problem, method string, queries int, curve ...objective.Sample) {
		runs = append(runs, store.Run{Key: store.Key{Problem: problem, Method: method}, Queries: queries, Curve: curve})
	}
	// Between 100 and 10 there are six levels.
	add("a d=2", "m", 20, objective.Sample{Queries: 2, Value: 99}, objective.Sample{Queries: 20, Value: 9})
	add("b d=2", "m", 30, objective.Sample{Queries: 2, Value: 50})
	add("a d=4", "m", 4, objective.Sample{Queries: 4, Value: 0})
	for _, problem := range []string{"a d=2", "b d=2", "a d=3", "a d=4"} {
		add(problem, "n", 30)
	}
	c := compared(t, g, runs)
	if len(c.Runtimes) != 3 || c.Runtimes[0].Dim != 2 || c.Runtimes[1].Dim != 4 || c.Runtimes[2].Dim != 0 {
		t.Fatalf("%+v", c.Runtimes)
	}
	// After one query per dimension: one level of a, and two of b, 100 and 63. After ten: the
	// other five of a.
	m := c.Runtimes[0].Methods[0]
	if m.Method != "m" || !slices.Equal(m.Queries, []float64{1, 10}) || !near(m.Share, 3./12, 8./12) || m.End != 15 || c.Runtimes[0].Pairs != 12 {
		t.Errorf("%+v", m)
	}
	if n := c.Runtimes[0].Methods[1]; len(n.Queries) != 0 || n.End != 15 {
		t.Errorf("%+v", n)
	}
	if m := c.Runtimes[1].Methods[0]; !near(m.Share, 1) || m.End != 0 {
		t.Errorf("%+v", m)
	}
	if m := c.Runtimes[2].Methods[0]; !near(m.Share, 9./18, 14./18) || c.Runtimes[2].Pairs != 18 {
		t.Errorf("%+v", m)
	}
}

func near(got []float64, want ...float64) bool {
	return slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12 })
}

// A run that reaches a target with its last query has reached it before the cross.
func TestTheCrossIsAfterTheLastQuery(t *testing.T) {
	for _, end := range []float64{0.2, 997, 1000, 1003.4} {
		r := distribution([][]float64{{end}})
		if r.End = end; r.cross() != r.Queries[0] || r.cross() < end*(1-1e-9) {
			t.Errorf("%v: a cross at %v, a step at %v", end, r.cross(), r.Queries)
		}
	}
	if at := (Runtime{}).cross(); at != 0 {
		t.Errorf("a cross at %v though no run missed", at)
	}
}
