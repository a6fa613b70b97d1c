package interact

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// noisy says whether values have errors that were measured.
func (t *tester) noisy() bool { return t.grain.Kind != objective.NoNoise }

// threshold is the largest mixed difference that rounding or noise makes. Noise: a mixed difference
// has the deviation 2σ, and 4.5 times that is chance once in 150,000 tests. Rounding: 4·4u·max(√d/8, 1) of
// the largest value, since it adds up over what f computes. (A factor of one in place of the first was wrong on
// most functions.)
func (t *tester) threshold(values ...float64) float64 {
	const ofNoise, ofRounding, growth = 4.5 * 2, 4 * 4, 8
	grain := 0.0
	for _, v := range values {
		grain = max(grain, t.grain.Of(v))
	}
	if t.noisy() {
		return ofNoise * grain
	}
	return max(ofRounding*max(math.Sqrt(float64(len(t.x)))/growth, 1)*grain, math.SmallestNonzeroFloat64)
}

// ratio returns |D| in thresholds, D = f(x+a+b) − f(x+b) − f(x+a) + f(x). NaN: f has failed.
func (t *tester) ratio(both, set, single float64) float64 {
	if !kernel.Finite(both) || !kernel.Finite(set) || !kernel.Finite(single) {
		return math.NaN()
	}
	return math.Abs(both-set-single+t.base) / t.threshold(both, set, single, t.base)
}

// counts says whether a mixed difference counts, and keeps how much it is above the threshold.
func (t *tester) counts(q test, ratio float64) bool {
	if !(ratio > 1) {
		return false
	}
	t.weakest = min(t.weakest, ratio)
	if t.sight[q.i] == 0 || ratio < t.sight[q.i] {
		t.sight[q.i] = ratio
	}
	return true
}
