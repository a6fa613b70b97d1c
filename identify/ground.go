package identify

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/nearby"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A ground is f with the box in which a survey looks at it. Everything that a survey
// asks, it asks here.
type ground struct {
	ctx     context.Context
	f       objective.Objective
	box     objective.Box // the whole box, from which points for certificates are drawn
	inner   objective.Box // its middle, from which all other points are drawn
	bounds  objective.Box // nothing outside is asked
	random  *rng.Stream
	other   *rng.Stream // for what the plain road must not notice
	psi     *outer.Map  // f is ψ of what is asked; nil: no map
	plain   *ground     // the ground without ψ
	mapless bool        // a map was believed that there is not: none is looked for
	factor  float64     // f is multiplied by
	grain   objective.Grain
	valley  *valley     // where points are drawn instead; nil: in the inner box
	fails   bool        // f has failed at a point
	reach   float64     // how far composed points may be from drawn ones, 1: all the way
	finite  [][]float64 // drawn points at which f is finite, and which nobody has used yet
	asked   []asked     // the first points that were asked for, and their values

	first     *model.First // the last Hessian by forward differences that began a chain; nil: f has failed there
	slopeStep float64      // the step for gradients; 0: not chosen yet
	unspanned int          // so many gradients do not span f's components
}

// middle is the part of the box in which points are drawn. In the middle there is room
// for steps; and where curvature grows outwards, as that of a polynomial does, components
// differ less in size there.
const middle = 0.4

// newGround prepares to ask f. Random numbers come from the stream ("identify",
// "survey") of the seed.
func newGround(ctx context.Context, f objective.Objective, r Request) *ground {
	return &ground{
		ctx: ctx, f: nearby.New(f), box: r.Box, inner: shrunk(r.Box, middle), bounds: r.Bounds, reach: 1,
		random: rng.Seed(r.Seed).Stream("identify", "survey"), grain: r.Grain,
		other: rng.Seed(r.Seed).Stream("identify", "outer"), factor: 1,
	}
}

// beside returns the ground for a look that the plain road must not notice: its points are its
// own.
func beside(g *ground) *ground {
	next := *g
	next.random, next.finite = g.other, nil
	return &next
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
func (g *ground) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	from := len(g.asked)
	values, err := query.Ask(g.ctx, g.f, n, func(k int, x []float64) {
		fill(k, x)
		if from+k < recalled {
			g.asked = append(g.asked, asked{x: slices.Clone(x)})
		}
	})
	for k := from; k < len(g.asked) && k-from < len(values); k++ {
		g.asked[k].f = values[k-from]
	}
	return values, err
}

// recalled is how many points are remembered.
const recalled = 256

// An asked point, and the value of f there.
type asked struct {
	x []float64
	f float64
}

// anywhere draws a point of the whole box.
func (g *ground) anywhere() []float64 {
	x := make([]float64, g.f.Dim())
	g.box.Draw(x, g.random)
	return x
}

