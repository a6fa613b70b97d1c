package auto

import (
	"context"

	"github.com/untwist/untwist/identify"
)

// A race is that of a survey against CMA-ES. As long as all goes well for the survey CMA-ES
// waits. Before a part that may well not help it gets a multiple of what the survey has
// had and wants, so that a survey in vain costs little beside the search that follows.
type race struct {
	fallback *fallback
	survey   *share // f, as the survey asks it
	bounded  bool   // f has bounds
	budget   int    // of the whole run
	plunged  bool   // it has gone straight down
}

// inDoubt is how many queries CMA-ES has had, for each of the survey's, when a part begins
// that may well not help. Where f does not separate the survey costs a fifth more than
// CMA-ES alone, and less where CMA-ES takes long: as a whole a survey costs about 12d².
const inDoubt = 5

// inNoise is the same where f has noise: there CMA-ES becomes slower and slower, and a survey
// costs more.
const inNoise = 2 * inDoubt

// usualSurvey is how many times Least(d) a survey takes at most where it succeeds, blocks
// included. Beyond that nobody knows whether it helps.
const usualSurvey = 4

// pause is called by a survey before a part that may well not help.
func (r *race) pause(ctx context.Context, next identify.Next) error {
	if next.Even {
		return r.forecast(ctx, next)
	}
	if next.Basin != nil {
		return r.plunge(ctx, next.Basin)
	}
	return r.wait(ctx, next.Queries)
}

// wait lets CMA-ES run until it has had its share before a part of so many queries. It is an
// error if there is no budget left for both.
func (r *race) wait(ctx context.Context, queries int) error {
	speculative, share := r.survey.spent+queries, inDoubt
	if r.survey.grain.Noisy() {
		share = inNoise
	}
	if speculative+share*speculative > r.budget {
		return errShare
	}
	if missing := share*speculative - r.fallback.paid(); missing > 0 {
		_, err := r.fallback.search(ctx, missing)
		return err
	}
	return nil
}

// beside is the part of the survey's queries that CMA-ES has while all goes as forecast.
const beside = 1. / 9

// forecast lets CMA-ES run beside a survey for which nothing but a forecast speaks. Where it takes no more than a
// third of what is left, CMA-ES has a tenth of all queries, and one for each that goes beyond the forecast.
func (r *race) forecast(ctx context.Context, next identify.Next) error {
	saved := 0.0
	if left := r.budget - r.fallback.run.f.queries + r.survey.spent; 3*next.Forecast <= left {
		saved = (1 - beside) * float64(next.Forecast)
	}
	queries := float64(r.survey.spent + next.Queries)
	return r.evenly(ctx, int(max(beside*queries, queries-saved))-r.survey.spent)
}

// evenly lets CMA-ES run until it has had as many queries as the survey when that has had so
// many more: whichever of the two is the better one, both together take twice as many. So it is
// where there is noise, and where f does not separate, though its coordinates may well help.
// What a survey may need where there is noise is not spent so.
func (r *race) evenly(ctx context.Context, queries int) error {
	share := r.survey.spent + queries
	if r.survey.grain.Noisy() {
		share = min(share, r.budget-identify.MostNoisy(r.survey.Dim()))
	}
	missing := share - r.fallback.spent()
	if missing <= 0 {
		return nil
	}
	now := r.fallback.run.f.now
	_, err := r.fallback.search(ctx, missing)
	r.fallback.run.f.begin(now, 0)
	return err
}
