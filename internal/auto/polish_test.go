package auto

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A look at (x−1)² + 2(y+1)² from 0 shows the slopes −2 and 4 and the second derivatives 2 and 4, after four queries.
// By them f falls by (−2)²/4 + 4²/8 = 3, which is all there is.
func TestALookByHand(t *testing.T) {
	f, at := plane(t, ellipse, 4)
	p := &polisher{f: f, at: at}
	b, err := p.look(ctx, []float64{0, 0}, f.best.Value, 1)
	if err != nil || f.queries != 1+4 {
		t.Fatalf("%d queries, error %v", f.queries, err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if !near(b.slope[0], -2) || !near(b.slope[1], 4) || !near(b.hessian.At(0, 0), 2) || !near(b.hessian.At(1, 1), 4) || !near(b.gain(), 3) {
		t.Errorf("slopes %v, Hessian %v, gain %v", b.slope, mat.Formatted(b.hessian), b.gain())
	}
}

// A quadratic takes a look, a step, and the slope that shows that this was all; and nothing more from the same point.
func TestPolishingAQuadratic(t *testing.T) {
	for _, bowl := range []bool{false, true} {
		f, at := plane(t, ellipse, 4)
		p := &polisher{f: f, at: at, bowl: bowl}
		if err := p.polish(ctx); err != nil {
			t.Fatal(err)
		}
		if f.queries > 40 || !(f.best.Value <= 1e-20) || p.bowl != bowl {
			t.Errorf("bowl %v: %v after %d queries", p.bowl, f.best.Value, f.queries)
		}
		before := f.queries
		if err := p.polish(ctx); err != nil || f.queries != before {
			t.Errorf("%d queries more from the same point, error %v", f.queries-before, err)
		}
	}
}

// A saddle is no bowl: that is noticed, and f is polished as another function.
func TestASaddleIsNoBowl(t *testing.T) {
	f, at := plane(t, func(x []float64) float64 { return x[0]*x[0] - x[1]*x[1] + x[1]*x[1]*x[1]*x[1]/4 + x[1]/8 }, 2)
	p := &polisher{f: f, at: at, bowl: true}
	if err := p.polish(ctx); err != nil || p.bowl {
		t.Errorf("bowl %v, error %v", p.bowl, err)
	}
	if err := (&polisher{f: f, at: at}).polish(ctx); err != nil {
		t.Fatal(err)
	}
	if x := f.best.Point; math.Abs(x[0]) > 1e-6 || math.Abs(x[1]*x[1]*x[1]-2*x[1]+1./8) > 1e-5 {
		t.Errorf("at %v", x)
	}
}

// Steps and changes of the slope say what the Hessian does, y = Hs, and are conjugate: ⟨s_i, y_j⟩ = 0.
func TestAxesSayTheHessian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const m = 5
		b := &bend{blocks: [][]int{{0, 2, 3}, {1}, {4}}, hessian: mat.NewSymDense(m, nil), rise: make([]float64, m)}
		for _, block := range b.blocks {
			for k, i := range block {
				for _, j := range block[:k+1] {
					b.hessian.SetSym(i, j, rapid.Float64Range(-1, 1).Draw(t, "h"))
				}
				b.hessian.SetSym(i, i, b.hessian.At(i, i)+3)
			}
		}
		axes := b.axes()
		if len(axes) != m {
			t.Fatalf("%d pairs", len(axes))
		}
		for i, p := range axes {
			var hs mat.VecDense
			hs.MulVec(b.hessian, mat.NewVecDense(m, p.S))
			for j, v := range p.Y {
				if math.Abs(hs.AtVec(j)-v) > 1e-12 {
					t.Fatalf("pair %d: Hs = %v, y = %v", i, hs.RawVector().Data, p.Y)
				}
			}
			for j, q := range axes {
				if i != j && math.Abs(kernel.Dot(p.S, q.Y)) > 1e-12 {
					t.Fatalf("pairs %d and %d: %v", i, j, kernel.Dot(p.S, q.Y))
				}
			}
		}
	})
}

