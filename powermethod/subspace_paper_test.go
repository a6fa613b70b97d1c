package powermethod

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func draw(t testing.TB, name string, d int, mix string, seed uint64) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Mix: mix, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sample returns n four-point Hessians in a ball.
func sample(t testing.TB, f objective.Objective, n int, radius, step float64, seed rng.Seed) []*mat.Dense {
	t.Helper()
	var hs []*mat.Dense
	x, stream := make([]float64, f.Dim()), seed.Stream("sample")
	for range n {
		hessian.Ball{Radius: radius}.Draw(x, stream)
		e, err := hessian.FourPoint.At(ctx, f, x, nil, step)
		if err != nil {
			t.Fatal(err)
		}
		hs = append(hs, e.Hessian)
	}
	return hs
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

// Section 2.2: all Hessians lie in 𝒲, and as many as it has dimensions span
// it. One Hessian less does not.
func TestHessiansSpanTheRidges(t *testing.T) {
	r := rng.Seed(1).Stream("test")
	w := rng.Sphere(6, 8, r)
	var hs []*mat.Dense
	for range 12 {
		lambda := make([]float64, 6)
		r.Norm(lambda)
		hs = append(hs, ridges(w, lambda))
	}
	s, err := Span(hs, WidestGap{})
	if err != nil || s.Rank() != 6 || s.Dim() != 8 || len(s.Singular) != 12 {
		t.Fatalf("rank %d, singular values %v, error %v", s.Rank(), s.Singular, err)
	}
	if e := s.Distance(Ridges(w)); !(e <= 1e-12) {
		t.Errorf("distance of the span from 𝒲: %g", e)
	}
	for j := range 6 {
		if v := s.Value(w.RawRowView(j)); math.Abs(v-1) > 1e-12 {
			t.Errorf("‖P(w_%d⊗w_%d)‖² = %v", j, j, v)
		}
	}
	if s, _ := Span(hs[:5], Above(1e-6)); s.Rank() != 5 || s.Distance(Ridges(w)) != 1 {
		t.Errorf("five Hessians span %d dimensions", s.Rank())
	}
}

// As many Hessians as they have entries, N = d², and one more or fewer: the span is 𝒲.
func TestHessiansAsManyAsEntries(t *testing.T) {
	for _, d := range []int{1, 2, 3, 5} {
		r := rng.Seed(2).Stream("test", d)
		w := rng.Sphere(d, d, r)
		for n := max(1, d*d-1); n <= d*d+1; n++ {
			var hs []*mat.Dense
			for range n {
				lambda := make([]float64, d)
				r.Norm(lambda)
				hs = append(hs, ridges(w, lambda))
			}
			s, err := Span(hs, Above(1e-6))
			if err != nil || s.Rank() != d {
				t.Fatalf("d = %d, %d Hessians: rank %d, error %v", d, n, s.Rank(), err)
			}
			if e := s.Distance(Ridges(w)); !(e <= 1e-10) {
				t.Errorf("d = %d, %d Hessians: the distance of the span from 𝒲 is %g", d, n, e)
			}
		}
	}
}

// The first proposition of section 2.2: ‖P_𝒲 − P_𝒲̂‖ ≤ 2C_Ĥmε/(√((1−s)α_H) − C_Ĥmε). For central
// differences the error of a Hessian is O(ε²), and so is that of the span:
// halving ε quarters it, until rounding takes over and it grows again.
func TestTheSpanConverges(t *testing.T) {
	p := draw(t, "rastrigin-like", 8, "paper", 3)
	truth := Ridges(p.Frame().Matrix())
	var e [3]float64
	for k, step := range []float64{0.08, 0.04, 0.02} {
		s, err := Span(sample(t, p, 16, 4, step, 1), WidestGap{})
		if err != nil || s.Rank() != 8 {
			t.Fatalf("rank %d, error %v", s.Rank(), err)
		}
		e[k] = s.Distance(truth)
	}
	for k := range 2 {
		if ratio := e[k] / e[k+1]; math.Abs(ratio-4) > 0.4 {
			t.Errorf("errors %.2e: ratio %.2f, want 4", e, ratio)
		}
	}
	fine, _ := Span(sample(t, p, 16, 4, 1e-3, 1), WidestGap{})
	tiny, _ := Span(sample(t, p, 16, 4, 1e-6, 1), Above(8e-3))
	if !(fine.Distance(truth) < e[2]/50) || !(tiny.Distance(truth) > 10*fine.Distance(truth)) {
		t.Errorf("ε = 1e-3: %.1e, ε = 1e-6: %.1e", fine.Distance(truth), tiny.Distance(truth))
	}
}

// The first proposition of section 2.2: the bound holds with probability at least
// 1 − m exp(−s²N_Hα_H/2C̄²m²). At s = ½ it says nothing for few Hessians; for
// N_H so large that it promises 90 %, none of 20 draws breaks it, with the
// constants measured on 2,000 Hessians.
func TestTheBoundHoldsAsOftenAsPromised(t *testing.T) {
	const m, s = 2, 0.5
	p := draw(t, "rastrigin-like", m, "orthogonal", 5)
	truth := Ridges(p.Frame().Matrix())
	const step, radius = 0.01, 4.0
	many := sample(t, p, 2000, radius, 1e-4, 99)
	span, err := Span(many, WidestGap{})
	if err != nil {
		t.Fatal(err)
	}
	alpha := span.Identifiability()
	exact, coarse := many, sample(t, p, 2000, radius, step, 99)
	largest, wrong := 0.0, 0.0 // C̄m, C_Ĥmε
	for k := range exact {
		largest = max(largest, mat.Norm(exact[k], 2))
		var diff mat.Dense
		diff.Sub(exact[k], coarse[k])
		wrong = max(wrong, mat.Norm(&diff, 2))
	}
	n := int(math.Ceil(math.Log(m/0.1) * 2 * largest * largest / (s * s * alpha)))
	bound := 2 * wrong / (math.Sqrt((1-s)*alpha) - wrong)
	if !(bound > 0 && bound < 1) {
		t.Fatalf("the bound is %g: this test tests nothing", bound)
	}
	for seed := range rng.Seed(20) {
		got, err := Span(sample(t, p, n, radius, step, seed), WidestGap{})
		if err != nil || !(got.Distance(truth) <= bound) {
			t.Errorf("seed %d, %d Hessians: distance %g above %g, error %v", seed, n, got.Distance(truth), bound, err)
		}
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		singular []float64
		rank     Rank
		want     int
	}{
		{[]float64{100, 90, 80, 1e-3, 9e-4}, WidestGap{}, 3},
		{[]float64{100, 90, 80, 1e-3, 9e-4}, Above(1e-4), 5},
		{[]float64{100, 90, 80, 1e-3, 9e-4}, Above(85), 2},
		{[]float64{100, 90, 80, 1e-3, 9e-4}, Above(1000), 0},
		{[]float64{1e6, 1, 1e-9, 1e-15, 0}, WidestGap{}, 1}, // gaps below 1e-9 of the largest are rounding
		{[]float64{5}, WidestGap{}, 1},
		{[]float64{3, 3, 3}, WidestGap{}, 3},
	} {
		if got := c.rank.Of(c.singular); got != c.want {
			t.Errorf("of %v, where %v, %d count, want %d", c.singular, c.rank, got, c.want)
		}
	}
}

func TestSpanOfNothing(t *testing.T) {
	zero, bad := mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)
	bad.Set(1, 2, math.NaN())
	for _, hs := range [][]*mat.Dense{{}, {zero, zero}, {bad}, {bad, zero}} {
		if _, err := Span(hs, WidestGap{}); !errors.Is(err, ErrFlat) {
			t.Errorf("%d Hessians: error %v", len(hs), err)
		}
	}
	one := ridges(rng.Sphere(1, 3, rng.Seed(1).Stream("test")), []float64{2})
	if s, err := Span([]*mat.Dense{bad, one, zero}, WidestGap{}); err != nil || s.Rank() != 1 {
		t.Errorf("one Hessian among bad ones: error %v", err)
	}
	if _, err := Span([]*mat.Dense{one}, Above(1e9)); err == nil {
		t.Error("no error for a threshold above all singular values")
	}
}

