package acceptance

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// The members of the CBO family ask, at their defaults, for the points of the golden file, to
// the bit: a new variant leaves them as they are. The frame of the paper's three methods is
// given, so that no decomposition of gonum has a part but its inverse. (This holds on amd64.)
func TestGoldenBits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip(runtime.GOARCH)
	}
	var out strings.Builder
	for _, name := range []string{"cbo", "cbo-isotropic", "transformed", "reparametrised", "componentwise", "online"} {
		for _, spec := range some([]problem.Spec{
			{Name: "rastrigin", Dim: 7, Mix: "paper", Seed: 1},
			{Name: "different-powers", Dim: 4, Mix: "paper", Seed: 2},
		}, 1) {
			p, err := problem.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			s, err := untwist.StrategyNamed(name, untwist.Knobs{})
			if err != nil {
				t.Fatal(err)
			}
			digest := sha256.New()
			o := untwist.Options{Strategy: s, Start: p.Domain(), Seed: spec.Seed, Budget: 40_000,
				Seen: func(_ int, point []float64, a objective.Answer) {
					if err := binary.Write(digest, binary.LittleEndian, append(point[:len(point):len(point)], a.Value)); err != nil {
						t.Fatal(err)
					}
				}}
			if s.Name() == "transformed" || s.Name() == "reparametrised" || s.Name() == "componentwise" {
				o.Frame = p.Frame()
			}
			r, err := untwist.Minimize(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s on %v: %d queries, %v, all %x\n", name, p, r.Queries, r.Status, digest.Sum(nil)[:8])
		}
	}
	golden(t, "testdata/bits.golden", out.String())
}
