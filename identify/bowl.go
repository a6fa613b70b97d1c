package identify

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

// A quadratic under an outer map, f = φ(q), is recognised by one Hessian and the slopes that
// come with it. With g = ∇f
//
//	H = φ′A + c ggᵀ,   c = φ″/φ′²,
//
// where A is that of q, so that for every x + t
//
//	(q(x+t) − q(x))/φ′ = ⟨g, t⟩ + ½⟨t, Ht⟩ − ½c⟨g, t⟩²
//
// has one unknown number c, and f is an increasing function of it. Whether some c puts the
// values that were asked for already in order costs nothing to find out. If so, f is asked
// along a line down the bowl. q is a parabola along any line, so that the line tells ψ, and
// ψ(f) goes the road of quadratics.

// A local is what a stencil says about f at a point x along the directions of a basis.
type local struct {
	outer.Sample
	x    []float64
	base hessian.Basis
}

// latest returns what the last stencil of a chain says.
func latest(c hessian.Chain) local {
	k := len(c.Points) - 1
	return local{outer.Sample{Value: c.Values[k], Gradient: c.Slopes[k], Hessian: c.Hessians[k]}, c.Points[k], c.Base}
}

const (
	// scans is how many numbers c are tried.
	scans = 200
	// ordered is the rank correlation from which on values are in order but for the errors
	// of the Hessian. It was 0.985 and more for ellipsoids and norms under five maps.
	ordered = 0.98
)

// order returns the c that puts f in order best at points that were asked for, Spearman's
// rank correlation for it, and that for c = 0.
func (l local) order(points []asked) (c, order, plain float64) {
	n := len(points)
	first, second, f := make([]float64, n), make([]float64, n), make([]float64, n)
	unit := 0.0
	for k, p := range points {
		step := slices.Clone(p.x)
		kernel.AddScaled(step, -1, l.x)
		t, ht := make([]float64, len(l.Gradient)), make([]float64, len(l.Gradient))
		kernel.MulVec(t, l.base.Dual.RawMatrix(), step)
		kernel.MulVec(ht, l.Hessian.RawMatrix(), t)
		first[k], second[k], f[k] = kernel.Dot(l.Gradient, t), kernel.Dot(t, ht)/2, p.f
		unit = max(unit, math.Abs(first[k]))
	}
	seen, model := ranks(f), make([]float64, n)
	with := func(c float64) float64 {
		for k, s := range first {
			model[k] = s + second[k] - float64(c*s*s/2)
		}
		return correlation(seen, ranks(model))
	}
	plain = with(0)
	c, order = 0, plain
	for i := range scans {
		angle := math.Pi * ((float64(i)+0.5)/scans - 0.5)
		if at := kernel.SinOf(angle) / kernel.CosOf(angle) / unit; with(at) > order {
			c, order = at, with(at)
		}
	}
	return c, order, plain
}

// ranks returns the rank of every number.
func ranks(x []float64) []float64 {
	order := all(len(x))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	r := make([]float64, len(x))
	for k, i := range order {
		r[i] = float64(k)
	}
	return r
}

// correlation returns Spearman's ρ = 1 − 6Σd²/(n³ − n) of ranks without ties.
func correlation(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += square(a[k] - b[k])
	}
	n := float64(len(a))
	return 1 - 6*sum/(float64(n*n*n)-n)
}

// gentle is the part of the largest curvature below which a direction is not followed to
// its minimum: where a Hessian is that small it is mostly error.
const gentle = 1e-3

// downhill returns the step to the minimum of the quadratic with slope g and Hessian
// H − c ggᵀ, but for gentle directions, in x.
func (l local) downhill(c float64) []float64 {
	m := len(l.Gradient)
	var eigen mat.EigenSym
	if !eigen.Factorize(kernel.Symmetrised(l.Without(c), 1), true) {
		return nil
	}
	lambda := eigen.Values(nil) // ascending
	var v mat.Dense
	eigen.VectorsTo(&v)
	step, x := make([]float64, m), make([]float64, len(l.x))
	for i := range m {
		along := mat.Col(nil, i, &v)
		kernel.AddScaled(step, -kernel.Dot(along, l.Gradient)/max(lambda[i], gentle*lambda[m-1]), along)
	}
	kernel.MulVecT(x, l.base.T.RawMatrix(), step)
	return x
}

