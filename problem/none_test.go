package problem_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// Without a mix the frame is that of the axes, which is not computed: its inverse would take d³
// steps. It has the bits that would be computed. Its matrices are one and the same where m = d,
// which no computed frame has.
func TestTheFrameOfNoMixIsNotComputed(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {1, 3}, {3, 3}, {7, 20}, {64, 64}, {65, 130}, {200, 200}} {
		m, d := c[0], c[1]
		got := must(t, problem.Spec{Name: "rastrigin", Dim: d, Components: m, Mix: "none"}).Frame()
		if m == d && got.Matrix() != got.Inverse() {
			t.Errorf("m = %d, d = %d: the inverse is computed", m, d)
		}
		w := mat.NewDense(m, d, nil)
		for j := range m {
			w.Set(j, j, 1)
		}
		want, err := frame.New(w)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]*mat.Dense{
			"matrix": {got.Matrix(), want.Matrix()}, "inverse": {got.Inverse(), want.Inverse()}, "directions": {got.Directions(), want.Directions()},
		} {
			for i, v := range pair[1].RawMatrix().Data {
				if math.Float64bits(pair[0].RawMatrix().Data[i]) != math.Float64bits(v) {
					t.Fatalf("m = %d, d = %d: number %d of the %s is %v, must be %v", m, d, i, name, pair[0].RawMatrix().Data[i], v)
				}
			}
		}
	}
}
