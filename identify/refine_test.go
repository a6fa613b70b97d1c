package identify

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// surveyorOf surveys f without bounds, around 0.
func surveyorOf(f objective.Objective, half float64, seed rng.Seed) *surveyor {
	return &surveyor{
		ctx: ctx, f: f, bounds: unbounded(f.Dim()), reach: 1, stream: seed.Stream("test"),
		inner: hessian.Box{Box: objective.Cube(f.Dim(), -half, half)},
		box:   hessian.Box{Box: objective.Cube(f.Dim(), -half, half)},
	}
}

// perturbed returns the chart of the frame (I+E)⁻¹W, whose error is E, with
// second derivatives seen at some points.
func perturbed(t testing.TB, s *surveyor, w, e *mat.Dense) *chart {
	t.Helper()
	m, _ := e.Dims()
	var plus, inverse, turned mat.Dense
	plus.Add(eye(m), e)
	if err := inverse.Inverse(&plus); err != nil {
		t.Fatal(err)
	}
	turned.Mul(&inverse, w)
	f, err := frame.New(&turned)
	if err != nil {
		t.Fatal(err)
	}
	c := s.newChart(f)
	if err := s.look(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// "Rounds square the error": from an error of E a round of large steps leaves
// less than E², with the terms of second order about E³.
func TestRefinementSquaresTheError(t *testing.T) {
	p := draw(t, "rastrigin", 12, "paper", 4)
	for _, size := range []float64{1e-2, 1e-3, 1e-4} {
		s := surveyorOf(p, 2, 1)
		e := mat.NewDense(12, 12, nil)
		s.stream.Norm(e.RawMatrix().Data)
		e.Scale(size, e)
		for i := range 12 {
			e.Set(i, i, 0)
		}
		c := perturbed(t, s, p.Frame().Matrix(), e)
		if err := s.measure(c); err != nil {
			t.Fatal(err)
		}
		before := frame.Compare(p.Frame(), c.frame).Coupling
		got, err := s.refine(c, allGroups(c.blocks))
		if err != nil {
			t.Fatal(err)
		}
		after := frame.Compare(p.Frame(), s.redraw(c, got).frame).Coupling
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
	s := surveyorOf(f, 1, 2)
	c := s.newChart(frame.Identity(2))
	g := &design{x: []float64{0.3, 0.2}, h: []float64{0.5, 0.25}, steps: mat.NewDense(2, 2, []float64{0.5, 0, 0, 0.25})}
	if err := s.slopes(c, g, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	m, err := s.mixed(g, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	y := 0.3 + eps*0.2
	slope := func(y float64) float64 { return 2*y + 3*y*y }
	delta := slope(y+0.5) - slope(y)
	want := eps*0.25*delta + 0.5*math.Pow(eps*0.25, 2)*6*0.5
	if math.Abs(m[0]-want) > 1e-14 {
		t.Errorf("M = %g, want %g", m[0], want)
	}
	if math.Abs(g.delta[0][0]-delta) > 1e-5 || math.Abs(g.c1[0]-g.c0[0]-3) > 1e-4 {
		t.Errorf("Δ = %g, want %g; f'' grows by %g, want 3", g.delta[0][0], delta, g.c1[0]-g.c0[0])
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
			length := mat.Norm(a.RowView(i), 2)
			for k := range n {
				a.Set(i, k, a.At(i, k)/length)
			}
			b.SetVec(i, b.AtVec(i)/length)
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

func TestBlocksAbove(t *testing.T) {
	c := mat.NewDense(5, 5, nil)
	for _, e := range [][2]int{{0, 3}, {3, 4}} {
		c.Set(e[0], e[1], 0.1)
		c.Set(e[1], e[0], 0.1)
	}
	c.Set(1, 2, 1e-6)
	if got := blocksAbove(c, 0.01); !cmp.Equal(got, [][]int{{0, 3, 4}, {1}, {2}}) || largest(got) != 3 {
		t.Errorf("%v", got)
	}
	if got := blocksAbove(c, 1e-7); !cmp.Equal(got, [][]int{{0, 3, 4}, {1, 2}}) {
		t.Errorf("%v", got)
	}
	if got := blocksAbove(c, 1); !cmp.Equal(got, singles(5)) {
		t.Errorf("%v", got)
	}
}

// "Whitening": along the new directions the mean of H² is a multiple of the
// identity, and the duals are dual.
func TestWhitening(t *testing.T) {
	stream := rng.Seed(6).Stream("test")
	_, hs := mixture(7, 3, stream)
	b, err := (basis{t: eye(7), dual: eye(7), seen: hs[:1]}).whitened()
	if err != nil {
		t.Fatal(err)
	}
	b = b.scaled([]float64{1, 2, 3, 4, 5, 6, 7})
	pairing := product(b.t, mat.DenseCopyOf(b.dual.T()))
	if !mat.EqualApprox(pairing, eye(7), 1e-12) {
		t.Errorf("T·T*ᵀ = %v", mat.Formatted(pairing))
	}
	// What was seen is what the stencil would see: H along the new directions.
	turned := product(product(b.t, hs[0]), mat.DenseCopyOf(b.t.T()))
	if !mat.EqualApprox(turned, b.seen[0], 1e-9*mat.Norm(turned, 2)) {
		t.Error("a Hessian was not turned with the directions")
	}
	c, err := (basis{t: eye(7), dual: eye(7), seen: hs[:1]}).whitened()
	if err != nil {
		t.Fatal(err)
	}
	m := product(product(c.t, hs[0]), mat.DenseCopyOf(c.t.T()))
	for i := range 7 {
		for j := range 7 {
			if want := math.Abs(m.At(0, 0)); i == j && math.Abs(math.Abs(m.At(i, i))-want) > 1e-9*want || i != j && math.Abs(m.At(i, j)) > 1e-9*want {
				t.Fatalf("along the new directions H is %v", mat.Formatted(m))
			}
		}
	}
	if _, err := (basis{t: eye(2), dual: eye(2), seen: []*mat.Dense{mat.NewDense(2, 2, nil)}}).whitened(); err == nil {
		t.Error("a Hessian of 0 was whitened")
	}
}
