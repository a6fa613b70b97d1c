package mixed

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
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

func (s *section) Dim() int { return len(s.w.free) }

// outer returns the point of all coordinates, and inner that of the continuous ones.
func (s *section) outer(x []float64) []float64 {
	z := slices.Clone(s.setting)
	for i, k := range s.w.free {
		z[k] = x[i]
	}
	return z
}

func (s *section) inner(z []float64) []float64 { return pick(z, s.w.free) }

// bounds returns the bounds of the continuous parameters.
func (s *section) bounds() objective.Box {
	return objective.Box{Lo: s.inner(s.w.task.Bounds.Lo), Hi: s.inner(s.w.task.Bounds.Hi)}
}

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

// perSetting is how many queries for each continuous parameter auto gets at a setting: enough to find out
// that f is a sum over its parameters, and to go down several times.
const perSetting = 50

// leastStructured is from how many queries for each coordinate on single settings are searched.
const leastStructured = 200

// fruitless is how many settings in a row may bring nothing better.
const fruitless = 3

// structure searches the continuous parameters alone by auto, which looks for coordinates: at the best
// setting, then at the next best, until that brings nothing better.
func (w *search) structure() error {
	n := len(w.free)
	if n == 0 || w.task.Budget < leastStructured*w.Dim() {
		return nil
	}
	done := map[string]bool{}
	for vain := 0; vain < fruitless; vain++ {
		at, ok := w.promising(done)
		if !ok {
			return nil
		}
		done[w.key(at.z)] = true
		was := w.best.value
		if err := w.auto(at, perSetting*n); err != nil {
			return err
		}
		if w.best.value < was {
			vain = -1
		}
	}
	return nil
}

// promising returns the best place of a setting that is not done.
func (w *search) promising(done map[string]bool) (best place, ok bool) {
	for _, key := range slices.Sorted(maps.Keys(w.settings)) {
		if p := w.settings[key]; !done[key] && p.better(best) && !math.IsInf(p.value, 1) {
			best, ok = p, true
		}
	}
	return best, ok
}

// auto searches the continuous parameters at the setting of a place with so many queries.
func (w *search) auto(at place, queries int) error {
	s := w.at(at.z)
	f := query.NewMeter(s, queries)
	out, err := auto.Auto{}.Minimize(w.ctx, f, strategy.Task{
		Bounds: s.bounds(), Budget: queries, Seed: w.task.Seed, Stage: w.task.Stage, Parallel: w.task.Parallel, NoiseLevel: w.task.NoiseLevel,
		Points: mat.NewDense(1, len(w.free), s.inner(at.z)),
	})
	if err == nil && out.Status != objective.Converged && f.Queries() < queries {
		err = s.ended
	}
	return err
}
