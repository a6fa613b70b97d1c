package hessian_test

import (
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// symmetric returns a random matrix WᵀDW, with rows of W of length 1 and D diagonal.
func symmetric(d int, stream *rng.Stream) *mat.Dense {
	w := rng.Sphere(d, d, stream)
	scaled := mat.DenseCopyOf(w)
	for i := range d {
		scale := stream.NormFloat64()
		for k := range d {
			scaled.Set(i, k, scale*w.At(i, k))
		}
	}
	return kernel.Times(mat.DenseCopyOf(w.T()), scaled)
}

// sandwich returns ahaᵀ.
func sandwich(a, h *mat.Dense) *mat.Dense {
	return kernel.Times(kernel.Times(a, h), mat.DenseCopyOf(a.T()))
}

// seeing is the coordinates as a basis that has seen some Hessians.
func seeing(d int, hs ...*mat.Dense) hessian.Basis {
	b := hessian.Orthonormal(kernel.Identity(d))
	b.Seen = hs
	return b
}

// "Whitening": along the new directions one Hessian has the same size everywhere, and
// the duals are dual.
func TestWhitening(t *testing.T) {
	stream := rng.Seed(6).Stream("test")
	h := symmetric(7, stream)
	white, err := seeing(7, h).Whitened()
	if err != nil {
		t.Fatal(err)
	}
	m := sandwich(white.T, h)
	for i := range 7 {
		for j := range 7 {
			if want := math.Abs(m.At(0, 0)); i == j && math.Abs(math.Abs(m.At(i, i))-want) > 1e-9*want || i != j && math.Abs(m.At(i, j)) > 1e-9*want {
				t.Fatalf("along the new directions H is %v", mat.Formatted(m))
			}
		}
	}
	pairing := kernel.Times(white.T, mat.DenseCopyOf(white.Dual.T()))
	if !mat.EqualApprox(pairing, kernel.Identity(7), 1e-12) {
		t.Errorf("T·T*ᵀ = %v", mat.Formatted(pairing))
	}
	// What was seen is what the stencil would see: H along the new directions.
	turned := sandwich(white.T, h)
	if !mat.EqualApprox(turned, white.Seen[0], 1e-9*mat.Norm(turned, 2)) {
		t.Error("a Hessian was not turned with the directions")
	}
	if _, err := seeing(2, mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e190})).Whitened(); !errors.Is(err, hessian.ErrNotFinite) {
		t.Errorf("a Hessian whose square overflows: %v", err)
	}
	if _, err := seeing(2, mat.NewDense(2, 2, nil)).Whitened(); !errors.Is(err, hessian.ErrFlat) {
		t.Errorf("a Hessian of 0 was whitened: error %v", err)
	}
}

