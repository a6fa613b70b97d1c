package identify

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/powermethod"
	"gonum.org/v1/gonum/mat"
)

// Section 4: with 1.5d Hessians in a ball of radius 20, ε = 1e-3, and 8d starts
// of 200 steps, m is found by the gap and at least 98 % of the weights are
// recovered to 1e-4; with deflation all. The queries are N_H·2(d²+d), exactly.
// On the squared norm the span has one dimension.
func TestThePapersRoad(t *testing.T) {
	d, seeds := 15, uint64(flags.Usually(2, 1))
	if *flags.Whole {
		d, seeds = 100, 10
	}
	for _, name := range []string{"rastrigin", "rastrigin-like", "different-powers", "squared-norm"} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				p := draw(t, name, d, "paper", seed)
				meter := query.NewMeter(p, 1<<40)
				by := Paper{
					Samples: 3 * d / 2, Region: hessian.Ball{Radius: 20 * math.Sqrt(float64(d)/100)}, Step: 1e-3,
					Rank: powermethod.WidestGap{}, Power: powermethod.Method{Restarts: 8 * d, Deflate: true}, Unfilled: true,
				}
				r, err := by.Recover(ctx, meter, Request{Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if want := by.Samples * 2 * (d*d + d); meter.Queries() != want {
					t.Errorf("%d queries, want %d", meter.Queries(), want)
				}
				if name == "squared-norm" {
					if r.Subspace.Rank() != 1 {
						t.Errorf("rank %d, want 1", r.Subspace.Rank())
					}
					return
				}
				if r.Subspace.Rank() != d || r.Found != d {
					t.Fatalf("rank %d, %d found, want %d; σ %v", r.Subspace.Rank(), r.Found, d, r.Subspace.Singular)
				}
				once, err := powermethod.Method{Restarts: 8 * d}.Directions(ctx, r.Subspace, rng.Seed(seed).Stream("identify", "power"))
				if err != nil {
					t.Fatal(err)
				}
				deflated, plain := recovered(t, p.Frame(), r.Directions), recovered(t, p.Frame(), once)
				t.Logf("recovered to 1e-4: %d of %d without deflation, %d with it", plain, d, deflated)
				if deflated != d || plain < (98*d)/100 {
					t.Errorf("recovered %d of %d without deflation, %d with it", plain, d, deflated)
				}
			})
		}
	}
}

// recovered returns how many rows of the truth are among directions, to 1e-4.
func recovered(t *testing.T, truth *frame.Frame, directions *mat.Dense) int {
	t.Helper()
	estimate, err := frame.New(directions)
	if err != nil {
		t.Fatal(err)
	}
	return frame.Compare(truth, estimate).Recovered(1e-4)
}

// There may be more singular values above a threshold than dimensions, from rounding in
// the Hessians of different powers far out, and then more directions: a frame has at most
// d.
func TestNeverMoreDirectionsThanDimensions(t *testing.T) {
	p := draw(t, "different-powers", 10, "paper", 6)
	r, err := Paper{}.Recover(ctx, query.NewScale(p, p.Domain(), objective.Cube(10, math.Inf(-1), math.Inf(1))), Request{Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := r.Directions.Dims(); n != 10 || r.Subspace.Rank() <= 10 {
		t.Errorf("%d directions of a subspace of rank %d", n, r.Subspace.Rank())
	}
}

// Where the Hessians span all of 𝒲, both selections give the same frame, to the bit. On the
// squared norm they span one dimension: one limit is kept, or many, of which the rows may be
// dependent and are a frame all the same.
func TestThePapersRoadWithAllLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		d    int
		same bool
	}{{"rastrigin", flags.Usually(10, 6), true}, {"squared-norm", flags.Usually(60, 45), false}} {
		p := draw(t, c.name, c.d, "paper", 0)
		var found []*Finding
		for _, by := range []Paper{{}, allLimits} {
			f, err := by.Identify(ctx, p, Request{Box: p.Domain()})
			if err != nil {
				t.Fatalf("%s on %s: %v", by.Name(), c.name, err)
			}
			found = append(found, f)
		}
		w, all := found[0].Frame.Matrix(), found[1].Frame.Matrix()
		if mat.Equal(w, all) != c.same {
			t.Errorf("%s: the same frame is %v", c.name, !c.same)
		}
		if !c.same && !(mat.Cond(all, 2) > 1e6*mat.Cond(w, 2)) {
			t.Errorf("%s: the condition number is %g, and with one limit %g", c.name, mat.Cond(all, 2), mat.Cond(w, 2))
		}
	}
}
