package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// After Broyden's update B explains the last step, By = s, and is what it was on all that Bᵀs is orthogonal to.
func TestBroydensUpdate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		draw := func(n int, name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, name)
		}
		b := mat.NewDense(n, n, draw(n*n, "B"))
		for i := range n {
			b.Set(i, i, b.At(i, i)+4)
		}
		step, now, before := draw(n, "s"), draw(n, "δ"), draw(n, "δ before")
		for i := range n { // y is about B⁻¹s: sᵀBy is not 0
			now[i] = before[i] + step[i] + 0.1*now[i]
		}
		if kernel.Dot(step, step) < 0.1 {
			return
		}
		was := mat.DenseCopyOf(b)
		s := &straightening{b: b}
		s.learn(step, now, before)
		var by, aside, same mat.VecDense
		y := mat.NewVecDense(n, nil)
		y.SubVec(mat.NewVecDense(n, now), mat.NewVecDense(n, before))
		by.MulVec(b, y)
		for i := range n {
			if math.Abs(by.AtVec(i)-step[i]) > 1e-9 {
				t.Fatalf("By = %v, s = %v", by.RawVector().Data, step)
			}
		}
		x := mat.NewVecDense(n, draw(n, "x"))
		var sb mat.VecDense
		sb.MulVec(was.T(), mat.NewVecDense(n, step))
		x.AddScaledVec(x, -mat.Dot(x, &sb)/mat.Dot(&sb, &sb), &sb)
		aside.MulVec(b, x)
		same.MulVec(was, x)
		aside.SubVec(&aside, &same)
		if mat.Norm(&aside, 2) > 1e-9 {
			t.Fatalf("B has changed by %v where it need not", mat.Norm(&aside, 2))
		}
	})
}

// Directions in which f is constant, or linear, are found, within bounds as well, and one in which f curves a little is a component.
func TestFewFlatDirections(t *testing.T) {
	const d = 20
	f, w := ripples(d)
	box := objective.Cube(d, -1, 1)
	for name, c := range map[string]struct {
		flat int
		last func(y float64) float64 // of the last component
		rows int
	}{
		"all curve":  {0, nil, d},
		"one flat":   {1, func(float64) float64 { return 0 }, d - 1},
		"two flat":   {2, func(float64) float64 { return 0 }, d - 2},
		"linear":     {1, func(y float64) float64 { return y }, d},
		"two linear": {2, func(y float64) float64 { return y }, d - 1},
		"weak":       {1, func(y float64) float64 { return 1e-3 * math.Sin(4*y) }, d},
	} {
		r, err := Identify(t.Context(), objective.Func(d, func(x []float64) float64 {
			sum := f(x)
			for k, v := range x {
				if v < box.Lo[k] || v > box.Hi[k] {
					t.Fatalf("%s: %v is outside", name, x)
				}
			}
			for i := range c.flat {
				y := kernel.Dot(w.RawRowView(d-1-i), x)
				sum += c.last(y) - (float64(y*y) + math.Cos(3*y+float64(d-1-i)))
			}
			return sum
		}), trusting(Request{Box: box, Bounds: box, Grain: objective.Rounding, Seed: 3}))
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := r.W.Dims()
		if linear := name == "linear" || name == "two linear"; r.Verdict != Separable || rows != c.rows || r.Linear != linear || !linear && !found(r.W, w, 0.01) {
			t.Errorf("%s: %s, %d components, linear %v", name, r.Verdict, rows, r.Linear)
		}
	}
}
