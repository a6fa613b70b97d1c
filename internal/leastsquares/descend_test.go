package leastsquares

import (
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// one evaluates a function of residuals at each point.
func one(f func(x []float64) []float64) func([][]float64) ([][]float64, error) {
	return func(points [][]float64) (rows [][]float64, err error) {
		for _, x := range points {
			rows = append(rows, f(x))
		}
		return rows, nil
	}
}

// Broyden's formula by hand: J = (1 0), D = 1, the step (1, 1) predicts a change of 1, and the change is 3:
// J ← (1 0) + (3 − 1)/2·(1 1) = (2 1).
func TestBroydenByHand(t *testing.T) {
	s := descent{Fit: Fit{R: []float64{5}, J: mat.NewDense(1, 2, []float64{1, 0})}, d: []float64{1, 1}}
	s.update([]float64{1, 1}, []float64{8})
	if s.J.At(0, 0) != 2 || s.J.At(0, 1) != 1 {
		t.Errorf("%v", mat.Formatted(s.J))
	}
}

// A step by hand: r = (x − 3, 2y), J = diag(1, 2) at (0, 1). Without a bound it is (3, −1); with x ≤ 1 it
// ends at (1, −1), and within a small Δ it is as long as Δ.
func TestStepByHand(t *testing.T) {
	inf := math.Inf(1)
	s := descent{
		Problem: Problem{Lo: []float64{-inf, -inf}, Hi: []float64{inf, inf}},
		Fit:     Fit{X: []float64{0, 1}, R: []float64{-3, 2}, F: 13, J: mat.NewDense(2, 2, []float64{1, 0, 0, 2})}, d: []float64{1, 1},
	}
	p, gain, bent := s.propose(100)
	if math.Abs(p[0]-3) > 1e-12 || math.Abs(p[1]+1) > 1e-12 || math.Abs(gain-13) > 1e-12 || bent {
		t.Errorf("%v, %v, %v", p, gain, bent)
	}
	if p, _, bent = s.propose(0.5); math.Abs(s.length(p)-.5) > 1e-9 || !bent {
		t.Errorf("%v is not of length ½", p)
	}
	s.Hi[0] = 1
	if p, gain, bent = s.propose(100); p[0] != 1 || math.Abs(p[1]+1) > 1e-12 || math.Abs(gain-9) > 1e-12 || !bent {
		t.Errorf("%v, %v, %v", p, gain, bent)
	}
}

// A minimum on the boundary, where points beyond another line fail, and residuals of six digits.
func TestDescendInHardPlaces(t *testing.T) {
	bounded := Problem{Lo: []float64{-2, -2}, Hi: []float64{.5, 2}, Residuals: one(func(x []float64) []float64 {
		if x[0] < -1.5 {
			return nil
		}
		return []float64{10 * (x[1] - x[0]*x[0]), 1 - x[0]}
	})}
	fit, err := Descend(bounded, []float64{-1.4, 1}, nil)
	if err != nil || fit.X[0] != .5 || math.Abs(fit.F-.25) > 1e-9 {
		t.Errorf("%+v, %v", fit, err)
	}
	lo, hi := everywhere(2)
	printed := Problem{lo, hi, one(func(x []float64) (r []float64) {
		for i := range 10 {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(x[0]*math.Exp(-x[1]*float64(i)/5)-3*math.Exp(-float64(i)/5), 'g', 6, 64), 64)
			r = append(r, v)
		}
		return r
	})}
	if fit, err = Descend(printed, []float64{1, 2}, nil); err != nil || fit.F > 1e-6 {
		t.Errorf("%+v, %v", fit, err)
	}
	all := Problem{lo, hi, one(func([]float64) []float64 { return nil })}
	if fit, err = Descend(all, []float64{1, 2}, nil); err != nil || fit.J != nil || !math.IsInf(fit.F, 1) {
		t.Errorf("%+v, %v", fit, err)
	}
}

// Large residuals bend so much that short steps fail although J is right. That is not noise: differences stay short, and the
// least sum of squares is reached to ten digits.
func TestBentResidualsAreNotNoise(t *testing.T) {
	for _, i := range []int{12, 17, 25, 26} { // Freudenstein and Roth, Meyer, Jennrich and Sampson, Brown and Dennis
		if fit, _ := solveProblem(suite[i]); math.Abs(fit.F/suite[i].least-1) > 1e-9 {
			t.Errorf("%s: %.12g, not %.12g", functions[suite[i].f-1].name, fit.F, suite[i].least)
		}
	}
}

// Old derivatives are tried after one step with new ones, and after failures only after 2, 4, … up to d + 1.
func TestPatienceByHand(t *testing.T) {
	var p Patience
	for _, needed := range []int{1, 2, 4, 4} {
		for n := 1; ; n++ {
			if p.Note(true, true, 3); p.Over() {
				if n != needed {
					t.Errorf("%d, not %d", n, needed)
				}
				break
			}
		}
		p.Note(false, false, 3)
	}
	p.Note(false, true, 3)
	if p.Note(true, true, 3); !p.Over() {
		t.Error("a success has not ended it")
	}
}

// By hand: J = (1 1; 1 1; 0 0) determines x + y and not x − y.
func TestErrorsByHand(t *testing.T) {
	e := Errors(mat.NewDense(3, 2, []float64{1, 1, 1, 1, 0, 0}), []float64{0, 0, 1})
	if math.Abs(e.Singular[0]-2) > 1e-12 || e.Singular[1] > 1e-12 {
		t.Errorf("%v", e.Singular)
	}
	if errors, cov := e.In([]float64{1, 1}); !math.IsInf(errors[0], 1) || !math.IsInf(errors[1], 1) || cov != nil {
		t.Errorf("%v, %v", errors, cov)
	}
	e = Errors(mat.NewDense(3, 2, []float64{1, 0, 0, 2, 0, 0}), []float64{0, 0, 3})
	if errors, cov := e.In([]float64{1, 10}); math.Abs(errors[0]-3) > 1e-12 || math.Abs(errors[1]-15) > 1e-12 || math.Abs(cov[1][1]-225) > 1e-9 {
		t.Errorf("%v, %v", errors, cov)
	}
}
