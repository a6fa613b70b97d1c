package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sampler asks f. Points are given in coordinates q of its span, x = Bq in the box
// [-1, 1]^d, and values come in units of their spread, z = (f − mid)/unit.
type sampler struct {
	ctx    context.Context
	f      objective.Objective
	centre []float64
	half   []float64
	room   objective.Box // the bounds, in coordinates of the box
	span   *mat.Dense    // B, d×m with orthonormal columns; nil: the identity
	grain  objective.Grain
	random *rng.Stream

	mid, unit float64
	sigma     float64 // the least noise of a value, in units
	grains    float64 // the noise of a value, in units of its grain
	far       float64 // the largest |z| so far
	low       float64 // the least z
	queries   int
	fails     bool // f has failed at a point

	// The first points, in the box, one after the other, and the values of f there.
	seen, values []float64
}

// Why nothing could be found, in the words of package identify.
var (
	ErrConstant  = errors.New("identify: f is constant where it was sampled")
	ErrNoStep    = errors.New("identify: no step for finite differences was found: f is not smooth, too noisy, not finite or not free to move there")
	ErrNotFinite = errors.New("identify: f failed, or was NaN or infinite, at too many of the points drawn to tell anything about it")
	// ErrSmallBudget says that the budget does not allow for as many looks as it takes.
	ErrSmallBudget = errors.New("identify: the budget is too small to find the coordinates")
)

const (
	// middle is the part of the box from which points of looks are drawn: there is room for
	// steps around them.
	middle = 0.5
	// unitSamples is from how many values the unit of f is taken: its size matters, not its
	// digits.
	unitSamples = 8
	// Noise is measured on a line of noiseSamples points that are noiseStep apart, by fourth differences with some weights.
	noiseSamples, noiseStep = 20, 1e-8
	// attempts is at how many points f may fail before nothing more is asked.
	attempts = 40
)

var fourth = []float64{1, -4, 6, -4, 1}

// newSampler measures the unit of f and its noise.
func newSampler(ctx context.Context, f objective.Objective, r Request) (*sampler, error) {
	d := f.Dim()
	s := &sampler{ctx: ctx, f: f, centre: make([]float64, d), half: make([]float64, d), room: objective.Cube(d, 0, 0), grain: r.Grain, grains: 1, unit: 1, random: rng.Seed(r.Seed).Stream("model")}
	for k := range d {
		s.half[k] = (r.Box.Hi[k] - r.Box.Lo[k]) / 2
		s.centre[k] = r.Box.Lo[k] + s.half[k]
		s.room.Lo[k], s.room.Hi[k] = (r.Bounds.Lo[k]-s.centre[k])/s.half[k], (r.Bounds.Hi[k]-s.centre[k])/s.half[k]
	}
	if r.Span != nil {
		q := s.stretched(r.Span)
		kernel.Orthonormalise(q.RawMatrix())
		s.span = transposed(q)
	}
	if err := s.measureUnit(); err != nil {
		return nil, err
	}
	return s, s.measureNoise()
}

// stretched returns rows with each coordinate multiplied by half the width of the box.
func (s *sampler) stretched(rows *mat.Dense) *mat.Dense {
	q := mat.DenseCopyOf(rows)
	q.Apply(func(_, k int, v float64) float64 { return v * s.half[k] }, q)
	return q
}

// inBox returns rows of coordinates of the span as those of the box, and inSpan the other way.
func (s *sampler) inBox(rows *mat.Dense) *mat.Dense {
	if s.span == nil {
		return rows
	}
	return timesT(rows, s.span)
}

func (s *sampler) inSpan(rows *mat.Dense) *mat.Dense {
	if s.span == nil {
		return rows
	}
	return kernel.Times(rows, s.span)
}

// measureUnit sets mid and unit to the median and the spread of some values.
func (s *sampler) measureUnit() error {
	_, seen, err := s.finite(unitSamples)
	if err != nil {
		return err
	}
	slices.Sort(seen)
	mid, sum := seen[len(seen)/2], 0.0
	for _, v := range seen {
		sum += square(v - mid)
	}
	if sum == 0 {
		return ErrConstant
	}
	s.mid, s.unit = mid, math.Sqrt(sum/float64(len(seen)))
	return nil
}

// measureNoise sets sigma to what the fourth differences on a tiny line show, or to the grain
// if that is more.
func (s *sampler) measureNoise() error {
	s.sigma = s.grain.Of(s.mid) / s.unit
	if s.grain.Noisy() { // it was measured before, and better
		return nil
	}
	x, n := s.point(), make([]float64, s.dim())
	s.random.Norm(n)
	var line [][]float64
	for k := range noiseSamples {
		line = append(line, beside(x, float64(k-noiseSamples/2)*noiseStep, n))
	}
	z, err := s.at(line)
	if err != nil {
		return err
	}
	sum, count, variance := 0.0, 0, 0.0
	for _, weight := range fourth {
		variance += square(weight)
	}
	for k := len(fourth) - 1; k < len(z); k++ {
		d := 0.0
		for i, weight := range fourth {
			d += float64(weight * z[k-i])
		}
		if kernel.Finite(d) {
			sum, count = sum+square(d), count+1
		}
	}
	seen := math.Sqrt(sum / variance / float64(max(count, 1)))
	if own := s.grain.Of(s.value(z[0])) / s.unit; own > 0 && kernel.Finite(own) {
		s.grains = max(1, seen/own)
	}
	s.sigma = max(s.sigma, seen)
	return nil
}

