package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// random returns a matrix of Gaussian numbers.
func random(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = r.NormFloat64()
	}
	return m
}

// By hand, and against gonum for other shapes. The factors are not changed.
func TestTimes(t *testing.T) {
	a, b := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(3, 1, []float64{1, 0, -1})
	if got := Times(a, b); !mat.Equal(got, mat.NewDense(2, 1, []float64{-2, -2})) {
		t.Errorf("%v", mat.Formatted(got))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {3, 4, 5}, {17, 1, 9}, {40, 33, 21}} {
		a, b := random(r, s[0], s[1]), random(r, s[1], s[2])
		a0, b0 := mat.DenseCopyOf(a), mat.DenseCopyOf(b)
		var want mat.Dense
		want.Mul(a, b)
		if got := Times(a, b); !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("%v: another product than gonum's", s)
		}
		if !mat.Equal(a, a0) || !mat.Equal(b, b0) {
			t.Errorf("%v: a factor has changed", s)
		}
	}
	// A part of a larger matrix has gaps between its rows.
	part := random(r, 6, 6).Slice(1, 4, 2, 5).(*mat.Dense)
	if got := Times(part, Identity(3)); !mat.Equal(got, part) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(part))
	}
}

func TestIdentity(t *testing.T) {
	if got := Identity(2); !mat.Equal(got, mat.NewDense(2, 2, []float64{1, 0, 0, 1})) {
		t.Errorf("%v", mat.Formatted(got))
	}
	m := random(rand.New(rand.NewPCG(3, 4)), 5, 5)
	if !mat.Equal(Times(Identity(5), m), m) || !mat.Equal(Times(m, Identity(5)), m) {
		t.Error("the identity changes a matrix")
	}
}

// By hand: 3·(m + mᵀ)/2.
func TestSymmetrised(t *testing.T) {
	m := mat.NewDense(2, 2, []float64{1, 2, 4, -1})
	got := Symmetrised(m, 3)
	if !mat.Equal(got, mat.NewSymDense(2, []float64{3, 9, 9, -3})) {
		t.Errorf("%v", mat.Formatted(got))
	}
	if !mat.Equal(m, mat.NewDense(2, 2, []float64{1, 2, 4, -1})) {
		t.Error("the matrix has changed")
	}
}

// By hand: (1, 2, 3) without its parts along e_1 and (e_2+e_3)/√2 is (0, −½, ½). What is
// left is orthogonal to all rows up to rounding, even where almost nothing is left.
func TestProject(t *testing.T) {
	half := math.Sqrt(0.5)
	v := []float64{1, 2, 3}
	Project(v, mat.NewDense(2, 3, []float64{1, 0, 0, 0, half, half}).RawMatrix())
	for i, want := range []float64{0, -0.5, 0.5} {
		if math.Abs(v[i]-want) > 1e-15 {
			t.Errorf("%v", v)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range [][2]int{{1, 1}, {3, 8}, {20, 50}} {
		q := random(r, s[0], s[1])
		Orthonormalise(q.RawMatrix())
		v := make([]float64, s[1])
		for i := range s[0] { // nearly in their span
			AddScaled(v, r.NormFloat64(), q.RawRowView(i))
		}
		for k := range v {
			v[k] += 1e-9 * r.NormFloat64()
		}
		before := append([]float64(nil), v...)
		Project(v, q.RawMatrix())
		for i := range s[0] {
			if c := Dot(v, q.RawRowView(i)); math.Abs(c) > 1e-22 {
				t.Errorf("%v: ⟨v, q_%d⟩ = %g", s, i, c)
			}
		}
		var taken mat.VecDense // what was taken away lies in the span
		taken.SubVec(mat.NewVecDense(s[1], before), mat.NewVecDense(s[1], v))
		rest := append([]float64(nil), taken.RawVector().Data...)
		Project(rest, q.RawMatrix())
		if left := math.Sqrt(Dot(rest, rest)); left > 1e-14 {
			t.Errorf("%v: %g outside the span was taken away", s, left)
		}
	}
}
