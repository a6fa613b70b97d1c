package model

import "math"

// left returns how many queries may still be asked: of Most, and of the part of the budget that a search may take.
func (e *search) left() int {
	left := Most(e.m) + e.spent - e.s.queries
	if budget := e.request.Budget; budget > 0 {
		left = min(left, int(affordable*float64(budget))-e.s.queries)
	}
	return left
}

// affords reports whether so many more short looks may be made, and then so many queries.
func (e *search) affords(looks, then int) bool {
	if kind, _, _ := e.sharpest(1, finest); kind != nil {
		then += max(0, looks) * kind.queries(e.m)
	}
	return then <= e.left()
}

// sharpest returns the kind of short look that takes the fewest queries until its error is small enough, its step, and the error; nil:
// there is none.
func (e *search) sharpest(part, enough float64) (kind *kind, step, error float64) {
	least := math.Inf(1)
	for _, k := range shortKinds {
		t, err := e.steps.best(k, e.s.sigma, part)
		if cost := float64(k.queries(e.m)) * max(1, square(err/enough)); cost < least {
			kind, step, error, least = k, t, err, cost
		}
	}
	return kind, step, error
}

// lengthening is how many queries lengthen takes for m components, more than it does to see that minima are round.
func lengthening(m int) int { return 2*enoughLooks*long.queries(m) + 3*corners*mostSplits }

// disproved reports whether there is more than single components: looks contradict each other in every frame, or splits leave
// no hope. With noise that looks have in common, single pairs and splits say little.
func (e *search) disproved() bool {
	if e.m < 3 || e.verdict == Separable || e.coupled.hi <= e.separates() {
		return false
	}
	return e.coupling() > 0 || e.verdict == Not || !e.s.grain.Noisy() && (e.pair > 0 || e.coupled.lo > hopeless)
}

// beyond looks for more than single components, and returns what is to be believed. Where there is nothing f does not separate, or,
// with noise, what is known about single components stays; and so it does where that is better.
func (e *search) beyond() (*search, error) {
	next, belief := *e, *e.belief
	next.belief = &belief
	found, err := next.structure()
	better := next.verdict != Separable && e.coupled.hi < next.coupled.mid
	switch {
	case !found && e.s.grain.Noisy(), better && e.coupled.mid < e.separates():
		return e, err
	case !found && err == nil:
		next.verdict = Not
	}
	if better {
		next.belief, next.coupled = e.belief, e.coupled
	}
	return &next, err
}

// hopeless is the coupling of splits from which on the errors of looks are no excuse.
const hopeless = 0.2

// contested reports whether exact values speak against every frame so far, by more than a search would mind. Single pairs do not:
// it may be truncation, or products of errors, that they show.
func (e *search) contested() bool {
	return !e.s.grain.Noisy() && len(e.looks) > 2 && e.coupling() > e.rough*minded
}

// minded is the coupling of all pairs from which on a search does mind.
const minded = 5e-4
