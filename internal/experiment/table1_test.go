package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

var ctx = context.Background()

// complete returns a grid with the defaults filled in.
func complete(t *testing.T, g Table1) Table1 {
	t.Helper()
	if err := g.Complete(); err != nil {
		t.Fatal(err)
	}
	return g
}

// stored returns all runs of a store, without their times.
func stored(t *testing.T, s *store.Store) []store.Run {
	t.Helper()
	runs, err := s.All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		runs[i].Seconds, runs[i].Own = 0, 0
	}
	return runs
}

// open opens a grid's store in a folder.
func open(t *testing.T, g interface {
	OpenStore(context.Context, string) (*store.Store, error)
}, dir string) *store.Store {
	t.Helper()
	s, err := g.OpenStore(ctx, filepath.Join(dir, "table1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// small is a grid that takes a second, or less without -whole.
func small(t *testing.T) Table1 {
	if *flags.Whole {
		return complete(t, Table1{Dim: 5, Runs: 2, Budget: 4000})
	}
	return complete(t, Table1{Dim: flags.Usually(4, 3), Runs: 2, Budget: flags.Usually(1500, 400)})
}

// The paper's table is the default.
func TestDefaultsAreThePapers(t *testing.T) {
	g := complete(t, Table1{})
	want := Table1{
		Problems: []string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers"},
		Methods:  []string{"cbo-on-g", "cbo", "reparametrised", "transformed", "componentwise", "componentwise-published", "cmaes", "auto"},
		Dim:      100, Runs: 100, Budget: 5_000_000, Gap: 0.005, Mix: "paper",
	}
	if !cmp.Equal(g, want) || !g.likePaper() {
		t.Error(cmp.Diff(want, g))
	}
	complete(t, Table1{Seed: math.MaxUint64 - 2, Runs: 3})
	if g := complete(t, Table1{Dim: 10}); g.Budget != 50_000 || g.likePaper() {
		t.Error(g)
	}
}

func TestBadGrids(t *testing.T) {
	for _, test := range []struct {
		grid         Table1
		option, text string
	}{
		{Table1{Problems: []string{"rastrgin"}}, "Problems", `unknown problem "rastrgin": must be one of rastrigin,`},
		{Table1{Problems: []string{}}, "Problems", "none are named"},
		{Table1{Problems: []string{"bbob-1"}}, "Problems", "bbob-1 cannot be in this table: "},
		{Table1{Mix: "block"}, "Problems", "rastrigin cannot be in this table: block is for "},
		{Table1{Mix: "block", Problems: []string{"bbob-1"}}, "Methods", "cbo-on-g runs on the unmixed function, which bbob-1 does not have"},
		{Table1{Methods: []string{"CBO"}}, "Methods", `unknown method "CBO": must be one of cbo-on-g,`},
		{Table1{Methods: []string{"identification"}}, "Methods", "unknown method"},
		{Table1{Methods: []string{"cbo", "auto", "cbo"}}, "Methods", `"cbo" is named twice`},
		{Table1{Dim: -1}, "Dim", "at least 1"},
		{Table1{Dim: 1 << 40}, "Dim", "must be at most 10000"},
		{Table1{Runs: math.MaxInt}, "Runs", "must be at most 1000000"},
		{Table1{Seed: math.MaxUint64 - 1, Runs: 3}, "Seed", "too large for 3 consecutive seeds"},
		{Table1{Runs: -3}, "Runs", "at least 1"},
		{Table1{Budget: -1}, "Budget", "at least 1"},
		{Table1{Gap: -1}, "Gap", "above 0"},
		{Table1{Gap: math.NaN()}, "Gap", "above 0"},
		{Table1{Mix: "shaken"}, "Mix", "unknown mixing matrix"},
		{Table1{Seed: math.MaxUint64}, "Seed", "too large for 100 consecutive seeds"},
	} {
		err := test.grid.Complete()
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != test.option || !strings.Contains(bad.Reason, test.text) {
			t.Errorf("%+v: %v", test.grid, err)
		}
	}
}

// A version whose runs differ must not add to an existing store. When this test fails,
// the golden files have changed. Raise untwist.Numerics if methods of the table give
// other results now, and put the new sum here.
func TestNumericsAreTheGoldenOnes(t *testing.T) {
	const sum, at = "5e27d57741978fe5", 13
	h := sha256.New()
	for _, name := range []string{"curves.golden", "surveys.golden"} {
		data, err := os.ReadFile(filepath.Join("..", "acceptance", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	if got := hex.EncodeToString(h.Sum(nil))[:16]; got != sum || untwist.Numerics != at {
		t.Errorf("the golden files have the sum %s and untwist.Numerics is %d", got, untwist.Numerics)
	}
}

// Every strategy that has a name is a method.
func TestEveryStrategyIsAMethod(t *testing.T) {
	for _, name := range untwist.Strategies() {
		if !slices.ContainsFunc(methods, func(m Method) bool { return m.Strategy.Name() == name }) {
			t.Errorf("%s is none", name)
		}
	}
}
