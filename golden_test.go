package untwist_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

var update = flag.Bool("update", false, "write testdata/curves.golden anew; say why in CHANGELOG under Numerics")

// The convergence curves of every strategy on a few problems, as they are
// committed. A change that moves one is a change of numerics and has to be
// meant. (On amd64; elsewhere math.Expm1, of which Ackley's function is made,
// has other last bits.)
func TestGoldenCurves(t *testing.T) {
	var out strings.Builder
	for _, name := range strategy.Names() {
		for _, spec := range []problem.Spec{
			{Name: "rastrigin", Dim: 10, Mix: "none"},
			{Name: "squared-norm", Dim: 5, Mix: "paper", Seed: 1},
			{Name: "ackley", Dim: 4, Mix: "orthogonal", Seed: 2},
			{Name: "microring", Dim: 6, Components: 3, Seed: 3},
		} {
			p, err := problem.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			s, err := strategy.Named(name, strategy.Knobs{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := untwist.Minimize(ctx, p, untwist.Options{Strategy: s, Start: p.Domain(), Seed: spec.Seed, Budget: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s on %v: %v\n", name, p, r.Status)
			for _, sample := range r.Curve {
				fmt.Fprintf(&out, "%8d  %.10g\n", sample.Queries, sample.Value)
			}
		}
	}
	const path = "testdata/curves.golden"
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("curves have moved (-committed +now); if this is meant, run go test . -run TestGoldenCurves -update:\n%s", diff)
	}
}