const (
	// parabolic is how far ψ(f) along a line may be from a parabola, as a part of what it
	// varies by, and bentLine how far f itself has to be: otherwise there is no map.
	parabolic = 1e-5
	bentLine  = 1e-4
	// clearer is how many times nearer to a parabola ψ(f) has to be than f.
	clearer = 100
	// unordered is the rank correlation below which a plain quadratic does not put the values
	// in order.
	unordered = 0.99
)

// bowl proposes the frame of a quadratic under an outer map, given a Hessian by the last
// stencil of a chain. It is empty if f is not one. Early on it has to be beyond doubt that f is
// no plain quadratic.
func (p *proposer) bowl(chain hessian.Chain, early bool) (proposal, error) {
	l := latest(chain)
	c, order, plain := l.order(p.g.asked)
	if p.lined || order < ordered || early && plain > unordered {
		return proposal{}, nil
	}
	p.lined = true
	psi, values, err := downTheBowl(p.g, l, c)
	if psi == nil || err != nil {
		return proposal{}, err
	}
	g := mapped(p.g, psi, nil)
	g.grain = psi.Grain(p.g.grain, slices.Min(values), slices.Max(values))
	return p.quadraticOn(g, chain)
}

// quadraticOn goes the road of quadratics on the ground of ψ(f).
func (p *proposer) quadraticOn(g *ground, chain hessian.Chain) (proposal, error) {
	s := &settler{g: g, tolerance: p.settler.tolerance, stage: p.stage}
	by := &proposer{g: g, settler: s, stage: p.stage}
	there, l := chain, latest(chain)
	of := l.Without(g.psi.Number(l.Value))
	of.Scale(g.psi.Slope(l.Value), of)
	there.Points, there.Hessians = [][]float64{l.x}, []*mat.Dense{of}
	there.Base.Seen = there.Hessians
	white, err := whitened(there)
	if err != nil {
		return proposal{}, err
	}
	proposed, _, err := by.quadratic(white, there, false)
	if err != nil || !proposed.quadratic {
		return proposal{}, err
	}
	p.seen, p.settler.best, proposed.ground = by.seen, s.best, g
	return proposed, nil
}

// linePlaces are where f is asked along a line first; the minimum may be at 1.
var linePlaces = []float64{0, -0.75, -0.5, -0.25, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.5, 1.75, 2, 2.25}

// downTheBowl asks f along a line and returns the map under which it is a parabola there, and
// the values; nil if there is none.
func downTheBowl(g *ground, l local, c float64) (*outer.Map, []float64, error) {
	way := l.downhill(c)
	if way == nil {
		return nil, nil, nil
	}
	room := min(g.room(l.x, way), reachOf(g, way))
	var t, values []float64
	for places := linePlaces; len(places) > 0; places = further(t, values) {
		places = slices.DeleteFunc(slices.Clone(places), func(t float64) bool { return math.Abs(t) > room })
		more, err := g.ask(len(places), func(k int, row []float64) {
			copy(row, l.x)
			kernel.AddScaled(row, places[k], way)
		})
		if err != nil {
			return nil, nil, err
		}
		before := len(t)
		for k, v := range more {
			if kernel.Finite(v) {
				t, values = append(t, places[k]), append(values, v)
			}
		}
		if len(t) == before {
			break
		}
	}
	psi, residual, without := outer.FromLine(t, values)
	if residual > parabolic || without < max(bentLine, clearer*residual) {
		return nil, nil, nil
	}
	return psi, values, nil
}

// reachOf is how many times a step may be taken from a point of the box: it is as far as the box
// is wide then, along one coordinate at least.
func reachOf(g *ground, step []float64) float64 {
	most := math.Inf(1)
	for k, v := range step {
		most = min(most, (g.box.Hi[k]-g.box.Lo[k])/math.Abs(v))
	}
	return most
}

// farthestPlace is how far a line is followed.
const farthestPlace = 30

// further returns more places, up to twice as far, if f is least at an end of those that were
// asked; nil if it is not, or if the line was followed far enough.
func further(t, values []float64) []float64 {
	if len(t) == 0 {
		return nil
	}
	least := 0
	for k, v := range values {
		if v < values[least] {
			least = k
		}
	}
	for _, end := range []float64{slices.Min(t), slices.Max(t)} {
		if t[least] == end && end != 0 && math.Abs(end) < farthestPlace {
			return []float64{1.25 * end, 1.5 * end, 1.75 * end, 2 * end}
		}
	}
	return nil
}
