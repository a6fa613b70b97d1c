package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A model is f as lines have shown it: Σ_j φ_j(⟨w̃_j, x⟩), up to a constant, with min φ_j = 0,
// so that it is 0 only where all minima meet. Asking it costs nothing.
type model struct {
	w   *mat.Dense
	phi []*table
}

// at returns the model at the coordinates y = W̃x.
func (m *model) at(y []float64) float64 {
	sum := 0.0
	for j, t := range m.phi {
		sum += t.at(y[j])
	}
	return sum
}

func (m *model) coordinates(x []float64) []float64 {
	y := make([]float64, len(m.phi))
	kernel.MulVec(y, m.w.RawMatrix(), x)
	return y
}

// profiles returns what is known of each component.
func (m *model) profiles() []frame.Profile {
	out := make([]frame.Profile, len(m.phi))
	for j, t := range m.phi {
		p := &out[j]
		p.Component = j
		least := t.lowest().value
		for i, s := range t.samples {
			p.Y, p.Value = append(p.Y, s.y), append(p.Value, s.value-least)
			lower := func(k int) bool { return k >= 0 && k < len(t.samples) && t.samples[k].value < s.value }
			if !lower(i-1) && !lower(i+1) {
				p.Wells = append(p.Wells, frame.Well{Y: s.y, Value: s.value - least})
			}
		}
		slices.SortStableFunc(p.Wells, func(a, b frame.Well) int { return cmp.Compare(a.Value, b.Value) })
	}
	return out
}

// A modelSearch minimises a model within a box: by CMA-ES, which does well where the model
// as a whole leads somewhere, and by many local searches from there.
type modelSearch struct {
	model  *model
	at     *coordinates
	wT     *mat.Dense // row k is column k of W̃
	box    objective.Box
	stream *rng.Stream
	work   int        // done so far, in steps times m·d
	best   query.Best // of what CMA-ES has asked for
}

// How many local searches there are: for each component at most, in any case, and in a turn, which begins at the best point
// or anywhere; and how much they may cost together, in steps times m·d, which is some seconds. With them the best value known
// was found in nearly all runs with m·d = 400.
const (
	hopsEach  = 5000
	hopsLeast = 300
	hopsTurn  = 500
	mostWork  = 200_000_000
)

// mostKicks is how many kicks there are at most between two local searches, and sweeps how often a local search goes along
// everything at most: most go three or four times.
const (
	mostKicks = 3
	sweeps    = 30
)

// mostFinds is how many of the lowest minima are returned. One query each tells which of
// them is f's lowest, as far as the model is not exact.
const mostFinds = 20

// modelGain is the improvement of the model that counts, as a part of its value. The error
// of its interpolation is far larger.
const modelGain = 1e-9

// explore minimises the model within the box by CMA-ES and then by local searches: from x or what CMA-ES has found, then each
// from near where the last good one has ended, in turns that begin at the best and anywhere. It ends early when half of all
// have brought nothing. It returns the lowest minima, the lowest first.
func (s *modelSearch) explore(ctx context.Context, x []float64) []query.Best {
	var found finds
	found.offer(x, s.descend(x))
	s.evolve(ctx)
	if s.best.Point != nil {
		found.offer(s.best.Point, s.descend(s.best.Point))
	}
	here, value := slices.Clone(found[0].Point), found[0].Value
	hops := max(hopsLeast, hopsEach*len(s.model.phi))
	for hop, last := 0, 0; hop < hops && hop-last <= max(hopsLeast, hops/2); hop++ {
		if hop >= hopsLeast && s.work > mostWork || ctx.Err() != nil {
			break
		}
		switch hop % (2 * hopsTurn) {
		case 0:
			copy(here, found[0].Point)
			value = found[0].Value
		case hopsTurn:
			s.box.Draw(here, s.stream)
			value = math.Inf(1)
		}
		next := slices.Clone(here)
		for range 1 + s.stream.IntN(mostKicks) {
			s.kick(next)
		}
		v, least := s.descend(next), found[0].Value
		found.offer(next, v)
		if v < value {
			here, value = next, v
		}
		if v < least-float64(modelGain*least) {
			last = hop
		}
	}
	return found
}

// finds are the lowest minima found so far, the lowest first.
type finds []query.Best

// sameFind is the difference of two values, as a part of the larger, that belong to the same
// minimum: what local searches leave.
const sameFind = 1e-4