// test is how a frame is tested at points of the whole box.
func (g *ground) test(slack float64, quadratic bool) certify.Test {
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
func (g *ground) rescale() error {
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
		for k := range g.asked {
			g.asked[k].f *= factor
		}
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

const (
	lines = 3 // along which a step is chosen: three or more keep chance out of it
	// noisyLines is along how many it is chosen where there is noise.
	noisyLines = 8
	// singleLines is along how many where f computes in single precision.
	singleLines = 5
	longest     = 5 // the longest step that is tried is the half-width of the box over this
)

// step chooses the step for a stencil along random combinations of the directions t
// (nil: the coordinates) at random points. Steps are tried in units of the box: from
// 2e-6 to 0.2 of its half-width, and where there is noise to all of it.
func (g *ground) step(st hessian.Stencil, t *mat.Dense) (float64, error) {
	d, lines, unit := g.f.Dim(), lines, halfWidth(g.box)/longest
	if g.grain.Noisy() {
		lines, unit = noisyLines, halfWidth(g.box)
	}
	if g.grain.Kind == objective.SinglePrecision {
		lines = singleLines
	}
	points, directions := mat.NewDense(lines, d, nil), rng.Sphere(lines, d, g.random)
	if t != nil {
		m, _ := t.Dims()
		directions = kernel.Times(rng.Sphere(lines, m, g.random), t)
	}
	directions.Scale(unit, directions)
	at, err := g.points(lines)
	if err != nil {
		return 0, err
	}
	for i, x := range at {
		points.SetRow(i, x)
	}
	step, err := st.Step(g.ctx, g.f, points, directions, g.furthest(points, directions), g.grain)
	return step * unit, inOurWords(err)
}

// longer is by how much forward differences along whitened directions are taken with a
// longer step than is best for second differences along a line, one of the next: between
// two directions curvature changes less over a step, and rounding is the same. It halved
// the typical error on the paper's problems; with symmetric differences it did not.
const longer = 1.78

// chain begins a chain of Hessians: it chooses the step for a stencil along the
// directions of a basis, and shortens those that would leave the bounds.
func (g *ground) chain(st hessian.Stencil, base hessian.Basis) (hessian.Chain, error) {
	step, err := g.step(st, base.T)
	if err != nil {
		return hessian.Chain{}, err
	}
	if st.Name == hessian.Forward.Name && base.Lambda != nil {
		step *= longer
	}
	m, _ := base.T.Dims()
	factor := make([]float64, m)
	for i := range m {
		factor[i] = 1
		for k, v := range base.T.RawRowView(i) {
			gap := min(g.inner.Lo[k]-g.bounds.Lo[k], g.bounds.Hi[k]-g.inner.Hi[k])
			if g.valley != nil {
				gap = g.valley.gap(g.bounds, k)
			}
			if stencilReach*step*math.Abs(v) > gap {
				factor[i] = min(factor[i], gap/(stencilReach*step*math.Abs(v)))
			}
		}
	}
	return hessian.Chain{Base: base.Scaled(factor), Stencil: st, Step: step}, nil
}

// firstAlong begins a chain with a Hessian by forward differences along orthonormal
// directions.
func firstAlong(g *ground, t *mat.Dense) (hessian.Chain, error) {
	c, err := g.chain(hessian.Forward, hessian.Orthonormal(t))
	if err != nil {
		return c, err
	}
	return g.extended(c, 1)
}

// extended returns a chain with Hessians at further points, n in all.
func (g *ground) extended(c hessian.Chain, n int) (hessian.Chain, error) {
	f := &recorder{Objective: g.f}
	began := len(c.Hessians)
	c, err := c.Extended(g.ctx, f, n, g.point)
	if err == nil && began == 0 && n == 1 {
		g.first = nil
		if m, _ := c.Base.T.Dims(); c.Stencil.Name == hessian.Forward.Name && len(f.values) == c.Stencil.Queries(m) {
			steps := mat.DenseCopyOf(c.Base.T)
			steps.Scale(c.Step, steps)
			g.first = &model.First{X: c.Points[0], Steps: steps, Values: f.values}
		}
	}
	return c, inOurWords(err)
}

// whitened returns the directions of a chain, whitened.
func whitened(c hessian.Chain) (hessian.Basis, error) {
	b, err := c.Whitened()
	return b, inOurWords(err)
}

// inOurWords turns the errors of package hessian into those of this one.
func inOurWords(err error) error {
	switch {
	case errors.Is(err, hessian.ErrNoStep):
		return ErrNoStep
	case errors.Is(err, hessian.ErrNotFinite):
		return ErrNotFinite
	case errors.Is(err, hessian.ErrFlat):
		return ErrSingular
	}
	return err
}

func square(x float64) float64 { return float64(x * x) }

// firstWhitened returns the first Hessian, and its directions whitened.
func firstWhitened(g *ground, curved *mat.Dense) (hessian.Chain, hessian.Basis, error) {
	first, err := firstAlong(g, curved)
	if err != nil {
		return first, hessian.Basis{}, err
	}
	white, err := whitened(first)
	return first, white, err
}
