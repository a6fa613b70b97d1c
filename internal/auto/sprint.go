package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sprint is how f is searched without coordinates: a scout, which goes downhill, against CMA-ES. With few queries it comes first,
// and then neither knows the budget, so that a run with more queries begins as one with fewer does.
type sprint struct {
	run    *run
	scout  *scout
	talk   *asktell.Talk // with the scout
	spent  int           // by the scout
	free   int           // queries that were asked with others because that takes no longer
	fill   int           // a batch with fewer points carries those of the other, too; 0: queries are few, and batches are not filled up
	rival  *contender    // CMA-ES
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
	// for its value, and otherwise CMA-ES has behind for each of the scout, and as many more after each descent in vain. Along
	// lines it has the square of ahead. Halved or doubled, these change means by a factor of 3 where the race gains one of 1e3.
	ahead  = 7
	behind = 3
	// long is how many queries for each dimension a descent takes as a rule: Rosenbrock's function in 20 dimensions takes 130. With
	// n times as many it has ahead/n² for each of CMA-ES.
	long = 150
	// lineRounds is how many rounds along lines there must be time for where they ask for more than a point of each at once: a sum
	// like Rastrigin's took 36 to 66.
	lineRounds = 40
	// crawlShare is what a descent that crawls has of what it would have as the one behind, where a survey has come first: it is
	// ahead for long, but CMA-ES gets there. With few queries what is ahead counts.
	crawlShare = 0.1
	// fewQueries is how many queries there must be left to look for few components: a tenth of them shows whether there are.
	fewQueries = 1300
	// surveyFirst is how many times the least budget of a survey there must be to begin with that: with less, it begins when
	// the scout is stuck. What a survey in vain takes is then a sixth of the budget, so that a step of 1.2 makes up for it.
	surveyFirst = 3
)

// raceFirst reports whether the race comes before a survey: with few queries, unless coordinates are known, as in one dimension.
func (r *run) raceFirst() bool {
	d := r.f.Dim()
	return r.task.Budget < surveyFirst*identify.Least(d) && !(d == 1 && r.task.Budget >= perDimension) && r.task.Frame == nil && r.task.Identifier == nil
}

// newSprint is a race that has not begun, from the best point known.
func (r *run) newSprint(ctx context.Context) *sprint {
	d := r.f.Dim()
	s := &sprint{run: r, rivals: query.Best{Value: math.Inf(1)}}
	s.fill = cmaes.Abreast(d, r.task.Parallel, r.task.Budget).Run.Population
	s.scout = &scout{
		bounds: r.task.Bounds, grain: r.f.grain, known: r.measured, random: rng.Seed(r.task.Seed).Stream("auto", "scout"),
		others: func() query.Best { return s.rivals }, ends: s.ends, own: true,
		opened: func() bool { return s.spent >= opening*d }, abreast: min(r.task.Parallel, r.task.Budget/lineRounds),
	}
	if r.f.best.Point != nil {
		s.scout.start = query.Best{Point: slices.Clone(r.f.best.Point), Value: r.f.best.Value}
	}
	s.talk = asktell.New(d, func(f objective.Objective) error { return s.scout.search(ctx, f) })
	return s
}

// left is how much of the budget is left for a survey.
func (r *run) left() int {
	race := r.fallback.sprint
	if race == nil || !r.raceFirst() {
		return r.task.Budget
	}
	d, left := r.f.Dim(), r.task.Budget-race.raced
	if left >= identify.Least(d) {
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
		case !s.looked && (s.stuck() || s.scout.span.few(r.f.Dim())) && s.promising():
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
	f := s.run.f
	for before := f.queries; f.queries-before < queries; {
		if err := s.round(ctx); err != nil {
			return objective.Running, err
		}
		if s.rival != nil && s.rival.over {
			return s.rival.end, nil
		}
		if math.IsInf(f.best.Value, -1) {
			return objective.Converged, nil
		}
	}
	return objective.Running, nil
}

// stuck reports whether a descent has ended, or CMA-ES is ahead of it.
func (s *sprint) stuck() bool { return s.ended || s.rivals.Value < s.scout.best.Value }

// promising reports whether it pays to look for coordinates now.
func (s *sprint) promising() bool {
	d, left := s.run.f.Dim(), s.run.task.Budget-s.run.f.queries
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
	c, d := s.scout.course, s.run.f.Dim()
	n, least := len(c.values), 1/float64(behind*(1+s.scout.vain))
	crawling := crawls(c.kept, d) && !s.run.raceFirst() && !s.run.task.Bounded() // which cut steps off
	if crawling {
		least *= crawlShare
	}
	switch {
	case s.run.f.noise != nil && !s.run.raceFirst(): // noise ends descents too early, and CMA-ES averages it
		return 0
	case s.scout.sum:
		return ahead * ahead
	case !s.scout.own || n == 0 || !(c.values[n-1] < s.rivals.Value) || crawling:
		return least
	}
	lead := float64(ahead)
	if others >= opening*d && c.with(others) >= s.rivals.Value {
		lead = 1
	}
	return max(least, lead*min(1, square(float64(long*d)/float64(c.queries[n-1]))))
}

// round asks for a batch of the one whose turn it is, and of the other too if that has the next turn, or if more points at the
// same time cost nothing and there are queries for them.
func (s *sprint) round(ctx context.Context) error {
	f := s.run.f
	others := s.run.fallback.byCMAES()
	lead := s.lead(others)
	mine := func(spent, others int) bool {
		return lead > 0 && (spent < opening*f.Dim() || float64(spent) <= lead*float64(others))
	}
	first := mine(s.spent, others)
	alone := false
	var parts [2]*mat.Dense // of the scout, of CMA-ES
	if first {
		if parts[0] = s.talk.Ask(); parts[0] == nil {
			return s.talk.Err()
		}
		n, _ := parts[0].Dims()
		if alone = mine(s.spent+n, others); alone && n >= s.fill {
			return s.ask(ctx, parts)
		}
	}
	s.rival = s.run.fallback.series(ctx)
	if parts[1] = s.rival.talk.Ask(); parts[1] == nil {
		s.rival.over = true
		return s.rival.talk.Err()
	}
	n, _ := parts[1].Dims()
	if alone {
		s.free += n
	}
	if !first && lead > 0 && (mine(s.spent, others+n) || n < s.fill) {
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
	return s.rival.told(values[n:], err)
}

// stage is what is being done.
func (s *sprint) stage() objective.Stage {
	if s.run.fallback.cmaes == nil {
		return straightDown
	}
	return inRace
}

var errEnough = errors.New("auto: a descent has had enough")

// until is f for the opening: when it is over an error ends the descent.
type until struct {
	objective.Objective
	over func() bool
}

// Evaluate evaluates f.
func (u *until) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if u.over() {
		return errEnough
	}
	return u.Objective.Evaluate(ctx, points, values)
}
