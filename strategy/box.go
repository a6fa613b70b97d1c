package strategy

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A boxed search looks for a minimum within a box, where going along components one
// at a time is not enough: lines are cut off, and the minimum may be on a face or in
// a corner. It makes a model of f, searches that, and asks f about the point it
// finds.
type boxed struct {
	*sweeper
	model  *model
	wT     *mat.Dense // row k is column k of W̃
	box    objective.Box
	stream *rng.Stream

	stretches []*stretch
}

// around is how far the box goes at most, in half-widths of the start box.
const around = 2

// newBoxed prepares a search of the bounds, as far as they are near the start box
// or the best point.
func newBoxed(s *sweeper) *boxed {
	b := &boxed{
		sweeper: s, model: &model{w: s.found.Frame.Matrix()}, wT: mat.DenseCopyOf(s.found.Frame.Matrix().T()),
		box: objective.Cube(s.f.Dim(), -around, around), stream: rng.Seed(s.task.Seed).Stream("auto", "box"),
	}
	for k, v := range s.f.best.Point {
		b.box.Lo[k] = max(s.task.Bounds.Lo[k], min(b.box.Lo[k], v-1))
		b.box.Hi[k] = min(s.task.Bounds.Hi[k], max(b.box.Hi[k], v+1))
	}
	for range s.singles {
		b.model.phi = append(b.model.phi, &table{})
	}
	return b
}

// narrow reports whether the bounds are so near the start box that lines would be
// cut off.
func (a *auto) narrow() bool {
	for k := range a.task.Bounds.Lo {
		if a.task.Bounds.Lo[k] < -around || a.task.Bounds.Hi[k] > around {
			return false
		}
	}
	return true
}

// interior reports whether the best point is inside the bounds, on no face.
func (a *auto) interior() bool {
	for k, v := range a.f.best.Point {
		if v-a.task.Bounds.Lo[k] < 1e-6 || a.task.Bounds.Hi[k]-v < 1e-6 {
			return false
		}
	}
	return true
}

// search makes the model, searches it and asks f about what it finds.
func (b *boxed) search() error {
	b.task.Stage("lines")
	if err := b.learn(); err != nil {
		return err
	}
	return b.ask(b.explore(b.f.best.Point))
}

// learn asks f along every component over all that the coordinate y_j can be within
// the box: along a line through the middle, and along two more at the ends. Then it
// looks closer at the wells.
func (b *boxed) learn() error {
	middle := make([]float64, len(b.box.Lo))
	for k := range middle {
		middle[k] = b.box.Lo[k] + (b.box.Hi[k]-b.box.Lo[k])/2
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

// explore minimises the model within the box by local searches: from x, then each
// from near where the last good one has ended, and now and then from the best or
// from anywhere.
func (b *boxed) explore(x []float64) []float64 {
	best := slices.Clone(x)
	least := b.settle(best)
	here, value := slices.Clone(best), least
	hops := max(200, 12_000_000/(len(x)*len(b.model.phi)))
	for hop := range hops {
		switch hop % 200 {
		case 0:
			copy(here, best)
			value = least
		case 100:
			b.stream.Uniform(here, b.box.Lo, b.box.Hi)
			value = math.Inf(1)
		}
		next := slices.Clone(here)
		for range 1 + b.stream.IntN(3) {
			b.kick(next)
		}
		if v := b.settle(next); v < value {
			here, value = next, v
			if v < least {
				best, least = slices.Clone(next), v
			}
		}
	}
	return best
}

// kick moves a random component to a random place within the box.
func (b *boxed) kick(x []float64) {
	u := b.u.RawRowView(b.stream.IntN(len(b.model.phi)))
	lo, hi := limits(b.box, x, u)
	kernel.AddScaled(x, lo+float64(b.stream.Float64()*(hi-lo)), u)
}

// settle minimises the model from x along components and along coordinates, in
// turns, until neither helps, and returns its value there.
func (b *boxed) settle(x []float64) float64 {
	y := b.model.coordinates(x)
	value := b.model.at(y)
	for range 30 {
		before := value
		for j := range b.model.phi {
			b.component(j, x, y)
		}
		for k := range x {
			b.coordinate(k, x, y)
		}
		y = b.model.coordinates(x)
		if value = b.model.at(y); !(before-value > 1e-9*(1+math.Abs(value))) {
			break
		}
	}
	return value
}

// component moves x to the minimum along u_j, which changes y_j alone: it is in a
// well, or where the box ends.
func (b *boxed) component(j int, x, y []float64) {
	least, most := limits(b.box, x, b.u.RawRowView(j))
	t := b.model.phi[j]
	best, at := t.at(y[j]), 0.0
	try := func(step, v float64) {
		if v < best {
			best, at = v, step
		}
	}
	for _, w := range t.wells {
		if step := w.Y - y[j]; step >= least && step <= most {
			try(step, w.Value)
		}
	}
	try(least, t.at(y[j]+least))
	try(most, t.at(y[j]+most))
	kernel.AddScaled(x, at, b.u.RawRowView(j))
	y[j] += at
}

// coordinate takes a Newton step along the axis k, within the bounds: a point from
// which none of them leads down is stationary.
func (b *boxed) coordinate(k int, x, y []float64) {
	w := b.wT.RawRowView(k)
	var slope, bend float64
	longest := b.box.Hi[k] - b.box.Lo[k]
	for j, phi := range b.model.phi {
		_, first, second := phi.jet(y[j])
		slope = math.FMA(w[j], first, slope)
		bend = math.FMA(w[j]*w[j], second, bend)
		longest = min(longest, float64(fine*phi.width)/math.Abs(w[j]))
	}
	t := -math.Copysign(longest/4, slope)
	if bend > 0 {
		t = min(max(-slope/bend, -longest), longest)
	}
	to := min(max(x[k]+t, b.box.Lo[k]), b.box.Hi[k])
	t, x[k] = to-x[k], to
	kernel.AddScaled(y, t, w)
}
