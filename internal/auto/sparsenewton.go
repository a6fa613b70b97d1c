package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A sparseNewton goes downhill where few pairs of variables interact and nothing separates, as along a chain. At each point
// slopes and curvatures along single variables come from two queries each, and mixed differences from one a pair. The step p
// is the minimum of gᵀp + ½pᵀHp within a radius, by conjugate gradients that stop at its border and where H curves down.
//
// Reference: T. Steihaug, "The conjugate gradient method and trust regions in large scale optimization", 1983.
type sparseNewton struct {
	*sparse
	bounds objective.Box
	h      float64
	radius float64

	x              []float64
	fx             float64
	slope, curve   []float64
	mixed, product []float64
}

const (
	// newtonRadius is the first radius, for each variable, in half-widths of the start box.
	newtonRadius = 0.1
	// idleSteps is how many steps that gain nothing end a descent.
	idleSteps = 4
	// finerSlopes is by how much differences become shorter after a step that gains nothing: their error
	// falls with the square.
	finerSlopes = 4
)

// sparseDescent takes Newton steps from the best point, if few pairs interact.
func (r *run) sparseDescent(ctx context.Context, of *interact.Found) error {
	d, most := r.f.Dim(), r.task.Budget/third
	each := 2*d + len(of.Pairs) + 1
	if of.Pairs == nil || idleSteps*each > most || 2*each > d*d {
		return nil
	}
	r.f.stage(straightDown)
	n := &sparseNewton{bounds: r.task.Bounds, radius: newtonRadius * math.Sqrt(float64(d)), x: slices.Clone(r.f.best.Point), fx: r.f.best.Value}
	n.sparse = &sparse{f: r.f, pairs: of.Pairs, box: interact.Within(r.task.Bounds), random: rng.Seed(r.task.Seed).Stream("auto", "sparse", "newton")}
	var err error
	if n.h, err = n.step(ctx); err != nil || n.h == 0 {
		return err
	}
	for idle, before := 0, r.f.queries; idle < idleSteps && r.f.queries-before+each < most; {
		last := n.fx
		if ok, err := n.advance(ctx); !ok || err != nil {
			return err
		}
		if last-n.fx > r.f.none(n.fx) {
			idle = 0
			continue
		}
		idle++
		n.h /= finerSlopes // slopes over shorter steps are more exact near the minimum
	}
	return nil
}

// advance takes a step. It is false if f fails around x.
func (n *sparseNewton) advance(ctx context.Context) (bool, error) {
	if ok, err := n.measure(ctx); !ok || err != nil {
		return false, err
	}
	p := n.propose()
	best, part, err := n.f.parts(ctx, n.x, p, n.bounds, append([]float64{1, 2}, lengths...))
	if err != nil {
		return false, err
	}
	long := math.Sqrt(kernel.Dot(p, p))
	switch {
	case !(best.Value < n.fx):
		n.radius = slices.Min(lengths) * min(n.radius, long)
		return n.radius > 0, nil
	case part < 1:
		n.radius = part * long
	default:
		n.radius = max(n.radius, 2*part*long)
	}
	n.x, n.fx = best.Point, best.Value
	return true, nil
}

// measure asks for slopes and curvatures: along single variables by symmetric differences, and for pairs
// by forward ones. Where bounds are near, the point is asked from within them.
func (n *sparseNewton) measure(ctx context.Context) (bool, error) {
	d, x := len(n.x), slices.Clone(n.x)
	for k := range x {
		x[k] = min(max(x[k], n.bounds.Lo[k]+n.h), n.bounds.Hi[k]-n.h)
	}
	values, err := n.around(ctx, x, -n.h, 1) // forward first
	if values == nil {
		return false, err
	}
	n.slope, n.curve, n.mixed, n.product = make([]float64, d), make([]float64, d), make([]float64, len(n.pairs)), make([]float64, d)
	for k := range d {
		more, less := values[2*k+1], values[2*k+2]
		n.slope[k] = (more - less) / (2 * n.h)
		n.curve[k] = ((more - values[0]) + (less - values[0])) / (n.h * n.h)
	}
	for k, p := range n.pairs {
		n.mixed[k] = ((values[1+2*d+k] - values[2*p[0]+1]) - (values[2*p[1]+1] - values[0])) / (n.h * n.h)
	}
	return true, nil
}

func (n *sparseNewton) times(v []float64) []float64 {
	for k, c := range n.curve {
		n.product[k] = c * v[k]
	}
	for k, p := range n.pairs {
		n.product[p[0]] = math.FMA(n.mixed[k], v[p[1]], n.product[p[0]])
		n.product[p[1]] = math.FMA(n.mixed[k], v[p[0]], n.product[p[1]])
	}
	return n.product
}

func (n *sparseNewton) propose() []float64 {
	d := len(n.x)
	z, rest, p := make([]float64, d), slices.Clone(n.slope), make([]float64, d)
	kernel.AddScaled(p, -1, rest)
	rr := kernel.Dot(rest, rest)
	const exact = 1e-20 // of the squared slope: as exact as differences are
	for end := exact * rr; rr > end; {
		hp := n.times(p)
		curved := kernel.Dot(p, hp)
		alpha := rr / curved
		border := n.border(z, p)
		if !(curved > 0) || alpha >= border {
			kernel.AddScaled(z, border, p)
			return z
		}
		kernel.AddScaled(z, alpha, p)
		kernel.AddScaled(rest, alpha, hp)
		before := rr
		rr = kernel.Dot(rest, rest)
		for k := range p {
			p[k] = float64(rr/before*p[k]) - rest[k]
		}
		if d--; d < -len(n.x) { // rounding keeps it from ending
			return z
		}
	}
	return z
}

// border is how far it is from z along p to the border: ‖z + tp‖ = radius.
func (n *sparseNewton) border(z, p []float64) float64 {
	a, b, c := kernel.Dot(p, p), kernel.Dot(z, p), kernel.Dot(z, z)-float64(n.radius*n.radius)
	if a == 0 {
		return 0
	}
	return (math.Sqrt(max(0, float64(b*b)-float64(a*c))) - b) / a
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
	values, err := w.ask(ctx, points...)
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
