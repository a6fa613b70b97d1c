package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// perturbed returns the candidate of the frame (I+E)⁻¹W, whose error is E, with
// second derivatives seen at some points.
func perturbed(t testing.TB, g *ground, w, e *mat.Dense) *candidate {
	t.Helper()
	m, _ := e.Dims()
	var plus, inverse, turned mat.Dense
	plus.Add(kernel.Identity(m), e)
	if err := inverse.Inverse(&plus); err != nil {
		t.Fatal(err)
	}
	turned.Mul(&inverse, w)
	f, err := frame.New(&turned)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCandidate(g, f, certify.Singles(m)).looked(g)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// "Rounds square the error": from an error of E a round of large steps leaves
// less than E², with the terms of second order about E³.
func TestRefinementSquaresTheError(t *testing.T) {
	p := draw(t, "rastrigin", 12, "paper", 4)
	for _, size := range []float64{1e-2, 1e-3, 1e-4} {
		g := groundOf(p, 2, 1)
		e := mat.NewDense(12, 12, nil)
		g.random.Norm(e.RawMatrix().Data)
		e.Scale(size, e)
		for i := range 12 {
			e.Set(i, i, 0)
		}
		c, err := perturbed(t, g, p.Frame().Matrix(), e).withSteps(g, 1)
		if err != nil {
			t.Fatal(err)
		}
		before := frame.Compare(p.Frame(), c.frame).Coupling
		got, c, err := refine(g, c, allGroups(c.blocks))
		if err != nil {
			t.Fatal(err)
		}
		after := frame.Compare(p.Frame(), c.redrawn(g, got).frame).Coupling
		t.Logf("coupling %.1e, after a round %.1e", before, after)
		if after > 10*before*before {
			t.Errorf("from %g to %g", before, after)
		}
	}
}

// By hand: f = y₁² + 3y₂² + y₁³ in coordinates ỹ with y = (I+E)ỹ, E₁₂ = ε. The
// walk along ũ₂ moves y₁ by ε, so that M₁₂ = f₁(y+h₁+εh₂) − f₁(y+h₁) −
// f₁(y+εh₂) + f₁(y) = εh₂Δ₁ + ½(εh₂)²(f₁″(y+h₁) − f₁″(y)), exactly for a cubic.
func TestMixedDifferenceByHand(t *testing.T) {
	const eps = 0.1
	f := objective.Func(2, func(x []float64) float64 {
		y1, y2 := x[0]+eps*x[1], x[1]
		return y1*y1 + y1*y1*y1 + 3*y2*y2
	})
	g := groundOf(f, 1, 2)
	c := newCandidate(g, frame.Identity(2), certify.Singles(2))
	at := &design{x: []float64{0.3, 0.2}, h: []float64{0.5, 0.25}, steps: mat.NewDense(2, 2, []float64{0.5, 0, 0, 0.25})}
	if err := measure(g, c, []*design{at}, allGroups(c.blocks)); err != nil {
		t.Fatal(err)
	}
	y := 0.3 + eps*0.2
	slope := func(y float64) float64 { return 2*y + 3*y*y }
	delta := slope(y+0.5) - slope(y)
	want := eps*0.25*delta + 0.5*math.Pow(eps*0.25, 2)*6*0.5
	if math.Abs(at.m[0]-want) > 1e-14 {
		t.Errorf("M = %g, want %g", at.m[0], want)
	}
	if math.Abs(at.delta[0][0]-delta) > 1e-5 || math.Abs(at.c1[0]-at.c0[0]-3) > 1e-4 {
		t.Errorf("Δ = %g, want %g; f'' grows by %g, want 3", at.delta[0][0], delta, at.c1[0]-at.c0[0])
	}
}

// Least squares against gonum's, and the information against the inverse.
func TestSquares(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "unknowns")
		rows := n + rapid.IntRange(0, 4).Draw(rt, "more equations")
		stream := rng.Seed(rapid.Uint64().Draw(rt, "seed")).Stream("test")
		a, b := mat.NewDense(rows, n, nil), mat.NewVecDense(rows, nil)
		stream.Norm(a.RawMatrix().Data)
		stream.Norm(b.RawVector().Data)
		var s squares
		s.reset(n)
		for i := range rows {
			s.add(a.RawRowView(i), b.AtVec(i))
		}
		s.add(make([]float64, n), 1)
		s.add([]float64{math.NaN(), 1, 1, 1, 1, 1}[:n], 1)
		var g, inverse mat.Dense
		g.Mul(a.T(), a)
		if inverse.Inverse(&g) != nil || mat.Norm(&inverse, 2) > 1e4 {
			rt.Skip("badly determined")
		}
		least := math.Inf(1)
		for i := range n {
			least = min(least, 1/inverse.At(i, i))
		}
		if got := s.information(); math.Abs(got-least) > 1e-4*least {
			rt.Fatalf("information %g, want %g", got, least)
		}
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			rt.Skip("singular")
		}
		for i, got := range s.solve() {
			if math.Abs(got-x.AtVec(i)) > 1e-4*(1+mat.Norm(&x, 2)) {
				rt.Fatalf("x_%d = %g, want %g", i, got, x.AtVec(i))
			}
		}
	})
}
