package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A faceSearch takes Newton steps within bounds, along single components and in blocks:
//
//	min over s of  Σ_b ⟨g_b, t_b⟩ + ½⟨t_b, H_b t_b⟩,   t = W̃s,   x + s within the bounds,
//
// with slopes and curvatures g_b, H_b by differences along the u_j. What it comes to may be
// on a face or in a corner.
type faceSearch struct {
	f  *watched
	at *coordinates
	// bowl says that f is quadratic and that no second difference has contradicted that it
	// has a minimum: then a step may be of any length, and what it comes to is the minimum.
	bowl bool
}

// Differences are taken about a base that is so far inside the bounds that all of them are
// too. Their length is such that no coordinate y_j of the base is farther than a part of its
// scale from that of the point where the step begins: a tenth at first, and then less, since
// the slope is wrong by that part's square. They are at most 1/50 of a scale.
var (
	faceParts  = []float64{0.1, 0.01, 0.001}
	longestEps = 1. / 50
)

// search takes Newton steps from the best point as long as they help.
func (s *faceSearch) search(ctx context.Context) error { return s.from(ctx, s.f.best) }

// from takes Newton steps from a point as long as they help.
func (s *faceSearch) from(ctx context.Context, start query.Best) error {
	s.f.stage(polishing)
	here := &query.Best{Point: slices.Clone(start.Point), Value: start.Value}
	parts := faceParts
	if s.bowl {
		parts = []float64{math.Inf(1)}
	}
	for _, part := range parts {
		for range mostSteps {
			before := here.Value
			if err := s.step(ctx, here, part); err != nil {
				return err
			}
			if !(before-here.Value > s.f.tolerance()) {
				break
			}
		}
	}
	return nil
}

// step takes one Newton step from here, and moves it if that is better.
func (s *faceSearch) step(ctx context.Context, here *query.Best, part float64) error {
	eps := s.differences(part)
	base := s.inside(here.Point, eps)
	q, err := s.measure(ctx, base, eps)
	if err != nil || q == nil {
		return err
	}
	return s.descend(ctx, here, base, q.leastInBox(s.around(base)))
}

// differences returns the length of the difference along each u_j.
func (s *faceSearch) differences(part float64) []float64 {
	d, m := s.f.Dim(), len(s.at.scale)
	eps := slices.Clone(s.at.scale)
	if !s.bowl {
		for j := range eps {
			eps[j] *= longestEps
		}
	}
	shrink := 1.0
	room := s.room(eps)
	for k := range d {
		shrink = min(shrink, (s.at.bounds.Hi[k]-s.at.bounds.Lo[k])/(4*room[k]))
	}
	for j := range m {
		shift := 0.0
		for k, w := range s.at.w.RawRowView(j) {
			shift += float64(math.Abs(w) * room[k])
		}
		shrink = min(shrink, part*s.at.scale[j]/shift)
	}
	for j := range eps {
		eps[j] *= shrink
	}
	return eps
}

// room returns how far from every bound the base of differences has to be: as far as one of
// them goes, or two of a block together.
func (s *faceSearch) room(eps []float64) []float64 {
	room := make([]float64, s.f.Dim())
	longer := func(components ...int) {
		for k := range room {
			sum := 0.0
			for _, j := range components {
				sum += math.Abs(eps[j] * s.at.u.At(j, k))
			}
			room[k] = max(room[k], sum)
		}
	}
	for j := range eps {
		longer(j)
	}
	s.pairs(func(p, q int) { longer(p, q) })
	return room
}

// pairs calls visit with every two components of a block.
func (s *faceSearch) pairs(visit func(p, q int)) {
	for _, block := range s.at.blocks {
		for i, p := range block {
			for _, q := range block[:i] {
				visit(p, q)
			}
		}
	}
}

// inside returns the point next to x that is far enough from all bounds.
func (s *faceSearch) inside(x, eps []float64) []float64 {
	base := slices.Clone(x)
	for k, r := range s.room(eps) {
		base[k] = min(max(x[k], s.at.bounds.Lo[k]+r), s.at.bounds.Hi[k]-r)
	}
	return base
}

// inX returns the parabola in x: W̃ᵀg and W̃ᵀHW̃.
func (s *faceSearch) inX(g []float64, h *mat.SymDense) *parabola {
	d := s.f.Dim()
	q := &parabola{g: make([]float64, d)}
	for j, v := range g {
		kernel.AddScaled(q.g, v, s.at.w.RawRowView(j))
	}
	hw := kernel.Times(mat.DenseCopyOf(h), s.at.w)
	q.h = kernel.Symmetrised(kernel.Times(mat.DenseCopyOf(s.at.w.T()), hw), 1)
	return q
}

// around returns the bounds, seen from x, as far as all components together can go by their
// scales; all of the bounds if f is quadratic.
func (s *faceSearch) around(x []float64) objective.Box {
	box := objective.Cube(len(x), 0, 0)
	for k := range x {
		reach := 0.0
		for j, scale := range s.at.scale {
			reach += math.Abs(scale * s.at.u.At(j, k))
		}
		if s.bowl {
			reach = math.Inf(1)
		}
		box.Lo[k], box.Hi[k] = max(s.at.bounds.Lo[k]-x[k], -reach), min(s.at.bounds.Hi[k]-x[k], reach)
	}
	return box
}

// descend asks for base + step, and if that is not better than here for shorter steps, and
// moves here to the best of them.
func (s *faceSearch) descend(ctx context.Context, here *query.Best, base, step []float64) error {
	for _, parts := range [][]float64{{1}, lengths} {
		best, _, err := s.f.parts(ctx, base, step, s.at.bounds, parts)
		if err != nil || here.Offer(best.Point, best.Value) {
			return err
		}
	}
	return nil
}

// otherPart is the part of all queries that searches from other points may take: one that is
// begun is ended.
const otherPart = 1. / 8

// others takes Newton steps from points halfway between the best and any of a box, for as long
// as they may: where blocks are cut off by bounds there are minima on several faces.
func (s *faceSearch) others(ctx context.Context, box objective.Box, stream *rng.Stream) error {
	most := s.f.queries + int(otherPart*float64(s.f.queries))
	for s.f.queries < most {
		x := make([]float64, s.f.Dim())
		box.Draw(x, stream)
		x = between(s.f.best.Point, x, 0.5)
		values, err := query.Ask(ctx, s.f, 1, func(_ int, row []float64) { copy(row, x) })
		if err != nil {
			return err
		}
		if err := s.from(ctx, query.Best{Point: x, Value: values[0]}); err != nil {
			return err
		}
	}
	return nil
}
