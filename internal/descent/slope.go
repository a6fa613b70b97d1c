package descent

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// Steps of differences are at least finest of |x_i|, where rounding x itself is a hundredth of them,
// and at most coarsest, a twentieth of the start box. Where the curvature is known f rises over them by gainPart of
// what the last step gained: longer differences have smaller errors. Where it is guessed they are misled by it.
const (
	finest   = 0x1p-49
	gainPart = 5e-7
	coarsest = 0.1
)

// measure sets the slope at x and keeps the pair that follows from it.
func (s *search) measure(e float64) error {
	d := len(s.x)
	s.turn = s.turned()
	h, c := s.lengths(e)
	offsets := [][]float64{h}
	for i := range h {
		if s.turn == nil && s.x[i]+h[i] > s.Bounds.Hi[i] {
			h[i] = -h[i]
		}
	}
	if s.central {
		back := make([]float64, d)
		for i := range h {
			back[i] = -h[i]
			if to := s.x[i] - h[i]; s.turn == nil && (to < s.Bounds.Lo[i] || to > s.Bounds.Hi[i]) {
				back[i] = h[i] / 2
			}
		}
		offsets = append(offsets, back)
	}
	differences, err := s.differences(offsets)
	if err != nil {
		return err
	}
	g := make([]float64, d)
	for i := range g {
		one := differences[0][i]
		switch {
		case s.central:
			two, k, l := differences[1][i], offsets[0][i], offsets[1][i]
			g[i] = (float64(one*l) - float64(two*k)) / (l - k) // exact for parabolas
		case len(s.pairs) > 0 || s.Curvature > 0:
			g[i] = one - float64(offsets[0][i]/2*c[i]) // the bend that is known
		default:
			g[i] = one
		}
		if !kernel.Finite(g[i]) { // f fails on both sides
			if g[i] = 0; s.g != nil {
				g[i] = s.along(s.g, i)
			}
		}
	}
	if s.turn != nil {
		g = s.turn.back(g)
	}
	if s.from != nil {
		s.learn(g)
	}
	s.g = g
	if s.Seen != nil {
		sum := 0.0
		for _, v := range c {
			sum += float64(e * v)
		}
		s.Seen(g, 2*math.Sqrt(sum))
	}
	return nil
}

// lengths returns the steps of differences, and the curvature along each axis.
func (s *search) lengths(e float64) (h, c []float64) {
	d := len(s.x)
	h, c = make([]float64, d), make([]float64, d)
	rise := e
	if s.Curvature > 0 {
		rise = max(e, gainPart*s.gain)
	}
	for i := range h {
		c[i] = max(s.Spread, e) // over half the width of the start box
		if s.Curvature > 0 {
			c[i] = s.Curvature
		}
		if s.turn != nil {
			c[i] = s.turn.curvature[i]
		} else if s.b != nil {
			c[i] = s.b.At(i, i)
		}
		if h[i] = coarsest; c[i] > 0 {
			h[i] = 2 * math.Sqrt(rise/c[i])
		}
		if s.central && e > 0 {
			h[i] *= math.Sqrt(math.Sqrt(math.Sqrt(max(s.Spread, e) / e)))
		}
		h[i] = min(max(h[i], finest*max(math.Abs(s.x[i]), 1./512)), coarsest)
		if room := (s.Bounds.Hi[i] - s.Bounds.Lo[i]) / 2; h[i] > room {
			h[i] = room
		}
	}
	return h, c
}

// differences returns those of each list of offsets along the axes, in one batch. A point that fails is
// asked again on the other side; then its offset is the other one.
func (s *search) differences(offsets [][]float64) ([][]float64, error) {
	d := len(s.x)
	at := func(k int, row []float64) {
		copy(row, s.x)
		i := k % d
		if s.turn != nil {
			kernel.AddScaled(row, offsets[k/d][i], s.turn.axes.RawRowView(i))
			return
		}
		row[i] = min(max(row[i]+offsets[k/d][i], s.Bounds.Lo[i]), s.Bounds.Hi[i])
		offsets[k/d][i] = row[i] - s.x[i]
	}
	values, err := s.ask(len(offsets)*d, at)
	if err != nil {
		return nil, err
	}
	var again []int
	for k, v := range values {
		if !kernel.Finite(v) {
			again = append(again, k)
			offsets[k/d][k%d] *= -1
			if s.central { // the other side is asked already
				offsets[k/d][k%d] /= 2
			}
		}
	}
	if len(again) > 0 {
		more, err := s.ask(len(again), func(k int, row []float64) { at(again[k], row) })
		if err != nil {
			return nil, err
		}
		for k, v := range more {
			values[again[k]] = v
		}
	}
	all := make([][]float64, len(offsets))
	for j := range offsets {
		all[j] = slices.Clone(values[j*d : (j+1)*d])
		for i := range all[j] {
			all[j][i] = (all[j][i] - s.fx) / offsets[j][i] // ±Inf or NaN where f fails, or at a bound
		}
	}
	return all, nil
}
