package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A frame with dependent rows is not regular, nor is what is made of it: no equation is made in it, it fits nothing, and it is not
// believed.
func TestSingularFrames(t *testing.T) {
	const d = 3
	f, _ := ripples(d)
	s := sampled(t, d, f)
	e := &search{request: trusting(Request{}), rough: 1, caution: 1, goal: goodEnough, belief: newBelief(s)}
	if err := e.prepare(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := e.lookAround(); err != nil {
			t.Fatal(err)
		}
	}
	right := kernel.Identity(d)
	wrong := mat.NewDense(d, d, []float64{1, 2, 3, 2, 4, 6, 0, 1, 0})
	if !along(right).regular() || !frameOf(right).regular() {
		t.Error("the frame of the axes is not regular")
	}
	for name, f := range map[string]*Frame{"along": along(wrong), "of rows": frameOf(wrong), "nowhere": along(nowhere(d))} {
		switch {
		case f.regular(), f.corrected(mat.NewDense(d, d, nil)).regular():
			t.Errorf("%s: regular", name)
		case e.equations(f, Theta{}, e.looks) != nil:
			t.Errorf("%s: equations", name)
		case !math.IsInf(e.misfit(f, Theta{}, e.looks), 1):
			t.Errorf("%s: it fits", name)
		case e.scaled(f, Theta{}, e.looks).regular(), e.gaussNewton(f, Theta{}, e.looks, mostSweeps).regular():
			t.Errorf("%s: regular after a fit", name)
		}
	}
	e.frame = along(wrong)
	if !e.learn() || !e.frame.regular() { // from joint diagonalisation
		t.Error("nothing is learnt from a wrong frame")
	}
}
