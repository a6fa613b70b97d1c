package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
)

// A descent goes from x by steps of all single components at once. Their gains add up if f
// separates. Where they do not, it asks for the components one by one.
type descent struct {
	*polisher
	x  []float64
	fx float64
	s  []stencil // of each single component

	below     float64 // f is to become less than that
	predicted float64 // the gain that the last step was to have
}

func newDescent(p *polisher, from query.Best, part float64) *descent {
	d := &descent{polisher: p, x: slices.Clone(from.Point), fx: from.Value, s: make([]stencil, len(p.at.singles)), below: math.Inf(1)}
	for k, j := range p.at.singles {
		d.s[k] = stencil{h: p.at.scale[j] / part, reach: p.at.scale[j]}
		if p.bowl {
			d.s[k].reach = math.Inf(1)
		}
	}
	return d
}

// asPredicted is how far the gain of the first step may be from the one predicted, as a part
// of it, if f is a bowl: a quadratic gains exactly that, but for errors of the frame.
const asPredicted = 0.1

// steps takes up to so many steps, as long as they gain something. f is no bowl if the first
// one does not gain what it was to.
func (d *descent) steps(ctx context.Context, most int) error {
	err := d.measure(ctx)
	if err == nil {
		d.f.spread = d.spread()
	}
	for k := 0; k < most && err == nil; k++ {
		if d.bowl && d.hollow() {
			d.bowl = false
			break
		}
		before := d.fx
		var more bool
		if more, err = d.step(ctx, k+1 < most); !more {
			break
		}
		if gain := before - d.fx; k == 0 && !(math.Abs(gain-d.predicted) <= asPredicted*d.predicted) {
			d.bowl = false
		}
	}
	return err
}

// spread returns how much f rises over the scales of all components, by the curvatures.
func (d *descent) spread() float64 {
	sum := 0.0
	for k, j := range d.at.singles {
		if rise := float64(math.Abs(d.s[k].bend) * d.at.scale[j] * d.at.scale[j]); !math.IsInf(rise, 0) && !math.IsNaN(rise) {
			sum += rise
		}
	}
	return sum
}

// curvature returns the second derivatives as they were measured last.
func (d *descent) curvature() []float64 {
	c := make([]float64, len(d.s))
	for k, s := range d.s {
		c[k] = s.bend
	}
	return c
}

// measure asks for the stencils around x that are not at rest.
func (d *descent) measure(ctx context.Context) error {
	_, err := d.ask(ctx, d.x, true, false)
	return err
}

// ask asks for f at a point, if wanted, and for the stencils around it that are not at rest.
func (d *descent) ask(ctx context.Context, x []float64, stencils, itself bool) (float64, error) {
	var awake []int
	for k, j := range d.at.singles {
		if s := &d.s[k]; stencils && !s.rest {
			least, most := d.at.room(x, j)
			s.h = min(s.h, -least, most)
			awake = append(awake, k)
		}
	}
	first := 0
	if itself {
		first = 1
	}
	values, err := query.Ask(ctx, d.f, first+2*len(awake), func(i int, row []float64) {
		if copy(row, x); i >= first {
			k := awake[(i-first)/2]
			d.at.move(row, [2]float64{1, -1}[(i-first)%2]*d.s[k].h, d.at.singles[k])
		}
	})
	if err != nil {
		return math.NaN(), err
	}
	fx := d.fx
	if itself {
		fx = values[0]
	}
	for i, k := range awake {
		d.s[k].measure(fx, values[first+2*i], values[first+2*i+1])
	}
	return fx, nil
}

// hollow reports whether one of the second differences is not above rounding.
func (d *descent) hollow() bool {
	return slices.ContainsFunc(d.s, func(s stencil) bool { return !(s.up+s.down > grains.OfCurvature*d.f.grain.Of(d.fx)) })
}

const (
	// addUp is the part of the gain predicted that a step must gain at least. If it may
	// gain as many times more, and f is still not low enough, the descent is in vain.
	addUp = 1. / 4
	// woken is how much f may fall while a component is at rest, in gains that count as
	// none: more may have moved its minimum, since the frame is rough.
	woken = 1000
)

// step takes the step that the stencils propose. It asks for the point to which all of them
// lead, and for the next stencils around it, in one batch. It returns false if there is
// nothing more to gain.
func (d *descent) step(ctx context.Context, again bool) (bool, error) {
	none := d.f.none(d.fx)
	gain, restless := d.propose(none)
	d.predicted = gain
	if d.fx-float64(gain/addUp) > d.below {
		return false, nil
	}
	if !restless {
		return d.wake(ctx, none)
	}
	there, before := d.joint(), slices.Clone(d.s)
	for k, j := range d.at.singles {
		d.s[k].follow(none/float64(len(d.s)), d.at.scale[j])
	}
	fx, err := d.ask(ctx, there, again, true)
	if err != nil {
		return false, err
	}
	small := gain <= sure*none
	if d.fx-fx >= addUp*gain || small && fx < d.fx {
		d.x, d.fx = there, fx
		return true, nil
	}
	if small {
		return false, nil
	}
	d.s = before
	return d.oneByOne(ctx, again)
}

