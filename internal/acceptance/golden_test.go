package acceptance

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// The convergence curves of some strategies on a few problems are those in the golden
// file. A change that moves one is a change of numerics and has to be intended. (This
// holds on amd64. Elsewhere math.Expm1, which Ackley's function uses, differs in its last
// bits.)
func TestGoldenCurves(t *testing.T) {
	var out strings.Builder
	for _, name := range []string{"cbo", "cbo-isotropic", "cmaes"} { // the others use surveys, see below
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
			s, err := untwist.StrategyNamed(name, untwist.Knobs{})
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
	golden(t, "testdata/curves.golden", out.String())
}

// What Probe and strategy auto find has the bits of the golden file, on every path of the
// kernels. (gonum's decompositions give other bits where GOAMD64 lets the compiler fuse
// products with sums, and on other architectures.)
func TestGoldenSurveys(t *testing.T) {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "GOAMD64" && s.Value != "v1" || s.Key == "GOARCH" && s.Value != "amd64" {
				t.Skipf("%s=%s", s.Key, s.Value)
			}
		}
	}
	var out strings.Builder
	bounds := objective.Cube(6, 0, 8)
	for _, spec := range some([]problem.Spec{
		{Name: "rastrigin", Dim: 15},
		{Name: "different-powers", Dim: 12, Seed: 1},
		{Name: "squared-norm", Dim: 10, Seed: 2},
		{Name: "rosenbrock-pairs", Dim: 8, Seed: 3},
		{Name: "levy", Dim: 40, Components: 3, Seed: 4},
		{Name: "ackley", Dim: 5, Seed: 5},
		{Name: "microring", Dim: 6, Seed: 6, Bounds: &bounds},
	}, 3) {
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		o := untwist.Options{Start: p.Domain(), Seed: spec.Seed}
		if spec.Bounds != nil {
			o.Start, o.Bounds = *spec.Bounds, *spec.Bounds
		}
		found, err := untwist.Probe(ctx, p, o)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.New()
		if err := binary.Write(digest, binary.LittleEndian, mat.DenseCopyOf(found.Frame.Matrix()).RawMatrix().Data); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%v: %d queries, %s, frame %x\n", p, found.Queries, found.Certificate.Verdict, digest.Sum(nil)[:8])
		o.Budget = 20_000
		r, err := untwist.Minimize(ctx, p, o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "  auto: %v after %d queries, %v\n", r.Value, r.Queries, r.Status)
	}
	golden(t, "testdata/surveys.golden", out.String())
}

// some returns all of a list where golden files are rewritten, and otherwise a sample of it.
func some[T any](all []T, n int) []T {
	if *flags.Update {
		return all
	}
	return flags.Sample(all, n)
}

// sections splits text before the lines that do not begin with a space.
func sections(text string) (all []string) {
	for line := range strings.Lines(text) {
		if len(all) == 0 || line[0] != ' ' {
			all = append(all, "")
		}
		all[len(all)-1] += line
	}
	return all
}

// golden compares text with the golden file: with the same sample of its sections, if text is one.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *flags.Update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Join(some(sections(string(want)), len(sections(text))), "")
	if diff := cmp.Diff(part, text); diff != "" {
		t.Errorf("%s has moved (-committed +now); if this is meant, run go test ./internal/acceptance -run Golden -update:\n%s", path, diff)
	}
}
