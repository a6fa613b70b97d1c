package outer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A sum is Σ f_j(⟨w_j, x⟩) with f_j(y) = y²/2 + a_j cos(3y + b_j), within blocks of two also
// 0.3 sin(y_1 y_2).
type sum struct {
	w      *mat.Dense
	a, b   []float64
	blocks bool
}

func newSum(d int, random *rand.Rand, blocks bool) sum {
	s := sum{w: mat.NewDense(d, d, nil), blocks: blocks}
	for i := range d {
		for j := range d {
			s.w.Set(i, j, random.NormFloat64())
		}
		s.a, s.b = append(s.a, 0.5+random.Float64()), append(s.b, 6*random.Float64())
	}
	return s
}

// at returns the value at x, and gradient and Hessian with respect to y.
func (s sum) at(x []float64) (v float64, g []float64, h *mat.Dense) {
	d := len(x)
	y := make([]float64, d)
	kernel.MulVec(y, s.w.RawMatrix(), x)
	g, h = make([]float64, d), mat.NewDense(d, d, nil)
	for i, y := range y {
		v += y*y/2 + s.a[i]*math.Cos(3*y+s.b[i]) + 5
		g[i] = y - 3*s.a[i]*math.Sin(3*y+s.b[i])
		h.Set(i, i, 1-9*s.a[i]*math.Cos(3*y+s.b[i]))
	}
	for i := 0; s.blocks && i+1 < d; i += 2 {
		p, q := y[i], y[i+1]
		sin, cos := 2*math.Sin(p*q), 2*math.Cos(p*q)
		v += sin
		g[i], g[i+1] = g[i]+q*cos, g[i+1]+p*cos
		h.Set(i, i, h.At(i, i)-q*q*sin)
		h.Set(i+1, i+1, h.At(i+1, i+1)-p*p*sin)
		h.Set(i, i+1, cos-p*q*sin)
		h.Set(i+1, i, cos-p*q*sin)
	}
	return v, g, h
}

// under returns the sample of φ(v) at x, by H = φ′WᵀDW + φ″∇v∇vᵀ.
func (s sum) under(x []float64, phi, first, second func(float64) float64) Sample {
	v, gy, hy := s.at(x)
	d := len(x)
	g := make([]float64, d)
	kernel.MulVecT(g, s.w.RawMatrix(), gy)
	var h mat.Dense
	h.Product(s.w.T(), hy, s.w)
	out := Sample{Value: phi(v), Gradient: make([]float64, d), Hessian: mat.NewDense(d, d, nil)}
	for i := range d {
		out.Gradient[i] = first(v) * g[i]
		for j := range d {
			out.Hessian.Set(i, j, first(v)*h.At(i, j)+second(v)*g[i]*g[j])
		}
	}
	return out
}

func root(v float64) float64   { return math.Sqrt(v) }
func root1(v float64) float64  { return 0.5 / math.Sqrt(v) }
func root2(v float64) float64  { return -0.25 / (v * math.Sqrt(v)) }
func one(float64) float64      { return 1 }
func zero(float64) float64     { return 0 }
func itself(v float64) float64 { return v }

func somewhere(d int, random *rand.Rand) []float64 {
	x := make([]float64, d)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	return x
}

// The Hessian of φ(v) is φ′WᵀDW + c ggᵀ with c = φ″/φ′²: by differences of values.
func TestHessianOfAComposedFunction(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const d, e = 4, 1e-4
	s := newSum(d, random, true)
	x := somewhere(d, random)
	got := s.under(x, root, root1, root2)
	f := func(i, j int, a, b float64) float64 {
		z := append([]float64(nil), x...)
		z[i] += a
		z[j] += b
		v, _, _ := s.at(z)
		return root(v)
	}
	for i := range d {
		if g := (f(i, i, e, 0) - f(i, i, -e, 0)) / (2 * e); math.Abs(g-got.Gradient[i]) > 1e-5 {
			t.Errorf("gradient %g, want %g", got.Gradient[i], g)
		}
		for j := range d {
			h := (f(i, j, e, e) - f(i, j, e, -e) - f(i, j, -e, e) + f(i, j, -e, -e)) / (4 * e * e)
			if math.Abs(h-got.Hessian.At(i, j)) > 1e-4 {
				t.Errorf("H[%d,%d] = %g, want %g", i, j, got.Hessian.At(i, j), h)
			}
		}
	}
	v, gy, hy := s.at(x)
	var inverse mat.Dense
	if err := inverse.Inverse(s.w); err != nil {
		t.Fatal(err)
	}
	var m mat.Dense
	m.Product(inverse.T(), got.Without(root2(v)/(root1(v)*root1(v))), &inverse) // φ′D
	hy.Scale(root1(v), hy)
	if !mat.EqualApprox(&m, hy, 1e-10) || len(gy) != d {
		t.Error("H − c ggᵀ is not φ′WᵀDW")
	}
}

