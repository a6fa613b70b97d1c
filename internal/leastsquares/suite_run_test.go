package leastsquares

import (
	"math"
	"testing"
)

// unlimited returns a problem without bounds, which counts its evaluations and keeps the best sum of
// squares after each; it ends after so many.
type counted struct {
	f     func(x []float64) []float64
	most  int
	curve []float64
}

type spent struct{}

func (spent) Error() string { return "spent" }

func (c *counted) residuals(points [][]float64) (rows [][]float64, err error) {
	for _, x := range points {
		if len(c.curve) >= c.most {
			return nil, spent{}
		}
		r := c.f(x)
		best := math.Inf(1)
		if n := len(c.curve); n > 0 {
			best = c.curve[n-1]
		}
		f := sumOfSquares(r)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f, r = math.Inf(1), nil
		}
		c.curve = append(c.curve, min(best, f))
		rows = append(rows, r)
	}
	return rows, nil
}

func everywhere(n int) (lo, hi []float64) {
	for range n {
		lo, hi = append(lo, math.Inf(-1)), append(hi, math.Inf(1))
	}
	return lo, hi
}

// solve runs a descent on a problem, for 100(n + 1) evaluations.
func solveProblem(p problem) (Fit, *counted) {
	c := &counted{f: func(x []float64) []float64 { return functions[p.f-1].residuals(x, p.m) }, most: 100 * (p.n + 1)}
	lo, hi := everywhere(p.n)
	fit, _ := Descend(Problem{lo, hi, c.residuals}, p.from(), nil)
	return fit, c
}

// Of the 53 problems of Moré and Wild, the descent solves most to 1e-5 of the way from the start to
// the least sum of squares known.
func TestSuite(t *testing.T) {
	solved := 0
	for _, p := range suite {
		fit, c := solveProblem(p)
		first := c.curve[0]
		goal := p.least + 1e-5*(first-p.least)
		at := 0
		for at < len(c.curve) && c.curve[at] > goal {
			at++
		}
		if at < len(c.curve) {
			solved++
		}
		t.Logf("%-40s n=%2d far=%-5v F %.10g, least %.10g, solved after %d of %d (%v)", functions[p.f-1].name, p.n, p.far, fit.F, p.least, at+1, len(c.curve), at < len(c.curve))
	}
	if solved < 50 {
		t.Errorf("%d of %d solved", solved, len(suite))
	}
}
