package experiment

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// Section 4: "the CBO schemes are then only allowed to use B − B_H queries". With d = 100 and
// 150 Hessians that is 5,000,000 − 150·2(100²+100) = 1,970,000.
func TestRestOfTheBudget(t *testing.T) {
	if rest := complete(t, Table1{}).rest(); rest != 1_970_000 {
		t.Error(rest)
	}
	if rest := complete(t, Table1{Dim: 4, Budget: 100}).rest(); rest != 0 {
		t.Error(rest)
	}
}

// A run of CBO with a smaller budget is the beginning of the one with a larger budget, to the
// bit. So its successes within B − B_H queries can be read off the runs with B.
func TestCBODoesNotKnowItsBudget(t *testing.T) {
	for _, spec := range []problem.Spec{{Name: "rastrigin", Dim: 4, Mix: "none"}, {Name: "rastrigin", Dim: 4, Seed: 1}, {Name: "squared-norm", Dim: 3}} {
		long := spend(t, spec, strategy.CBO{}, 20_000)
		for b := 1; b < 20_000; b += 1 + b/2 {
			short := spend(t, spec, strategy.CBO{}, b)
			if n := len(short.values); n != min(b, len(long.values)) || !slices.Equal(short.values, long.values[:n]) {
				t.Errorf("%v: another run with a budget of %d", spec, b)
			}
		}
	}
}

// The same of stored runs: what is stored with the smaller budget is what the larger one was
// like by then.
func TestStoredCBODoesNotKnowItsBudget(t *testing.T) {
	runs := map[int][]store.Run{}
	for _, budget := range []int{3000, 30_000} {
		g := complete(t, Table1{Dim: 3, Runs: 2, Budget: budget, Methods: []string{"cbo-on-g", "cbo"}})
		s := open(t, g.Grid(), t.TempDir())
		if err := g.Grid().Run(ctx, s, 1, nil); err != nil {
			t.Fatal(err)
		}
		runs[budget] = stored(t, s)
	}
	succeeded := 0
	for i, long := range runs[30_000] {
		short := runs[3000][i]
		// Only the last sample of a curve depends on where the run ended.
		if long = until(long, 3000); short.Reached != long.Reached || short.Queries != long.Queries || !slices.Equal(short.Curve[:len(long.Curve)], long.Curve) {
			t.Errorf("%v: it is another run with more queries", short.Key)
		}
		if short.Reached > 0 {
			succeeded++
		}
	}
	if succeeded == 0 || succeeded == len(runs[3000]) {
		t.Errorf("%d of %d runs succeed: the test shows too little", succeeded, len(runs[3000]))
	}
}

// Successes within the rest of the budget, by hand: those of CBO are counted, methods that
// look for W and CMA-ES keep theirs, and others have none.
func TestWithinTheRest(t *testing.T) {
	runs := []store.Run{{Reached: 10}, {Reached: 11}, {Reached: 0}}
	for method, want := range map[string]*int{"cbo": new(1), "cbo-on-g": new(1), "transformed": new(2), "cmaes": new(2), published: new(2), "auto": nil} {
		m, err := MethodNamed(method)
		if err != nil {
			t.Fatal(err)
		}
		c := newCell(method, "rastrigin", runs, 4)
		if c.within(m, runs, 10); !cmp.Equal(c.Within, want) {
			t.Errorf("%s: %v", method, c.Within)
		}
	}
}

// Holm's correction over the 24 cells, by hand: p = 0.001 and 0.01 become 24·0.001 and
// 23·0.01, also if other cells are not there. The row as published has its own figure, as if
// it stood in the place of componentwise CBO.
func TestCorrect(t *testing.T) {
	table := Table{Cells: []Cell{
		{Method: "cbo", P: new(0.01), WithinP: new(1.0)},
		{Method: "componentwise", P: new(0.001), WithinP: new(0.002)},
		{Method: published, P: new(0.5), WithinP: new(0.001)},
		{Method: "auto"},
	}}
	table.correct()
	for i, want := range [][2]*float64{{new(23 * 0.01), new(1.0)}, {new(24 * 0.001), new(24 * 0.002)}, {new(1.0), new(24 * 0.001)}, {}} {
		if c := table.Cells[i]; !cmp.Equal([2]*float64{c.Holm, c.WithinHolm}, want) {
			t.Errorf("%+v", c)
		}
	}
}

