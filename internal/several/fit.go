package several

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/leastsquares"
	"github.com/untwist/untwist/strategy"
)

// fit minimises the sum of squares of residuals: a descent from the best of the known points, or else
// from the best of some points of the start box, and then from others. It is done when the best minimum
// was found again from several starts, or nothing better from many.
func (w *work) fit() (out strategy.Outcome, err error) {
	d := w.f.Dim()
	problem := leastsquares.Problem{Lo: w.task.Bounds.Lo, Hi: w.task.Bounds.Hi, Residuals: w.residuals}
	best := leastsquares.Fit{F: math.Inf(1)}
	again, idle := 0, 0
	for round := 0; again < enough && idle < barren; round++ {
		start, r, err := w.start(round, d, best.X)
		if err != nil {
			return w.outcome(best), err
		}
		if r == nil {
			idle++
			continue
		}
		w.task.Stage(byFit)
		fit, err := leastsquares.Descend(problem, start, r)
		switch {
		case fit.F < best.F*(1-same) || best.X == nil:
			best, again, idle = fit, 0, 0
		case fit.F <= best.F*(1+same):
			if again++; fit.F < best.F && fit.J != nil {
				best = fit
			}
		default:
			idle++
		}
		if err != nil {
			return w.outcome(best), err
		}
	}
	return w.outcome(best), nil
}

// same is how near to each other two minima are called the same, as a part of the sum of squares.
const same = 1e-6

// outcome returns the outcome with the best fit.
func (w *work) outcome(best leastsquares.Fit) (out strategy.Outcome) {
	if best.J != nil {
		out.Fit = &strategy.Fit{Point: best.X, Residuals: best.R, Jacobian: best.J}
	}
	return out
}

// start returns where the next descent begins, and the residuals there: the best of the known points,
// of points of the start box or of points around the best, by turns. nil: all have failed.
func (w *work) start(round, d int, best []float64) (z, r []float64, err error) {
	points := w.known()
	w.task.Stage(atKnown)
	switch {
	case round == 0 && points != nil:
	case round%3 == 2 && best != nil:
		w.task.Stage(toSample)
		points = w.around(best, screen(d))
	default:
		w.task.Stage(toSample)
		points = w.uniform(screen(d))
	}
	values, numbers, err := w.ask(points)
	if err != nil {
		return nil, nil, err
	}
	i := 0
	for k, v := range values {
		if v < values[i] {
			i = k
		}
	}
	if numbers[i] == nil {
		return nil, nil, nil
	}
	return points[i], slices.Clone(numbers[i][:w.said.Residuals]), nil
}

// residuals evaluates points for a descent.
func (w *work) residuals(points [][]float64) ([][]float64, error) {
	_, numbers, err := w.ask(points)
	for i, row := range numbers {
		if row != nil {
			numbers[i] = row[:w.said.Residuals]
		}
	}
	return numbers, err
}
