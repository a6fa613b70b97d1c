package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A check is how much each block of a candidate still couples with all others. It is
// what decides at every stage of a survey.
type check struct {
	// residue is |f(x+S_b+S_rest) − f(x+S_b) − f(x+S_rest) + f(x)|, the largest
	// of some designs.
	residue []float64
	// unit is the residue that an error E_bj of 1 in a single pair would make.
	unit []float64
	// floor is the rounding of the residue.
	floor float64
}

// checkPoints is at how many points a frame is checked where much depends on it. One
// point may be blind to an error by chance.
const checkPoints = 2

// leastUnit keeps errors finite where f does not curve at all.
const leastUnit = 1e-300

// checked returns the candidate with evidence from so many fresh composed points, at
// each of which it tests each of n blocks against the rest, for 2n + 2 queries, all in
// one batch. A point at which f fails, or fails at the far end of all steps, is replaced
// by another in the next batch; a block that could not be tested at any has an infinite
// residue.
func (c *candidate) checked(g *ground, points int) (*candidate, error) {
	n := len(c.blocks)
	out := check{residue: make([]float64, n), unit: make([]float64, n)}
	tested := make([]float64, n) // how often
	finite := false              // f was, at some point
	for failed := 0; points > 0 && failed < attempts; {
		probes := make([]*probe, points)
		for k := range probes {
			probes[k] = newProbe(g, c)
		}
		values, err := g.ask(points*(2+2*n), func(k int, row []float64) { probes[k/(2+2*n)].fill(k%(2+2*n), row) })
		if err != nil {
			return nil, err
		}
		for k, p := range probes {
			v := values[k*(2+2*n) : (k+1)*(2+2*n)]
			finite = follow(g, v[0]) || finite
			if !kernel.Finite(v[0]) || !kernel.Finite(v[1]) {
				failed++
				continue
			}
			points--
			p.weigh(g, c, v, &out, tested)
		}
	}
	if !finite {
		return nil, ErrNotFinite
	}
	for b := range n {
		out.unit[b] = max(out.unit[b]/tested[b], leastUnit)
		if tested[b] == 0 {
			out.residue[b], out.unit[b] = math.Inf(1), 1
		}
	}
	next := *c
	next.check = out
	return &next, nil
}

// recheckedTo returns the candidate with the worse of its evidence and that of a
// second look at it.
func (c *candidate) recheckedTo(again check) *candidate {
	next := *c
	next.check.residue = slices.Clone(c.check.residue)
	for b := range next.check.residue {
		next.check.residue[b] = max(next.check.residue[b], again.residue[b])
	}
	next.check.floor = max(c.check.floor, again.floor)
	return &next
}

// A probe is a point at which a check is made.
type probe struct {
	x, far []float64  // x and x+S_all
	h      []float64  // large steps
	t      float64    // the part of them that is gone
	steps  *mat.Dense // S_b
}

// newProbe chooses a point and steps for a check.
func newProbe(g *ground, c *candidate) *probe {
	x, _ := c.composed(g)
	p := &probe{x: x, h: c.steps(g, x), steps: mat.NewDense(len(c.blocks), len(x), nil)}
	all := make([]float64, len(x))
	for b, block := range c.blocks {
		for _, i := range block {
			kernel.AddScaled(p.steps.RawRowView(b), p.h[i], c.u.RawRowView(i))
		}
		kernel.AddScaled(all, 1, p.steps.RawRowView(b))
	}
	p.t = min(1, g.room(x, all)/roomFor)
	p.far = slices.Clone(x)
	kernel.AddScaled(p.far, p.t, all)
	return p
}

// fill writes the k-th of x, x+S_all, then x+S_b and x+S_all−S_b for each block.
func (p *probe) fill(k int, row []float64) {
	copy(row, [2][]float64{p.x, p.far}[k%2])
	if k >= 2 {
		kernel.AddScaled(row, [2]float64{p.t, -p.t}[k%2], p.steps.RawRowView(k/2-1))
	}
}

// weigh adds what the values of a probe say about each block to out.
func (p *probe) weigh(g *ground, c *candidate, values []float64, out *check, tested []float64) {
	f0, fall, t, h := values[0], values[1], p.t, p.h
	mean := floats.Dot(h, h) / float64(len(h))
	for b, block := range c.blocks {
		residue := math.Abs((fall - values[2+2*b]) - (values[3+2*b] - f0))
		if !kernel.Finite(residue) {
			continue
		}
		tested[b]++
		out.residue[b] = max(out.residue[b], residue)
		for _, i := range block {
			out.unit[b] += float64(t * t * c.curvature[i] * math.Abs(h[i]) * math.Sqrt(mean) / float64(len(block)))
		}
	}
	out.floor = max(out.floor, grains.OfMixed*max(g.grain.Of(f0), g.grain.Of(fall)))
}

// err returns the error of block b as if it were in one pair.
func (k check) err(b int) float64 { return k.residue[b] / k.unit[b] }

// typical is the median error of a block.
func (k check) typical() float64 { return k.quantile(0.5) }

// worst is the largest error of a block, 0 if it is no more than rounding.
func (k check) worst() float64 {
	worst := 0.0
	for b := range k.residue {
		if !(k.residue[b] <= k.floor) {
			worst = max(worst, k.err(b))
		}
	}
	return worst
}

// quantile returns the error that a part q of the blocks does not exceed.
func (k check) quantile(q float64) float64 {
	e := make([]float64, len(k.residue))
	for b := range e {
		e[b] = k.err(b)
	}
	slices.Sort(e)
	return e[int(math.Ceil(q*float64(len(e)-1)))]
}

// The errors from which refinement can start. It squares them, and what is left of a few
// large ones is asked for again pair by pair, so that single blocks may be far off. On the
// suite, refinement succeeded from every usable frame of a function that separates: from
// typical errors of up to 0.016, from 0.098 for nine in ten, and from 1.2 for the worst.
const (
	usableTypical = 0.02
	mostBlocks    = 0.9 // of all
	usableMost    = 0.1 // for most blocks
	usableWorst   = 30
)

// usable reports whether refinement can start from here: most blocks are nearly
// apart, and none is wildly off.
func (k check) usable() bool {
	return k.typical() <= usableTypical && k.quantile(mostBlocks) <= usableMost && k.quantile(1) <= usableWorst
}