// Beside others the row as published has 25 runs at most, and by itself all.
func TestRunsOfTheRowAsPublished(t *testing.T) {
	for _, test := range []struct {
		table Table1
		want  int
	}{
		{Table1{}, 4 * (7*100 + 25)}, {Table1{Runs: 10}, 4 * 8 * 10},
		{Table1{Methods: []string{published}}, 4 * 100},
	} {
		if n := complete(t, test.table).Grid().total(); n != test.want {
			t.Errorf("%+v: %d runs, want %d", test.table, n, test.want)
		}
	}
	g := complete(t, Table1{Dim: 2, Runs: 3, Budget: 300, Problems: []string{"levy"}, Methods: []string{"cbo", "cmaes"}}).Grid()
	g.Methods[1].Runs = 2
	s := open(t, g, t.TempDir())
	last := Progress{}
	if err := g.Run(ctx, s, 1, func(p Progress) { last = p }); err != nil || last.Done != 5 || last.Total != 5 {
		t.Errorf("%+v, error %v", last, err)
	}
	c, err := g.Compare(ctx, s)
	if err != nil || c.Total != 5 || c.Done != 5 || c.Cells[0].Runs != 3 || c.Cells[1].Runs != 2 {
		t.Errorf("%+v, error %v", c, err)
	}
}

// Section 3.3: the answer of componentwise CBO is W̃†s. On the squared norm all slices pass
// through the minimiser, so that a point of a slice reaches the target at once; an answer does
// only when it is asked for, after 100 steps.
func TestOnlyAnswersCount(t *testing.T) {
	g := complete(t, Table1{Dim: 4, Runs: 1, Budget: 30_000, Problems: []string{"squared-norm"}, Methods: []string{"componentwise-all-limits", published}})
	s := open(t, g.Grid(), t.TempDir())
	if err := g.Grid().Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	var any, answers store.Run
	for _, r := range stored(t, s) {
		switch r.Method {
		case published:
			answers = r
		case "componentwise-all-limits":
			any = r
		}
	}
	if steps := 100 * 50 * 4; any.Reached == 0 || any.Reached > steps || answers.Reached <= steps || answers.Status == objective.TargetReached.String() {
		t.Errorf("%+v and %+v", any, answers)
	}
}

// A run that is made again by itself is the same to the bit as in a table of several seeds,
// whatever had been made before it.
func TestARunMadeAgain(t *testing.T) {
	all := small(t)
	all.Problems = all.Problems[1:2]
	if *flags.Whole {
		all.Runs, all.Problems = 3, small(t).Problems[:2]
	}
	s := open(t, all.Grid(), t.TempDir())
	if err := all.Grid().Run(ctx, s, 2, nil); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(all.Runs) {
		one := all
		one.Runs, one.Seed = 1, seed
		alone := open(t, one.Grid(), t.TempDir())
		if err := one.Grid().Run(ctx, alone, 1, nil); err != nil {
			t.Fatal(err)
		}
		var want []store.Run
		for _, r := range stored(t, s) {
			if r.Seed == seed {
				want = append(want, r)
			}
		}
		if got := stored(t, alone); !cmp.Equal(got, want) {
			t.Errorf("seed %d: %s", seed, cmp.Diff(want, got))
		}
	}
}

// What is taken from another store has the same table, and the runs that are missing are made.
// Frames stay behind, and of curves what says nothing.
func TestTake(t *testing.T) {
	g := small(t)
	g.Problems = g.Problems[:1]
	dir := t.TempDir()
	from := open(t, g.Grid(), dir)
	if err := g.Grid().Run(ctx, from, 1, nil); err != nil {
		t.Fatal(err)
	}
	to := open(t, g.Grid(), t.TempDir())
	less := g
	less.Runs = 1
	path := dir + "/table1.jsonl"
	for _, want := range []int{8, 0} {
		if n, err := less.Grid().Take(ctx, to, path); n != want || err != nil {
			t.Errorf("%d runs are taken, error %v", n, err)
		}
	}
	if err := g.Grid().Run(ctx, to, 1, nil); err != nil {
		t.Fatal(err)
	}
	key := func(r store.Run) store.Run { r.Curve = corners(r.Curve); return r }
	want := map[store.Key]store.Run{}
	for _, r := range stored(t, from) {
		want[r.Key] = key(r)
	}
	got := stored(t, to)
	for _, r := range got {
		if !cmp.Equal(key(r), want[r.Key]) {
			t.Error(cmp.Diff(want[r.Key], key(r)))
		}
	}
	if len(got) != len(want)-2 { // without the frames of the first seed
		t.Errorf("%d runs of %d", len(got), len(want))
	}
	if _, err := g.Grid().Take(ctx, to, dir+"/none.jsonl"); err == nil {
		t.Error("runs are taken from no file")
	}
}

// Corners by hand. The gap after any number of queries stays the same.
func TestCorners(t *testing.T) {
	curve := []objective.Sample{{Queries: 1, Value: 9}, {Queries: 2, Value: 9}, {Queries: 3, Value: 9}, {Queries: 5, Value: 4}, {Queries: 6, Value: 4}, {Queries: 8, Value: 4}}
	got := corners(curve)
	if want := []objective.Sample{curve[0], curve[2], curve[3], curve[5]}; !cmp.Equal(got, want) {
		t.Error(got)
	}
	for q := range 10 {
		if gapAt(got, q) != gapAt(curve, q) {
			t.Errorf("after %d queries", q)
		}
	}
}
