package auto

import (
	"context"
	"errors"

	"github.com/untwist/untwist/identify"
)

// likely searches along coordinates that noise lets see, but not certify, with a third of the
// queries that CMA-ES has had at most. Whatever it finds, CMA-ES goes on: nothing shows that
// the coordinates hold.
func (r *run) likely(ctx context.Context, found *identify.Finding) error {
	r.learnt.Note("noise hides how exact the coordinates found are: a search along them was tried beside CMA-ES")
	r.f.limit = r.f.queries + r.fallback.spent()/blocksShare
	_, err := r.along(ctx, found)
	r.f.limit = 0
	if errors.Is(err, errShare) {
		return nil
	}
	return err
}
