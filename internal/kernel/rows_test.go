package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Rows become orthonormal, even where they are nearly dependent. Each stays in the span
// of itself and the rows before it.
func TestOrthonormalise(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, s := range [][2]int{{1, 1}, {3, 7}, {32, 32}, {33, 40}, {100, 100}, {70, 300}} {
		q := draw(r, s[0], s[1], 3, false)
		for i := 1; i < s[0]; i++ {
			for k := range s[1] { // nearly the row before
				q.Data[i*q.Stride+k] = q.Data[(i-1)*q.Stride+k] + 1e-6*q.Data[i*q.Stride+k]
			}
		}
		given := clone(q)
		Orthonormalise(q)
		gram := draw(r, s[0], s[0], 0, false)
		MulT(gram, 1, q, clone(q), 0)
		for i := range s[0] {
			for j := range s[0] {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := gram.Data[i*gram.Stride+j]; !(math.Abs(got-want) <= 1e-13) {
					t.Fatalf("%v: ⟨%d, %d⟩ = %g", s, i, j, got)
				}
			}
			// Row i of what was given is a sum of the rows up to i.
			rest := append([]float64(nil), row(given, i)...)
			for j := range i + 1 {
				AddScaled(rest, -Dot(row(q, j), row(given, i)), row(q, j))
			}
			if left := math.Sqrt(Dot(rest, rest) / Dot(row(given, i), row(given, i))); !(left <= 1e-13) {
				t.Fatalf("%v: %g of row %d is outside the span", s, left, i)
			}
		}
		for i := range s[0] {
			wantSame(t, "what lies between the rows", q.Data[i*q.Stride+s[1]:(i+1)*q.Stride], given.Data[i*q.Stride+s[1]:(i+1)*q.Stride])
		}
	}
	Orthonormalise(blas64.General{Rows: 0, Cols: 3, Stride: 3})
}

func TestNormalise(t *testing.T) {
	x, zero := []float64{3, 4}, []float64{0, 0}
	Normalise(x)
	Normalise(zero)
	if math.Abs(x[0]-0.6) > 1e-15 || math.Abs(x[1]-0.8) > 1e-15 || zero[0] != 0 {
		t.Errorf("%v, %v", x, zero)
	}
}
