package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
)

// leastFitted is how many Hessians can contradict each other: two are diagonalised by some
// frame in any case.
const leastFitted = 3

// grown takes the n Hessians of a chain of which a frame is made, half of them first. If these
// show the frame, or contradict each other and not because of a map, the rest would be in vain. It returns the usual
// error of a pair by the first half, too.
func (w noisyRoad) grown(chain hessian.Chain, n int) (hessian.Chain, float64, error) {
	first := max(leastFitted, n/2)
	if err := w.evenly(first); err != nil {
		return chain, 0, err
	}
	chain, err := w.g.extended(chain, first)
	if err != nil {
		return chain, 0, err
	}
	half := math.Inf(1)
	c, b, err := w.from(chain)
	if err != nil {
		return chain, 0, err
	}
	if c != nil {
		mapped := false
		if half = b.usual(); !b.limitedByNoise() {
			if mapped, err = (noisyMapper{w}).maybeMapped(chain, b); err != nil {
				return chain, 0, err
			}
		}
		if !mapped && (!b.limitedByNoise() || b.error() < startError) {
			return chain, math.Inf(1), nil
		}
	}
	if err := w.evenly(n - first); err != nil {
		return chain, 0, err
	}
	chain, err = w.g.extended(chain, n)
	return chain, half, err
}

// evenly interrupts the survey before so many Hessians. Noise is nowhere known to be small
// enough for them to show the frame.
func (w noisyRoad) evenly(n int) error {
	if w.Pause == nil {
		return nil
	}
	defer w.stage(hessians)
	return w.Pause(Doubt{Queries: n * spreadOut.Queries(w.g.f.Dim()), Even: true})
}

// hesitate interrupts the survey before designs that may well be in vain: Hessians contradict
// each other, or say little about most pairs.
func (w noisyRoad) hesitate(b *belief) error {
	if w.Pause == nil || b.limitedByNoise() && b.usual() < startError {
		return nil
	}
	m := len(b.unit)
	design := m*(m-1)/2 + int(5+repeats(w.g))*m
	return w.Pause(Doubt{Queries: looks*(1+2*m*octaves) + noisyDesigns*design})
}
