package auto

import (
	"context"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
)

// Where ψ(f) is at its rounding f need not be: a root is steep near its minimum. What is left
// there is along components that are flat at the minimum, such as y⁴: a rough frame lets no
// step along them go as far as it should, since steep ones rise. So "converged" under a map
// needs evidence of f itself where there are such components: a run of CMA-ES on f from the
// point found, in these coordinates. It learns on its way down what the frame leaves.

// flatPart is the part of the mean curvature over a component's scale that the one over an eighth of
// it is if it is flat at the minimum, at most: it is 1 for y², 1/8 for y³ and 1/64 for y⁴.
const flatPart = 0.1

// grounded looks by CMA-ES on f itself whether there is something better near the best point,
// and reports whether there was. It does so once.
func (r *run) grounded(ctx context.Context, at *coordinates) (bool, error) {
	m := r.mapping
	if m == nil || m.grounded || r.f.noise != nil {
		return false, nil
	}
	if flat, err := r.flatComponent(ctx, at); !flat || err != nil {
		return false, err
	}
	before := m.f.best.Value
	r.f.stage(polishing)
	_, err := cmaes.Run(ctx, framed{m.f, slices.Clone(m.f.best.Point), at.local(ranks.First(len(at.scale))), at.bounds}, cmaes.Config{Sigma: 1, Seed: r.task.Seed, Stop: cmaes.Stop{Fun: grains.OfMixed * m.f.grain.Of(before)}})
	m.grounded = true
	m.follow(r.f)
	return before-m.f.best.Value > m.f.tolerance(), err
}

// flatComponent reports whether ψ(f) has a single component that is flat at the best point.
func (r *run) flatComponent(ctx context.Context, at *coordinates) (bool, error) {
	const each = 4 // x ± s and x ± s/8
	x, fx := slices.Clone(r.f.best.Point), r.f.best.Value
	values, err := query.Ask(ctx, r.f, each*len(at.singles), func(i int, row []float64) {
		copy(row, x)
		j := at.singles[i/each]
		at.move(row, [each]float64{1, -1, 1. / localPart, -1. / localPart}[i%each]*at.scale[j], j)
		clamp(row, at.bounds)
	})
	if err != nil {
		return false, err
	}
	for k := range at.singles {
		v := values[each*k : each*(k+1)]
		far, near := (v[0]-fx)+(v[1]-fx), (v[2]-fx)+(v[3]-fx)
		if far > 0 && localPart*localPart*near < flatPart*far {
			return true, nil
		}
	}
	return false, nil
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
