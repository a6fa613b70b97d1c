package powermethod

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// nearlyOrthogonal returns d rows of length 1 with ρ₂ < 1/60.
func nearlyOrthogonal(t *testing.T, d int, seed uint64) *mat.Dense {
	w := mat.DenseCopyOf(draw(t, "squared-norm", d, "orthogonal", seed).Frame().Matrix())
	noise := rng.Sphere(d, d, rng.Seed(seed).Stream("noise"))
	for i := range d {
		kernel.AddScaled(w.RawRowView(i), 0.006, noise.RawRowView(i))
		kernel.Normalise(w.RawRowView(i))
	}
	if rho := Coherence(w); !(rho < 1./60) {
		t.Fatalf("ρ₂ = %g", rho)
	}
	return w
}

// nearest returns the distance of v from the nearest ±w_j.
func nearest(w *mat.Dense, v []float64) float64 {
	m, _ := w.Dims()
	best := math.Inf(1)
	for j := range m {
		row := w.RawRowView(j)
		sign, sum := math.Copysign(1, kernel.Dot(row, v)), 0.0
		for k := range v {
			sum += (row[k] - sign*v[k]) * (row[k] - sign*v[k])
		}
		best = min(best, math.Sqrt(sum))
	}
	return best
}

// One step by hand: 𝒲 spanned by e₁⊗e₁ and e₂⊗e₂, v = (3/5, 4/5), γ = ½:
// P(v⊗v) = diag(9/25, 16/25), v + 2P(v⊗v)v = (3/5·(1+18/25), 4/5·(1+32/25)).
func TestOneStepByHand(t *testing.T) {
	s := Ridges(mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	v := mat.NewDense(1, 2, []float64{0.6, 0.8})
	if err := (Method{Gamma: 0.5, Steps: 1}).ascend(ctx, s, v); err != nil {
		t.Fatal(err)
	}
	want := []float64{0.6 * 43 / 25, 0.8 * 57 / 25}
	kernel.Normalise(want)
	if math.Abs(v.At(0, 0)-want[0]) > 1e-15 || math.Abs(v.At(0, 1)-want[1]) > 1e-15 {
		t.Errorf("v = %v, want %v", v.RawRowView(0), want)
	}
	if got, want := s.Value([]float64{0.6, 0.8}), (81.+256)/625; math.Abs(got-want) > 1e-15 {
		t.Errorf("value %v, want %v", got, want)
	}
}

// The second proposition of section 2.2, with 𝒲̂ = 𝒲 and ρ₂ < 1/60: each ±w_j
// is a fixed point, and every limit whose value is at least 1 − 1e-8 is one of
// them.
func TestLimitsAreTheRidges(t *testing.T) {
	for seed := range uint64(3) {
		w := nearlyOrthogonal(t, 10, seed)
		s := Ridges(w)
		p, err := Method{Restarts: 200}.complete(10)
		if err != nil {
			t.Fatal(err)
		}
		fixed := mat.DenseCopyOf(w)
		fixed.Scale(-1, fixed)
		if err := p.ascend(ctx, s, fixed); err != nil {
			t.Fatal(err)
		}
		fixed.Scale(-1, fixed)
		if !mat.EqualApprox(fixed, w, 1e-12) {
			t.Errorf("seed %d: −w_j are not fixed", seed)
		}
		v := rng.Sphere(200, 10, rng.Seed(seed).Stream("starts"))
		if err := p.ascend(ctx, s, v); err != nil {
			t.Fatal(err)
		}
		reached := 0
		for i := range 200 {
			if s.Value(v.RawRowView(i)) >= 1-1e-8 {
				reached++
				if e := nearest(w, v.RawRowView(i)); !(e <= 1e-4) { // value 1 − 1e-8 is at a distance of 1e-4
					t.Errorf("seed %d: a limit of value 1 is %g away from every ±w_j", seed, e)
				}
			}
		}
		if reached < 150 {
			t.Errorf("seed %d: %d of 200 starts reach value 1", seed, reached)
		}
	}
}

// The objective never decreases along the steps (γ ≥ ½ or not).
func TestStepsAscend(t *testing.T) {
	for _, gamma := range []float64{0.1, 0.5, 1, 5} {
		s := Ridges(rng.Sphere(5, 6, rng.Seed(7).Stream("w")))
		v := rng.Sphere(20, 6, rng.Seed(8).Stream("starts"))
		before := make([]float64, 20)
		for step := range 60 {
			for i := range before {
				value := s.Value(v.RawRowView(i))
				if value < before[i]-1e-14 {
					t.Fatalf("γ = %g, step %d: the value falls from %v to %v", gamma, step, before[i], value)
				}
				before[i] = value
			}
			if err := (Method{Gamma: gamma, Steps: 1}).ascend(ctx, s, v); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// With few restarts some ridges are missed, unless what was found is deflated.
func TestDeflation(t *testing.T) {
	w := nearlyOrthogonal(t, 30, 4)
	s := Ridges(w)
	plain, err := Method{Restarts: 40}.Directions(ctx, s, rng.Seed(1).Stream("power"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Method{Restarts: 40, Deflate: true, Reject: 0.999}.Directions(ctx, s, rng.Seed(1).Stream("power"))
	if err != nil {
		t.Fatal(err)
	}
	few, _ := plain.Dims()
	n, _ := all.Dims()
	if few >= 30 || n != 30 {
		t.Fatalf("%d found without deflation, %d with it", few, n)
	}
	for i := range n {
		if e := nearest(w, all.RawRowView(i)); !(e <= 1e-10) {
			t.Errorf("direction %d is %g away from every ±w_j", i, e)
		}
	}
}

// Spurious maximisers are turned away by their value, if asked to.
func TestReject(t *testing.T) {
	w := rng.Sphere(6, 6, rng.Seed(3).Stream("w")) // far from orthogonal
	s := Ridges(w)
	strict, err := Method{Restarts: 100, Reject: 1 - 1e-8}.Directions(ctx, s, rng.Seed(1).Stream("power"))
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strict.Dims()
	for i := range n {
		if e := nearest(w, strict.RawRowView(i)); !(e <= 3e-4) {
			t.Errorf("direction %d of value %v is %g away from every ±w_j", i, s.Value(strict.RawRowView(i)), e)
		}
	}
	if _, err := (Method{Restarts: 5, Reject: 1.5}).Directions(ctx, s, rng.Seed(1).Stream("power")); err == nil {
		t.Error("no error where no value can be reached")
	}
}

func TestComplete(t *testing.T) {
	w := rng.Sphere(3, 7, rng.Seed(1).Stream("w"))
	full := Complete(w, 7, rng.Seed(2).Stream("fill"))
	if !mat.Equal(full.Slice(0, 3, 0, 7), w) {
		t.Error("what was found has changed")
	}
	for i := 3; i < 7; i++ {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := kernel.Dot(full.RawRowView(i), full.RawRowView(j)); math.Abs(got-want) > 1e-14 {
				t.Errorf("⟨%d, %d⟩ = %g", i, j, got)
			}
		}
	}
	if same := Complete(full, 7, rng.Seed(3).Stream("fill")); !mat.Equal(same, full) {
		t.Error("a whole basis has changed")
	}
}

func TestTheMethodEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	s := Ridges(rng.Sphere(3, 3, rng.Seed(1).Stream("w")))
	if _, err := (Method{}).Directions(ended, s, rng.Seed(1).Stream("power")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Fields that make no sense are errors that name them; zero ones are the defaults.
func TestMethodOptions(t *testing.T) {
	s := Ridges(mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	for name, p := range map[string]Method{
		"Gamma": {Gamma: -1}, "Restarts": {Restarts: -1}, "Steps": {Steps: -1}, "Reject": {Reject: math.NaN()},
	} {
		var bad *objective.OptionError
		if _, err := p.Directions(ctx, s, rng.Seed(1).Stream("power")); !errors.As(err, &bad) || bad.Option != name {
			t.Errorf("%+v: error %v", p, err)
		}
	}
	if p, err := (Method{}).complete(3); err != nil || p != (Method{Gamma: 1, Restarts: 24, Steps: 200, Selection: Highest{}}) {
		t.Errorf("%+v, error %v", p, err)
	}
}

// The second proposition of section 2.2, where 𝒲̂ is not 𝒲. With δ = ‖P_𝒲 − P_𝒲̂‖ < Δ₀ =
// (1/6 − 10ρ₂)/(22/3 − 20ρ₂), the limits whose value is at least (43 − 60ρ₂)/(1 − 60ρ₂)·δ are exactly
// 2m points, one at each ±w_j, and each within √δ of it. (The furthest is 0.43δ away; beyond Δ₀ the
// proposition says nothing.)
func TestLimitsAreNearTheRidges(t *testing.T) {
	const d = 6
	far := 0.0
	for seed := range uint64(flags.Usually(3, 1)) {
		for _, size := range flags.Sample([]float64{1e-4, 1e-3, 2e-3}, 2) {
			w := nearlyOrthogonal(t, d, seed)
			for i := range d { // ρ₂ small enough for a δ that is worth while
				axis := mat.DenseCopyOf(draw(t, "squared-norm", d, "orthogonal", seed).Frame().Matrix())
				kernel.AddScaled(w.RawRowView(i), 9, axis.RawRowView(i))
				kernel.Normalise(w.RawRowView(i))
			}
			truth := Ridges(w)
			tilted := &Subspace{d: d, basis: mat.DenseCopyOf(truth.basis)}
			noise := mat.NewDense(d, d*d, nil)
			rng.Seed(seed).Stream("tilt").Norm(noise.RawMatrix().Data)
			for i := range d { // 𝒲̂ has symmetric matrices, as Hessians are
				row := noise.RawRowView(i)
				for k := range d {
					for l := range k {
						row[k*d+l] = row[l*d+k]
					}
				}
				kernel.AddScaled(tilted.basis.RawRowView(i), size, row)
			}
			kernel.Orthonormalise(tilted.basis.RawMatrix())
			rho, delta := Coherence(w), truth.Distance(tilted)
			bound := (1./6 - 10*rho) / (22./3 - 20*rho)
			least := (43 - 60*rho) / (1 - 60*rho) * delta
			if !(delta > 0 && delta < bound && least < 1) {
				t.Fatalf("δ = %g, Δ₀ = %g, least value %g: this tests nothing", delta, bound, least)
			}
			p, err := Method{Steps: 2000}.complete(d)
			if err != nil {
				t.Fatal(err)
			}
			v := rng.Sphere(300, d, rng.Seed(seed).Stream("starts"))
			if err := p.ascend(ctx, tilted, v); err != nil {
				t.Fatal(err)
			}
			limits := map[[2]int][]float64{} // by j and sign
			for i := range 300 {
				x := v.RawRowView(i)
				if tilted.Value(x) < least {
					continue
				}
				at := [2]int{-1, 0}
				for j := range d {
					c := kernel.Dot(w.RawRowView(j), x)
					if squared := 2 - 2*math.Abs(c); squared <= delta { // ‖x − σw_j‖²
						at = [2]int{j, int(math.Copysign(1, c))}
						far = max(far, math.Sqrt(squared)/delta)
					}
				}
				if at[0] < 0 {
					t.Fatalf("seed %d, δ = %g: a limit of value %g is %g from every ±w_j", seed, delta, tilted.Value(x), nearest(w, x))
				}
				if other := limits[at]; other != nil && !(math.Sqrt(squaredDistance(other, x)) <= 1e-6) {
					t.Errorf("seed %d, δ = %g: two limits near w_%d, %g apart", seed, delta, at[0], math.Sqrt(squaredDistance(other, x)))
				}
				limits[at] = x
			}
			if len(limits) != 2*d {
				t.Errorf("seed %d, δ = %g: %d limits, want %d", seed, delta, len(limits), 2*d)
			}
		}
	}
	t.Logf("the furthest limit is %.2fδ away", far)
}

func squaredDistance(x, y []float64) (sum float64) {
	for k := range x {
		sum += (x[k] - y[k]) * (x[k] - y[k])
	}
	return sum
}