// offer adds a minimum, unless it is known or too high.
func (f *finds) offer(x []float64, value float64) {
	if len(*f) == mostFinds && !(value < (*f)[mostFinds-1].Value) {
		return
	}
	at, _ := slices.BinarySearchFunc(*f, value, func(b query.Best, v float64) int { return cmp.Compare(b.Value, v) })
	for i := max(at-1, 0); i < min(at+1, len(*f)); i++ {
		if known := (*f)[i].Value; math.Abs(known-value) <= sameFind*max(known, value) {
			if value < known {
				(*f)[i] = query.Best{Point: slices.Clone(x), Value: value}
			}
			return
		}
	}
	*f = slices.Insert(*f, at, query.Best{Point: slices.Clone(x), Value: value})
	*f = (*f)[:min(len(*f), mostFinds)]
}

// CMA-ES gets half of the work that there is, or of what all local searches would take with
// usualSteps each. Asking the model once is a quarter of a step.
const (
	evolvePart = 1. / 2
	usualSteps = 5
	askWork    = 1. / 4
)

// evolve minimises the model by BIPOP-CMA-ES until its part of the work is done.
func (s *modelSearch) evolve(ctx context.Context) {
	series := cmaes.Series{
		Run: cmaes.Config{Sigma: strategy.FirstSigma, Bounds: s.box},
		Box: s.box, Seed: s.stream.Uint64(),
	}
	_, _ = series.Minimize(ctx, s) // it ends with the work, or with the context
}

// Dim and Evaluate make the model an objective, which fails when CMA-ES has done its part.
func (s *modelSearch) Dim() int { return len(s.box.Lo) }

func (s *modelSearch) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	n, d := points.Dims()
	m := len(s.model.phi)
	s.work += int(askWork * float64(n*m*d))
	if float64(s.work) > evolvePart*min(mostWork, hopsEach*usualSteps*float64(m*m*d)) {
		return objective.ErrBudget
	}
	for i := range values {
		values[i] = s.model.at(s.model.coordinates(points.RawRowView(i)))
	}
	s.best.OfferAll(points, values)
	return nil
}

// kick moves a random component by a random step and then all coordinates back into
// the box, or a random coordinate to a random place.
func (s *modelSearch) kick(x []float64) {
	if k := s.stream.IntN(2 * len(x)); k < len(x) {
		x[k] = s.box.Lo[k] + float64(s.stream.Float64()*(s.box.Hi[k]-s.box.Lo[k]))
		return
	}
	j := s.stream.IntN(len(s.model.phi))
	t := s.model.phi[j]
	to := t.wells[s.stream.IntN(len(t.wells))].y
	s.at.move(x, to-s.at.y(j, x), j)
	clamp(x, s.box)
}

// descend minimises the model from x along components and along coordinates, in
// turns, until neither helps, and returns its value there.
func (s *modelSearch) descend(x []float64) float64 {
	y := s.model.coordinates(x)
	value := s.model.at(y)
	for range sweeps {
		before := value
		s.work += len(x) * len(y)
		for j := range s.model.phi {
			s.component(j, x, y)
		}
		for k := range x {
			s.coordinate(k, x, y)
		}
		y = s.model.coordinates(x)
		if value = s.model.at(y); !(before-value > modelGain*value) {
			break
		}
	}
	return value
}

// component moves x to the minimum along u_j, which changes y_j alone: it is in a well, or where the box ends.
func (s *modelSearch) component(j int, x, y []float64) {
	least, most := limits(s.box, x, s.at.u.RawRowView(j))
	t := s.model.phi[j]
	best, at := t.at(y[j]), 0.0
	try := func(step, v float64) {
		if v < best {
			best, at = v, step
		}
	}
	for _, w := range t.wells {
		if step := w.y - y[j]; step >= least && step <= most {
			try(step, w.value)
		}
	}
	try(least, t.at(y[j]+least))
	try(most, t.at(y[j]+most))
	s.at.move(x, at, j)
	y[j] += at
}

// downhill is how far a step goes where a model does not curve upwards, as a part of the longest.
const downhill = 1. / 4

// coordinate takes a Newton step along the axis k, within the bounds: a point from
// which none of them leads down is stationary.
func (s *modelSearch) coordinate(k int, x, y []float64) {
	w := s.wT.RawRowView(k)
	var slope, bend float64
	longest := s.box.Hi[k] - s.box.Lo[k]
	for j, phi := range s.model.phi {
		_, first, second := phi.jet(y[j])
		slope = math.FMA(w[j], first, slope)
		bend = math.FMA(w[j]*w[j], second, bend)
		longest = min(longest, float64(fine*phi.width)/math.Abs(w[j]))
	}
	t := -math.Copysign(downhill*longest, slope)
	if bend > 0 {
		t = min(max(-slope/bend, -longest), longest)
	}
	to := min(max(x[k]+t, s.box.Lo[k]), s.box.Hi[k])
	t, x[k] = to-x[k], to
	kernel.AddScaled(y, t, w)
}
