package strategy

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// learn asks f along every component over all that the coordinate y_j can be within
// the box: along a line through the middle, and along two more at the ends. Then it
// looks closer at the wells.
func (b *boxed) learn() error {
	middle := make([]float64, len(b.box.Lo))
	for k := range middle {
		middle[k] = b.box.Lo[k] + float64((b.box.Hi[k]-b.box.Lo[k])/2)
	}
	for j := range b.model.phi {
		least, most := limits(b.box, middle, b.u.RawRowView(j))
		y := b.y(j, middle)
		b.stretches = append(b.stretches, b.stretch(j, middle, y+least, y+most))
		for _, sign := range [2]float64{1, -1} {
			if s := b.end(j, sign, y+[2]float64{most, least}[int(1-sign)/2]); s != nil {
				b.stretches = append(b.stretches, s)
			}
		}
	}
	for _, s := range b.stretches {
		n := min(400, max(8, int(math.Ceil((s.hi-s.lo)/(b.found.Scale[s.j]/2)))))
		for i := range n + 1 {
			s.wanted = append(s.wanted, s.lo+float64((s.hi-s.lo)*float64(i)/float64(n)))
		}
	}
	for range closer {
		if err := b.sample(); err != nil {
			return err
		}
		for _, s := range b.stretches {
			s.wanted = b.model.phi[s.j].closer(s.lo, s.hi)
		}
	}
	b.learnt.Profiles = b.model.profiles()
	return b.sample()
}

// closer is how often the gaps beside a well are halved.
const closer = 3

// A stretch is a part of a line along a component on which f may be asked.
type stretch struct {
	j      int
	base   []float64
	y      float64 // of base
	lo, hi float64 // the coordinates y_j that it has
	wanted []float64

	tied  bool
	shift float64 // what f here is more than the table, once it is tied to it
}

// stretch returns the one through base between two coordinates.
func (b *boxed) stretch(j int, base []float64, lo, hi float64) *stretch {
	return &stretch{j: j, base: base, y: b.y(j, base), lo: lo, hi: hi}
}

// sample asks for all that is wanted and tells the model.
func (b *boxed) sample() error {
	type query struct {
		s *stretch
		y float64
	}
	var all []query
	for _, s := range b.stretches {
		for _, y := range s.wanted {
			all = append(all, query{s, y})
		}
	}
	values, err := objective.Ask(b.ctx, b.f, len(all), func(i int, row []float64) {
		q := all[i]
		copy(row, q.s.base)
		kernel.AddScaled(row, q.y-q.s.y, b.u.RawRowView(q.s.j))
	})
	if err != nil {
		return err
	}
	for _, s := range b.stretches {
		if n := len(s.wanted); n > 0 {
			b.model.phi[s.j].add(s, values[:n])
			values = values[n:]
		}
	}
	for j, t := range b.model.phi {
		t.fill(b.found.Scale[j] / fine)
	}
	return nil
}

// end returns the stretch along u_j that reaches from a coordinate y as far up
// (sign 1) or down as y_j can be within the box; nil if it reaches no further. The
// points x from which x − τu_j is in the box too are a smaller box, and where
// ⟨w̃_j, x⟩ is largest in it is a corner.
func (b *boxed) end(j int, sign, y float64) *stretch {
	w, u := b.model.w.RawRowView(j), b.u.RawRowView(j)
	x := make([]float64, len(w))
	for tau := b.found.Scale[j]; ; tau *= 1.1 {
		for k := range x {
			step := sign * tau * u[k]
			if x[k] = b.box.Lo[k] + max(0, step); sign*w[k] > 0 {
				x[k] = b.box.Hi[k] + min(0, step)
			}
			if x[k] < b.box.Lo[k] || x[k] > b.box.Hi[k] {
				return nil
			}
		}
		switch top := b.y(j, x); {
		case sign*(top-y) <= 0:
			return nil
		case sign*(top-y) <= tau: // from y to the top
			return b.stretch(j, x, min(y, top), max(y, top))
		}
	}
}
