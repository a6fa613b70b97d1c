package experiment

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// An effort is what a run spent on a target: its queries up to the first at or below the
// target, or all of them if there is none.
type effort struct {
	queries int
	reached bool
}

// effortOf returns what a run spent on a target.
func effortOf(r store.Run, target float64) effort {
	i := slices.IndexFunc(r.Curve, func(s objective.Sample) bool { return s.Value <= target })
	if i < 0 {
		return effort{queries: r.Queries}
	}
	return effort{queries: r.Curve[i].Queries, reached: true}
}

// efforts returns what each run spent on each target.
func efforts(runs []store.Run, targets []float64) [][]effort {
	all := make([][]effort, len(targets))
	for t, target := range targets {
		for _, r := range runs {
			all[t] = append(all[t], effortOf(r, target))
		}
	}
	return all
}

// reached counts the runs that reached the target.
func reached(runs []effort) (n int) {
	for _, e := range runs {
		if e.reached {
			n++
		}
	}
	return n
}

// ert returns the expected running time to a target if runs are restarted until one reaches it:
//
//	ERT = Σ queries / number of runs that reached it,
//
// the sum over all runs, up to the target or to their end. It is infinite if none reached it.
func ert(runs []effort) float64 {
	queries := 0
	for _, e := range runs {
		queries += e.queries
	}
	if reached(runs) == 0 {
		return math.Inf(1)
	}
	return float64(queries) / float64(reached(runs))
}

// resamples is how often runs are drawn for a bootstrap interval.
const resamples = 1000

// bootstrap draws as many runs as there are, with replacement, and returns the ERT of those
// drawn; this many times, for each target. Different targets are of the same draws.
func bootstrap(targets [][]effort, stream *rng.Stream) [][]float64 {
	all := make([][]float64, len(targets))
	n := len(targets[0])
	drawn, index := make([]effort, n), make([]int, n)
	for range resamples {
		for i := range index {
			index[i] = stream.IntN(n)
		}
		for t, runs := range targets {
			for i, k := range index {
				drawn[i] = runs[k]
			}
			all[t] = append(all[t], ert(drawn))
		}
	}
	return all
}

// interval returns the 95 % percentile interval: of B values sorted, those with ⌊0.025·B⌋ below
// and above them.
func interval(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	outside := len(sorted) / 40
	return sorted[outside], sorted[len(sorted)-1-outside]
}

// ratios returns the interval of the ratio a/b of two ERTs from their resamples. A ratio of two
// infinite ones says nothing, so it counts as 0 at the lower end and as infinite at the upper.
func ratios(a, b []float64) (low, high float64) {
	lower, upper := make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		lower[i] = a[i] / b[i]
		upper[i] = lower[i]
		if math.IsNaN(lower[i]) {
			lower[i], upper[i] = 0, math.Inf(1)
		}
	}
	low, _ = interval(lower)
	_, high = interval(upper)
	return low, high
}

// quartiles returns the quartiles of values, of which there is at least one. Where one lies
// between two values, the lower quartile and the median take the lower, and the upper quartile
// the higher, so that all of them are values that occurred.
func quartiles(values []float64) (lower, median, upper float64) {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	return sorted[last/4], sorted[last/2], sorted[last-last/4]
}
