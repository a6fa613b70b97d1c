package auto

import (
	"context"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
)

// nearly searches in coordinates in which f nearly separates, in a race against CMA-ES to
// the end of the budget. Each goes on from what is the best so far: CMA-ES only in its own
// series, which is that of the strategy CMAES to the bit.
func (r *run) nearly(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	n := newNearly(r.f, newCoordinates(found, r.task.Bounds), found.Pairs, r.task.Seed)
	err := n.first(ctx)
	for _, p := range n.profiles {
		if p.Y != nil {
			r.learnt.Profiles = append(r.learnt.Profiles, p)
		}
	}
	sure := found.Certificate.Verdict == certify.NearlySeparable
	for err == nil {
		if !n.behind(r.fallback, sure) {
			err = n.again(ctx)
			continue
		}
		var status objective.Status
		if status, err = r.fallback.search(ctx, 1); err == nil && status != objective.Running {
			return status, nil
		}
	}
	return objective.Running, err
}

// The share of CMA-ES, one in so many queries: where the coordinates are sure and it is not
// ahead, where they are not sure, and where it is ahead.
const (
	ifSure   = 6
	ifUnsure = 2
)

// behind reports whether it is the turn of CMA-ES.
func (n *nearly) behind(s *fallback, sure bool) bool {
	had, least := s.spent(), s.least()
	all := had + n.spent
	switch {
	case least < n.least && had <= n.spent: // with fewer queries
		return n.spent*ifSure > all
	case least >= n.least && sure:
		return had*ifSure < all
	}
	return had*ifUnsure < all
}
