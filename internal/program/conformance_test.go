package program

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

func init() {
	programs["argument"] = func(args []string) { fmt.Println("f =", f(numbers(args))) }
	programs["files"] = func(args []string) {
		text, err := os.ReadFile(args[0])
		if err != nil {
			os.Exit(1)
		}
		var out strings.Builder
		for line := range strings.Lines(string(text)) {
			fmt.Fprintln(&out, f(numbers(strings.Fields(line))))
		}
		if os.WriteFile(args[1], []byte(out.String()), 0o644) != nil {
			os.Exit(1)
		}
	}
}

// A run on a program is the run on the function, to the last bit, through every protocol,
// for every strategy, with parameters on a logarithmic scale and fixed ones; and so is a
// probe.
func TestRunsOnProgramsAreRunsOnFunctions(t *testing.T) {
	t.Parallel()
	space := func(bounded bool) parameter.Space {
		s := parameter.Space{
			{Name: "k", Low: new(1e-3), High: new(1e2), Log: true, Guess: new(0.3)},
			{Name: "d", Low: new(-2.), High: new(4.)},
			{Name: "n", Fixed: new(3.)},
			{Name: "p", Low: new(0.), High: new(9.)},
		}
		for i, name := range names(4) { // those that the speaker knows
			s[i].Name = name
		}
		if bounded {
			s[1].Min, s[1].Max = s[1].Low, s[1].High
		}
		return s
	}
	strategies, onceBudget := flags.Sample([]string{"auto", "cmaes", "componentwise"}, 2), 30
	if *flags.Whole {
		strategies, onceBudget = untwist.Strategies(), 400
	}
	protocols := map[string]Config{
		"lines":  {Exec: as(t, "speaker", "-protocol", "lines", "-dim", "4")},
		"json":   {Exec: as(t, "speaker", "-protocol", "json", "-dim", "4"), Protocol: JSON, Procs: 2},
		"binary": {Exec: as(t, "speaker", "-protocol", "binary", "-dim", "4"), Protocol: Binary, Procs: 2},
		"eof":    {Exec: as(t, "speaker", "-protocol", "lines", "-dim", "4", "-end"), EOF: true},
		"once":   {Exec: as(t, "argument", "{all}"), Procs: 2},
		"batch":  {Exec: as(t, "files", "{in}", "{out}"), Protocol: Batch},
	}
	for _, name := range strategies {
		for protocol, c := range protocols {
			t.Run(name+", "+protocol, func(t *testing.T) {
				t.Parallel()
				s, err := untwist.StrategyNamed(name, untwist.Knobs{})
				if err != nil {
					t.Fatal(err)
				}
				framed := strings.Contains("reparametrised transformed componentwise", name)
				o := untwist.Options{Strategy: s, Parameters: space(!framed), Budget: 400, Seed: 5}
				if framed { // the paper's methods take no bounds
					o.Frame = frame.Identity(3)
				}
				if protocol == "once" || protocol == "batch" || protocol == "eof" {
					o.Budget = onceBudget
				}
				want, err := untwist.Minimize(t.Context(), objective.Func(4, f), o)
				if err != nil {
					t.Fatal(err)
				}
				c.Names = parameter.Space(o.Parameters).Names()
				p, err := New(c)
				if err != nil {
					t.Fatal(err)
				}
				got, err := untwist.Minimize(t.Context(), p, o)
				if closed := p.Close(); err != nil || closed != nil {
					t.Fatal(err, closed)
				}
				if diff := cmp.Diff(want, got, shallow...); diff != "" {
					t.Errorf("the function and the program part:\n%s", diff)
				}
			})
		}
	}
	t.Run("probe", func(t *testing.T) {
		t.Parallel()
		o := untwist.Options{Parameters: space(true), Budget: 600, Seed: 5}
		want, err := untwist.Probe(t.Context(), objective.Func(4, f), o)
		if err != nil {
			t.Fatal(err)
		}
		c := protocols["lines"]
		c.Names = parameter.Space(o.Parameters).Names()
		p, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := untwist.Probe(t.Context(), p, o)
		if closed := p.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if diff := cmp.Diff(want, got, shallow...); diff != "" {
			t.Errorf("the function and the program part:\n%s", diff)
		}
	})
}

// shallow compares frames and matrices by their numbers.
var shallow = []cmp.Option{
	cmp.Comparer(func(a, b *mat.Dense) bool { return a == b || a != nil && b != nil && mat.Equal(a, b) }),
	cmp.Comparer(func(a, b *frame.Frame) bool {
		return a == b || a != nil && b != nil && mat.Equal(a.Matrix(), b.Matrix())
	}),
	cmpopts.EquateNaNs(),
}
