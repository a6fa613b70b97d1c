package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"gonum.org/v1/gonum/mat"
)

// Where f looks as if it had one minimum, no coordinates are needed to come to it: a method of
// secants takes some d/2 + 10 steps of d queries, a part of what a survey or CMA-ES does. It
// works on f itself, whatever the outer map. Nothing shows that the minimum is the lowest, so
// that the survey goes on, from a better point.

// A plunge goes down from x by steps along the directions of a basin.
type plunge struct {
	f     *watched
	along *mat.Dense
	x     []float64
	fx    float64
	slope []float64 // along the directions
	seen  *secant

	gain    float64 // what the last step was to gain
	both    bool    // slopes are taken on both sides
	abreast bool    // several points are asked at the same time
}

const (
	// plungePart is the part of the least budget of a survey that a plunge gets, and
	// plungeShare that of the whole budget.
	plungePart  = 2
	plungeShare = 8
	// firstStep is how long the first step is taken to be.
	firstStep = 0.1
)

// plunge goes down from where f looks as if it had one minimum. It does so once, and not
// within bounds.
func (r *race) plunge(ctx context.Context, basin *identify.Basin) error {
	if r.plunged || r.bounded {
		return nil
	}
	r.plunged = true
	f := r.fallback.run.f
	m, _ := basin.Along.Dims()
	f.begin(straightDown, m*(m/2+fewSteps))
	p := &plunge{f: f, along: basin.Along, x: slices.Clone(basin.Point), seen: newSecant(m, basin.Curvature), gain: basin.Curvature * firstStep * firstStep, abreast: r.fallback.run.task.Parallel > 1}
	return p.down(ctx, f.queries+min(identify.Least(m)/plungePart, r.budget/plungeShare))
}

// down takes steps until they gain nothing, or until so many queries were asked in all. When
// slopes by differences on one side lead no further, it takes those on both.
func (p *plunge) down(ctx context.Context, until int) error {
	var err error
	if p.fx, err = p.value(ctx, p.x); err != nil {
		return err
	}
	if p.slope, err = p.slopes(ctx); err != nil {
		return err
	}
	for fell := []float64{p.fx}; p.f.queries < until && !evenly(fell, len(p.slope)) && !slices.ContainsFunc(p.slope, notFinite); fell = append(fell, p.fx) {
		more, err := p.step(ctx)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if p.both {
			return nil
		}
		p.both = true
		if p.slope, err = p.slopes(ctx); err != nil {
			return err
		}
	}
	return nil
}

const (
	// fewSteps is how many steps are held against as many before, at least, and perStep for how
	// many directions there is one more: a step shows the curvature along one of them.
	fewSteps = 10
	perStep  = 4
	// nearlyAll is the part of the gain before from which on f falls at an even pace.
	nearlyAll = 0.75
)

// evenly reports whether f falls at an even pace, after values from step to step. The gains of a
// method that comes to a minimum shrink; in a curved valley, or along a kink, they do not.
func evenly(f []float64, directions int) bool {
	n, few := len(f)-1, max(fewSteps, directions/perStep)
	return n >= 2*few && f[n-few]-f[n] > nearlyAll*(f[n-2*few]-f[n-few])
}

// value asks f at a point.
func (p *plunge) value(ctx context.Context, x []float64) (float64, error) {
	values, err := query.Ask(ctx, p.f, 1, func(_ int, row []float64) { copy(row, x) })
	if err != nil {
		return math.NaN(), err
	}
	return values[0], nil
}

// moved returns x + t Σ s_i T_i.
func (p *plunge) moved(t float64, s []float64) []float64 {
	there, step := slices.Clone(p.x), make([]float64, len(p.x))
	kernel.MulVecT(step, p.along.RawMatrix(), s)
	kernel.AddScaled(there, t, step)
	return there
}

// A difference is so long that f rises by so many grains over it, by its curvature, or by a part
// of what the last step was to gain, if that is more.
const (
	oneSide, bothSides         = 8, 800
	oneSidePart, bothSidesPart = 1e-6, 1e-3
	longestSlope               = 1e-3
)

