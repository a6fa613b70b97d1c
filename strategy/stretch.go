package strategy

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// learn asks f along every component over all that the coordinate y_j can be within
// the box: along a line through the middle, and along more towards the ends. Then it
// looks closer at the wells.
func (b *boxed) learn() error {
	middle := between(b.box.Lo, b.box.Hi, 0.5)
	for j := range b.model.phi {
		least, most := limits(b.box, middle, b.u.RawRowView(j))
		y := b.y(j, middle)
		b.stretches = append(b.stretches, b.stretch(j, middle, y+least, y+most))
		for _, sign := range [2]float64{1, -1} {
			b.stretches = append(b.stretches, b.ends(j, sign, y+[2]float64{most, least}[int(1-sign)/2])...)
		}
	}
	for _, s := range b.stretches {
		n := min(400, max(8, int(math.Ceil((s.hi-s.lo)/(b.found.Scale[s.j]/2)))))
		for i := range n + 1 {
			s.wanted = append(s.wanted, s.lo+float64((s.hi-s.lo)*float64(i)/float64(n)))
		}
	}
	if err := b.sample(); err != nil {
		return err
	}
	for range closer {
		for _, s := range b.stretches {
			s.wanted = b.model.phi[s.j].closer(s.lo, s.hi)
		}
		if err := b.sample(); err != nil {
			return err
		}
	}
	b.learnt.Profiles = b.model.profiles()
	return nil
}

// closer is how often the gaps beside a well are halved.
const closer = 3

// errNoModel says that f failed nearly everywhere along a component.
var errNoModel = errors.New("no model")

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
		if len(t.samples) < 2 {
			return errNoModel
		}
		t.fill(b.found.Scale[j] / fine)
	}
	return nil
}

// ends returns stretches along u_j that go on from the coordinate y as far up (sign 1)
// or down as y_j can be within the box, each from where the last has ended. The points
// x from which x − τu_j is in the box too are a smaller box, and ⟨w̃_j, x⟩ is smallest
// and largest in it at two of its corners. (Where u_j is long, since W̃ is
// ill-conditioned, f can be followed a little only along it.)
func (b *boxed) ends(j int, sign, y float64) []*stretch {
	u := b.u.RawRowView(j)
	longest := math.Inf(1)
	for k, v := range u {
		longest = min(longest, (b.box.Hi[k]-b.box.Lo[k])/math.Abs(v))
	}
	var all []*stretch
	for range mostEnds {
		var base []float64
		far := 0.0
		for tau := longest * (1 - 1e-9); tau >= b.found.Scale[j]; tau /= 1.3 {
			low, high := b.corners(j, sign, tau)
			from, to := float64(sign*(b.y(j, low)-y)), float64(sign*(b.y(j, high)-y))
			if reach := min(tau, to); reach >= from && reach > 1.05*far {
				far, base = reach, between(low, high, (reach-from)/(to-from))
			}
		}
		if far < b.found.Scale[j]/2 {
			break
		}
		next := b.y(j, base)
		all = append(all, b.stretch(j, base, min(y, next), max(y, next)))
		y = next
	}
	return all
}

// mostEnds is of how many stretches the way to an end may be made.
const mostEnds = 20

// corners returns the corners of the smaller box at which sign·⟨w̃_j, x⟩ is smallest
// and largest.
func (b *boxed) corners(j int, sign, tau float64) (low, high []float64) {
	low, high = make([]float64, len(b.box.Lo)), make([]float64, len(b.box.Lo))
	w, u := b.model.w.RawRowView(j), b.u.RawRowView(j)
	for k := range low {
		step := sign * tau * u[k]
		low[k], high[k] = b.box.Lo[k]+max(0, step), b.box.Hi[k]+min(0, step)
		if sign*w[k] < 0 {
			low[k], high[k] = high[k], low[k]
		}
	}
	return low, high
}

// between returns the point a part of the way from a to b.
func between(a, b []float64, part float64) []float64 {
	x := slices.Clone(a)
	for k := range x {
		x[k] += float64(min(max(part, 0), 1) * (b[k] - a[k]))
	}
	return x
}
