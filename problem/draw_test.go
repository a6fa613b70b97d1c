package problem_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// What the paper and the literature say about each problem: which components are
// coupled, where the search starts, and how far from 0 its minimiser lies in y. That
// is at most reach, and of 200 components some lie at 0.9 of it or further.
func TestSettings(t *testing.T) {
	for name, want := range map[string]struct {
		structure     problem.Structure
		lo, hi, reach float64
	}{
		"rastrigin":        {problem.Separable, -5.12, 5.12, 2},
		"rastrigin-like":   {problem.Separable, -5.12, 5.12, 2.1},
		"squared-norm":     {problem.Separable, -5.12, 5.12, 0},
		"different-powers": {problem.Separable, -5.12, 5.12, 0},
		"microring":        {problem.Separable, 0, 8, math.Pi},
		"ackley":           {problem.NotSeparable, -32.768, 32.768, 0.4 * 32.768},
		"levy":             {problem.Separable, -10, 10, 4},
		"styblinski-tang":  {problem.Separable, -5, 5, 2 + 2.9035341},
		"griewank":         {problem.NotSeparable, -10 / math.Sqrt(200), 10 / math.Sqrt(200), 4 / math.Sqrt(200)},
		"rosenbrock":       {problem.NotSeparable, -2.048, 2.048, 0.4 * 2.048},
		"ellipsoid":        {problem.Separable, -5, 5, 2},
		"discus":           {problem.Separable, -5, 5, 2},
		"rosenbrock-pairs": {problem.Blocks, -2.048, 2.048, 0.4 * 2.048},
		"ridge-blocks":     {problem.Blocks, -5.12, 5.12, 0.4 * 5.12},
		"log-cosh":         {problem.Separable, -5, 5, 2 + 2},
		"step":             {problem.Separable, -5, 5, 2},
	} {
		p := must(t, problem.Spec{Name: name, Dim: 200, Mix: "none", Seed: 1})
		if p.Structure() != want.structure || p.Domain().Lo[7] != want.lo || p.Domain().Hi[7] != want.hi {
			t.Errorf("%s: %s on [%v, %v]", name, p.Structure(), p.Domain().Lo[7], p.Domain().Hi[7])
		}
		furthest := 0.0
		for _, v := range p.Minimiser() {
			furthest = max(furthest, math.Abs(v))
		}
		if furthest > want.reach || furthest < 0.9*want.reach {
			t.Errorf("%s: the minimiser reaches %v, want up to %v", name, furthest, want.reach)
		}
	}
	if n := len(mixed(t)); n != 16 {
		t.Errorf("%d problems", n)
	}
}

// rastrigin-like: c_j is half of f(e_j) − f(−e_j), since all other terms are even.
// It is uniform on [−1, 1], and the formula holds with it.
func TestRastriginLikeFormula(t *testing.T) {
	const m = 60
	p := must(t, problem.Spec{Name: "rastrigin-like", Dim: m, Mix: "none", Seed: 2})
	c := make([]float64, m)
	x := make([]float64, m)
	least, most := math.Inf(1), math.Inf(-1)
	for j := range c {
		x[j] = 1
		c[j] = value(t, p, x)
		x[j] = -1
		c[j] = (c[j] - value(t, p, x)) / 2
		x[j] = 0
		least, most = min(least, c[j]), max(most, c[j])
	}
	if least < -1 || most > 1 || least > -0.9 || most < 0.9 {
		t.Errorf("c from %v to %v", least, most)
	}
	r := rng.Seed(1).Stream("test")
	for range 20 {
		r.Norm(x)
		want := 0.0
		for j, y := range x {
			want += math.Pow(y*y-4, 2) - 0.3*math.Cos(3*y) + c[j]*y
		}
		if got := value(t, p, x); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("f = %v, the formula %v", got, want)
		}
	}
}

// A ridge-block of one component has one ridge, t²/2 + 1 − cos ωt. Near 0 it is
// t²(1+ω²)/2, which gives ω. Far away it stays within 2 of the parabola.
func TestRidges(t *testing.T) {
	const m = 60
	p := must(t, problem.Spec{Name: "ridge-blocks", Block: 1, Dim: m, Mix: "none", Seed: 3})
	x := p.Minimiser()
	least, most := math.Inf(1), math.Inf(-1)
	for j := range x {
		x[j] += 1e-3
		omega := math.Sqrt(2*value(t, p, x)/1e-6 - 1)
		x[j] += 100 - 1e-3
		if ripple := value(t, p, x) - 5000; !(ripple >= -1e-9 && ripple <= 2+1e-9) {
			t.Errorf("component %d: %v from the parabola", j, ripple)
		}
		x[j] -= 100
		least, most = min(least, omega), max(most, omega)
	}
	if !(least >= 0.999 && most <= 2.501 && least < 1.2 && most > 2.3) {
		t.Errorf("ω from %v to %v", least, most)
	}
}

