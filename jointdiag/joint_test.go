package jointdiag

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// mixture returns W (d×d, rows of length 1) and K matrices WᵀD_kW.
func mixture(d, k int, stream *rng.Stream) (*mat.Dense, []*mat.Dense) {
	w := rng.Sphere(d, d, stream)
	var hs []*mat.Dense
	for range k {
		lambda := make([]float64, d)
		stream.Norm(lambda)
		hs = append(hs, ridges(w, lambda))
	}
	return w, hs
}

// ridges returns Σ_j λ_j w_j⊗w_j for the rows of w.
func ridges(w *mat.Dense, lambda []float64) *mat.Dense {
	_, d := w.Dims()
	h := mat.NewDense(d, d, nil)
	for j, l := range lambda {
		row := w.RawRowView(j)
		for i := range d {
			kernel.AddScaled(h.RawRowView(i), l*row[i], row)
		}
	}
	return h
}

func compare(t testing.TB, truth, estimate *mat.Dense) frame.Comparison {
	t.Helper()
	a, err := frame.New(truth)
	if err != nil {
		t.Fatal(err)
	}
	b, err := frame.New(estimate)
	if err != nil {
		t.Fatal(err)
	}
	return frame.Compare(a, b)
}

// "Two Hessians know everything": two matrices WᵀDW give W, three as well.
func TestDiagonaliseFindsW(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(rt, "d")
		k := rapid.IntRange(2, 5).Draw(rt, "K")
		stream := rng.Seed(rapid.Uint64().Draw(rt, "seed")).Stream("test")
		w, hs := mixture(d, k, stream)
		cond := mat.Cond(w, 2)
		if cond > 1e3 {
			rt.Skip("nearly singular")
		}
		j, err := Diagonalise(hs, stream)
		if err != nil {
			rt.Fatal(err)
		}
		// Of 4,000 draws the worst error is 4e-16 cond², and 3e-14 cond² for
		// K = 2, where nothing helps if two eigenvalues of the pencil are close.
		bound := 1e-14 * cond * cond
		if k == 2 {
			bound = 1e-12 * cond * cond
		}
		if c := compare(t, w, j.W); !(c.Error() <= bound) {
			rt.Fatalf("error %g at condition %g after %d sweeps", c.Error(), cond, j.Sweeps)
		}
		if off := math.Sqrt(j.off()); !(off <= 1e-12*cond) {
			rt.Fatalf("%g left off the diagonals", off)
		}
	})
}

// The paper's size, from exact Hessians.
func TestDiagonaliseAtOneHundred(t *testing.T) {
	stream := rng.Seed(1).Stream("test")
	w, hs := mixture(100, 3, stream)
	j, err := Diagonalise(hs, stream)
	if err != nil {
		t.Fatal(err)
	}
	c := compare(t, w, j.W)
	t.Logf("condition %.0f: error %.1e, coupling %.1e, %d sweeps", mat.Cond(w, 2), c.Error(), c.Coupling, j.Sweeps)
	if !(c.Error() <= 1e-9) || j.Sweeps > 12 {
		t.Errorf("error %g after %d sweeps", c.Error(), j.Sweeps)
	}
}