// slopes returns the slopes of f along all directions. What is known of the curvature makes
// those by differences on one side more exact.
func (p *plunge) slopes(ctx context.Context) ([]float64, error) {
	m, _ := p.along.Dims()
	times, part, sides := float64(oneSide), oneSidePart, 1
	if p.both {
		times, part, sides = bothSides, bothSidesPart, 2
	}
	rise := max(times*p.f.grain.Of(p.fx), part*p.gain)
	h := make([]float64, m)
	for i := range h {
		h[i] = longestSlope
		if c := p.seen.h.At(i, i); c > 0 { // rounding may make it less
			h[i] = min(math.Sqrt(2*rise/c), longestSlope)
		}
	}
	values, err := query.Ask(ctx, p.f, sides*m, func(k int, row []float64) {
		copy(row, p.x)
		kernel.AddScaled(row, [2]float64{1, -1}[k/m]*h[k%m], p.along.RawRowView(k%m))
	})
	if err != nil {
		return nil, err
	}
	slope := make([]float64, m)
	for i := range slope {
		if p.both {
			slope[i] = (values[i] - values[m+i]) / (2 * h[i])
		} else {
			slope[i] = (values[i]-p.fx)/h[i] - float64(h[i]*p.seen.h.At(i, i)/2)
		}
	}
	return slope, nil
}

const (
	// enoughGain is the part of what the slope promises that a step must gain.
	enoughGain = 1e-4
	// muchGain is the part from which on a step may well be longer. A Newton step on |y|^p gains
	// ½ of what the slope promises where p = 2, and 1 − 1/e = 0.63 for large p: a step that
	// gains more was made for more curvature than there is.
	muchGain = 2. / 3
	// leastStep is the part of a step below which none is tried.
	leastStep = 1e-4
)

// step takes a step, and reports whether there was one that gains something.
func (p *plunge) step(ctx context.Context) (bool, error) {
	way := p.seen.way(p.slope)
	fall := kernel.Dot(p.slope, way)
	if !(-fall > grains.OfMixed*p.f.grain.Of(p.fx)) || math.IsInf(fall, 0) {
		return false, nil
	}
	length := 0.0
	for k, v := range p.moved(1, way) {
		length += square(v - p.x[k])
	}
	most := math.Sqrt(float64(len(p.x)) / length) // half the diagonal of the start box
	if most < 1 {
		for i := range way {
			way[i] *= most
		}
		fall, most = fall*most, 1
	}
	search := p.search
	if p.abreast {
		search = p.searchAbreast
	}
	t, ft, err := search(ctx, way, fall, most)
	if err != nil || !(ft < p.fx) {
		return false, err
	}
	p.x, p.fx = p.moved(t, way), ft
	for i := range way {
		way[i] *= t
	}
	p.gain = -fall * t
	before := p.slope
	if p.slope, err = p.slopes(ctx); err != nil {
		return false, err
	}
	change := slices.Clone(p.slope)
	kernel.AddScaled(change, -1, before)
	p.seen.learn(way, change)
	return true, nil
}

// search returns how much of a step to take, and f there: twice as much, up to the most, as
// long as that is better, if it gains much, and otherwise less and less, to where a parabola is
// lowest.
func (p *plunge) search(ctx context.Context, way []float64, fall, most float64) (t, ft float64, err error) {
	t = 1
	if ft, err = p.value(ctx, p.moved(t, way)); err != nil {
		return t, ft, err
	}
	for 2*t <= most && ft < p.fx+float64(muchGain*fall) {
		further, err := p.value(ctx, p.moved(2*t, way))
		if err != nil || !(further < ft) {
			return t, ft, err
		}
		t, ft = 2*t, further
	}
	for !(ft <= p.fx+float64(enoughGain*t*fall)) && t > leastStep {
		least := -fall * t * t / (2 * (ft - p.fx - float64(fall*t)))
		if !(least > t/10) {
			least = t / 10
		}
		t = min(least, t/2)
		if ft, err = p.value(ctx, p.moved(t, way)); err != nil {
			return t, ft, err
		}
	}
	return t, ft, nil
}

// partsAbreast are the parts of a step that are asked for at the same time.
var partsAbreast = []float64{1, 1. / 2, 1. / 4, 1. / 16, 1. / 64, 2, 4}

// searchAbreast returns the best of some parts of a step, and f there.
func (p *plunge) searchAbreast(ctx context.Context, way []float64, _, most float64) (t, ft float64, err error) {
	parts := slices.DeleteFunc(slices.Clone(partsAbreast), func(t float64) bool { return t > most })
	values, err := query.Ask(ctx, p.f, len(parts), func(k int, row []float64) { copy(row, p.moved(parts[k], way)) })
	if err != nil {
		return 0, math.NaN(), err
	}
	t, ft = 1, math.Inf(1)
	for k, v := range values {
		if v < ft {
			t, ft = parts[k], v
		}
	}
	return t, ft, nil
}
