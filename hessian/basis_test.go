package hessian_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
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
// the duals are dual, also after scaling.
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
	b := white.Scaled([]float64{1, 2, 3, 4, 5, 6, 7})
	pairing := kernel.Times(b.T, mat.DenseCopyOf(b.Dual.T()))
	if !mat.EqualApprox(pairing, kernel.Identity(7), 1e-12) {
		t.Errorf("T·T*ᵀ = %v", mat.Formatted(pairing))
	}
	// What was seen is what the stencil would see: H along the new directions.
	turned := sandwich(b.T, h)
	if !mat.EqualApprox(turned, b.Seen[0], 1e-9*mat.Norm(turned, 2)) {
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
// of Λ, and Λ are the eigenvalues of S.
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
	if !mat.EqualApprox(mat.NewVecDense(d, white.Lambda), mat.NewVecDense(d, lambda), 1e-9*lambda[d-1]) {
		t.Errorf("Λ = %v, want %v", white.Lambda, lambda)
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
	for name, b := range map[string]hessian.Basis{"coordinates": seeing(4, h), "whitened": white, "scaled": white.Scaled([]float64{1, 2, 1, 3})} {
		if c := mat.Max(b.InFrame(w)); !(c <= 1e-9) {
			t.Errorf("%s: couplings of up to %g in the right frame", name, c)
		}
		if c := mat.Max(b.InFrame(frame.Identity(4))); !(c > 0.01) {
			t.Errorf("%s: couplings of at most %g in a wrong frame", name, c)
		}
	}
}

// batched counts the batches that f is asked for.
type batched struct {
	objective.Objective
	n int
}

func (c *batched) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	c.n++
	return c.Objective.Evaluate(ctx, points, values)
}

// A chain has the Hessians that the stencil sees at its points, the longer one does not
// change the shorter, and both are seen by their bases.
func TestChain(t *testing.T) {
	stream := rng.Seed(8).Stream("test")
	f := objective.Func(3, wavy)
	point := func() ([]float64, error) {
		x := make([]float64, 3)
		objective.Cube(3, -1, 1).Draw(x, stream)
		return x, nil
	}
	before := symmetric(3, stream)
	start := hessian.Chain{Base: seeing(3, before), Stencil: hessian.Symmetric, Step: 1e-3}
	one, err := start.Extended(ctx, f, 1, point)
	if err != nil {
		t.Fatal(err)
	}
	batches := &batched{Objective: f}
	three, err := one.Extended(ctx, batches, 3, point)
	if err != nil || batches.n != 1 {
		t.Fatalf("%v; two Hessians in %d batches", err, batches.n)
	}
	again, err := one.Extended(ctx, f, 2, point)
	if err != nil {
		t.Fatal(err)
	}
	if len(start.Hessians) != 0 || len(one.Hessians) != 1 || len(three.Hessians) != 3 || len(three.Points) != 3 || len(three.Base.Seen) != 4 {
		t.Fatalf("%d, %d and %d Hessians", len(start.Hessians), len(one.Hessians), len(three.Hessians))
	}
	if cmp.Equal(three.Points[1], again.Points[1]) || mat.Equal(three.Hessians[1], again.Hessians[1]) {
		t.Error("two longer chains share what was added")
	}
	for k, x := range three.Points {
		e := must(t, hessian.Symmetric, f, x, three.Base.T, 1e-3)
		if !mat.Equal(e.Hessian, three.Hessians[k]) || !mat.Equal(e.Hessian, three.Base.Seen[1+k]) {
			t.Errorf("Hessian %d is another", k)
		}
		if e.Value != three.Values[k] || !slices.Equal(e.Gradient, three.Slopes[k]) {
			t.Errorf("value %g and slopes %g, want %g and %g", three.Values[k], three.Slopes[k], e.Value, e.Gradient)
		}
	}
	if own := three.Own(); len(own.Seen) != 3 || len(three.Base.Seen) != 4 || !mat.Equal(three.Base.Seen[0], before) {
		t.Errorf("own Hessians %d, seen %d", len(own.Seen), len(three.Base.Seen))
	}
}

// A Hessian that is spoilt is taken elsewhere, along directions of which the longest are
// shorter, and what was seen before turns with them. Where all are spoilt it ends.
func TestChainSurvivesFailures(t *testing.T) {
	long := hessian.Orthonormal(kernel.Identity(3)).Scaled([]float64{1, 1, 100})
	at := func() ([]float64, error) { return []float64{0.3, -0.2, 0.1}, nil }
	f := objective.Func(3, func(x []float64) float64 {
		if math.Abs(x[2]) > 0.4 {
			return math.Inf(1)
		}
		return wavy(x)
	})
	chain, err := hessian.Chain{Base: long, Stencil: hessian.Symmetric, Step: 1e-4}.Extended(ctx, f, 1, at)
	if err != nil {
		t.Fatal(err)
	}
	chain.Step = 1e-2 // along 100e₃ that leaves the domain, even at the shortest step that a stencil tries
	chain, err = chain.Extended(ctx, f, 2, at)
	if err != nil {
		t.Fatal(err)
	}
	if got := chain.Base.T.At(2, 2); got != 25 {
		t.Errorf("the long direction is %g long, want 25", got)
	}
	for k, tolerance := range []float64{1e-3, 1} { // the steps are 2.5e-3 and 0.25
		if got, want := chain.Hessians[k].At(2, 2), chain.Hessians[0].At(2, 2); math.Abs(got-want) > tolerance*math.Abs(want) {
			t.Errorf("Hessian %d: %g along the long direction, want about %g", k, got, want)
		}
		if !mat.Equal(chain.Hessians[k], chain.Base.Seen[k]) {
			t.Errorf("Hessian %d is not what the basis has seen", k)
		}
	}
	nowhere := objective.Func(3, func([]float64) float64 { return math.Inf(1) })
	if _, err := (hessian.Chain{Base: long, Stencil: hessian.Symmetric, Step: 1e-4}).Extended(ctx, nowhere, 1, at); !errors.Is(err, hessian.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
}

// Zero values: a chain needs a step and nothing else, and a basis that has seen nothing
// cannot be whitened, and has no couplings.
func TestZeroChainAndBasis(t *testing.T) {
	f := objective.Func(3, wavy)
	at := func() ([]float64, error) { return []float64{0.3, -0.2, 0.1}, nil }
	for _, step := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		var bad *objective.OptionError
		if _, err := (hessian.Chain{Step: step}).Extended(ctx, f, 1, at); !errors.As(err, &bad) || bad.Option != "Step" {
			t.Errorf("step %v: error %v", step, err)
		}
	}
	chain, err := hessian.Chain{Step: 1e-3}.Extended(ctx, f, 1, at)
	want := must(t, hessian.Symmetric, f, []float64{0.3, -0.2, 0.1}, nil, 1e-3)
	if err != nil || !mat.EqualApprox(chain.Hessians[0], want.Hessian, 1e-8) {
		t.Errorf("%v, want %v; error %v", chain.Hessians, want.Hessian, err)
	}
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
