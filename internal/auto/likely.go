package auto

import (
	"context"
	"errors"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// likely searches along coordinates that noise lets see, but not certify, with a third of
// what is left of the budget at most. Whatever it finds, CMA-ES goes on: nothing shows that
// the coordinates hold.
func (r *run) likely(ctx context.Context, found *identify.Finding) error {
	r.learnt.Note("noise hides how exact the coordinates found are: a search along them was tried beside CMA-ES")
	r.f.limit = r.f.queries + (r.task.Budget-r.f.queries)/likelyShare
	search := r
	if found.Map != nil {
		search = r.mapped(found.Map.(*outer.Map))
	}
	_, err := search.along(ctx, found)
	r.f.limit = 0
	if errors.Is(err, errShare) {
		return nil
	}
	return err
}

// likelyShare is which part of what is left of the budget such a search gets.
const likelyShare = 3

// givenUp goes on after a survey that has had its share of the budget.
func (r *run) givenUp(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	switch {
	case r.task.Frame != nil:
		r.learnt.Note("%s too small to certify the frame that was given", r.planned())
	default:
		r.learnt.Note("the search for coordinates was given up: it has had its share of the budget")
		if found != nil && found.Tentative {
			if err := r.likely(ctx, found); err != nil {
				return objective.Running, err
			}
		}
	}
	return r.rest(ctx)
}
