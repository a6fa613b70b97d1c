package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sprint is what auto does with few queries: a scout, which goes downhill, against CMA-ES, which begins at
// the best point of the scout's opening. Neither knows the budget, so that a run with more queries begins as one with
// fewer does.
type sprint struct {
	run    *run
	scout  *scout
	talk   *asktell.Talk // with the scout
	spent  int           // by the scout
	rivals query.Best    // the best point of CMA-ES
	ended  bool          // a descent has come to its end
	looked bool          // it was looked for few components
	raced  int           // queries of the race before that
	varies bool          // f has had different values
}

const (
	// opening is how many queries for each dimension the scout has before CMA-ES begins: four or five steps.
	opening = 5
	// While the scout is ahead it has ahead queries for each of CMA-ES, as many as CMA-ES if it has needed more queries
	// for its value, and otherwise CMA-ES has behind for each of the scout. Along lines it has the square of ahead. Halved
	// or doubled, these change means by a factor of 3 where the race gains one of 1e3.
	ahead  = 7
	behind = 3
	// fewQueries is how many queries there must be left to look for few components: a tenth of them shows whether there are.
	fewQueries = 1300
	// surveyFirst is how many times the least budget of a survey there must be to begin with that: with less, it begins when
	// the scout is stuck.
	surveyFirst = 2
	// smallSigma is σ of CMA-ES, a fifth of the width of the start box: it begins at a point that is better than others.
	smallSigma = 0.4
)

// newSprint is a race that has not begun; nil: the budget is large enough for a survey, or coordinates are known, as in one
// dimension.
func (r *run) newSprint(ctx context.Context) *sprint {
	d := r.f.Dim()
	if r.task.Budget >= surveyFirst*identify.Least(d) || d == 1 && r.task.Budget >= perDimension || r.task.Frame != nil || r.task.Identifier != nil {
		return nil
	}
	if r.task.Budget < identify.Least(d) {
		r.noteSmallBudget()
	}
	if r.task.NoiseLevel > 0 {
		r.grainKnown(objective.Known(r.task.NoiseLevel))
	}
	s := &sprint{run: r, rivals: query.Best{Value: math.Inf(1)}}
	s.scout = &scout{
		bounds: r.task.Bounds, grain: r.f.grain, known: r.measured, random: rng.Seed(r.task.Seed).Stream("auto", "scout"),
		others: func() query.Best { return s.rivals }, ends: s.ends, own: true,
		opened: func() bool { return s.spent >= opening*d },
	}
	if r.f.best.Point != nil {
		s.scout.start = query.Best{Point: slices.Clone(r.f.best.Point), Value: r.f.best.Value}
	}
	r.fallback.sprint = s
	s.talk = asktell.New(d, func(f objective.Objective) error { return s.scout.search(ctx, f) })
	return s
}

// stop ends what is not at its end.
func (r *run) stop() {
	r.fallback.stop()
	if r.sprint != nil {
		r.sprint.talk.Stop()
	}
}

// left is how much of the budget is left for a survey.
func (r *run) left() int {
	if r.sprint == nil {
		return r.task.Budget
	}
	d, left := r.f.Dim(), r.task.Budget-r.sprint.raced
	if left >= identify.Least(d) || r.sprint.scout.sum {
		return left
	}
	return min(left, d*d/2+110*d-1) // it shows few components, and nothing else
}

// ends keeps where a descent has ended, for the comparison under noise.
func (s *sprint) ends(x []float64) {
	s.ended = true
	if n := s.run.f.noise; n != nil {
		n.ends = append(n.ends, slices.Clone(x))
	}
}

// search goes on until f ends it, or CMA-ES has come to the end of its series. It is Running, once, if coordinates should
// be looked for: if there is enough left for a survey, or f may have few components.
func (s *sprint) search(ctx context.Context) (objective.Status, error) {
	r := s.run
	for {
		if status, err := s.some(ctx, 1); status != objective.Running || err != nil {
			return status, err
		}
		switch {
		case math.IsInf(r.f.best.Value, 1) && s.spent >= opening*r.f.Dim():
			if err := s.seek(ctx); err != nil {
				return objective.Running, err
			}
		case !s.varies && s.spent >= opening*r.f.Dim():
			s.varies = true
			return r.flat(ctx)
		case !s.looked && s.stuck() && s.promising():
			s.looked, s.raced = true, r.f.queries
			return objective.Running, nil
		case !r.measured && s.scout.grain.Kind != objective.NoNoise && r.task.Budget >= perDimension*r.f.Dim():
			if err := s.measure(ctx); err != nil {
				return objective.Running, err
			}
		}
	}
}

