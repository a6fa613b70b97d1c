package descent

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

const (
	// rounding is the error of a value, as a part of it: some units in the last place, since f adds
	// up several terms.
	rounding = 0x1p-49
	// negligible is the gain, as a part of f's spread, that is not worth d queries: minima of 0 are reached for ever otherwise.
	negligible = 0x1p-56
	// poor is the part of what a slope promises that a step keeps at least, where slopes are as exact as was thought.
	poor = 0.1
	// firstStep is how far the first step goes, in half-diagonals of the start box: one that leads
	// out of the nearest basin is shortened for a query each, a short one is followed for d each.
	firstStep = 0.1
	// work is how many numbers may be touched to make B again; with more pairs than that allows the
	// oldest are forgotten. In 300 dimensions that is 4,000 pairs.
	work = 4e8
)

// A Config says where a descent begins, and what is known of f.
type Config struct {
	// Start is where it begins, and Value is f there; NaN: it has to be asked.
	Start []float64
	Value float64
	// Bounds limit where f may be asked. Their sides may be infinite.
	Bounds objective.Box
	// Spread is how much f varies over the start box; 0: as much as f(Start).
	Spread float64
	// Grain is how exact f is. If it is not Known, it is measured where the descent leads no further.
	Grain objective.Grain
	Known bool
	// Curvature is what f curves by along all axes, about; 0: it is not known.
	Curvature float64
	// Slope is that at Start; nil: it is not known.
	Slope []float64
	// Pairs are what is known of how f curves, the oldest first.
	Pairs []Pair
	// Reach is how far a step goes, in units of what it may; nil: that of its longest coordinate, in widths of the start box.
	Reach func(step []float64) float64
	// Abreast says that several points cost no more than one: parts of a step are asked for at the same time.
	Abreast bool
	// Random draws directions for measuring.
	Random objective.Random
	// Kept, if not nil, is told after every step how much it gained, as a part of what the slope promised: about 1 where
	// f curves as pairs say, and little along kinks.
	Kept func(part float64)
	// Seen, if not nil, is shown every slope that was measured, and how long its error may be.
	Seen func(slope []float64, error float64)
}

// A Result is where a descent has come to: Slope is that of the last differences, nil if there are
// none, and Left is what it promised still: next to nothing but along kinks. Curvature is what f curves by along the axes,
// by all that was seen; nil: nothing is known.
type Result struct {
	Point []float64
	Value float64
	Slope []float64
	Left  float64

	Curvature []float64
	Grain     objective.Grain
}

// Minimize goes down from a point until it leads no further. That f ends it is an error.
func Minimize(ctx context.Context, f objective.Objective, cfg Config) (Result, error) {
	s := &search{ctx: ctx, f: f, Config: cfg, x: slices.Clone(cfg.Start), fx: cfg.Value, g: cfg.Slope, known: cfg.Slope != nil, tested: math.Inf(1)}
	s.know(cfg.Pairs...)
	err := s.begin()
	for more := err == nil && kernel.Finite(s.fx); more && err == nil; {
		more, err = s.step()
	}
	r := Result{Point: s.x, Value: s.fx, Slope: s.g, Left: s.left, Grain: s.Grain}
	if s.b != nil {
		for i := range s.x {
			r.Curvature = append(r.Curvature, s.b.At(i, i))
		}
	}
	return r, err
}

// A search is a descent under way.
type search struct {
	Config
	ctx context.Context
	f   objective.Objective

	x     []float64
	fx    float64
	g     []float64  // the slope at x, or at the last point until it is measured
	known bool       // it was told
	from  []float64  // the last point; nil: the slope there is of no use
	pairs []Pair     // steps and differences of slopes
	b     *mat.Dense // B; nil: nothing is known
	turn  *turn      // the axes of differences; nil: those of x

	gain    float64 // of the last step
	left    float64 // what it promised
	tested  float64 // |f| where it was measured how exact f is
	central bool    // differences are central
	failed  bool    // the last step gained nothing
}

// begin asks for the first value, if it is not known.
func (s *search) begin() error {
	if math.IsNaN(s.fx) {
		v, err := s.ask(1, func(_ int, x []float64) { copy(x, s.x) })
		if err != nil {
			return err
		}
		s.fx = v[0]
	}
	if !(s.Spread > 0) {
		s.Spread = math.Abs(s.fx)
	}
	return nil
}

// ask asks for n points.
func (s *search) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	return query.Ask(s.ctx, s.f, n, fill)
}

// err is how far a value may be from the true one.
func (s *search) err() float64 { return errorOf(s.Grain, s.fx) }

func errorOf(grain objective.Grain, v float64) float64 {
	e := rounding * math.Abs(v)
	if grain.Kind != objective.NoNoise {
		e = max(e, grain.Of(v))
	}
	return e
}

