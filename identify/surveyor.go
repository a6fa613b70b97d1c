package identify

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A surveyor asks for values of f.
type surveyor struct {
	ctx      context.Context
	f        objective.Objective
	inner    hessian.Box   // where points are drawn
	box      hessian.Box   // the whole box, where they are for a certificate
	bounds   objective.Box // nothing outside is asked
	stream   *rng.Stream
	measures int     // points at which steps are measured; 0: 1
	reach    float64 // how far composed points may be from drawn ones, 1: all the way
}

// ask evaluates f at n points, which fill writes one by one.
func (s *surveyor) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	return objective.Ask(s.ctx, s.f, n, fill)
}

// draw draws a point.
func (s *surveyor) draw() []float64 {
	x := make([]float64, s.f.Dim())
	s.inner.Draw(x, s.stream)
	return x
}

// anywhere draws a point of the whole box.
func (s *surveyor) anywhere() []float64 {
	x := make([]float64, s.f.Dim())
	s.box.Draw(x, s.stream)
	return x
}

// finite reports whether f is finite at x. It costs a query, which is cheap
// where thousands depend on it.
func (s *surveyor) finite(x []float64) (bool, error) {
	v, err := s.ask(1, func(_ int, row []float64) { copy(row, x) })
	return err == nil && !math.IsNaN(v[0]) && !math.IsInf(v[0], 0), err
}

// point draws a point at which f is finite.
func (s *surveyor) point() ([]float64, error) {
	for range attempts {
		x := s.draw()
		if ok, err := s.finite(x); ok || err != nil {
			return x, err
		}
	}
	return nil, ErrNotFinite
}

// attempts is how often a point at which f is finite is looked for.
const attempts = 20

// Why nothing could be identified.
var (
	ErrConstant  = errors.New("identify: f is constant where it was sampled")
	ErrNoStep    = errors.New("identify: no step for finite differences was found: f is not smooth, not finite or not free to move there")
	ErrNotFinite = errors.New("identify: f is NaN or infinite at too many of the points drawn to tell anything about it")
)

// A unit multiplies the values of f by a power of two.
type unit struct {
	objective.Objective
	factor float64
}

// Evaluate evaluates f.
func (u unit) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := u.Objective.Evaluate(ctx, points, values)
	for i := range values {
		values[i] *= u.factor
	}
	return err
}

const samples = 8 // from which the unit is chosen

// rescale makes f vary by about 1, so that squares of its derivatives neither
// overflow nor vanish. It is an error if f is finite at less than two points.
func (s *surveyor) rescale() error {
	values, err := s.ask(samples, func(_ int, x []float64) { s.inner.Draw(x, s.stream) })
	if err != nil {
		return err
	}
	least, most, n := math.Inf(1), math.Inf(-1), 0
	for _, v := range values {
		if !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
			n++
		}
	}
	if n < 2 {
		return ErrNotFinite
	}
	if spread := float64(most/2) - float64(least/2); spread > 0 {
		s.f = unit{s.f, math.Ldexp(1, min(1000, -math.Ilogb(spread)))}
	}
	return nil
}

// spread returns the standard deviation of ⟨w, x⟩ over the inner box.
func (s *surveyor) spread(w []float64) float64 {
	sum := 0.0
	for k, v := range w {
		half := v * (s.inner.Hi[k] - s.inner.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / 3)
}

const lines = 4 // along which a step is chosen

// step chooses the step for a stencil along random combinations of the
// directions t (nil: the coordinates) at random points. Steps are tried in units
// of the box: from 2e-6 to 0.2 of its half-width.
func (s *surveyor) step(st hessian.Stencil, t *mat.Dense) (float64, error) {
	points, directions := mat.NewDense(lines, s.f.Dim(), nil), sphere(lines, s.f.Dim(), s.stream)
	if t != nil {
		m, _ := t.Dims()
		directions = product(sphere(lines, m, s.stream), t)
	}
	unit := s.halfWidth() / 5
	directions.Scale(unit, directions)
	for i := range lines {
		x, err := s.point()
		if err != nil {
			return 0, err
		}
		points.SetRow(i, x)
	}
	step, err := st.Step(s.ctx, s.f, points, directions, s.furthest(points, directions))
	if errors.Is(err, hessian.ErrNoStep) {
		err = ErrNoStep
	}
	return step * unit, err
}

// halfWidth returns half the width of the box, in the mean square.
func (s *surveyor) halfWidth() float64 {
	sum := 0.0
	for k := range s.box.Lo {
		half := (s.box.Hi[k] - s.box.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / float64(len(s.box.Lo)))
}

// furthest returns the longest multiple of any of the directions, twice over,
// that fits between the points and the bounds, at most 1.
func (s *surveyor) furthest(points, directions *mat.Dense) float64 {
	most := 1.0
	n, _ := directions.Dims()
	for i := range n {
		most = min(most, s.room(points.RawRowView(i), directions.RawRowView(i))/2)
	}
	return most
}
