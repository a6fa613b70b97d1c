package experiment

import (
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// Runtimes holds the empirical runtime distributions of all methods, over the cases of one
// dimension or of all. Only cases that all methods have run on count.
type Runtimes struct {
	Dim     int       `json:"dim,omitempty"` // 0: all
	Pairs   int       `json:"pairs"`         // how many (case, target) there are
	Methods []Runtime `json:"methods"`
}

// A Runtime is the empirical runtime distribution of a method: which share of all (case,
// target) it had reached after how many queries, restarted until it did. Share[i] holds from
// Queries[i] on.
type Runtime struct {
	Method  string    `json:"method"`
	Queries []float64 `json:"queries_per_dim"`
	Share   []float64 `json:"share"`
	// End is where the budget ends, in queries divided by the dimension: the median over the
	// runs that missed the least target of their case. What lies beyond is mostly simulated.
	// It is 0 if no run missed it.
	End float64 `json:"end"`
}

// runtimes returns the distributions for each dimension, and for all if there are several.
func (c *Comparison) runtimes() (all []Runtimes) {
	dims := lists.Map(c.Cases, func(s Setup) int { return s.Dim })
	slices.Sort(dims)
	dims = slices.Compact(dims)
	if len(dims) > 1 {
		dims = append(dims, 0)
	}
	times := c.simulated()
	for _, d := range dims {
		r := Runtimes{Dim: d}
		for j, m := range c.Methods {
			var pairs [][]float64
			var ends []float64
			for i, setup := range c.Cases {
				if d != 0 && setup.Dim != d || times[i] == nil {
					continue
				}
				pairs = append(pairs, times[i][j]...)
				_, runs := c.cell(i, j)
				ends = append(ends, missed(runs, c.Targets[len(c.Targets)-1], setup.Dim)...)
			}
			of := distribution(pairs)
			of.Method = m.Name
			if len(ends) > 0 {
				_, of.End, _ = quartiles(ends)
			}
			r.Methods = append(r.Methods, of)
			r.Pairs = len(pairs)
		}
		if r.Pairs > 0 {
			all = append(all, r)
		}
	}
	return all
}

// missed returns the queries, divided by the dimension, of the runs that missed a target.
func missed(runs []store.Run, target float64, dim int) (ends []float64) {
	for _, r := range runs {
		if e := effortOf(r, target); !e.reached {
			ends = append(ends, float64(e.queries)/float64(dim))
		}
	}
	return ends
}

// simulated returns for each case, method and target simulated running times, divided by the
// dimension; nil for cases that a method has no run on. The targets are the levels, or those
// of the grid where the minimum is not known or no level is above the least target.
func (c *Comparison) simulated() [][][][]float64 {
	all := make([][][][]float64, len(c.Cases))
	for i, setup := range c.Cases {
		targets := levels(c.Targets[len(c.Targets)-1])
		if !setup.Known || len(targets) == 0 {
			targets = c.Targets
		}
		methods := make([][][]float64, len(c.Methods))
		complete := true
		for j, m := range c.Methods {
			_, runs := c.cell(i, j)
			complete = complete && len(runs) > 0
			for t, spent := range efforts(runs, targets) {
				stream := rng.Seed(c.Seed).Stream("compare", "restarts", setup.Key(), m.key(), t)
				methods[j] = append(methods[j], restarts(spent, setup.Dim, stream))
			}
		}
		if complete {
			all[i] = methods
		}
	}
	return all
}

// leastRestarts is how many running times are simulated for each case and target, at least.
const leastRestarts = 100

// restarts simulates how long a method takes to a target if it is restarted until it gets
// there: the queries of runs drawn with replacement up to the first that reached it, divided
// by the dimension. Every run is the first one equally often, so that without failures the
// times are those of the runs. They are infinite if no run reached the target.
func restarts(runs []effort, dim int, stream *rng.Stream) (times []float64) {
	if len(runs) == 0 {
		return nil
	}
	hopeless := reached(runs) == 0
	for range (leastRestarts + len(runs) - 1) / len(runs) {
		for _, r := range runs {
			if hopeless {
				times = append(times, math.Inf(1))
				continue
			}
			queries := r.queries
			for !r.reached {
				r = runs[stream.IntN(len(runs))]
				queries += r.queries
			}
			times = append(times, float64(queries)/float64(dim))
		}
	}
	return times
}

// perDecade is how many points of a distribution are kept for each factor of ten.
const perDecade = 50

// step returns the least k with x ≤ 10^(k/50), and place the point 10^(k/50).
func step(x float64) int  { return int(math.Ceil(float64(perDecade*math.Log10(x)) - 1e-9)) }
func place(k int) float64 { return math.Pow(10, float64(k)/perDecade) }

// cross returns where the end of the budget is drawn: at the same points as the distribution, so
// that what runs reached with their last queries lies before it. It is 0 if no run missed.
func (r Runtime) cross() float64 {
	if r.End == 0 {
		return 0
	}
	return place(step(r.End))
}

// distribution returns the share of all pairs that are reached within x,
//
//	F(x) = mean over pairs of (how many of the pair's times are ≤ x) / (how many it has),
//
// at the points x = 10^(k/50) at which it has grown.
func distribution(pairs [][]float64) Runtime {
	grown := map[int]float64{} // k: by how much
	for _, times := range pairs {
		for _, x := range times {
			if !math.IsInf(x, 1) {
				grown[step(x)] += 1 / float64(len(times))
			}
		}
	}
	r := Runtime{Queries: []float64{}, Share: []float64{}}
	share := 0.0
	for _, k := range slices.Sorted(maps.Keys(grown)) {
		share += grown[k]
		r.Queries = append(r.Queries, place(k))
		r.Share = append(r.Share, min(1, share/float64(len(pairs))))
	}
	return r
}

// An effort is what a run spent on a target: its queries up to the first at or below the
// target, or all of them if there is none.
type effort struct {
	queries int
	reached bool
}

func effortOf(r store.Run, target float64) effort {
	i := slices.IndexFunc(r.Curve, func(s objective.Sample) bool { return s.Value <= target })
	if i < 0 {
		return effort{queries: r.Queries}
	}
	return effort{queries: r.Curve[i].Queries, reached: true}
}

func efforts(runs []store.Run, targets []float64) [][]effort {
	all := make([][]effort, len(targets))
	for t, target := range targets {
		all[t] = lists.Map(runs, func(r store.Run) effort { return effortOf(r, target) })
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