// step measures the slope, takes a step and says whether to go on. When it leads no further it measures how exact f is
// there and goes on with central differences; then it forgets all pairs and tries once more.
func (s *search) step() (bool, error) {
	e := s.err()
	if s.known {
		s.known = false
	} else if err := s.measure(e); err != nil {
		return false, err
	}
	if !slices.ContainsFunc(s.g, func(v float64) bool { return v != 0 }) {
		s.left = 0
		return false, nil
	}
	p := s.newton()
	before, down := s.fx, kernel.Dot(s.g, p)
	s.from = slices.Clone(s.x)
	if down < 0 && !math.IsInf(down, -1) {
		if err := s.walk(p, down); err != nil {
			return false, err
		}
	}
	s.gain, s.left = before-s.fx, -down/2
	if s.Kept != nil {
		s.Kept(2 * s.gain / -down)
	}
	little := 2 * max(e, negligible*s.Spread)
	switch {
	case s.gain > little && (s.gain >= poor*s.left || s.Pairs == nil || s.Known || math.Abs(s.fx) > s.tested/2):
		s.failed = false
		return true, nil
	case s.gain > little: // f may be less exact than its value says, as a sum of large terms is
		s.failed, s.tested = false, math.Abs(s.fx)
		err := s.exactness()
		if s.err() > e {
			s.from, s.central = nil, true
			s.know(s.Pairs...)
		}
		return true, err
	case s.failed || s.central && s.left <= little: // nor is more promised
		return false, nil
	}
	err := s.exactness()
	if s.from = nil; s.central || s.err() > e { // pairs of slopes that were not so exact as was thought mislead
		s.failed = true
		s.know(s.Pairs...)
	}
	s.central = true
	return true, err
}

// exactness measures how exact f is at x, unless it is known.
func (s *search) exactness() error {
	if s.Known {
		return nil
	}
	grain, err := Exactness(s.ctx, s.f, s.x, s.fx, s.Bounds, s.Random)
	if err == nil {
		s.Grain = grain
	}
	return err
}

// longest is how often a point is asked for along a step, twice as often when the step before has gained
// nothing: it is 1.1 to 1.5 on the whole.
const longest = 6

// walk goes along p, by parabolas through the value and the slope at x and the last value, and leaves x
// where f is least.
func (s *search) walk(p []float64, down float64) error {
	if s.Abreast {
		return s.abreast(p)
	}
	most := longest
	if s.failed {
		most *= 2
	}
	x, fx, t, found, far := s.x, s.fx, 1.0, false, math.Inf(1)
	if s.Reach != nil { // otherwise it follows f as far as that falls
		far = 1 / s.Reach(p)
	}
	for k := range most {
		z := slices.Clone(x)
		kernel.AddScaled(z, t, p)
		clamp(z, s.Bounds)
		values, err := s.ask(1, func(_ int, row []float64) { copy(row, z) })
		if err != nil {
			return err
		}
		v := values[0]
		lower := v < s.fx
		if lower {
			s.x, s.fx, found = z, v, true
		}
		bend := v - fx - float64(down*t)
		top := math.Inf(1) // where the parabola is least
		if bend > 0 && !math.IsInf(bend, 1) {
			top = -down * t * t / 2 / bend
		}
		switch {
		case v < fx+float64(1e-4*down*t): // enough; further only if that promises a tenth more
			next := min(top, 10*t, far)
			promise := -(float64(down*next) + float64(bend*(next/t)*(next/t)))
			if !lower || k >= 4 || next <= t && top > t || k >= 2 && !(top > 4*t) || !math.IsInf(top, 1) && promise < 1.1*(fx-v) {
				return nil
			}
			t = next
		case found:
			return nil
		case v < math.Inf(1):
			t = min(max(top, t/10), t/2)
		default: // f fails there
			t /= 3
		}
	}
	return nil
}

// parts are those of a step that are asked for at the same time.
var parts = []float64{1, 1. / 2, 1. / 4, 1. / 16, 1. / 64, 2, 4}

// abreast leaves x where f is least of some parts of a step, none of which leads further than a step may.
func (s *search) abreast(p []float64) error {
	most, x := max(1, 1/s.reach(p)), s.x
	tried := slices.DeleteFunc(slices.Clone(parts), func(t float64) bool { return t > most })
	points := make([][]float64, len(tried))
	for k, t := range tried {
		points[k] = slices.Clone(x)
		kernel.AddScaled(points[k], t, p)
		clamp(points[k], s.Bounds)
	}
	values, err := s.ask(len(points), func(k int, row []float64) { copy(row, points[k]) })
	for k, v := range values {
		if err == nil && v < s.fx {
			s.x, s.fx = points[k], v
		}
	}
	return err
}

// clamp puts x into the bounds, and on a bound from which only rounding keeps it.
func clamp(x []float64, bounds objective.Box) {
	for k, v := range x {
		switch near := rounding * math.Abs(v); {
		case v-bounds.Lo[k] <= near:
			x[k] = bounds.Lo[k]
		case bounds.Hi[k]-v <= near:
			x[k] = bounds.Hi[k]
		}
	}
}
