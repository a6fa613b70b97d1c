package quadratic

import (
	"math"
	"testing"

	_ "github.com/untwist/untwist/internal/seeded"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func box(n int, lo, hi float64) (l, h []float64) {
	for range n {
		l, h = append(l, lo), append(h, hi)
	}
	return l, h
}

// By hand: min ½|p|² − 3p₁ − p₂ with p₁ + p₂ ≤ 2 is at (2, 0), with the multiplier 1.
func TestByHand(t *testing.T) {
	lo, hi := box(2, math.Inf(-1), math.Inf(1))
	q := Program{G: []float64{-3, -1}, B: mat.NewSymDense(2, []float64{1, 0, 0, 1}), Lo: lo, Hi: hi}
	hard := q
	hard.A, hard.Right = [][]float64{{1, 1}}, []float64{2}
	s, ok := Solve(hard)
	if !ok || math.Abs(s.P[0]-2) > 1e-8 || math.Abs(s.P[1]) > 1e-8 || math.Abs(s.Hard[0]-1) > 1e-8 {
		t.Errorf("%+v %v", s, ok)
	}
	soft := q
	soft.C, soft.Soft, soft.Mu = hard.A, hard.Right, 10
	if s, ok = Solve(soft); !ok || math.Abs(s.P[0]-2) > 1e-7 || math.Abs(s.Soft[0]-1) > 1e-7 {
		t.Errorf("soft: %+v %v", s, ok)
	}
	soft.Mu = .5 // too cheap: the row is violated, and the multiplier is μ; p = (2.5, 0.5)
	if s, ok = Solve(soft); !ok || math.Abs(s.P[0]-2.5) > 1e-7 || math.Abs(s.P[1]-.5) > 1e-7 || math.Abs(s.Soft[0]-.5) > 1e-7 {
		t.Errorf("cheap: %+v %v", s, ok)
	}
	q.Hi = []float64{1, 10}
	if s, ok = Solve(q); !ok || math.Abs(s.P[0]-1) > 1e-8 || math.Abs(s.P[1]-1) > 1e-8 {
		t.Errorf("box: %+v %v", s, ok)
	}
	hard.A, hard.Right = [][]float64{{1, 0}, {-1, 0}}, []float64{-1, -1}
	if s, ok = Solve(hard); ok {
		t.Errorf("no point keeps to x ≤ −1 and x ≥ 1, not %v", s.P)
	}
}

// No point that was drawn is feasible and better than the solution.
func TestNobodyIsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "m")
		number := rapid.Float64Range(-2, 2)
		vector := func(n int) []float64 { return rapid.SliceOfN(number, n, n).Draw(t, "v") }
		f := mat.NewDense(n, n, vector(n*n))
		b := mat.NewSymDense(n, nil)
		b.SymOuterK(1, f)
		for i := range n {
			b.SetSym(i, i, b.At(i, i)+.1)
		}
		lo, hi := box(n, -3, 3)
		q := Program{G: vector(n), B: b, Lo: lo, Hi: hi, Mu: 5}
		for range m {
			q.A, q.Right = append(q.A, vector(n)), append(q.Right, rapid.Float64Range(.1, 1).Draw(t, "right")) // 0 is feasible
			q.C, q.Soft = append(q.C, vector(n)), append(q.Soft, number.Draw(t, "soft"))
		}
		s, ok := Solve(q)
		if !ok {
			t.Fatalf("not solved: %+v", q)
		}
		naive := func(p []float64) (value, violation float64) {
			v := mat.NewVecDense(n, p)
			value = mat.Dot(mat.NewVecDense(n, q.G), v) + mat.Inner(v, b, v)/2
			for k, c := range q.C {
				value += q.Mu * max(0, mat.Dot(mat.NewVecDense(n, c), v)-q.Soft[k])
			}
			for i, a := range q.A {
				violation = max(violation, mat.Dot(mat.NewVecDense(n, a), v)-q.Right[i])
			}
			for _, x := range p {
				violation = max(violation, math.Abs(x)-3)
			}
			return value, violation
		}
		best, over := naive(s.P)
		if over > 1e-6 {
			t.Fatalf("violated by %v", over)
		}
		for range 20 {
			p := make([]float64, n)
			near := rapid.Float64Range(0, 1).Draw(t, "near")
			for i, v := range vector(n) {
				p[i] = s.P[i] + near*v
			}
			if v, over := naive(p); over <= 0 && v < best-1e-6*(1+math.Abs(best)) {
				t.Fatalf("%v at %v, and %v at %v", best, s.P, v, p)
			}
		}
	})
}