// ρ₂ is 0 for orthonormal rows, and |⟨w_1, w_2⟩| for two.
func TestCoherence(t *testing.T) {
	p := draw(t, "squared-norm", 9, "orthogonal", 1)
	if rho := Coherence(p.Frame().Matrix()); math.Abs(rho) > 1e-14 {
		t.Errorf("ρ₂ of orthonormal rows is %g", rho)
	}
	w := rng.Sphere(2, 5, rng.Seed(2).Stream("test"))
	if got, want := Coherence(w), math.Abs(kernel.Dot(w.RawRowView(0), w.RawRowView(1))); math.Abs(got-want) > 1e-14 {
		t.Errorf("ρ₂ = %g, want %g", got, want)
	}
}

// Section 4: ρ₂ of the paper's own W is about 100 times what the second proposition allows, 1/60.
func TestCoherenceOfThePapersW(t *testing.T) {
	for _, d := range []int{10, 20, 50, 100} {
		for seed := range uint64(5) {
			if rho := Coherence(draw(t, "squared-norm", d, "paper", seed).Frame().Matrix()); !(rho > 1.6 && rho < 3) {
				t.Errorf("d = %d, seed %d: ρ₂ = %.2f", d, seed, rho)
			}
		}
	}
}

// fixed is a rank that somebody else knows.
type fixed int

func (f fixed) Of([]float64) int { return int(f) }

// Any rank will do that counts at least one singular value and no more than there are;
// without one the widest gap decides.
func TestForeignRanks(t *testing.T) {
	stream := rng.Seed(4).Stream("test")
	w := rng.Sphere(3, 4, stream)
	var hs []*mat.Dense
	for range 5 {
		lambda := make([]float64, 3)
		stream.Norm(lambda)
		hs = append(hs, ridges(w, lambda))
	}
	for _, n := range []int{1, 3, 5} {
		if s, err := Span(hs, fixed(n)); err != nil || s.Rank() != n {
			t.Errorf("%d: rank %d, error %v", n, s.Rank(), err)
		}
	}
	for _, n := range []int{-1, 0, 6} {
		if _, err := Span(hs, fixed(n)); err == nil {
			t.Errorf("no error for a rank of %d", n)
		}
	}
	if s, err := Span(hs, nil); err != nil || s.Rank() != 3 {
		t.Errorf("rank %d, error %v", s.Rank(), err)
	}
	if alpha := Ridges(w).Identifiability(); !math.IsNaN(alpha) {
		t.Errorf("the ridges themselves have an α_H of %g", alpha)
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "powermethod: matrix 2 is 2×2, need 4×4" {
			t.Errorf("panic %q", said)
		}
	}()
	_, _ = Span([]*mat.Dense{hs[0], mat.NewDense(2, 2, nil)}, nil)
}
