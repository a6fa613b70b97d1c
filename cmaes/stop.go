package cmaes

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/objective"
)

// statusOf returns the status for the reason of a stop rule.
func statusOf(reason string) objective.Status {
	switch reason {
	case "stagnation":
		return objective.Stalled
	case "queries":
		return objective.StepLimit
	}
	return objective.Converged
}

// stop returns the name of the stop rule that applies, or "" if none does.
func (d *descent) stop() string {
	rule := d.cfg.Stop
	if rule.Queries > 0 && d.result.Queries >= rule.Queries {
		return "queries"
	}
	if d.gen == 0 {
		return ""
	}
	switch {
	case math.IsInf(d.best.Value, -1):
		return "unbounded" // no value is lower
	case !d.sound:
		return "condition"
	case rule.Fun == 0 && d.history.rounded(), rule.Fun > 0 && d.history.differ() <= rule.Fun,
		rule.Fall > 0 && d.history.differ() <= rule.Fall*d.history.first:
		return "tolfun"
	case d.history.lost(d.best.Value, d.beat):
		return "worse"
	case rule.Up > 0 && d.sigma > rule.Up*d.cfg.Sigma:
		return "tolupsigma"
	case rule.Condition > 0 && d.cov.axes() > math.Sqrt(rule.Condition):
		return "condition"
	case rule.Stagnation >= 0 && d.history.stagnant():
		return "stagnation"
	}
	d.cov.deviation(d.deviations)
	if rule.X > 0 && d.small(rule.X*d.cfg.Sigma) {
		return "tolx"
	}
	if d.noEffect() {
		return "noeffect"
	}
	return ""
}

// small reports whether all steps are shorter than tolerance.
func (d *descent) small(tolerance float64) bool {
	for k, s := range d.deviations {
		if d.sigma*s >= tolerance || d.sigma*math.Abs(d.pC[k]) >= tolerance {
			return false
		}
	}
	return true
}

// nudge is the fraction of a standard deviation that must change m: Hansen's rule
// "NoEffectCoord".
const nudge = 0.2

// noEffect reports whether m has a coordinate that does not change when a fifth of its
// standard deviation is added.
func (d *descent) noEffect() bool {
	for k, s := range d.deviations {
		if d.m[k] == d.m[k]+float64(nudge*d.sigma*s) {
			return true
		}
	}
	return false
}

// A history keeps the best and the median value of past generations.
type history struct {
	recent       int // generations that the rule Fun looks at: 10 + ⌈30n/λ⌉
	least, most  int // fewest and most generations that the rule Stagnation looks at
	best, middle []float64
	spread       float64 // by how much the finite values of the last generation differ; +Inf: there are none
	first        float64 // and those of the first that differ
	scratch      []float64
}

// longest is the most generations that a history keeps: Hansen's limit.
const longest = 20_000

func (h *history) begin(n, lambda, stagnation int) {
	h.recent = 10 + (30*n+lambda-1)/lambda
	h.least, h.most = 120+30*n/lambda, longest
	if stagnation > 0 {
		h.least = stagnation
	}
	h.best, h.middle = make([]float64, 0, h.most), make([]float64, 0, h.most)
	h.scratch = make([]float64, h.most)
}

// add adds a generation, of which the first values are finite.
func (h *history) add(values []float64, order []int, finite int) {
	if len(h.best) == h.most { // drop the older half
		h.best = append(h.best[:0], h.best[h.most/2:]...)
		h.middle = append(h.middle[:0], h.middle[h.most/2:]...)
	}
	h.best = append(h.best, values[order[0]])
	h.middle = append(h.middle, values[order[len(order)/2]])
	h.spread = math.Inf(1)
	if finite > 1 {
		h.spread = values[order[finite-1]] - values[order[0]]
	}
	if h.first == 0 && !math.IsInf(h.spread, 1) {
		h.first = h.spread
	}
}

// differ returns the most by which the values of the last generation differ, or the best
// values of recent ones; +Inf if there are too few.
func (h *history) differ() float64 {
	if len(h.best) < h.recent {
		return math.Inf(1)
	}
	last := h.best[len(h.best)-h.recent:]
	return max(h.spread, slices.Max(last)-slices.Min(last))
}

// rounded reports whether recent values differ by no more than the rounding of a sum of that
// size.
func (h *history) rounded() bool {
	d := h.differ()
	return !math.IsInf(d, 1) && d <= grains.OfSum*objective.Rounding.Of(h.best[len(h.best)-1])
}

// hopeless decides that a run has lost against the runs before it: recent values differ by
// less than this part of what the run is still above the best of these. Both are
// differences of values, so that a·f + b makes no difference. The most that a run still
// gained was 60,000 times that, on Rosenbrock's function with the paper's W at d = 40.
const hopeless = 1e-6

// lost reports whether a run whose best value is best will not come below the value beat.
func (h *history) lost(best, beat float64) bool {
	return h.differ() < hopeless*(best-beat)
}

// every is the number of generations between two checks for stagnation. Sorting a long
// history in each generation would take longer than everything else.
const every = 20

// stagnant reports whether neither the best nor the median value has improved over the
// last fifth of all generations, or over the last 120 + 30n/λ if these are more. To improve
// means that the median over the last three tenths of them is better than over the first.
func (h *history) stagnant() bool {
	n := max(h.least, len(h.best)/5)
	if len(h.best) < 2*h.least || len(h.best)%every != 0 {
		return false
	}
	part := 3 * n / 10
	worse := func(x []float64) bool {
		x = x[len(x)-n:]
		return h.median(x[n-part:]) >= h.median(x[:part])
	}
	return worse(h.best) && worse(h.middle)
}

// median returns the median of x.
func (h *history) median(x []float64) float64 {
	sorted := h.scratch[:copy(h.scratch, x)]
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
