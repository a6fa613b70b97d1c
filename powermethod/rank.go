package powermethod

import (
	"fmt"
	"math"
)

// A Rank says how many singular values of the Hessians count, which is m. Others than
// those of this package will do as well.
type Rank interface {
	// Of returns how many of the singular values, all of them and descending, count.
	Of(singular []float64) int
}

// Above counts the singular values above a threshold, as the paper's experiment does.
// It depends on the units of f.
type Above float64

// Of counts.
func (a Above) Of(singular []float64) int {
	m := 0
	for m < len(singular) && singular[m] > float64(a) {
		m++
	}
	return m
}

func (a Above) String() string { return fmt.Sprintf("only those above %g do", float64(a)) }

// WidestGap counts those before the widest gap of the spectrum, the largest
// σ_k/σ_(k+1).
type WidestGap struct{}

// gapFloor is the part of the largest singular value below which gaps are between
// roundings. From ŶᵀŶ values are known to about 1e-8 of the largest, the root of the
// rounding; the floor stands below that, so that a gap which ends in rounding counts.
const gapFloor = 1e-9

// Of looks for the gap.
func (WidestGap) Of(singular []float64) int {
	if len(singular) == 0 {
		return 0
	}
	floor := singular[0] * gapFloor
	best, widest := len(singular), 0.0
	for k := range len(singular) - 1 {
		if gap := math.Log(max(singular[k], floor) / max(singular[k+1], floor)); gap > widest {
			best, widest = k+1, gap
		}
	}
	return best
}

func (WidestGap) String() string { return "those before the widest gap do" }
