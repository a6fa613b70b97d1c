package several

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/leastsquares"
	"github.com/untwist/untwist/strategy"
)

// A fitting is a search for the least sum of squares of residuals.
type fitting struct {
	*work
	problem leastsquares.Problem
	best    leastsquares.Fit
	first   float64 // the sum of squares where the first descent has begun
	parts   division
	again   []int // how often the best of each part was found again
	idle    int   // descents since one has gained something
}

// fit minimises the sum of squares of residuals: a descent from the best of the known points, or else
// from the best of some points of the start box, and then from others. It is done when the best minimum
// was found again from several starts, or nothing better from many. Where the residuals fall into parts,
// that holds for each part, and points are put together from the best parts of others.
func (w *work) fit() (out strategy.Outcome, err error) {
	s := &fitting{work: w, best: leastsquares.Fit{F: math.Inf(1)}, again: []int{0}}
	s.problem = leastsquares.Problem{Lo: w.task.Bounds.Lo, Hi: w.task.Bounds.Hi, Residuals: w.residuals}
	for round := 0; slices.Min(s.again) < enough && s.idle < barren && err == nil; round++ {
		err = s.round(round)
	}
	if s.best.J != nil {
		out.Fit = &strategy.Fit{Point: s.best.X, Residuals: s.best.R, Jacobian: s.best.J}
	}
	return out, err
}

// round makes a descent.
func (s *fitting) round(round int) error {
	start, r, err := s.start(round)
	if err != nil || start == nil {
		s.idle++
		return err
	}
	s.task.Stage(byFit)
	fit, err := leastsquares.Descend(s.problem, start, r)
	if fit.R == nil {
		s.idle++
		return err
	}
	was := s.best
	if s.keep(fit); err != nil {
		return err
	}
	if s.parts.learn(fit) {
		s.again = make([]int, s.parts.count())
	}
	if was.R == nil {
		return nil
	}
	if fit.F < was.F {
		was, fit = fit, was
	}
	x, promised := s.parts.merge(s, was, fit)
	if x == nil {
		return nil
	}
	if fit, err = leastsquares.Descend(s.problem, x, nil); fit.F < s.best.F {
		s.best = fit
	}
	if err == nil && fit.F > (was.F+promised)/2 { // residuals do not depend on what they seemed to
		s.parts, s.again = division{final: true}, []int{0}
	}
	return err
}

const (
	same    = 1e-6  // minima are called the same whose sums of squares differ by this part,
	nothing = 1e-16 // or by this part of that of the first start
)

// near returns by how much sums of squares may differ that are called the same.
func (s *fitting) near(sum float64) float64 { return float64(same*sum) + float64(nothing*s.first) }

// keep compares the parts of a fit with those of the best, and keeps it if it is better.
func (s *fitting) keep(fit leastsquares.Fit) {
	if s.best.R == nil {
		s.best = fit
		return
	}
	least, gained := slices.Min(s.again), false
	was := s.parts.sums(s.best)
	for p, now := range s.parts.sums(fit) {
		switch near := s.near(was[p]); {
		case now < was[p]-near:
			s.again[p], gained = 0, true
		case now <= was[p]+near:
			s.again[p]++
		}
	}
	switch {
	case gained:
		s.idle = 0
	case slices.Min(s.again) == least:
		s.idle++
	}
	if fit.F < s.best.F-s.near(s.best.F) || fit.F < s.best.F && fit.J != nil {
		s.best = fit
	}
}

// start returns where the next descent begins, and the residuals there if they are known: the best of the known points,
// of points of the start box or of points around the best, by turns. A nil start: all have failed.
func (s *fitting) start(round int) (z, r []float64, err error) {
	d := s.f.Dim()
	points := s.known()
	s.task.Stage(atKnown)
	switch {
	case round == 0 && points != nil:
	case round%3 == 2 && s.best.X != nil:
		s.task.Stage(toSample)
		points = s.around(s.best.X, screen(d))
	default:
		s.task.Stage(toSample)
		points = s.uniform(screen(d))
	}
	values, numbers, err := s.ask(points)
	if err != nil {
		return nil, nil, err
	}
	all := make([]leastsquares.Fit, len(points))
	i := 0
	for k, v := range values {
		if all[k] = (leastsquares.Fit{X: points[k], F: v}); numbers[k] != nil {
			all[k].R = slices.Clone(numbers[k][:s.said.Residuals])
		}
		if v < values[i] {
			i = k
		}
	}
	if all[i].R == nil {
		return nil, nil, nil
	}
	if s.best.R == nil {
		s.first = all[i].F
	}
	if x, _ := s.parts.merge(s, all[i], all...); x != nil {
		return x, nil, nil
	}
	return all[i].X, all[i].R, nil
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