// propose returns what all steps gain together, and whether a component is not at rest.
func (d *descent) propose(none float64) (gain float64, restless bool) {
	for k, j := range d.at.singles {
		s := &d.s[k]
		if s.rest {
			s.t, s.gain = 0, 0
			continue
		}
		s.propose(none/float64(len(d.s)), d.at.scale[j])
		gain += s.gain
		restless = restless || !s.rest
	}
	return gain, restless
}

// wake measures components again that have been at rest while others moved. It returns
// false if there are none.
func (d *descent) wake(ctx context.Context, none float64) (bool, error) {
	any := false
	for k := range d.s {
		if s := &d.s[k]; s.h > 0 && s.seen-d.fx > woken*none {
			s.rest, any = false, true
		}
	}
	if !any {
		return false, nil
	}
	return true, d.measure(ctx)
}

// joint is the point to which all steps lead, or as far as the bounds let go there.
func (d *descent) joint() []float64 {
	there := slices.Clone(d.x)
	kernel.AddScaled(there, 1, d.together())
	return there
}

// together is the step of all components, as far as the bounds let go.
func (d *descent) together() []float64 {
	step := make([]float64, len(d.x))
	for k, j := range d.at.singles {
		d.at.move(step, d.s[k].t, j)
	}
	if _, most := limits(d.at.bounds, d.x, step); most < 1 {
		floats.Scale(most, step)
	}
	return step
}

// oneByOne asks what each step gains alone. It replaces those that fail by what the stencil
// has seen, or by none, and takes the others.
func (d *descent) oneByOne(ctx context.Context, again bool) (bool, error) {
	none := d.f.none(d.fx) / float64(len(d.s))
	for k, j := range d.at.singles { // the whole step may have been cut off by the bounds
		least, most := d.at.room(d.x, j)
		d.s[k].t = min(max(d.s[k].t, least), most)
	}
	values, err := query.Ask(ctx, d.f, len(d.s), func(k int, row []float64) {
		copy(row, d.x)
		d.at.move(row, d.s[k].t, d.at.singles[k])
	})
	if err != nil {
		return false, err
	}
	gain := 0.0
	for k, j := range d.at.singles {
		gain += d.s[k].judge(d.fx-values[k], none, d.at.scale[j])
	}
	if gain > 0 {
		there := d.joint()
		fx, err := d.ask(ctx, there, again, true)
		if err != nil {
			return false, err
		}
		if d.fx-fx >= addUp*gain {
			d.x, d.fx = there, fx
			return true, nil
		}
		return d.shorter(ctx)
	}
	return true, d.measure(ctx) // with shorter stencils
}

// shorter takes a part of the step of all components, the one that gains most. It returns
// false if none does.
func (d *descent) shorter(ctx context.Context) (bool, error) {
	before := d.fx
	best, _, err := d.f.parts(ctx, d.x, d.together(), d.at.bounds, lengths)
	if err != nil {
		return false, err
	}
	if best.Value < d.fx {
		d.x, d.fx = best.Point, best.Value
	}
	if !(before-d.fx > d.f.none(d.fx)) {
		return false, nil
	}
	return true, d.measure(ctx)
}

// lengths are the parts of a step that are tried at the same time where the whole one does not help.
var lengths = []float64{0.5, 0.25, 0.1, 0.01}

// parts asks for some parts of a step, within bounds, at the same time. It returns the best point, and which part of the step it is.
func (w *watched) parts(ctx context.Context, from, step []float64, bounds objective.Box, parts []float64) (query.Best, float64, error) {
	points := make([][]float64, len(parts))
	for i, part := range parts {
		points[i] = slices.Clone(from)
		kernel.AddScaled(points[i], part, step)
		clamp(points[i], bounds)
	}
	values, err := query.Ask(ctx, w, len(parts), func(i int, row []float64) { copy(row, points[i]) })
	if err != nil {
		return query.Best{}, 0, err
	}
	least := 0
	for i, v := range values {
		if v < values[least] || math.IsNaN(values[least]) { // a point that fails is the worst
			least = i
		}
	}
	return query.Best{Point: points[least], Value: values[least]}, parts[least], nil
}