// From a W̃ that is wrong by 0.1, 1e-2, … a sweep squares the error.
func TestSweepsConvergeQuadratically(t *testing.T) {
	stream := rng.Seed(2).Stream("test")
	w, hs := mixture(10, 4, stream)
	j, err := Diagonalise(hs, stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []float64{1e-2, 1e-3, 1e-4} {
		wrong := mat.DenseCopyOf(w)
		noise := rng.Sphere(10, 10, stream)
		noise.Scale(size, noise)
		wrong.Add(wrong, noise)
		if j.W = wrong; !j.transform() {
			t.Fatal("singular")
		}
		before := compare(t, w, j.W).Coupling
		j.sweep()
		if after := compare(t, w, j.W).Coupling; !(after <= 100*before*before) {
			t.Errorf("a sweep takes the error from %.1e to %.1e", before, after)
		}
	}
}

// Proportional curvatures cannot be told apart, and need not be: the result
// diagonalises all the same. So with a quadratic, all of whose Hessians are one.
func TestDegenerateSpectra(t *testing.T) {
	stream := rng.Seed(3).Stream("test")
	w := rng.Sphere(6, 6, stream)
	var proportional, constant []*mat.Dense
	for range 4 {
		lambda := make([]float64, 6)
		stream.Norm(lambda)
		lambda[1], lambda[2] = 3*lambda[0], -lambda[0]
		proportional = append(proportional, ridges(w, lambda))
		constant = append(constant, ridges(w, []float64{1, 2, 3, 4, 5, 6}))
	}
	for name, hs := range map[string][]*mat.Dense{"proportional": proportional, "constant": constant} {
		j, err := Diagonalise(hs, stream)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c := mat.Max(j.Couplings()); !(c <= 1e-9) {
			t.Errorf("%s: couplings up to %g are left", name, c)
		}
	}
}

// Pairs that f couples keep their coupling, others lose it.
func TestCouplingsShowTheBlocks(t *testing.T) {
	stream := rng.Seed(4).Stream("test")
	w := rng.Sphere(6, 6, stream)
	var hs []*mat.Dense
	for range 8 {
		// Blocks {0,1}, {2,3}, {4}, {5}: random symmetric blocks.
		d := mat.NewDense(6, 6, nil)
		for i := range 6 {
			d.Set(i, i, stream.NormFloat64())
		}
		for _, i := range []int{0, 2} {
			c := stream.NormFloat64()
			d.Set(i, i+1, c)
			d.Set(i+1, i, c)
		}
		var h mat.Dense
		h.Product(w.T(), d, w)
		hs = append(hs, &h)
	}
	j, err := Diagonalise(hs, stream)
	if err != nil {
		t.Fatal(err)
	}
	strong, weak := 0, 0
	c := j.Couplings()
	for a := range 6 {
		for b := range a {
			switch v := c.At(a, b); {
			case v > 0.05:
				strong++
			case v < 1e-6:
				weak++
			}
		}
	}
	if strong != 2 || weak != 13 {
		t.Errorf("%d strong couplings and %d weak ones, want 2 and 13:\n%.1e", strong, weak, mat.Formatted(c))
	}
}

func TestDiagonaliseWithoutCurvature(t *testing.T) {
	stream := rng.Seed(5).Stream("test")
	w := rng.Sphere(3, 5, stream)
	hs := []*mat.Dense{ridges(w, []float64{1, 2, 3}), ridges(w, []float64{3, -1, 2}), ridges(w, []float64{1, 1, 4})}
	if _, err := Diagonalise(hs, stream); !errors.Is(err, ErrSingular) {
		t.Errorf("three components in five dimensions: error %v", err)
	}
	zero := mat.NewDense(4, 4, nil)
	if _, err := Diagonalise([]*mat.Dense{zero, zero, zero}, stream); !errors.Is(err, ErrSingular) {
		t.Errorf("error %v", err)
	}
}

// Entries that are not finite are an error, parts of larger matrices are taken as they
// are, and what is no set of matrices is a panic that says so. Nothing is changed.
func TestDiagonaliseOfOddMatrices(t *testing.T) {
	stream := rng.Seed(6).Stream("test")
	w, hs := mixture(4, 3, stream)
	var before, parts []*mat.Dense
	for _, h := range hs {
		before = append(before, mat.DenseCopyOf(h))
		large := mat.NewDense(6, 7, nil)
		part := large.Slice(1, 5, 2, 6).(*mat.Dense)
		part.Copy(h)
		parts = append(parts, part)
	}
	for name, given := range map[string][]*mat.Dense{"whole": hs, "parts": parts} {
		j, err := Diagonalise(given, rng.Seed(7).Stream("test"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c := compare(t, w, j.W); !(c.Error() <= 1e-9) {
			t.Errorf("%s: error %g", name, c.Error())
		}
		for k := range given {
			if !mat.Equal(given[k], before[k]) {
				t.Errorf("%s: matrix %d has changed", name, k)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		hs[1].Set(2, 3, bad)
		if _, err := Diagonalise(hs, stream); !errors.Is(err, ErrNotFinite) {
			t.Errorf("with %v: error %v", bad, err)
		}
	}
	for want, given := range map[string][]*mat.Dense{
		"jointdiag: need at least 2 matrices, not 0": {},
		"jointdiag: need at least 2 matrices, not 1": {mat.NewDense(2, 2, nil)},
		"jointdiag: matrix 1 is 2×3, need 2×2":       {mat.NewDense(2, 3, nil), mat.NewDense(2, 2, nil)},
		"jointdiag: matrix 2 is 3×3, need 2×2":       {mat.NewDense(2, 2, nil), mat.NewDense(3, 3, nil)},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); said != want {
					t.Errorf("panic %q, want %q", said, want)
				}
			}()
			_, _ = Diagonalise(given, stream)
		}()
	}
}

// By hand: −4 = W̃ᵀ(−1)W̃ with W̃ = ±2.
func TestDiagonaliseOneDimension(t *testing.T) {
	stream := rng.Seed(8).Stream("test")
	one := mat.NewDense(1, 1, []float64{-4})
	j, err := Diagonalise([]*mat.Dense{one, one}, stream)
	if err != nil || math.Abs(math.Abs(j.W.At(0, 0))-2) > 1e-14 || math.Abs(j.Lambda.At(0, 0)+1) > 1e-14 {
		t.Errorf("W̃ = %v, error %v", j, err)
	}
}

// The rows of a pencil of matrices of two blocks lie each in one of them, though no W̃ diagonalises the matrices.
func TestPencilOfBlocks(t *testing.T) {
	const d, k = 6, 4
	stream := rng.Seed(1).Stream("test")
	var all []*mat.Dense
	for range k {
		h := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range i + 1 {
				if i/3 == j/3 {
					v := stream.NormFloat64()
					h.Set(i, j, v)
					h.Set(j, i, v)
				}
			}
		}
		all = append(all, h)
	}
	w := Pencil(all, stream)
	if w == nil {
		t.Fatal("no pencil")
	}
	for i := range d {
		var of [2]float64
		for j, v := range w.RawRowView(i) {
			of[j/3] += v * v
		}
		if least := min(of[0], of[1]) / (of[0] + of[1]); least > 1e-20 {
			t.Errorf("row %d is in both blocks: %v", i, of)
		}
	}
}
