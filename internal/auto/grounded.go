package auto

import (
	"context"
	"slices"
)

// Where ψ(f) is at its rounding f need not be: a root is steep near its minimum. What is left
// there is along components that are flat at the minimum, such as y⁴: a rough frame lets no
// step along them go as far as it should, since steep ones rise. So "converged" under a map
// needs evidence of f itself where there are such components: a run of CMA-ES on f from the
// point found, in these coordinates. It learns on its way down what the frame leaves.

// grounded goes down on f itself from the best point, and reports whether there was something better. It does so once.
func (r *run) grounded(ctx context.Context, at *coordinates) (bool, error) {
	m := r.mapping
	if m == nil || m.grounded || r.f.noise != nil {
		return false, nil
	}
	before := m.f.best.Value
	err := (&polisher{f: m.f, at: at, seed: r.task.Seed}).polish(ctx)
	m.grounded = true
	m.follow(r.f)
	return before-m.f.best.Value > m.f.tolerance(), err
}

// follow tells ψ(f) what was asked of f itself.
func (m *mapping) follow(w *watched) {
	w.queries = m.f.queries
	w.best.Point = slices.Clone(m.f.best.Point)
	m.revalue(w)
}

// slowly is the part of the gain before that a round of the search gains if it comes to its end
// slowly.
const slowly = 1. / 4

// slow notes the end of a round, and reports whether f falls slowly from round to round.
// Without a map it does not.
func (m *mapping) slow() bool {
	if m == nil {
		return false
	}
	m.rounds = append(m.rounds, m.f.best.Value)
	n := len(m.rounds)
	return n > 2 && m.rounds[n-2]-m.rounds[n-1] > slowly*(m.rounds[n-3]-m.rounds[n-2])
}
