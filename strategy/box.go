package strategy

import (
	"errors"
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
	work      int // done on the model
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
	b.task.Stage(objective.Stage{Name: "lines", Purpose: objective.AlongThem})
	if err := b.learn(); errors.Is(err, errNoModel) {
		return nil // the lines have asked f all the same
	} else if err != nil {
		return err
	}
	b.task.Stage(objective.Stage{Name: "model", Purpose: objective.AlongThem}) // which may take some seconds
	return b.ask(b.explore(b.f.best.Point))
}

// The local searches of a model: how many for each component at most, how many there
// are in any case and how many in a turn, from near the best or from anywhere; and how
// much they may cost together, in steps times m·d, some seconds.
const each, fewest, turn, effort = 5000, 300, 500, 200_000_000

// explore minimises the model within the box by local searches: from x, then each
// from near where the last good one has ended, in turns that begin at the best and
// anywhere. It ends early when half of all have brought nothing.
func (b *boxed) explore(x []float64) []float64 {
	best := slices.Clone(x)
	least := b.settle(best)
	here, value := slices.Clone(best), least
	hops := max(fewest, each*len(b.model.phi))
	for hop, last := 0, 0; hop < hops && hop-last <= max(fewest, hops/2); hop++ {
		if hop >= fewest && b.work > effort || b.ctx.Err() != nil {
			break
		}
		switch hop % (2 * turn) {
		case 0:
			copy(here, best)
			value = least
		case turn:
			b.stream.Uniform(here, b.box.Lo, b.box.Hi)
			value = math.Inf(1)
		}
		next := slices.Clone(here)
		for range 1 + b.stream.IntN(3) {
			b.kick(next)
		}
		if v := b.settle(next); v < value {
			here, value = next, v
			if v < least-float64(1e-9*math.Abs(least)) {
				best, least, last = slices.Clone(next), v, hop
			}
		}
	}
	return best
}

// kick moves a random component by a random step and then all coordinates back into
// the box, or a random coordinate to a random place.
func (b *boxed) kick(x []float64) {
	if k := b.stream.IntN(2 * len(x)); k < len(x) {
		x[k] = b.box.Lo[k] + float64(b.stream.Float64()*(b.box.Hi[k]-b.box.Lo[k]))
		return
	}
	j := b.stream.IntN(len(b.model.phi))
	t := b.model.phi[j]
	to := t.wells[b.stream.IntN(len(t.wells))].Y
	kernel.AddScaled(x, to-b.y(j, x), b.u.RawRowView(j))
	for k := range x {
		x[k] = min(max(x[k], b.box.Lo[k]), b.box.Hi[k])
	}
}

// settle minimises the model from x along components and along coordinates, in
// turns, until neither helps, and returns its value there.
func (b *boxed) settle(x []float64) float64 {
	y := b.model.coordinates(x)
	value := b.model.at(y)
	for range 30 {
		before := value
		b.work += len(x) * len(y)
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
