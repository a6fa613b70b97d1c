package identify

import (
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/problem"
)

// surveyed draws a problem with a map around it and surveys it.
func surveyedUnder(t *testing.T, spec problem.Spec) (*problem.Problem, *Finding, int) {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	f := query.NewMeter(p, 500*spec.Dim*spec.Dim)
	found, err := Survey{}.Identify(ctx, f, Request{Box: p.Domain(), Seed: spec.Seed})
	if err != nil {
		t.Fatal(err)
	}
	return p, found, f.Queries()
}

// names are what surveys call the maps of package problem.
var names = map[string]string{"sqrt": outer.Root, "log": outer.Logarithm, "square": outer.Square, "exp": outer.Exponential, "rms": outer.Root}

// A sum under each map: the frame is right, the map has its name, ψ(f) is certified,
// and all that takes at most twice the queries of the sum itself. No seed may fail at this
// size; of 108 runs with d = 40 none did.
func TestSurveysUnderMaps(t *testing.T) {
	dims, seeds, functions := []int{flags.Usually(10, 6)}, uint64(1), []string{"rastrigin-like"}
	if *flags.Whole {
		dims, seeds, functions = []int{20, 40, 100}, 15, []string{"rastrigin", "rastrigin-like", "levy"}
	}
	for _, d := range dims {
		for _, name := range functions {
			for _, mix := range flags.Sample([]string{"paper", "orthogonal"}, 1) {
				for outside := range names {
					failed := 0
					for seed := range seeds {
						spec := problem.Spec{Name: name, Dim: d, Mix: mix, Seed: seed}
						_, _, plain := surveyedUnder(t, spec)
						spec.Blemishes.Map = outside
						p, found, queries := surveyedUnder(t, spec)
						if found.Certificate.Verdict != certify.Separable || found.Map == nil || found.Map.Name() != names[outside] ||
							!(frame.Compare(p.Frame(), found.Frame).Error() <= right) || queries > 2*plain+1000 {
							failed++
							t.Logf("%s, %s, %s, d = %d, seed %d: %v, map %+v, %d queries after %d", name, mix, outside, d, seed, found.Certificate.Verdict, found.Map, queries, plain)
						}
					}
					if failed > int(seeds)/15 {
						t.Errorf("%s, %s, %s, d = %d: %d of %d failed", name, mix, outside, d, failed, seeds)
					}
				}
			}
		}
	}
}

// Few components under a map, and blocks under one.
func TestFewComponentsAndBlocksUnderMaps(t *testing.T) {
	p, found, _ := surveyedUnder(t, problem.Spec{Name: "levy", Dim: flags.Usually(30, 10), Components: flags.Usually(6, 3), Seed: 1, Blemishes: problem.Blemishes{Map: "log"}})
	if found.Certificate.Verdict != certify.Separable || found.Map == nil || found.Frame.Components() != p.Frame().Components() || frame.Compare(p.Frame(), found.Frame).Error() > right {
		t.Errorf("few components: %v, map %v", found.Certificate, found.Map)
	}
	right, seeds, d := 0, flags.Usually(2, 1), flags.Usually(12, 5)
	for seed := range uint64(seeds) { // of 120 runs in 12 dimensions 112 were right
		_, found, _ := surveyedUnder(t, problem.Spec{Name: "ridge-blocks", Dim: d, Seed: seed, Blemishes: problem.Blemishes{Map: "sqrt"}})
		if found.Certificate.Verdict == certify.Blocks && found.Map != nil && found.Map.Name() == outer.Root && len(found.Blocks) == (d+3)/4 {
			right++
		}
	}
	if right < seeds {
		t.Errorf("blocks: %d of %d right", right, seeds)
	}
}

// Functions without a map have none, and their verdicts are those they had before: over the
// first problems of the catalogue at d = 10, or where tests are quick a third of them at d = 5, and with -whole at d = 30 with 20 seeds.
func TestNoMapWhereThereIsNone(t *testing.T) {
	dims, seeds := []int{flags.Usually(10, 5)}, uint64(1)
	if *flags.Whole {
		dims, seeds = []int{10, 30}, 20
	}
	all := problem.Catalogue()
	for _, e := range flags.Sample(all, len(all)/3) {
		if e.Map != "" {
			continue
		}
		for _, mix := range []string{"paper", "orthogonal"} {
			if !*flags.Whole && mix == "orthogonal" {
				continue
			}
			for _, d := range dims {
				for seed := range seeds {
					p, err := problem.New(problem.Spec{Name: e.Name, Dim: d, Mix: mix, Seed: seed})
					if err != nil {
						continue // bbob's have rotations of their own
					}
					f := query.NewMeter(p, 500*d*d)
					if found, _ := (Survey{}).Identify(ctx, f, Request{Box: p.Domain(), Seed: seed}); found.Map != nil {
						t.Errorf("%s, %s, d = %d, seed %d: %s", e.Name, mix, d, seed, found.Map.Name())
					}
				}
			}
		}
	}
}
