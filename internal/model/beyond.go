package model

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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

// lengthen betters a frame that separates f but for couplings by long looks, more of them than there are unknowns:
// over long steps couplings matter less beside single differences, as they are bounded by their size and
// not by their curvature. They are believed where the coupling of splits becomes less.
func (e *search) lengthen() error {
	if err := e.climb(e.frame, 1, true); err != nil {
		return err
	}
	e.setLength(e.steps.length())
	seed := e.s.random.Uint64()
	before, err := e.coupledBy(seed)
	if err != nil {
		return err
	}
	defer func() { e.coupled.mid = before }()
	if before > farOff {
		e.verdict = Not
		return nil
	}
	for _, part := range []float64{0.5, 1} {
		if part < 1 && e.unsure < roughRows {
			continue
		}
		if e.left() < enoughLooks*long.queries(e.m)+corners*mostSplits {
			break
		}
		e.not.sd = off(e.m, func(int, int) float64 { return e.unsure })
		h, last := e.s.widths(e.frame.W), e.frame
		floats.Scale(part, h)
		var looks []*Look
		for range enoughLooks {
			x, err := e.s.safe(widely)
			if err != nil {
				return err
			}
			looks = append(looks, e.longLook(x, h))
		}
		if err := e.s.look(looks...); err != nil {
			return err
		}
		if f := e.fitted(looks); f.regular() {
			e.frame = f
		}
		now, err := e.coupledBy(seed)
		if err != nil {
			return err
		}
		if now > before/1.02 {
			e.frame = last
		} else {
			before = now
		}
	}
	return nil
}

// roughRows is the error of a frame from which on looks with half of the longest steps are made first.
const roughRows = 0.02

// coupledBy returns the coupling of splits that follow from a seed.
func (e *search) coupledBy(seed uint64) (float64, error) {
	defer e.s.seeded(seed)()
	c, err := e.split(singles(e.m), mostSplits, 1)
	return c.mid, err
}

// fitted returns the frame that fits long looks whose mixed differences have errors in proportion to their steps, by
// least squares pair by pair.
func (e *search) fitted(looks []*Look) *Frame {
	f := e.frame
	for range passes / 2 { // terms of second order
		eq := e.equations(f, e.theta, looks)
		by := mat.NewDense(e.m, e.m, nil)
		eachPair(e.m, func(i, j, _ int) {
			var info sym2
			var right vec2
			for k, q := range eq {
				unit := math.Abs(looks[k].h[i] * looks[k].h[j])
				v := vec2{q.v.At(i, j) / unit, q.v.At(j, i) / unit}
				info, right = info.plus(v.dyad(1)), right.plus(v.times(q.r.At(i, j)/unit))
			}
			least := float64(flatPair*info.trace()) + tiny
			setPair(by, i, j, info.inverse(least).of(right))
		})
		f = f.corrected(clipped(by))
	}
	return f
}

// flatPair is the part of the information of a pair below which there is none.
const flatPair = 0.02
