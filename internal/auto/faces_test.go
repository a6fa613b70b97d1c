package auto

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// naiveLeastInBox tries all faces of the box: on each, the free coordinates are where the
// slope along them vanishes.
func naiveLeastInBox(q parabola, box objective.Box) float64 {
	d := len(q.g)
	least := math.Inf(1)
	s, slope := make([]float64, d), make([]float64, d)
	for face := range int(math.Pow(3, float64(d))) {
		var free []int
		for k, rest := 0, face; k < d; k, rest = k+1, rest/3 {
			s[k] = []float64{box.Lo[k], box.Hi[k], 0}[rest%3]
			if rest%3 == 2 {
				free = append(free, k)
			}
		}
		if n := len(free); n > 0 {
			q.at(s, slope)
			a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
			for i, k := range free {
				b.SetVec(i, -slope[k])
				for j, l := range free {
					a.Set(i, j, q.h.At(k, l))
				}
			}
			var x mat.VecDense
			if x.SolveVec(a, b) != nil {
				continue
			}
			for i, k := range free {
				s[k] = x.AtVec(i)
			}
		}
		if box.Contains(s) {
			least = min(least, q.at(s, slope))
		}
	}
	return least
}

// A parabola that has a minimum is least in a box where one of the faces has its minimum.
func TestLeastInBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "d")
		root := mat.NewDense(d, d, nil)
		q := parabola{g: make([]float64, d), h: mat.NewSymDense(d, nil)}
		box := objective.Cube(d, 0, 0)
		for k := range d {
			for i := range d {
				root.Set(k, i, rapid.Float64Range(-1, 1).Draw(t, "root"))
			}
			root.Set(k, k, root.At(k, k)+0.1)
			q.g[k] = rapid.Float64Range(-3, 3).Draw(t, "g")
			box.Lo[k], box.Hi[k] = -rapid.Float64Range(0, 2).Draw(t, "lo"), rapid.Float64Range(0, 2).Draw(t, "hi")
		}
		q.h.SymOuterK(1, root)
		for k := range d {
			q.h.SetSym(k, k, q.h.At(k, k)+1e-3)
		}
		s := q.leastInBox(box)
		if !box.Contains(s) {
			t.Fatalf("%v is outside %v", s, box)
		}
		got, want := q.at(s, make([]float64, d)), naiveLeastInBox(q, box)
		if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Fatalf("%v at %v, naive %v", got, s, want)
		}
	})
}

// facesFor prepares a search of f within bounds, with the rows of w as components and some
// blocks of them.
func facesFor(t *testing.T, w *mat.Dense, blocks [][]int, bounds objective.Box, scale float64, f func(y []float64) float64) *faceSearch {
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
	if err := watched.ask(context.Background(), between(bounds.Lo, bounds.Hi, 0.4)); err != nil {
		t.Fatal(err)
	}
	return &faceSearch{f: watched, at: newCoordinates(found, bounds)}
}

// At the point that Newton steps come to, no coordinate leads down: its slope is 0, or the
// bounds hold it.
func TestFaceSearchComesToAMinimum(t *testing.T) {
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
		s := facesFor(t, w, blocks, objective.Cube(d, -0.5, 0.2), 0.5, f)
		if err := s.search(context.Background()); err != nil {
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