// value returns what f is where values are z.
func (s *sampler) value(z float64) float64 { return float64(z*s.unit) + s.mid }

// noise returns the standard deviation of a value z.
func (s *sampler) noise(z float64) float64 {
	return max(s.sigma, s.grains*s.grain.Of(s.value(z))/s.unit)
}

// dim returns how many coordinates points have.
func (s *sampler) dim() int {
	if s.span == nil {
		return s.f.Dim()
	}
	_, m := s.span.Dims()
	return m
}

// ask returns the values at the rows of points, in units; +Inf where f fails.
func (s *sampler) ask(points *mat.Dense) ([]float64, error) {
	n, _ := points.Dims()
	x := s.inBox(points)
	s.queries += n
	z, err := query.Ask(s.ctx, s.f, n, func(k int, row []float64) {
		for i, v := range x.RawRowView(k) {
			row[i] = s.centre[i] + float64(s.half[i]*v)
		}
	})
	for k := range z {
		if len(s.values) < mostSeen && kernel.Finite(z[k]) {
			s.seen, s.values = append(s.seen, x.RawRowView(k)...), append(s.values, z[k])
		}
		if z[k] = (z[k] - s.mid) / s.unit; kernel.Finite(z[k]) {
			s.far, s.low = max(s.far, math.Abs(z[k])), min(s.low, z[k])
		} else {
			s.fails = true
		}
	}
	return z, err
}

// at returns the values at some points.
func (s *sampler) at(points [][]float64) ([]float64, error) { return s.ask(rowsOf(points)) }

// points draws n points of the middle of the box, so much of it.
func (s *sampler) points(n int, part float64) *mat.Dense {
	x, box := mat.NewDense(n, s.f.Dim(), nil), objective.Cube(s.f.Dim(), -part, part)
	for k := range n {
		box.Draw(x.RawRowView(k), s.random)
	}
	return s.inSpan(x)
}

func (s *sampler) point() []float64 { return s.points(1, middle).RawRowView(0) }

// safe draws a point of so much of the box, one at which f is finite where it has failed at others.
func (s *sampler) safe(part float64) ([]float64, error) {
	for tries := 0; ; tries++ {
		x := s.points(1, part)
		if !s.fails || tries == attempts {
			return x.RawRowView(0), nil
		}
		if z, err := s.ask(x); err != nil || kernel.Finite(z[0]) {
			return x.RawRowView(0), err
		}
	}
}

// widths returns how far each component y_j of a frame W goes in the middle of the box: √3 of
// its standard deviation there.
func (s *sampler) widths(w *mat.Dense) []float64 {
	w = s.inBox(w)
	r := make([]float64, w.RawMatrix().Rows)
	for j := range r {
		r[j] = length(w.RawRowView(j)) * math.Sqrt(3) / 2
	}
	return r
}

// nearby is the part of the way to the bounds that is gone, so that rounding does not lead out of
// them.
const nearby = 1 - 1e-9

// reach returns about the largest t ≤ most with x + tv within the bounds.
func (s *sampler) reach(x, v []float64, most float64) float64 {
	if s.span != nil {
		x, v = s.whole(x), s.whole(v)
	}
	for k := range x {
		switch {
		case v[k] > 0:
			most = min(most, nearby*(s.room.Hi[k]-x[k])/v[k])
		case v[k] < 0:
			most = min(most, nearby*(s.room.Lo[k]-x[k])/v[k])
		}
	}
	return max(0, most)
}

// whole returns Bq.
func (s *sampler) whole(q []float64) []float64 {
	x := make([]float64, s.f.Dim())
	kernel.MulVec(x, s.span.RawMatrix(), q)
	return x
}

// around returns the largest part p ≤ 1 such that x ± p·v is within the bounds.
func (s *sampler) around(x, v []float64) float64 {
	return min(s.reach(x, v, 1), s.reach(x, beside(make([]float64, len(v)), -1, v), 1))
}

// finite draws n points at which f is finite, and returns them and the values. Where f fails at
// too many, fewer are returned.
func (s *sampler) finite(n int) (*mat.Dense, []float64, error) {
	var rows, values []float64
	for tries := 0; len(values) < n && tries < attempts; tries += n {
		x := s.points(n-len(values), middle)
		z, err := s.ask(x)
		if err != nil {
			return nil, nil, err
		}
		for k, v := range z {
			if kernel.Finite(v) {
				rows, values = append(rows, x.RawRowView(k)...), append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return nil, nil, ErrNotFinite
	}
	return mat.NewDense(len(values), s.dim(), rows), values, nil
}

// seeded draws what follows from a seed, until the function that it returns is called.
func (s *sampler) seeded(seed uint64) (end func()) {
	was := s.random
	s.random = rng.Seed(seed).Stream("again")
	return func() { s.random = was }
}
