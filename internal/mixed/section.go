package mixed

import (
	"context"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A section is f over the continuous parameters, with the others at a setting.
type section struct {
	w       *search
	setting []float64

	beat       float64 // a descent is to come below this
	leg        int     // queries after which it is asked whether it may; 0: it need not
	first      float64 // the value at the start
	best, last float64 // the best value, and that at the end of the last leg
	asked      int     // in this leg
	ended      error   // what f has ended with
	batch      []place // the last points, where answers have several numbers
}

func (w *search) at(setting []float64) *section { return &section{w: w, setting: setting} }

// Dim returns the number of continuous parameters.
func (s *section) Dim() int { return len(s.w.free) }

// outer returns the point of all coordinates, and inner that of the continuous ones.
func (s *section) outer(x []float64) []float64 {
	z := slices.Clone(s.setting)
	for i, k := range s.w.free {
		z[k] = x[i]
	}
	return z
}

func (s *section) inner(z []float64) []float64 {
	x := make([]float64, len(s.w.free))
	for i, k := range s.w.free {
		x[i] = z[k]
	}
	return x
}

// bounds returns the bounds of the continuous parameters.
func (s *section) bounds() objective.Box {
	return objective.Box{Lo: s.inner(s.w.task.Bounds.Lo), Hi: s.inner(s.w.task.Bounds.Hi)}
}

// Evaluate asks f.
func (s *section) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	all := mat.NewDense(n, s.w.Dim(), nil)
	for i := range n {
		all.SetRow(i, s.outer(points.RawRowView(i)))
	}
	s.ended = s.w.Evaluate(ctx, all, values)
	if s.w.said != nil {
		s.batch = make([]place, query.Evaluated(values, s.ended))
		for i := range s.batch {
			s.batch[i] = place{z: all.RawRowView(i), value: values[i]}
		}
	}
	if s.ended != nil || s.leg == 0 {
		return s.ended
	}
	for _, v := range values {
		s.best = min(s.best, v)
	}
	if s.asked += n; s.asked >= s.leg {
		gain := s.last - s.best
		if s.best >= s.beat && gain < s.best-s.beat || gain <= slow*(s.first-s.best) {
			return errEnough
		}
		s.asked, s.last = 0, s.best
	}
	return nil
}
