package auto

import (
	"context"
	"math"
	"slices"

	down "github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A scout goes downhill with few queries, in a race with CMA-ES: one descent after another, and lines
// along the axes if f is a sum over them. It is an algorithm that calls f; the race decides when.
type scout struct {
	bounds  objective.Box
	grain   objective.Grain // of f
	known   bool            // it was measured, or is told
	random  *rng.Stream
	start   query.Best        // a point that is known; without a point: none
	others  func() query.Best // the best point of CMA-ES
	opened  func() bool       // the first descent has had its opening
	abreast int               // so many points at the same time cost no more than one

	best   query.Best        // its own
	own    bool              // the descent under way began at a point of its own
	course course            // of that descent
	vain   int               // descents after which CMA-ES was ahead
	sum    bool              // f is a sum over the axes
	span   span              // of the slopes that it has seen
	ends   func(x []float64) // is told where a descent has ended
}

// A course is how far a descent came with how many queries.
type course struct {
	queries []int
	values  []float64
	kept    []float64 // what steps gained, as parts of what their slopes promised
}

// crawls reports whether half of the last steps have gained far less than promised, as along kinks.
// f has d dimensions.
func crawls(kept []float64, d int) bool {
	steps := max(crawlSteps, crawlQueries/d)
	n := len(kept) - steps
	if n < 0 {
		return false
	}
	last := slices.Sorted(slices.Values(kept[n:]))
	return !(last[steps/2] >= crawlKept)
}

const (
	// crawlSteps is how many steps tell whether a descent crawls, and crawlKept is what half of them keep of their promises
	// at most then: on Rosenbrock's function in 20 dimensions it is 0.3 at least, on flat powers 0.17, on bbob-6 0.01.
	crawlSteps = 20
	// crawlQueries is how many queries these steps take at least, about: in five dimensions many a descent does not crawl for long.
	crawlQueries = 200
	crawlKept    = 0.1
)

// add counts a batch.
func (c *course) add(values []float64) {
	n, least := len(values), math.Inf(1)
	if k := len(c.values); k > 0 {
		n, least = n+c.queries[k-1], c.values[k-1]
	}
	for _, v := range values {
		if v < least { // false for NaN
			least = v
		}
	}
	c.queries, c.values = append(c.queries, n), append(c.values, least)
}

// with is how far it was with so many queries; +∞: it had not begun.
func (c *course) with(queries int) float64 {
	k, same := slices.BinarySearch(c.queries, queries)
	if !same {
		k--
	}
	if k < 0 {
		return math.Inf(1)
	}
	return c.values[k]
}

// told counts a batch that it has asked for.
func (s *scout) told(points *mat.Dense, values []float64) {
	s.course.add(values)
	s.best.OfferAll(points, values)
}

const (
	// inner is the part of the start box from whose middle points are drawn: what is near its faces is far
	// from everything else.
	inner = 0.8
	// moreSplits is by how many splits a sum over the axes is confirmed before lines are asked for.
	moreSplits = 7
)

// anywhere returns a random point of the middle of the start box.
func (s *scout) anywhere(d int) []float64 {
	x := make([]float64, d)
	for i := range x {
		x[i] = inner * (float64(2*float64(s.random.Float64())) - 1)
	}
	return x
}

// search goes on until f ends it.
func (s *scout) search(ctx context.Context, f objective.Objective) error {
	x, y, values, err := s.first(ctx, f)
	if err != nil {
		return err
	}
	fx, fy := values[0], values[1]
	sum, spread := down.Adds(fx, fy, values[2:])
	if err := s.exactness(ctx, f, x, fx); err != nil {
		return err
	}
	cfg := down.Config{Start: x, Value: fx, Bounds: s.bounds, Spread: spread, Grain: s.grain, Known: s.known, Random: s.random, Seen: s.span.add}
	cfg.Kept = func(part float64) { s.course.kept = append(s.course.kept, part) }
	if sum && f.Dim() > 1 {
		if err := s.descend(ctx, &until{f, s.opened}, cfg); err != nil && err != errEnough {
			return err
		}
		if s.sum, _, err = down.Sum(ctx, f, x, fx, y, fy, moreSplits, s.random); err != nil {
			return err
		}
		if s.sum {
			return s.along(ctx, f, cfg)
		}
		cfg.Start, cfg.Value = slices.Clone(s.best.Point), s.best.Value
	}
	return s.again(ctx, f, cfg)
}

// first returns the first point, at which f is finite, the one that is known, or drawn; another one; and the values of both and
// of a split of them, which are asked for in one batch.
func (s *scout) first(ctx context.Context, f objective.Objective) (x, y, values []float64, err error) {
	for {
		if other := s.others(); other.Point != nil && kernel.Finite(other.Value) { // it was sought elsewhere
			s.start = other
		}
		known := s.start.Point != nil && kernel.Finite(s.start.Value)
		if y = s.anywhere(f.Dim()); known {
			x = slices.Clone(s.start.Point)
		} else {
			x = s.anywhere(f.Dim())
		}
		split := down.Splits(x, y, 1, s.random)
		points := []func(row []float64){
			func(row []float64) { copy(row, x) }, func(row []float64) { copy(row, y) },
			func(row []float64) { split(0, row) }, func(row []float64) { split(1, row) },
		}
		if known { // it was asked for already
			points = points[1:]
		}
		values, err = query.Ask(ctx, f, len(points), func(k int, row []float64) { points[k](row) })
		if err != nil {
			return nil, nil, nil, err
		}
		if known {
			values = append([]float64{s.start.Value}, values...)
		}
		if kernel.Finite(values[0]) {
			return x, y, values, nil
		}
	}
}

// exactness measures how exact f is at x, unless that is known.
func (s *scout) exactness(ctx context.Context, f objective.Objective, x []float64, fx float64) error {
	if s.known {
		return nil
	}
	grain, err := down.Exactness(ctx, f, x, fx, s.bounds, s.random)
	if err == nil {
		s.grain = grain
	}
	return err
}

// descend goes down once.
func (s *scout) descend(ctx context.Context, f objective.Objective, cfg down.Config) error {
	cfg.Grain, cfg.Known = s.grain, s.known
	found, err := down.Minimize(ctx, f, cfg)
	if err == nil {
		s.ends(found.Point)
	}
	if !s.known && found.Grain.Kind != objective.NoNoise {
		s.grain = found.Grain
	}
	return err
}

// again goes down again and again: from where CMA-ES is, if that is new, or from a random point.
func (s *scout) again(ctx context.Context, f objective.Objective, cfg down.Config) error {
	done := math.Inf(1)
	s.own = true
	for {
		if err := s.descend(ctx, f, cfg); err != nil {
			return err
		}
		s.course = course{}
		if s.others().Value < s.best.Value {
			s.vain++
		}
		if other := s.others(); other.Point != nil && other.Value < done {
			done, s.own = other.Value, false
			cfg.Start, cfg.Value = slices.Clone(other.Point), other.Value
			continue
		}
		s.own = true
		cfg.Start, cfg.Value = s.anywhere(f.Dim()), math.NaN()
	}
}

// along looks along the axes by lines, and goes down from where they meet.
func (s *scout) along(ctx context.Context, f objective.Objective, cfg down.Config) error {
	s.own = true
	box := objective.Cube(f.Dim(), -1, 1)
	lines := down.NewAxes(f, cfg.Start, cfg.Value, s.bounds)
	lines.Abreast = s.abreast
	for {
		if err := lines.Search(ctx, box); err != nil {
			return err
		}
		cfg.Start, cfg.Value = slices.Clone(s.best.Point), s.best.Value
		if err := s.descend(ctx, f, cfg); err != nil {
			return err
		}
	}
}

// A span is the space of the slopes that a descent has seen: if f has few components, it is that of their directions.
type span struct {
	basis  [][]float64 // orthonormal
	inside int         // how many slopes in turn have shown nothing new
}

const (
	// newErrors is by how many errors a slope must be beyond the span to show something new: its error is that of curvatures
	// which are guessed at first.
	newErrors = 30
	// nothingNew is after how many slopes that show nothing new f may have few components.
	nothingNew = 3
)

// add takes a slope.
func (s *span) add(slope []float64, error float64) {
	g := slices.Clone(slope)
	for range 2 { // once more, against rounding
		for _, b := range s.basis {
			kernel.AddScaled(g, -kernel.Dot(g, b), b)
		}
	}
	if s.inside++; math.Sqrt(kernel.Dot(g, g)) > newErrors*error {
		kernel.Normalise(g)
		s.basis, s.inside = append(s.basis, g), 0
	}
}

// few reports whether f may have few components, less than a quarter of the dimensions.
func (s *span) few(d int) bool { return s.inside >= nothingNew && 4*len(s.basis) < d }
