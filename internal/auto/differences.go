package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"gonum.org/v1/gonum/mat"
)

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
	got, err := query.Ask(ctx, s.f, len(unknown), func(i int, row []float64) {
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
		s.bowl = s.bowl && up+down > grains.OfCurvature*s.f.grain.Of(values[0])
	}
	for i := 1 + 2*m; i < len(moves); i++ {
		p, q := moves[i][0]-1, moves[i][1]-1
		mixed := (values[i] - values[1+2*p]) - (values[1+2*q] - values[0])
		h.SetSym(p, q, mixed/(eps[p]*eps[q]))
	}
	return g, h
}
