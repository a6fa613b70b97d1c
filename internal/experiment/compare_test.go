package experiment

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// byHand is a grid of two cases and two methods, with runs that can be summed up by hand.
func byHand() (Grid, []store.Run) {
	g := Grid{
		Name:    "small",
		Cases:   []Case{{Problem: "bowl", Dim: 2}, {Problem: "comb", Dim: 4, Mix: "paper", Options: "map=sqrt"}},
		Methods: []Method{{Name: "ours"}, {Name: "theirs", Title: "the_others", Settings: "sigma=1"}},
		Runs:    3, Seed: 5, Budget: "100", Targets: []float64{1, 0.1},
	}
	run := func(problem, method string, seed uint64, queries int, gap float64, curve ...objective.Sample) store.Run {
		r := store.Run{Key: store.Key{Problem: problem, Method: method, Seed: seed}, Status: "budget-spent", Gap: gap, Queries: queries, Recovered: -1, Curve: curve}
		if gap <= 0.1 {
			r.Status, r.Reached = "target-reached", queries
		}
		return r
	}
	runs := []store.Run{
		run("bowl d=2", "ours", 5, 20, 0.1, objective.Sample{Queries: 1, Value: 5}, objective.Sample{Queries: 10, Value: 1}, objective.Sample{Queries: 20, Value: 0.1}),
		run("bowl d=2", "ours", 6, 100, 3, objective.Sample{Queries: 1, Value: 4}, objective.Sample{Queries: 50, Value: 3}),
		run("bowl d=2", "ours", 7, 40, 0.05, objective.Sample{Queries: 1, Value: 5}, objective.Sample{Queries: 40, Value: 0.05}),
		run("bowl d=2", "ours", 8, 1, 0, objective.Sample{Queries: 1, Value: 0}), // not of the grid
		run("bowl d=2", "theirs sigma=1", 5, 100, 0.5, objective.Sample{Queries: 60, Value: 0.5}),
		run("bowl d=2", "theirs sigma=1", 6, 100, 0.7, objective.Sample{Queries: 70, Value: 0.7}),
		run("bowl d=2", "theirs sigma=1", 7, 100, math.Inf(1)),
		run("comb d=4 mix=paper map=sqrt", "ours", 5, 100, 7, objective.Sample{Queries: 1, Value: 7}),
		run("bowl d=3", "ours", 5, 1, 0, objective.Sample{Queries: 1, Value: 0}),
	}
	runs[0].Rounds, runs[1].Rounds, runs[0].Own, runs[1].Own, runs[0].Seconds, runs[0].Version = 4, 9, 0.5, 0.3, 2, "v1"
	return g, runs
}

