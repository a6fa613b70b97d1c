package frame

import (
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Sections 2.2 and 3: W̃† is the pseudo-inverse of W̃. By hand, with two rows that are equal:
// for W̃ = (1 0; 1 0) it is W̃† = (½ ½; 0 0). The four conditions of Penrose hold, and the
// frame is the same after it was written and read.
func TestPseudoOfDependentRows(t *testing.T) {
	f, err := Pseudo(mat.NewDense(2, 2, []float64{1, 0, 1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	a, x := f.Matrix(), f.Inverse()
	if !mat.EqualApprox(x, mat.NewDense(2, 2, []float64{0.5, 0.5, 0, 0}), 1e-15) {
		t.Errorf("W̃† = %v", mat.Formatted(x))
	}
	var ax, xa, axa, xax mat.Dense
	ax.Mul(a, x)
	xa.Mul(x, a)
	axa.Mul(&ax, a)
	xax.Mul(&xa, x)
	if !mat.EqualApprox(&axa, a, 1e-15) || !mat.EqualApprox(&xax, x, 1e-15) || !mat.EqualApprox(&ax, ax.T(), 1e-15) || !mat.EqualApprox(&xa, xa.T(), 1e-15) {
		t.Error("it is no pseudo-inverse")
	}
	data, err := json.Marshal(f)
	var back Frame
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || !mat.Equal(back.Inverse(), x) || !mat.Equal(back.Matrix(), a) {
		t.Errorf("%s, error %v", data, err)
	}
}

// Where rows are independent, Pseudo is New to the bit.
func TestPseudoOfIndependentRows(t *testing.T) {
	w := mat.NewDense(2, 3, []float64{1, 2, 3, 0, 1, -1})
	f, err := Pseudo(w)
	if err != nil || !mat.Equal(f.Inverse(), must(t, w).Inverse()) || f.dependent {
		t.Errorf("%v, error %v", f, err)
	}
	if _, err := Pseudo(mat.NewDense(1, 2, nil)); err == nil {
		t.Error("a row of zeros is a frame")
	}
}
