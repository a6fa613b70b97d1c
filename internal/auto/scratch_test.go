package auto

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

func TestScratch(t *testing.T) {
	spec := problem.Spec{Name: "blocks-rastrigin", Dim: 1000, BlockCount: 20, Seed: 0}
	p, _ := problem.New(spec)
	s := structuredRun(t, spec, true, 3_000_000, 1)
	fmt.Println("gap", s.gap, s.queries, s.stages)
	x, o := s.point, p.Minimiser()
	d := mat.NewVecDense(1000, nil)
	for i := range x {
		d.SetVec(i, x[i]-o[i])
	}
	var z mat.VecDense
	z.MulVec(p.Frame().Matrix(), d)
	sizes := []int{50, 50, 25, 25, 100, 100, 25, 25, 50, 25, 100, 25, 100, 50, 25, 25, 25, 100, 50, 25}
	first := 0
	for b, n := range sizes {
		worst, bad := 0.0, 0
		for k := range n {
			if v := math.Abs(z.AtVec(first + k)); v > 1e-3 {
				bad++
			}
			worst = math.Max(worst, math.Abs(z.AtVec(first+k)))
		}
		// the value of the block: others at the minimum
		y := p.Minimiser()
		inv := p.Frame().Inverse()
		for i := range y {
			for k := range n {
				y[i] += inv.At(i, first+k) * z.AtVec(first+k)
			}
		}
		v := make([]float64, 1)
		p.Evaluate(t.Context(), mat.NewDense(1, 1000, y), v)
		fmt.Printf("block %d of %d: bad %d worst %.2g value %.3g\n", b, n, bad, worst, v[0])
		first += n
	}
}