// In a corner a look is from a point beside it, within the bounds, and shows the curvature all the same.
func TestALookInACorner(t *testing.T) {
	f, at := plane(t, ellipse, 4)
	at.bounds = objective.Cube(2, -1, 1)
	x := []float64{1, -1}
	b, err := (&polisher{f: f, at: at}).look(ctx, x, ellipse(x), finePart)
	if err != nil || b.slope != nil || math.Abs(b.hessian.At(0, 0)-2) > 1e-9 || math.Abs(b.hessian.At(1, 1)-4) > 1e-9 {
		t.Errorf("slope %v, Hessian %v, error %v", b.slope, b.hessian, err)
	}
}

// polisherFor prepares descents of f within bounds, with the rows of w as components and some
// blocks of them.
func polisherFor(t *testing.T, w *mat.Dense, blocks [][]int, bounds objective.Box, scale float64, f func(y []float64) float64) *polisher {
	t.Helper()
	fr, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	m, d := w.Dims()
	rows := fr.Matrix()
	watched := watch(objective.Func(d, func(x []float64) float64 {
		if bounds.Outside(x) >= 0 {
			t.Errorf("asked outside the bounds: %v", x)
		}
		y := mat.NewVecDense(m, nil)
		y.MulVec(rows, mat.NewVecDense(d, x))
		return f(y.RawVector().Data)
	}), func(objective.Stage) {})
	found := &identify.Finding{Frame: fr, Blocks: blocks, Scale: make([]float64, m)}
	for j := range m {
		found.Scale[j] = scale
	}
	if _, err := watched.ask(context.Background(), between(bounds.Lo, bounds.Hi, 0.4)); err != nil {
		t.Fatal(err)
	}
	return &polisher{f: watched, at: newCoordinates(found, bounds)}
}

// At the point that a descent comes to, no coordinate leads down: its slope is 0, or the
// bounds hold it.
func TestPolishingComesToAMinimumOnAFace(t *testing.T) {
	for seed := range 6 {
		const d = 6
		w := mat.NewDense(d, d, nil)
		rng.Seed(seed).Stream("test").Norm(w.RawMatrix().Data)
		blocks := [][]int{{0}, {1}, {2}, {3}, {4}, {5}}
		if seed%2 == 1 {
			blocks = [][]int{{0, 3}, {1}, {2, 4, 5}}
		}
		f := func(y []float64) float64 {
			sum := 0.0
			for j, v := range y {
				sum += math.Cosh(v-1.5) + float64(j)*v*v
			}
			if seed%2 == 1 {
				sum += math.Exp(y[0]*y[3]/4) + y[2]*y[4]/2 + math.Sin(y[4]-y[5])
			}
			return sum
		}
		s := polisherFor(t, w, blocks, objective.Cube(d, -0.5, 0.2), 0.5, f)
		if err := s.polish(context.Background()); err != nil {
			t.Fatal(err)
		}
		x, value, held := s.f.best.Point, s.f.best.Value, 0
		const step = 1e-4
		for k := range d {
			for _, to := range []float64{max(x[k]-step, -0.5), min(x[k]+step, 0.2)} {
				there := append([]float64(nil), x...)
				there[k] = to
				values := []float64{0}
				if err := s.f.Objective.Evaluate(context.Background(), mat.NewDense(1, d, there), values); err != nil {
					t.Fatal(err)
				}
				if to == x[k] {
					held++
				} else if values[0] < value-1e-9 {
					t.Errorf("seed %d: coordinate %d leads down by %g", seed, k, value-values[0])
				}
			}
		}
		if held == 0 {
			t.Errorf("seed %d: no face: this shows nothing", seed)
		}
		if s.f.queries > 600 {
			t.Errorf("seed %d: %d queries", seed, s.f.queries)
		}
	}
}
