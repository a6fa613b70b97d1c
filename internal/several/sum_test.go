package several

import (
	"math"
	"testing"
)

// Interpolation is exact for cubics, and for what has a kink between two of them.
func TestRefine(t *testing.T) {
	for name, f := range map[string]func(x float64) float64{
		"cubic":        func(x float64) float64 { return 1 + x*(2+x*(-.3+.01*x)) },
		"rising kink":  func(x float64) float64 { return .01*x*x + 5*math.Abs(x-7.3) },
		"falling kink": func(x float64) float64 { return .01*x*x - 5*math.Abs(x-7.3) },
	} {
		var v []float64
		for i := range 16 {
			v = append(v, f(float64(i)))
		}
		fine := refine(v, 10, 5)
		if len(fine) != 156 {
			t.Fatalf("%s: %d values", name, len(fine))
		}
		for k, got := range fine {
			if want := f(float64(k) / 10); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s at %v: %v, want %v", name, float64(k)/10, got, want)
			}
		}
	}
}

// Least squares of sums: f(i, j) = a_i + b_j is found but for a constant.
func TestLeastNorm(t *testing.T) {
	a, b := []float64{3, -1, 4}, []float64{1, 5, -9, 2}
	var rows [][]int
	var right []float64
	for i := range a {
		for j := range b {
			rows, right = append(rows, []int{i, 3 + j}), append(right, a[i]+b[j])
		}
	}
	x, residual := leastNorm(rows, right, 7)
	if residual > 1e-10 {
		t.Errorf("residual %v", residual)
	}
	for i, row := range rows {
		if got := x[row[0]] + x[row[1]]; math.Abs(got-right[i]) > 1e-9 {
			t.Errorf("%v: %v, want %v", row, got, right[i])
		}
	}
}
