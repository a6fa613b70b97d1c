package auto

import (
	"math"
	"slices"
	"strings"
)

// The start box is suspect if the point found is so many times further out than it reaches,
// or so near its middle along every coordinate. The very middle is where people put a
// minimum that they know.
const (
	farOut    = 10
	inMiddle  = 1. / 20
	theMiddle = 1e-4
)

// noteStartBox says that the start box may be wrong, if nothing has said so yet.
func (r *run) noteStartBox() {
	if slices.ContainsFunc(r.learnt.Notes, func(s string) bool { return strings.Contains(s, "start box") }) {
		return
	}
	far := 0.0
	for _, v := range r.f.best.Point {
		far = max(far, math.Abs(v))
	}
	switch {
	case far > farOut:
		r.learnt.Note("the point found is far outside of the start box, %.0f times as far as that reaches: a wider start box may show better ones", far)
	case len(r.f.best.Point) > 1 && far < inMiddle && far > theMiddle:
		r.learnt.Note("the point found is in the middle of the start box, within %.1g of its half-width along every coordinate: if the box is much too wide, a smaller start box around that point may show better ones", far)
	}
}
