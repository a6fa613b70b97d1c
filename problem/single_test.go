package problem_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// By hand: in single precision y = Wx is added up from left to right, and so are the terms of
// Σ y_j².
func TestSingleByHand(t *testing.T) {
	p := must(t, problem.Spec{Name: "squared-norm", Dim: 5, Seed: 7, Blemishes: problem.Blemishes{Single: true}})
	points := somewhere(p, 20)
	w, double := p.Frame().Matrix(), at(t, t.Context(), p.Clean, points)
	for i, got := range at(t, t.Context(), p.Evaluate, points) {
		sum := float32(0)
		for j := range 5 {
			y := float32(0)
			for k, v := range points.RawRowView(i) {
				y += float32(float32(w.At(j, k)) * float32(v))
			}
			sum += float32(float64(y) * float64(y))
		}
		if got != float64(sum) || !closeTo(got, double[i], 1e-5) || got == double[i] {
			t.Errorf("%v, want %v; in double precision %v", got, sum, double[i])
		}
	}
	if s := p.Spec().Blemishes.String(); s != "single" || !p.Blemished() {
		t.Errorf("%q", s)
	}
}

// Every problem can be computed in single precision, and has values of it.
func TestSingleOfAll(t *testing.T) {
	for _, name := range problem.Names() {
		p := must(t, problem.Spec{Name: name, Dim: 4, Seed: 3, Blemishes: problem.Blemishes{Single: true}})
		points := mat.DenseCopyOf(somewhere(p, 5))
		before := mat.DenseCopyOf(points)
		for i, v := range at(t, t.Context(), p.Evaluate, points) {
			if clean := at(t, t.Context(), p.Clean, points)[i]; v != float64(float32(v)) || !(math.Abs(v-clean) <= 1e-3*(1+math.Abs(clean))) && name != "step" {
				t.Errorf("%s: %v, in double precision %v", name, v, clean)
			}
		}
		if !mat.Equal(points, before) {
			t.Errorf("%s changes points", name)
		}
	}
}
