package identify

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/nearby"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sampler is f with the box in which a survey looks at it. Everything that a survey
// asks, it asks here.
type sampler struct {
	ctx    context.Context
	f      objective.Objective
	box    objective.Box // the whole box, from which points for certificates are drawn
	inner  objective.Box // its middle, from which all other points are drawn
	bounds objective.Box // nothing outside is asked
	random *rng.Stream
	factor float64 // f is multiplied by
	grain  objective.Grain
	finite [][]float64 // drawn points at which f is finite
}

// middle is the part of the box in which points are drawn. In the middle there is room
// for steps; and where curvature grows outwards, as that of a polynomial does, components
// differ less in size there.
const middle = 0.4

// newSampler prepares to ask f. Random numbers come from the stream ("identify",
// "survey") of the seed.
func newSampler(ctx context.Context, f objective.Objective, r Request) *sampler {
	return &sampler{
		ctx: ctx, f: nearby.New(f), box: r.Box, inner: shrunk(r.Box, middle), bounds: r.Bounds,
		random: rng.Seed(r.Seed).Stream("identify", "survey"), grain: r.Grain,
		factor: 1,
	}
}

// shrunk returns the middle of a box, so much of it in every coordinate.
func shrunk(box objective.Box, part float64) objective.Box {
	inner := objective.Cube(len(box.Lo), 0, 0)
	for i := range box.Lo {
		half := (box.Hi[i] - box.Lo[i]) / 2
		inner.Lo[i], inner.Hi[i] = box.Lo[i]+float64((1-part)*half), box.Hi[i]-float64((1-part)*half)
	}
	return inner
}

// ask evaluates f at n points, which fill writes one by one.
func (g *sampler) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	return query.Ask(g.ctx, g.f, n, fill)
}

// anywhere draws a point of the whole box.
func (g *sampler) anywhere() []float64 {
	x := make([]float64, g.f.Dim())
	g.box.Draw(x, g.random)
	return x
}

// test is how a frame is tested at points of the whole box.
func (g *sampler) test(slack float64, quadratic bool) certify.Test {
	return certify.Test{Box: g.box, Bounds: g.bounds, Slack: slack, Quadratic: quadratic, Grain: g.grain, Random: g.random}
}

// samples is from how many values the unit of f is chosen. Only its order of magnitude
// matters.
const samples = 8

// largestUnit is the largest power of two by which values are multiplied: the largest
// float is below 2¹⁰²⁴.
const largestUnit = 1000

// rescale makes f vary by about 1, so that squares of its derivatives neither
// overflow nor vanish. It is an error if f is finite at less than two points.
func (g *sampler) rescale() error {
	values, err := gather(g)
	if err != nil {
		return err
	}
	least, most, n := math.Inf(1), math.Inf(-1), 0
	for _, v := range values {
		if !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
			n++
		}
	}
	if n < 2 {
		return ErrNotFinite
	}
	if spread := float64(most/2) - float64(least/2); spread > 0 {
		factor := math.Ldexp(1, min(largestUnit, -math.Ilogb(spread)))
		g.f, g.grain, g.factor = unit{g.f, factor}, g.grain.Scaled(factor), factor
	}
	return nil
}

// A unit multiplies the values of f by a power of two.
type unit struct {
	objective.Objective
	factor float64
}

// Evaluate evaluates f.
func (u unit) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := u.Objective.Evaluate(ctx, points, values)
	for i := range values {
		values[i] *= u.factor
	}
	return err
}

// mapped returns a sampler with ψ(f) in place of f. Its grain is the largest that ψ makes of
// that of f, at some values.
func mapped(g *sampler, psi *outer.Map, values []float64) *sampler {
	next := *g
	next.f = outer.Under{Objective: g.f, Map: psi, Factor: 1}
	next.grain = objective.Grain{Relative: objective.Rounding.Relative, Kind: g.grain.Kind}
	for _, v := range values {
		next.grain.Absolute = max(next.grain.Absolute, psi.Slope(v)*g.grain.Of(v))
	}
	return &next
}

// attempts is how often a point at which f is finite is looked for: where half of all
// points fail, one search in a million finds none.
const attempts = 20

// mostGathers is how often the box is drawn together at most: then it is a sixteenth as
// wide, and who still fails there fails by chance.
const mostGathers = 4

// gather asks f at some points of the box and returns the values. Where f fails at most of
// them, beyond a wall perhaps, it draws the box together around the mean of those at which
// f is finite, by half and half again, until f is finite at half of them.
func gather(g *sampler) ([]float64, error) {
	var all []float64
	for gathers := 0; ; {
		values, err := tried(g, g.inner)
		if err != nil {
			return nil, err
		}
		all = append(all, values...)
		failed := 0
		for _, v := range values {
			if !(v < math.Inf(1)) {
				failed++
			}
		}
		if 2*failed <= samples || gathers == mostGathers || len(all) >= attempts*samples {
			return all, nil
		}
		if len(g.finite) == 0 { // perhaps it is in a corner
			if _, err := tried(g, g.box); err != nil {
				return nil, err
			}
		}
		if n := len(g.finite); n > 0 {
			home := make([]float64, g.f.Dim())
			for _, x := range g.finite {
				kernel.AddScaled(home, 1/float64(n), x)
			}
			g.box, g.inner = towards(home, g.box), towards(home, g.inner)
			gathers++
		}
	}
}

// tried draws so many points of a box, keeps those at which f is finite, and returns the values at all.
func tried(g *sampler, box objective.Box) ([]float64, error) {
	points := make([][]float64, samples)
	values, err := g.ask(samples, func(k int, x []float64) {
		box.Draw(x, g.random)
		points[k] = slices.Clone(x)
	})
	for k, v := range values {
		if kernel.Finite(v) {
			g.finite = append(g.finite, points[k])
		}
	}
	return values, err
}

// towards returns a box half as wide, drawn together around a point of it.
func towards(home []float64, box objective.Box) objective.Box {
	half := objective.Cube(len(home), 0, 0)
	for k, c := range home {
		half.Lo[k], half.Hi[k] = c+float64((box.Lo[k]-c)/2), c+float64((box.Hi[k]-c)/2)
	}
	return half
}
