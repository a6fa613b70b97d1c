package mixed

import (
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

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