// Three Hessians and gradients give the numbers of a map, whatever W is.
func TestNumbersOfExactHessians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		d := rapid.IntRange(5, 12).Draw(t, "d")
		s := newSum(d, random, false)
		var samples [3]Sample
		for k := range samples {
			samples[k] = s.under(somewhere(d, random), root, root1, root2)
		}
		c, left := Numbers(samples)
		if left > 1e-6 {
			t.Fatalf("left %g", left)
		}
		for k, sample := range samples {
			if want := -1 / sample.Value; math.Abs(c[k]-want) > 1e-4*math.Abs(want) {
				t.Fatalf("c = %g, want %g (left %g)", c[k], want, left)
			}
		}
	})
}

// Without a map, and with Hessians that are not exact, most of what does not diagonalise
// stays; with one hardly anything does. 19 of 20 seeds each; without the six numbers it
// would be all or nothing.
func TestNumbersShowWhetherThereIsAMap(t *testing.T) {
	const d = 12
	right := [2]int{}
	for seed := range uint64(20) {
		for k, phi := range [2][3]func(float64) float64{{itself, one, zero}, {root, root1, root2}} {
			random := rand.New(rand.NewPCG(seed, 3))
			s := newSum(d, random, false)
			var samples [3]Sample
			for k := range samples {
				samples[k] = s.under(somewhere(d, random), phi[0], phi[1], phi[2])
				size := mat.Norm(samples[k].Hessian, 2)
				for i := range d {
					for j := range i + 1 {
						e := 1e-6 * size * random.NormFloat64()
						samples[k].Hessian.Set(i, j, samples[k].Hessian.At(i, j)+e)
						samples[k].Hessian.Set(j, i, samples[k].Hessian.At(i, j))
					}
				}
			}
			if _, left := Numbers(samples); (left < 0.3) == (k == 1) {
				right[k]++
			}
		}
	}
	if right[0] < 19 || right[1] < 19 {
		t.Errorf("%d right without a map, %d with one, of 20", right[0], right[1])
	}
}

// Given coordinates, c is exact, with blocks too; and its standard error is that of c under
// errors of the Hessians, to a quarter (400 draws: four standard deviations of a standard
// deviation are 0.14).
func TestGiven(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const d = 8
	s := newSum(d, random, true)
	sample := s.under(somewhere(d, random), root, root1, root2)
	var inverse mat.Dense
	if err := inverse.Inverse(s.w); err != nil {
		t.Fatal(err)
	}
	block := []int{0, 0, 1, 1, 2, 2, 3, 3}
	want := -1 / sample.Value
	if got := Given([]Sample{sample}, &inverse, block)[0]; math.Abs(got.C-want) > 1e-10 || got.Error > 1e-10 || got.Value != sample.Value {
		t.Errorf("given blocks: %+v, want %g", got, want)
	}
	if got := GivenMost([]Sample{sample}, &inverse)[0]; math.Abs(got.C-want) > 1e-10 {
		t.Errorf("given no blocks: %+v, want %g", got, want)
	}
	if got := Given([]Sample{sample}, &inverse, nil)[0]; math.Abs(got.C-want) < 1e-4 {
		t.Error("the test has blocks that do not couple")
	}
	// M gets errors of size σ√(s_i s_j), as the scaling assumes.
	turned := inCoordinates([]Sample{sample}, &inverse)[0]
	var c, errors []float64
	for range 400 {
		noisy := sample
		noisy.Hessian = mat.DenseCopyOf(sample.Hessian)
		e := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range i {
				v := 1e-3 * math.Sqrt(turned.size[i]*turned.size[j]) * random.NormFloat64()
				e.Set(i, j, v)
				e.Set(j, i, v)
			}
		}
		var back mat.Dense
		back.Product(s.w.T(), e, s.w)
		noisy.Hessian.Add(noisy.Hessian, &back)
		n := Given([]Sample{noisy}, &inverse, block)[0]
		c, errors = append(c, n.C-want), append(errors, n.Error)
	}
	spread, said := floats.Norm(c, 2)/20, floats.Sum(errors)/400
	if spread > 1.25*said || spread < said/1.25 {
		t.Errorf("c spreads by %g, the error says %g", spread, said)
	}
}
