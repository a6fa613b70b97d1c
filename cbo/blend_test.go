package cbo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// One step of blended noise by hand, as TestOneStepByHand has it. Particles at (0, 0), (4, 2)
// and (4, 2), f = x_1 and α so large that c = (0, 0); τ = 1/4, so √τ = 1/2; σ = 2;
// ξ = (1, −1) for the second and the third. W = [[1, 0], [0.6, 0.8]] and
// W⁻¹ = [[1, 0], [−0.75, 1.25]].
//
// β = 0.75: the first ⌊0.75·3⌋ = 2 particles are in the frame, the third is not.
//
//	x^(1): x − c = 0, so it stays.
//	x^(2): (3, 1.5) + W⁻¹((4, 4)∘(1, −1)) = (3, 1.5) + (4, −8) = (7, −6.5)
//	x^(3): (3, 1.5) + (4, 2)∘(1, −1) = (7, −0.5)
//
// Clipped at 6: W(7, −6.5) = (7, −1) becomes (6, −1), and W⁻¹ takes it to (6, −5.75). The third
// is clipped as it is, to (6, −0.5).
func TestBlendedByHand(t *testing.T) {
	skew, err := frame.New(mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8}))
	if err != nil {
		t.Fatal(err)
	}
	blended := Blended{Frame: skew, Beta: 0.75}
	for name, c := range map[string]struct {
		domain Domain
		want   []float64
	}{
		"free":    {Free{}, []float64{0, 0, 7, -6.5, 7, -0.5}},
		"clipped": {ClipBlended{Blended: blended, Radius: 6}, []float64{0, 0, 6, -5.75, 6, -0.5}},
	} {
		x := mat.NewDense(3, 2, []float64{0, 0, 4, 2, 4, 2})
		cfg := Config{Tau: 0.25, Sigma: Constant(2), Alpha: Constant(1e4), Noise: blended, Domain: c.domain}
		s := swarmAt(t, firstCoordinate(2), cfg, x, []float64{5, 5, 1, -1, 1, -1})
		if err := s.step(ctx, 0, false); err != nil {
			t.Fatal(err)
		}
		for k, v := range s.x.RawMatrix().Data {
			if !(math.Abs(v-c.want[k]) <= 1e-14) {
				t.Errorf("%s: particles %v, want %v", name, s.x.RawMatrix().Data, c.want)
				break
			}
		}
	}
}

// How many particles are in the frame: ⌊βn⌋. In W = [[0, 1], [1, 0]] the noise is
// (z_1ξ_2, z_2ξ_1), and in the coordinates given (z_1ξ_1, z_2ξ_2).
func TestBlendedCountsParticles(t *testing.T) {
	swap, err := frame.New(mat.NewDense(2, 2, []float64{0, 1, 1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	const n = 10
	z, xi := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		z.SetRow(i, []float64{1, 1})
		xi.SetRow(i, []float64{3, 7})
	}
	for beta, want := range map[float64]int{0: 0, 0.09: 0, 0.1: 1, 0.5: 5, 0.59: 5, 0.99: 9, 1: 10} {
		dst, work := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		Blended{Frame: swap, Beta: beta}.Apply(dst, z, xi, work)
		for i := range n {
			row := []float64{3, 7}
			if i < want {
				row = []float64{7, 3}
			}
			if !slices.Equal(dst.RawRowView(i), row) {
				t.Errorf("β = %v: particle %d has the noise %v, want %v", beta, i, dst.RawRowView(i), row)
			}
		}
	}
}

// β = 0 is Anisotropic, and β = 1 is Transformed with the frame, to the bit, in whole runs and
// clipped too. Between them is neither.
func TestBlendedLimits(t *testing.T) {
	for d := range 4 {
		d++
		w, err := frame.New(rng.Sphere(d, d, rng.Seed(uint64(d)).Stream("test")))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			asked := func(noise Noise, domain Domain) (all []float64) {
				f := objective.Func(d, func(x []float64) float64 {
					all = append(all, x...)
					sum := 0.0
					for i, v := range x {
						sum += float64((v - 1) * (v - float64(i)))
					}
					return sum
				})
				cfg := Config{Particles: 7, Sigma: Constant(5), Noise: noise, Domain: domain, Box: objective.Cube(d, -1, 1), Seed: seed}
				if _, err := Run(ctx, query.NewMeter(f, 500), cfg); err != nil {
					t.Fatal(err)
				}
				return all
			}
			none, whole := Blended{Frame: w, Beta: 0}, Blended{Frame: w, Beta: 1}
			if !slices.Equal(asked(none, ClipBlended{none, 1.5}), asked(Anisotropic{}, Clip{1.5})) {
				t.Errorf("d = %d, seed %d: β = 0 is not Anisotropic", d, seed)
			}
			if !slices.Equal(asked(whole, ClipBlended{whole, 1.5}), asked(Transformed{Frame: w}, ClipIn{w, 1.5})) {
				t.Errorf("d = %d, seed %d: β = 1 is not Transformed", d, seed)
			}
			half := Blended{Frame: w, Beta: 0.5}
			if between := asked(half, ClipBlended{half, 1.5}); d > 1 && (slices.Equal(between, asked(Anisotropic{}, Clip{1.5})) ||
				slices.Equal(between, asked(Transformed{Frame: w}, ClipIn{w, 1.5}))) {
				t.Errorf("d = %d, seed %d: β = ½ is one of its limits", d, seed)
			}
		}
	}
}

// Settings that cannot be are errors of one line.
func TestBlendedChecks(t *testing.T) {
	two, narrow := frame.Identity(2), mat.NewDense(1, 2, []float64{1, 0})
	one, err := frame.New(narrow)
	if err != nil {
		t.Fatal(err)
	}
	for want, b := range map[string]Blended{
		"Beta -0.1":      {Frame: two, Beta: -0.1},
		"Beta 1.5":       {Frame: two, Beta: 1.5},
		"Beta NaN":       {Frame: two, Beta: math.NaN()},
		"needs a Frame":  {Frame: nil, Beta: 0.5},
		"1 components":   {Frame: one, Beta: 0.5},
		"2 dimensions, ": {Frame: two, Beta: 0.5}, // the objective has 3
	} {
		d := 2
		if want == "2 dimensions, " {
			d = 3
		}
		for _, err := range []error{b.Check(d), ClipBlended{b, 1}.Check(d)} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v", want, err)
			}
		}
	}
	for _, radius := range []float64{0, -1, math.NaN()} {
		if err := (ClipBlended{Blended{Frame: two, Beta: 0.5}, radius}).Check(2); err == nil {
			t.Errorf("a radius of %v is no error", radius)
		}
	}
}