// some goes on for at least so many queries. It is Running unless the race has come to its end.
func (s *sprint) some(ctx context.Context, queries int) (objective.Status, error) {
	f, fallback := s.run.f, s.run.fallback
	for before := f.queries; f.queries-before < queries; {
		if err := s.round(ctx); err != nil {
			return objective.Running, err
		}
		if c := fallback.plain; c != nil && c.over {
			return c.end, nil
		}
		if math.IsInf(f.best.Value, -1) {
			return objective.Converged, nil
		}
	}
	return objective.Running, nil
}

// stuck reports whether a descent has ended, CMA-ES is ahead of it, or f is a sum over the axes.
func (s *sprint) stuck() bool {
	return s.ended || s.scout.sum || s.rivals.Value < s.scout.best.Value
}

// promising reports whether it pays to look for coordinates now.
func (s *sprint) promising() bool {
	d, left := s.run.f.Dim(), s.run.task.Budget-s.run.f.queries
	if s.scout.sum { // a survey goes along the axes as well as lines do, and knows when it is done
		return s.run.task.Budget >= identify.Least(d)
	}
	return left >= identify.Least(d) || s.scout.span.few(d) && left >= max(perDimension*d/2, fewQueries)
}

// measure measures how exact f's values are where the scout has seen that they are not, for the comparison at the end.
func (s *sprint) measure(ctx context.Context) error {
	r := s.run
	err := r.measure(ctx)
	if r.f.grain.Kind != objective.NoNoise {
		s.scout.grain, s.scout.known = r.f.grain, true
	}
	return err
}

// lead is how many queries the scout has for each of CMA-ES.
func (s *sprint) lead(others int) float64 {
	c := s.scout.course
	n := len(c.values)
	switch {
	case s.scout.sum:
		return ahead * ahead
	case !s.scout.own || n == 0 || !(c.values[n-1] < s.rivals.Value):
		return 1. / behind
	case others >= opening*s.run.f.Dim() && c.with(others) >= s.rivals.Value:
		return 1
	}
	return ahead
}

// round asks for a batch of the one whose turn it is, and of the other too if that has the next turn.
func (s *sprint) round(ctx context.Context) error {
	f, fallback := s.run.f, s.run.fallback
	others := 0
	if fallback.plain != nil {
		others = fallback.plain.queries
	}
	lead := s.lead(others)
	mine := func(spent, others int) bool {
		return spent < opening*f.Dim() || float64(spent) <= lead*float64(others)
	}
	first := mine(s.spent, others)
	var parts [2]*mat.Dense // of the scout, of CMA-ES
	if first {
		if parts[0] = s.talk.Ask(); parts[0] == nil {
			return s.talk.Err()
		}
		n, _ := parts[0].Dims()
		if mine(s.spent+n, others) {
			return s.ask(ctx, parts)
		}
	}
	if fallback.plain == nil {
		fallback.start, fallback.sigma = s.scout.best.Point, smallSigma
		fallback.plain = fallback.series(ctx, nil)
	}
	if parts[1] = fallback.plain.talk.Ask(); parts[1] == nil {
		fallback.plain.over = true
		return fallback.plain.talk.Err()
	}
	if n, _ := parts[1].Dims(); !first && mine(s.spent, others+n) {
		if parts[0] = s.talk.Ask(); parts[0] == nil {
			return s.talk.Err()
		}
	}
	return s.ask(ctx, parts)
}

// ask asks for points of both in one batch, and tells both.
func (s *sprint) ask(ctx context.Context, parts [2]*mat.Dense) error {
	f := s.run.f
	points, n := parts[0], 0
	switch {
	case parts[0] == nil:
		points = parts[1]
	case parts[1] != nil:
		points = &mat.Dense{}
		points.Stack(parts[0], parts[1])
		n, _ = parts[0].Dims()
	default:
		n, _ = parts[0].Dims()
	}
	all, _ := points.Dims()
	values := make([]float64, all)
	if stage := s.stage(); f.now != stage {
		f.stage(stage)
	}
	err := counted{f}.Evaluate(ctx, points, values)
	for _, v := range values[:query.Evaluated(values, err)] {
		s.varies = s.varies || !math.IsInf(v, 0) && v != f.first
	}
	if parts[0] != nil {
		if err == nil {
			s.spent += n
			s.scout.told(parts[0], values[:n])
		}
		s.talk.Tell(values[:n], err)
	}
	if parts[1] == nil {
		return err
	}
	if err == nil {
		s.rivals.OfferAll(parts[1], values[n:])
	}
	return s.run.fallback.plain.told(f, values[n:], err)
}

// stage is what is being done.
func (s *sprint) stage() objective.Stage {
	if s.run.fallback.plain == nil {
		return straightDown
	}
	return inRace
}

var errOpened = errors.New("auto: the opening is over")

// until is f for the opening: when it is over an error ends the descent.
type until struct {
	objective.Objective
	over func() bool
}

// Evaluate evaluates f.
func (u *until) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if u.over() {
		return errOpened
	}
	return u.Objective.Evaluate(ctx, points, values)
}
