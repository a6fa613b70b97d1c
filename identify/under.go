package identify

import (
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/outer"
)

const (
	// mapSplits is at how many squares of values a map is fitted.
	mapSplits = 12
	// clearly is the part of the mixed differences of f that those of ψ(f) may be, and
	// mixedMost what they may be of single ones. A rough frame left 0.02 or less where
	// there is a map, and Ackley's and Griewank's functions 0.15 and more.
	clearly   = 0.5
	mixedMost = 0.06
)

// under certifies a known frame, which f itself has failed, under the map that it tells: the ψ that makes the mixed
// differences of f over random squares least. It returns the finding as it was if none makes them clearly less.
func (w *work) under(found *Finding) (*Finding, error) {
	w.stage(certificate)
	if len(found.Blocks) < 2 {
		return found, nil
	}
	given, err := w.given(found.Frame)
	if err != nil {
		return found, err
	}
	squares, err := given.Corners(found.Blocks, mapSplits)
	if err != nil || len(squares) < mapSplits/2 {
		return found, err
	}
	psi := outer.Fitted(squares)
	if psi == nil || outer.Coupling(psi, squares) > min(mixedMost, clearly*outer.Coupling(nil, squares)) {
		return found, nil
	}
	var values []float64
	for _, c := range squares {
		values = append(values, c[:]...)
	}
	on, next := *w, *found
	on.g, next.Map = mapped(w.g, psi, values), psi.Scaled(1/w.g.factor)
	if err := on.certify(&next, 0); err != nil {
		return found, err
	}
	if v := next.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return found, nil
	}
	w.g, w.known = on.g, nil
	return &next, nil
}