// No linear map separates a block: if W did, H(x) = WᵀD(x)W, and H₂⁻¹H₁ and
// H₃⁻¹H₁ would commute.
func TestARidgeBlockIsABlock(t *testing.T) {
	for seed := range uint64(5) {
		p := must(t, problem.Spec{Name: "ridge-blocks", Dim: 4, Mix: "none", Seed: seed})
		if len(p.Blocks()) != 1 {
			t.Fatalf("blocks %v", p.Blocks())
		}
		r := rng.Seed(seed).Stream("test")
		h := make([]*mat.Dense, 3)
		for k := range h {
			x := make([]float64, 4)
			r.Norm(x)
			h[k] = hessian(t, p, x)
		}
		var a, b, ab, ba mat.Dense
		if err := a.Solve(h[1], h[0]); err != nil {
			t.Fatal(err)
		}
		if err := b.Solve(h[2], h[0]); err != nil {
			t.Fatal(err)
		}
		ab.Mul(&a, &b)
		ba.Mul(&b, &a)
		size := mat.Norm(&ab, 2)
		ab.Sub(&ab, &ba)
		if commutator := mat.Norm(&ab, 2) / size; !(commutator > 1e-3) {
			t.Errorf("seed %d: the block separates, commutator %g", seed, commutator)
		}
	}
}

// hessian is the matrix of second differences.
func hessian(t *testing.T, p *problem.Problem, x []float64) *mat.Dense {
	const e = 1e-3
	d := len(x)
	at := func(i, j int, si, sj float64) float64 {
		y := append([]float64(nil), x...)
		y[i] += si * e
		y[j] += sj * e
		return value(t, p, y)
	}
	h := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			h.Set(i, j, (at(i, j, 1, 1)-at(i, j, 1, -1)-at(i, j, -1, 1)+at(i, j, -1, -1))/(4*e*e))
		}
	}
	return h
}

// The paper's W, computed a second time from the same random numbers: rows of
// Q + 5R scaled to length 1, with Q from the QR factorisation with positive diagonal.
func TestThePapersMatrix(t *testing.T) {
	const d = 12
	r := rng.Seed(4).Stream("problem", "mix")
	gauss := mat.NewDense(d, d, nil)
	r.Norm(gauss.RawMatrix().Data)
	var qr mat.QR
	qr.Factorize(gauss.T())
	var q, upper mat.Dense
	qr.QTo(&q)
	qr.RTo(&upper)
	want := mat.NewDense(d, d, nil)
	noise := make([]float64, d)
	for j := range d {
		r.Norm(noise)
		norm := 0.0
		for k := range d {
			v := q.At(k, j)*math.Copysign(1, upper.At(j, j)) + 5*noise[k]
			want.Set(j, k, v)
			norm += v * v
		}
		for k := range d {
			want.Set(j, k, want.At(j, k)/math.Sqrt(norm))
		}
	}
	got := must(t, problem.Spec{Name: "squared-norm", Dim: d, Mix: "paper", Seed: 4})
	if !mat.EqualApprox(got.Frame().Matrix(), want, 1e-12) {
		t.Error("W is not Q + 5R")
	}
	// f(x) = ‖Wx‖² with these rows, so they are not scaled any further.
	x := make([]float64, d)
	x[3] = 2
	col := mat.Col(nil, 3, want)
	sum := 0.0
	for _, v := range col {
		sum += 4 * v * v
	}
	if v := value(t, got, x); !(math.Abs(v-sum) <= 1e-12) {
		t.Errorf("f = %v, want %v", v, sum)
	}
}

// Beside its diagonal the banded W has 0.4^|i−j| times factors from 0.7 to 1.3, up
// to the scaling of the row.
func TestTheBandedMatrix(t *testing.T) {
	w := must(t, problem.Spec{Name: "microring", Dim: 50, Seed: 5}).Frame().Matrix()
	widest := 0.0
	for i := range 50 {
		least, most := math.Inf(1), 0.0
		for j := max(0, i-3); j <= min(49, i+3); j++ {
			if j != i {
				factor := w.At(i, j) / math.Pow(0.4, math.Abs(float64(i-j)))
				least, most = min(least, factor), max(most, factor)
			}
		}
		if most/least > 1.3/0.7 {
			t.Errorf("row %d: factors differ by %v", i, most/least)
		}
		widest = max(widest, most/least)
	}
	if widest < 1.5 {
		t.Errorf("factors differ by %v at most", widest)
	}
}

// At the worst condition number of the first hundred seeds, 80,131, the minimiser is
// still right. Ackley has a kink there, so it shows every error.
func TestTheMinimiserOfAnIllConditionedProblem(t *testing.T) {
	p := must(t, problem.Spec{Name: "ackley", Dim: 100, Seed: 53})
	if gap := value(t, p, p.Minimiser()) - p.Minimum(); !(gap <= 2e-11) {
		t.Errorf("f(x*) is %g above the minimum", gap)
	}
}