// Several Hessians: with S² = mean_k H_k² the new directions make TSTᵀ = λI, λ the median
// of the eigenvalues of S.
func TestWhiteningBySeveralHessians(t *testing.T) {
	stream := rng.Seed(9).Stream("test")
	const d = 5
	var hs []*mat.Dense
	mean := mat.NewSymDense(d, nil)
	for range 3 {
		h := symmetric(d, stream)
		hs = append(hs, h)
		mean.AddSym(mean, kernel.Symmetrised(kernel.Times(h, h), 1./3))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mean, true) {
		t.Fatal("no eigenvalues")
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	root := mat.NewDense(d, d, nil) // S
	lambda := eigen.Values(nil)
	for i := range lambda {
		lambda[i] = math.Sqrt(lambda[i])
		root.Set(i, i, lambda[i])
	}
	root = sandwich(&v, root)
	white, err := seeing(d, hs...).Whitened()
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(d, d, nil)
	want.Scale(lambda[d/2], kernel.Identity(d))
	if got := sandwich(white.T, root); !mat.EqualApprox(got, want, 1e-9*lambda[d-1]) {
		t.Errorf("TSTᵀ = %.6f, want %g on the diagonal", mat.Formatted(got), lambda[d/2])
	}
}

// By hand: H = (4 1; 1 1) has a coupling of 1/√(4·1) = ½; a second Hessian with 0 there
// makes it √((¼+0)/2).
func TestCouplingsByHand(t *testing.T) {
	a, b := mat.NewDense(2, 2, []float64{4, 1, 1, 1}), mat.NewDense(2, 2, []float64{3, 0, 0, 5})
	if got := hessian.Couplings([]*mat.Dense{a}); !mat.Equal(got, mat.NewDense(2, 2, []float64{0, 0.5, 0.5, 0})) {
		t.Errorf("%v", mat.Formatted(got))
	}
	want := math.Sqrt(0.125)
	if got := hessian.Couplings([]*mat.Dense{a, b}); !mat.EqualApprox(got, mat.NewDense(2, 2, []float64{0, want, want, 0}), 1e-15) {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// In the frame that separates f no Hessian has couplings, in whatever directions it was
// seen.
func TestInFrame(t *testing.T) {
	stream := rng.Seed(7).Stream("test")
	w, err := frame.New(rng.Sphere(4, 4, stream))
	if err != nil {
		t.Fatal(err)
	}
	h := mat.NewDense(4, 4, nil) // Σ_j j w_j⊗w_j
	for j := range 4 {
		row := w.Matrix().RawRowView(j)
		for i := range 4 {
			kernel.AddScaled(h.RawRowView(i), float64(j+1)*row[i], row)
		}
	}
	white, err := seeing(4, h).Whitened()
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]hessian.Basis{"coordinates": seeing(4, h), "whitened": white} {
		if c := mat.Max(b.InFrame(w)); !(c <= 1e-9) {
			t.Errorf("%s: couplings of up to %g in the right frame", name, c)
		}
		if c := mat.Max(b.InFrame(frame.Identity(4))); !(c > 0.01) {
			t.Errorf("%s: couplings of at most %g in a wrong frame", name, c)
		}
	}
}

// A basis that has seen nothing cannot be whitened, and has no couplings.
func TestZeroBasis(t *testing.T) {
	if _, err := (hessian.Basis{}).Whitened(); !errors.Is(err, hessian.ErrFlat) {
		t.Errorf("an empty basis: error %v", err)
	}
	if c := hessian.Orthonormal(kernel.Identity(3)).InFrame(frame.Identity(3)); c != nil {
		t.Errorf("couplings of no Hessian: %v", c)
	}
	if c := hessian.Couplings(nil); c != nil {
		t.Errorf("couplings of no Hessian: %v", c)
	}
}

// By hand: with one Hessian ((1, 2), (2, 4)) the σ are 1 and 4, so 2·2²/(1·4) is off the diagonal,
// of 1 + 1 + 2. It does not depend on the units of the components.
func TestOffDiagonal(t *testing.T) {
	h := mat.NewDense(2, 2, []float64{1, 2, 2, 4})
	if rho := hessian.OffDiagonal([]*mat.Dense{h}); rho[0] != 0.5 {
		t.Errorf("ρ = %v, want 0.5", rho)
	}
	stream := rng.Seed(5).Stream("off")
	all := []*mat.Dense{symmetric(4, stream), symmetric(4, stream), symmetric(4, stream)}
	var other []*mat.Dense
	for _, h := range all {
		other = append(other, sandwich(mat.NewDense(4, 4, []float64{1e3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1e-4}), h))
	}
	a, b := hessian.OffDiagonal(all), hessian.OffDiagonal(other)
	for k := range a {
		if !(math.Abs(a[k]-b[k]) < 1e-12) {
			t.Errorf("Hessian %d: ρ is %v, and %v in other units", k, a[k], b[k])
		}
	}
	if rho := hessian.OffDiagonal([]*mat.Dense{kernel.Identity(3)}); rho[0] != 0 {
		t.Errorf("ρ of a diagonal matrix is %v", rho)
	}
}
