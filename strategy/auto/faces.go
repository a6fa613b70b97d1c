package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
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
func (s *faceSearch) search(ctx context.Context) error {
	s.f.stage(polishing)
	parts := faceParts
	if s.bowl {
		parts = []float64{math.Inf(1)}
	}
	for _, part := range parts {
		for range mostSteps {
			before := s.f.best.Value
			if err := s.step(ctx, part); err != nil {
				return err
			}
			if !(before-s.f.best.Value > s.f.tolerance()) {
				break
			}
		}
	}
	return nil
}

// step takes one Newton step from the best point.
func (s *faceSearch) step(ctx context.Context, part float64) error {
	x := slices.Clone(s.f.best.Point)
	eps := s.differences(part)
	base := s.inside(x, eps)
	q, err := s.measure(ctx, base, eps)
	if err != nil || q == nil {
		return err
	}
	step := q.leastInBox(s.around(base))
	return s.descend(ctx, base, step)
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

// mostRetries is how often f is asked again where it failed, each time over retryPart of
// the difference.
const (
	mostRetries = 4
	retryPart   = 0.8
)

// measure asks f beside the base, and returns the parabola of x − base that it sees; nil if
// f fails there.
func (s *faceSearch) measure(ctx context.Context, base, eps []float64) (*parabola, error) {
	moves := [][]int{nil} // what is added to the base: ε_j u_j for j+1, −ε_j u_j for −(j+1)
	for j := range eps {
		moves = append(moves, []int{j + 1}, []int{-(j + 1)})
	}
	s.pairs(func(p, q int) { moves = append(moves, []int{p + 1, q + 1}) })
	values := slices.Repeat([]float64{math.NaN()}, len(moves))
	for range 1 + mostRetries {
		if err := s.askUnknown(ctx, base, eps, moves, values); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(values, notFinite) {
			g, h := s.differentiate(eps, moves, values)
			return s.inX(g, h), nil
		}
		if notFinite(values[0]) {
			break // another step has another base
		}
		shorten(eps, moves, values)
	}
	s.bowl = false
	return nil, nil
}

func notFinite(v float64) bool { return !kernel.Finite(v) }

// askUnknown asks for the values that are not finite.
func (s *faceSearch) askUnknown(ctx context.Context, base, eps []float64, moves [][]int, values []float64) error {
	var unknown []int
	for i, v := range values {
		if notFinite(v) {
			unknown = append(unknown, i)
		}
	}
	got, err := objective.Ask(ctx, s.f, len(unknown), func(i int, row []float64) {
		copy(row, base)
		for _, c := range moves[unknown[i]] {
			if c > 0 {
				s.at.move(row, eps[c-1], c-1)
			} else {
				s.at.move(row, -eps[-c-1], -c-1)
			}
		}
		clamp(row, s.at.bounds) // rounding
	})
	if err != nil {
		return err
	}
	for i, at := range unknown {
		values[at] = got[i]
	}
	return nil
}

// shorten makes the differences of all components shorter for which f failed, and forgets
// the values that belong to them.
func shorten(eps []float64, moves [][]int, values []float64) {
	failed := map[int]bool{}
	for i, v := range values {
		if notFinite(v) {
			for _, c := range moves[i] {
				failed[max(c, -c)-1] = true
			}
		}
	}
	for j := range failed {
		eps[j] *= retryPart
	}
	for i, move := range moves {
		if slices.ContainsFunc(move, func(c int) bool { return failed[max(c, -c)-1] }) {
			values[i] = math.NaN()
		}
	}
}

// differentiate returns the slopes and curvatures along the u_j. A bowl is none if a second
// difference is not above rounding.
func (s *faceSearch) differentiate(eps []float64, moves [][]int, values []float64) ([]float64, *mat.SymDense) {
	m := len(eps)
	g, h := make([]float64, m), mat.NewSymDense(m, nil)
	for j := range m {
		up, down := values[1+2*j]-values[0], values[2+2*j]-values[0]
		g[j] = (up - down) / (2 * eps[j])
		h.SetSym(j, j, (up+down)/(eps[j]*eps[j]))
		s.bowl = s.bowl && up+down > objective.OfCurvature*s.f.grain.Of(values[0])
	}
	for i := 1 + 2*m; i < len(moves); i++ {
		p, q := moves[i][0]-1, moves[i][1]-1
		mixed := (values[i] - values[1+2*p]) - (values[1+2*q] - values[0])
		h.SetSym(p, q, mixed/(eps[p]*eps[q]))
	}
	return g, h
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

// descend asks for base + step, and if that is not better than the best for shorter steps.
func (s *faceSearch) descend(ctx context.Context, base, step []float64) error {
	before := s.f.best.Value
	for _, parts := range lengths {
		_, err := objective.Ask(ctx, s.f, len(parts), func(i int, row []float64) {
			copy(row, base)
			kernel.AddScaled(row, parts[i], step)
			clamp(row, s.at.bounds) // rounding
		})
		if err != nil || s.f.best.Value < before {
			return err
		}
	}
	return nil
}
