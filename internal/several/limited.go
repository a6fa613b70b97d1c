package several

import (
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/floats"
)

// limits is a search with limits.
type limits struct {
	*work
	space       *polytope
	constraints []constraint

	minima      [][]float64 // that descents have come to
	best        place
	excess      float64 // of the best place, in units of what limits may be exceeded by
	multipliers []strategy.Multiplier
	fit         *strategy.Fit
}

// limited minimises f under its limits.
func (w *work) limited() (out strategy.Outcome, err error) {
	space, err := newPolytope(w.task, w.f.Dim())
	if err != nil {
		return out, objective.BadOption("Limits", "%v", err)
	}
	l := &limits{work: w, space: space, excess: math.Inf(1), best: place{f: math.Inf(1)}}
	for k, o := range w.said.Outputs {
		for _, side := range []struct {
			limit *float64
			sign  float64
		}{{o.Max, 1}, {o.Min, -1}, {o.Equal, 1}} {
			if side.limit != nil {
				l.constraints = append(l.constraints, constraint{k, side.sign, *side.limit, side.limit == o.Equal})
			}
		}
	}
	err = l.search()
	return strategy.Outcome{Multipliers: l.multipliers, Fit: l.fit}, err
}

// front returns how many numbers come before the outputs.
func (l *limits) front() int { return max(l.said.Residuals, 1) }

// evaluate evaluates f at points of the polytope.
func (l *limits) evaluate(ys [][]float64) ([]place, error) {
	points := make([][]float64, len(ys))
	for i, y := range ys {
		points[i] = l.space.outer(y)
	}
	values, numbers, err := l.ask(points)
	if err != nil {
		return nil, err
	}
	all := make([]place, len(ys))
	for i, y := range ys {
		all[i] = place{y: y, f: values[i], numbers: numbers[i], c: make([]float64, len(l.constraints))}
		if numbers[i] == nil {
			continue
		}
		for k, c := range l.constraints {
			all[i].c[k] = c.sign * (numbers[i][l.front()+c.output] - c.limit)
		}
		l.offer(all[i])
	}
	return all, nil
}

// offer keeps a place that is better than the best.
func (l *limits) offer(p place) {
	if e := l.over(p); query.Better(p.f, e, l.best.f, l.excess) {
		l.best, l.excess = p, e
	}
}

// over returns by how much a place exceeds its limits, in units of what they may be exceeded by: up to
// 1 it is feasible.
func (l *limits) over(p place) float64 {
	if p.numbers == nil {
		return math.Inf(1)
	}
	return query.Excess(l.said.Outputs, p.numbers[l.front():], l.said.Within)
}

// search searches until the budget is spent, or the best point was found again often enough.
func (l *limits) search() error {
	if err := l.sums(); err != nil {
		return err
	}
	again, idle, smooth := 0, 0, 0
	for round := 0; again < enoughMore && idle < barren; round++ {
		if round > 2 && 2*smooth < round && l.queries > l.task.Budget/3 { // f is rugged
			return l.ranked()
		}
		from, err := l.start(round)
		if err != nil {
			return err
		}
		if from.numbers == nil {
			idle++
			continue
		}
		was, over := l.best.f, l.excess
		l.task.Stage(bySQP)
		s := &sqp{limits: l}
		err = s.descend(from)
		if l.learn(s); s.smooth {
			smooth++
		}
		if s.smooth && !s.known {
			l.minima = append(l.minima, s.at.y)
		}
		if err != nil {
			return err
		}
		switch {
		case query.Better(l.best.f+same*math.Abs(l.best.f), l.excess, was, over):
			again, idle = 0, 0
		case l.over(s.at) <= 1 && s.at.f <= l.best.f+same*math.Abs(l.best.f), s.known && floats.Distance(s.at.y, l.best.y, math.Inf(1)) < 2*besides:
			again++
		default:
			idle++
		}
	}
	return nil
}

// start returns where the next descent begins: the best of the known points, of points of the polytope,
// or of points around the best, by turns.
func (l *limits) start(round int) (place, error) {
	var points [][]float64
	n := screen(l.f.Dim())
	switch known := l.known(); {
	case round == 0 && known != nil:
		l.task.Stage(atKnown)
		points = known
	case round%3 == 0 && round > 0 && l.best.y != nil:
		l.task.Stage(toSample)
		points = l.work.around(l.space.outer(l.best.y), n)
	default:
		l.task.Stage(toSample)
		points = l.uniform(n)
	}
	ys := make([][]float64, len(points))
	for i, z := range points {
		if ys[i] = l.space.inside(l.space.inner(z)); round > 0 && l.space.rows != nil { // projections lie on the boundary
			t := math.Sqrt(l.random.Float64())
			for k := range ys[i] {
				ys[i][k] = l.space.centre[k] + t*(ys[i][k]-l.space.centre[k])
			}
		}
	}
	places, err := l.evaluate(ys)
	if err != nil {
		return place{}, err
	}
	best := places[0]
	for _, p := range places[1:] {
		if query.Better(p.f, l.over(p), best.f, l.over(best)) {
			best = p
		}
	}
	return best, nil
}

// besides is how near to a minimum a descent is called on its way to it, in half-widths of the start box.
const besides = 0.01

// learn keeps what a descent that has come to the best place knows of the limits, and of residuals.
func (l *limits) learn(s *sqp) {
	if s.l == nil || s.known || l.best.y == nil || floats.Distance(s.at.y, l.best.y, math.Inf(1)) > besides || math.Abs(s.at.f-l.best.f) > besides*math.Abs(l.best.f) {
		return
	}
	l.multipliers = nil
	for k, c := range l.constraints {
		if v := s.l[k] * s.weight[k] / s.scale; v != 0 {
			l.multipliers = append(l.multipliers, strategy.Multiplier{Output: c.output, Limit: -1, Value: math.Abs(v)})
		}
	}
	for i, of := range l.space.of {
		if of >= 0 && i < len(s.hard) && s.hard[i] > 0 {
			l.multipliers = append(l.multipliers, strategy.Multiplier{Output: -1, Limit: of, Value: s.hard[i] * l.space.size[i] / s.scale})
		}
	}
	if s.jac != nil && l.space.basis == nil {
		l.fit = &strategy.Fit{Point: l.space.outer(s.at.y), Residuals: s.at.numbers[:l.said.Residuals], Jacobian: s.jac}
	}
}