func compared(t testing.TB, g Grid, runs []store.Run) Comparison {
	t.Helper()
	c, err := g.compare(ctx, runs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The measures of the small grid, by hand.
func TestCompareByHand(t *testing.T) {
	g, runs := byHand()
	c := compared(t, g, runs)
	inf := Number(math.Inf(1))
	low, high := wilson(2, 3)
	low0, high0 := wilson(0, 3)
	ours, theirs := c.Cells[0], c.Cells[1]
	want := Standing{
		Setup: Setup{Case{Problem: "bowl", Dim: 2}, 100, true}, Method: "ours", Runs: 3,
		Gap: Quartile{0.05, 0.1, 3}, Rounds: new(4), Own: new(0.8 / 160),
		Goals: []Goal{
			{Target: 1, Successes: 2, Low: low, High: high, ERT: (10 + 100 + 40) / 2., Queries: Quartile{10, 40, inf}},
			{Target: 0.1, Successes: 2, Low: low, High: high, ERT: (20 + 100 + 40) / 2., Queries: Quartile{20, 40, inf}},
		},
	}
	but := gocmp.Options{cmpopts.IgnoreUnexported(Standing{}), cmpopts.IgnoreFields(Goal{}, "ERTLow", "ERTHigh")}
	if !gocmp.Equal(ours, want, but) {
		t.Error(gocmp.Diff(want, ours, but))
	}
	want = Standing{
		Setup: want.Setup, Method: "theirs", Runs: 3, Gap: Quartile{0.5, 0.7, inf},
		Goals: []Goal{
			{Target: 1, Successes: 2, Low: low, High: high, ERT: (60 + 70 + 100) / 2., Queries: Quartile{60, 70, inf}},
			{Target: 0.1, Successes: 0, Low: low0, High: high0, ERT: inf, Queries: Quartile{inf, inf, inf}},
		},
	}
	if !gocmp.Equal(theirs, want, but) {
		t.Error(gocmp.Diff(want, theirs, but))
	}
	if theirs.Goals[1].ERTLow != inf || !(ours.Goals[1].ERTLow >= 20 && ours.Goals[1].ERTLow < 80 && ours.Goals[1].ERTHigh > 80) {
		t.Errorf("intervals: %v, %v", theirs.Goals[1], ours.Goals[1])
	}
	if c.Done != 7 || c.Total != 12 {
		t.Errorf("%d of %d runs", c.Done, c.Total)
	}
	// Ours come first, third, and fourth to sixth: 20, 40, (0.5, 0.7), 3, ∞. Their ranks are
	// 1, 2 and 5, and a sum of at most 8 has 4 of the 20 choices: 6, 7, 8 twice; as many are
	// at least 13.
	d := c.Pairs[0].Duels[0]
	if *d.P != 8./20 || *d.Holm != 8./20 || d.Verdict != "equal" || d.Ratio != 0 || d.Behind {
		t.Errorf("%+v, p %v, %v", d, *d.P, *d.Holm)
	}
	if d = c.Pairs[0].Duels[1]; d.P != nil || d.Verdict != "" || d.Behind {
		t.Errorf("%+v", d)
	}
	if p := c.Pairs[0]; p.Better != 0 || p.Equal != 1 || p.Worse != 0 || len(c.Pairs) != 1 {
		t.Errorf("%+v", p)
	}
}

// A grid whose first method is clearly better on some cases and clearly worse on others. All
// verdicts are as they follow from p, sums are right, and exchanging the methods exchanges the
// verdicts.
func TestVerdicts(t *testing.T) {
	g, runs := made(6, 15)
	c := compared(t, g, runs)
	g.Methods[0], g.Methods[1] = g.Methods[1], g.Methods[0]
	back := compared(t, g, runs)
	opposite := map[string]string{"better": "worse", "equal": "equal", "worse": "better"}
	p, q := c.Pairs[0], back.Pairs[0]
	if p.Better == 0 || p.Worse == 0 || p.Equal == 0 || p.Better+p.Equal+p.Worse != 12 || p.Better != q.Worse || p.Equal != q.Equal {
		t.Errorf("better, equal, worse: %d, %d, %d and %d, %d, %d", p.Better, p.Equal, p.Worse, q.Better, q.Equal, q.Worse)
	}
	for i, d := range p.Duels {
		e := q.Duels[i]
		a, b := c.Cells[3*i].last(), c.Cells[3*i+1].last()
		if e.Verdict != opposite[d.Verdict] || *e.P != *d.P || *e.Holm != *d.Holm || math.Abs(float64(d.Ratio*e.Ratio)-1) > 1e-12 {
			t.Errorf("%+v and %+v", d, e)
		}
		if d.Ratio != a.ERT/b.ERT || !(d.RatioLow <= d.Ratio && d.Ratio <= d.RatioHigh) {
			t.Errorf("%+v", d)
		}
		if d.Behind != (a.Successes < b.Successes || a.ERT > 1.3*b.ERT) {
			t.Errorf("%+v: %d, %d", d, a.Successes, b.Successes)
		}
	}
	if len(c.Pairs) != 3 || c.Pairs[1].Second != "random-search" || c.Pairs[2].First != "cmaes" {
		t.Errorf("%d pairs", len(c.Pairs))
	}
}

// Neither method reaches the least target. The one whose gaps are larger is behind.
func TestBehindWithoutSuccess(t *testing.T) {
	g := Grid{Cases: []Case{{Problem: "p", Dim: 1}}, Methods: []Method{{Name: "m"}, {Name: "n"}}, Runs: 5, Budget: "9", Targets: []float64{1e-8}}
	var runs []store.Run
	for seed := range uint64(5) {
		runs = append(runs, store.Run{Key: store.Key{Problem: "p d=1", Method: "m", Seed: seed}, Queries: 9, Gap: 2},
			store.Run{Key: store.Key{Problem: "p d=1", Method: "n", Seed: seed}, Queries: 9, Gap: 1})
	}
	c := compared(t, g, runs)
	if d := c.Pairs[0].Duels[0]; d.Verdict != "worse" || !d.Behind || *d.P != 2./252 || !math.IsNaN(float64(d.Ratio)) {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(c.Text(), "p d=1  n          0/5      0/5    ∞        ∞           worse\n") {
		t.Error(c.Text())
	}
	g.Methods[0], g.Methods[1] = g.Methods[1], g.Methods[0]
	if d := compared(t, g, runs).Pairs[0].Duels[0]; d.Verdict != "better" || d.Behind {
		t.Errorf("%+v", d)
	}
}

// Fewer successes are a smaller share: one of one is not fewer than two of three.
func TestBehindByShares(t *testing.T) {
	of := func(successes, runs int) *Standing {
		return &Standing{Runs: runs, Goals: []Goal{{Successes: successes, ERT: 10}}, draws: []float64{10}}
	}
	for _, test := range []struct {
		k, n, l, m int
		want       bool
	}{{1, 1, 2, 3, false}, {2, 3, 1, 1, true}, {2, 3, 2, 3, false}, {4, 6, 2, 3, false}, {1, 3, 2, 3, true}} {
		var d Duel
		if d.race(of(test.k, test.n), of(test.l, test.m)); d.Behind != test.want || d.Ratio != 1 {
			t.Errorf("%+v: %+v", test, d)
		}
	}
}

// Runs are ordered by queries to the target, and after those by gaps.
func TestOutcomesAreOrdered(t *testing.T) {
	at := func(queries int, gap float64) store.Run {
		return store.Run{Queries: queries, Gap: gap, Curve: []objective.Sample{{Queries: queries, Value: gap}}}
	}
	lost := at(5, math.NaN())
	lost.Curve = nil
	list := outcomes([]store.Run{at(10, 0.01), at(20, 0.001), at(3, 0.2), at(90, 0.3), at(1, math.Inf(1)), lost}, 0.1)
	for i := range list {
		for j := range list {
			want := cmp.Compare(min(i, 4), min(j, 4))
			if got := list[i].compare(list[j]); got != want {
				t.Errorf("%v, %v: %d, want %d", list[i], list[j], got, want)
			}
		}
	}
}

// Nobody knows the minimum, so the runtimes are those to the targets of the grid, and nothing
// converges in a picture.
func TestUnknownMinimum(t *testing.T) {
	g, runs := byHand()
	g.Cases[0].New = func(seed uint64) (Problem, error) { return unknown{}, nil }
	c := compared(t, g, runs)
	if c.Cases[0].Known || !c.Cases[1].Known || c.Runtimes[0].Pairs != 2 || !strings.Contains(c.Text(), "nobody knows the minimum") {
		t.Errorf("%+v: %+v\n%s", c.Cases, c.Runtimes, c.Text())
	}
	g.Cases[0].New = func(seed uint64) (Problem, error) { return nil, fmt.Errorf("no such thing") }
	if _, err := g.compare(ctx, runs); err == nil || !strings.Contains(err.Error(), "bowl d=2: no such thing") {
		t.Error(err)
	}
	g.Targets = nil
	if _, err := g.compare(ctx, runs); err == nil || !strings.Contains(err.Error(), "Targets") {
		t.Error(err)
	}
}

// unknown is a problem whose minimum nobody knows.
type unknown struct{ Problem }

func (unknown) Minimum() float64 { return math.NaN() }

// made returns a grid with runs that are drawn: in d = 5 and 10, three methods, of which the
// first is better than the second on the first problems and worse on the last.
func made(problems, n int) (Grid, []store.Run) {
	g := Grid{Name: "made", Runs: n, Budget: "50000", Methods: []Method{{Name: "auto"}, {Name: "cmaes"}, {Name: "random-search"}}}
	for k := 10; k >= -40; k -= 5 {
		g.Targets = append(g.Targets, level(k))
	}
	var runs []store.Run
	for _, d := range []int{5, 10} {
		for p := range problems {
			c := Case{Problem: fmt.Sprintf("bbob-%d", p+1), Dim: d}
			g.Cases = append(g.Cases, c)
			for j, m := range g.Methods {
				speed := []float64{1 + float64(p)/2, 2.5, 20}[j] * float64(d)
				for seed := range n {
					runs = append(runs, drawnRun(c, m, uint64(seed), speed))
				}
			}
		}
	}
	return g, runs
}

// drawnRun falls from 1000 to a level at a pace of its own, and stops at 1e-8 or after 50,000
// queries, or somewhere before in one run of four.
func drawnRun(c Case, m Method, seed uint64, speed float64) store.Run {
	stream := rng.Seed(seed).Stream("test", c.Key(), m.Key())
	r := store.Run{Key: store.Key{Problem: c.Key(), Method: m.Key(), Seed: seed}, Status: "budget-spent", Queries: 50_000, Rounds: 70, Recovered: -1}
	end := -40
	if stream.IntN(4) == 0 {
		end = stream.IntN(60) - 45
	}
	q := 1
	for k := 15; k >= max(end, -40); k-- {
		q += 1 + int(speed*(1+10*stream.Float64()))
		if q > 50_000 {
			break
		}
		r.Curve = append(r.Curve, objective.Sample{Queries: q, Value: level(k)})
		r.Gap = level(k)
		if k == -40 {
			r.Status, r.Queries, r.Reached = "target-reached", q, q
		}
	}
	return r
}

// openPlain opens a store of nothing in particular.
func openPlain(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A suite as large as BBOB in four dimensions.
func BenchmarkCompare(b *testing.B) {
	g, runs := made(48, 15)
	for b.Loop() {
		compared(b, g, runs)
	}
}
