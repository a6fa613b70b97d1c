package jointdiag

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// perturbed returns w + E, the entries of E Gaussian of a size.
func perturbed(w *mat.Dense, size float64, stream *rng.Stream) *mat.Dense {
	wrong := mat.DenseCopyOf(w)
	e := make([]float64, len(wrong.RawMatrix().Data))
	stream.Norm(e)
	for k := range e {
		wrong.RawMatrix().Data[k] += float64(size * e[k])
	}
	return wrong
}

// From a W̃ that is a little wrong, Improve comes to where Diagonalise comes from nothing, and
// to the true W. Started there it stays.
func TestImproveIsDiagonalise(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(rt, "d")
		k := rapid.IntRange(3, 6).Draw(rt, "K")
		stream := rng.Seed(rapid.Uint64().Draw(rt, "seed")).Stream("test")
		w, hs := mixture(d, k, stream)
		cond := mat.Cond(w, 2)
		if cond > 100 {
			rt.Skip("nearly singular")
		}
		wrong := perturbed(w, 0.01/cond, stream)
		given := mat.DenseCopyOf(wrong)
		warm, err := Improve(hs, wrong)
		if err != nil {
			rt.Fatal(err)
		}
		if !mat.Equal(wrong, given) {
			rt.Fatal("it changes what it is given")
		}
		cold, err := Diagonalise(hs, stream)
		if err != nil {
			rt.Fatal(err)
		}
		bound := 1e-14 * cond * cond // as in TestDiagonaliseFindsW
		if c := compare(t, w, warm.W); !(c.Error() <= bound) {
			rt.Fatalf("error %g at condition %g after %d sweeps", c.Error(), cond, warm.Sweeps)
		}
		if c := compare(t, cold.W, warm.W); !(c.Error() <= 2*bound) {
			rt.Fatalf("%g from the cold start's at condition %g", c.Error(), cond)
		}
		if off := math.Sqrt(warm.off()); !(off <= 1e-12*cond) {
			rt.Fatalf("%g left off the diagonals", off)
		}
		again, err := Improve(hs, warm.W)
		if err != nil {
			rt.Fatal(err)
		}
		if !mat.EqualApprox(again.W, warm.W, 1e-12*cond) {
			rt.Fatalf("it leaves a right W̃:\n%v\n%v", mat.Formatted(warm.W), mat.Formatted(again.W))
		}
	})
}

// By hand: W = I and D_1 = diag(2, 0), D_2 = diag(0, 2), so λ_i has mean square 2 and W̃ = √[4]{2}·I.
// From twice that it is the same, since rows are scaled, and there is nothing to do: one sweep
// to see it.
func TestImproveLeavesARightFrame(t *testing.T) {
	hs := []*mat.Dense{mat.NewDense(2, 2, []float64{2, 0, 0, 0}), mat.NewDense(2, 2, []float64{0, 0, 0, 2})}
	root := math.Sqrt(math.Sqrt2)
	for _, scale := range []float64{1, root, 2} {
		j, err := Improve(hs, mat.NewDense(2, 2, []float64{scale, 0, 0, scale}))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(j.W, mat.NewDense(2, 2, []float64{root, 0, 0, root}), 1e-15) || j.Sweeps != 1 {
			t.Errorf("from %v·I it comes to %v in %d sweeps", scale, j.W.RawMatrix().Data, j.Sweeps)
		}
	}
}

// It needs fewer sweeps the nearer it starts, and draws nothing: at d = 100 two or three from
// 1e-6, where all Hessians but one are as they were.
func TestImproveIsShort(t *testing.T) {
	stream := rng.Seed(1).Stream("test")
	w, hs := mixture(100, 4, stream)
	j, err := Improve(hs, perturbed(w, 1e-6, stream))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sweeps, error %.1e", j.Sweeps, compare(t, w, j.W).Error())
	if c := compare(t, w, j.W); !(c.Error() <= 1e-9) || j.Sweeps > 5 {
		t.Errorf("error %g after %d sweeps", c.Error(), j.Sweeps)
	}
}

// What is no start is an error, or a panic that says so.
func TestImproveFromNothing(t *testing.T) {
	stream := rng.Seed(2).Stream("test")
	w, hs := mixture(3, 3, stream)
	if _, err := Improve(hs, mat.NewDense(3, 3, nil)); !errors.Is(err, ErrSingular) {
		t.Errorf("from 0: error %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		broken := mat.DenseCopyOf(w)
		broken.Set(1, 2, bad)
		if _, err := Improve(hs, broken); !errors.Is(err, ErrNotFinite) {
			t.Errorf("with %v: error %v", bad, err)
		}
		if _, err := Improve([]*mat.Dense{hs[0], broken}, w); !errors.Is(err, ErrNotFinite) {
			t.Errorf("a Hessian with %v: error %v", bad, err)
		}
	}
	defer func() {
		if said, want := fmt.Sprint(recover()), "jointdiag: w is 2×3, need 3×3"; said != want {
			t.Errorf("panic %q, want %q", said, want)
		}
	}()
	_, _ = Improve(hs, mat.NewDense(2, 3, nil))
}
