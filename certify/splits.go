package certify

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

const (
	// splits is how many splits are tested: a coupled pair of blocks escapes with
	// probability 2⁻²⁰.
	splits = 20
	// mostFailed is how many more may fail. Where f is finite at four of five points
	// two splits in five succeed, so that it is more than enough.
	mostFailed = 5 * splits
)

// A prober asks for values of f, at random points of a box and along ways between them.
type prober struct {
	ctx    context.Context
	f      objective.Objective
	box    objective.Box // where points are drawn
	bounds objective.Box // nothing outside is asked
	grain  objective.Grain
	random objective.Random
	most   int // splits that are tested
}

// noisy reports whether f has noise.
func (p *prober) noisy() bool { return p.grain.Noisy() }

func (p *prober) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	return query.Ask(p.ctx, p.f, n, fill)
}

// anywhere draws a point of the box.
func (p *prober) anywhere() []float64 {
	x := make([]float64, p.f.Dim())
	p.box.Draw(x, p.random)
	return x
}

// splits tests random splits of so many blocks; draw returns a point x and the steps
// h_A and h_B. It reaches no verdict.
func (p *prober) splits(blocks int, draw func() (x, a, b []float64)) (Certificate, error) {
	c := None()
	var mixed, single, rounding float64
	for blocks > 1 && c.Splits < p.most && c.Failed < mostFailed {
		values, err := p.fours(p.most-c.Splits, draw, shorter(c.Failed))
		if err != nil {
			return c, err
		}
		for v := range slices.Chunk(values, 4) {
			m, da, db := (v[3]-v[1])-(v[2]-v[0]), v[1]-v[0], v[2]-v[0]
			if !kernel.Finite(m) {
				c.Failed++
				continue
			}
			c.Splits++
			mixed += square(m)
			single += square(da) + square(db)
			for _, value := range v {
				rounding += square(p.grain.Of(value))
			}
		}
	}
	if single > 0 {
		c.Coupling, c.Rounding = math.Sqrt(mixed/single), math.Sqrt(rounding/single)
		if p.noisy() {
			c.Coupling, c.Least, c.Most = interval(mixed/single, rounding/single, c.Splits)
		}
	}
	return c, nil
}

// Steps are halved after each halveAfter failures, mostHalvings times at most: where f
// fails outside its box, only short steps stay inside. They must not be very short, since
// beside single differences mixed ones vanish with the steps.
const (
	halveAfter   = 10
	mostHalvings = 3
)

// shorter is the part of the way that is gone after so many failures.
func shorter(failed int) float64 { return math.Ldexp(1, -min(failed/halveAfter, mostHalvings)) }

// fours asks for f at x, x+h_A, x+h_B and x+h_A+h_B for n splits that are drawn, with that
// part of the steps, or so much of them that all are within the bounds.
func (p *prober) fours(n int, draw func() (x, a, b []float64), part float64) ([]float64, error) {
	var x, a, b []float64
	var t float64
	return p.ask(4*n, func(k int, row []float64) {
		if k%4 == 0 {
			x, a, b = draw()
			t = min(part, p.within(x, a, b))
		}
		copy(row, x)
		for side, step := range [2][]float64{a, b} {
			if k>>side&1 == 1 {
				kernel.AddScaled(row, t, step)
			}
		}
	})
}

// axes draws two points and splits the way from one to the other by coordinates: h_A is
// the part of it along some of them, and h_B the rest.
func (p *prober) axes() (x, a, b []float64) {
	d := p.f.Dim()
	x, a, b = p.anywhere(), make([]float64, d), make([]float64, d)
	to := p.anywhere()
	for k, side := range p.sides(d) {
		[2][]float64{a, b}[side][k] = to[k] - x[k]
	}
	return x, a, b
}

// halves draws two points and splits the way from one to the other by blocks.
func (p *prober) halves(w *frame.Frame, blocks [][]int) (x, a, b []float64) {
	x, h := p.way(w)
	var sides [2][]int
	for k, side := range p.sides(len(blocks)) {
		sides[side] = append(sides[side], blocks[k]...)
	}
	return x, along(w, sides[0], h), along(w, sides[1], h)
}

// way draws a point x and the way to another, as coordinates of a frame.
func (p *prober) way(w *frame.Frame) (x, h []float64) {
	x, to := p.anywhere(), p.anywhere()
	h = make([]float64, w.Components())
	kernel.AddScaled(to, -1, x)
	kernel.MulVec(h, w.Matrix().RawMatrix(), to)
	return x, h
}

// along returns Σ h_i u_i over a block.
func along(w *frame.Frame, block []int, h []float64) []float64 {
	step, u := make([]float64, w.Dim()), make([]float64, w.Dim())
	for _, i := range block {
		w.Direction(u, i)
		kernel.AddScaled(step, h[i], u)
	}
	return step
}

// sides puts each of n blocks on one of two sides at random, one at least on each.
func (p *prober) sides(n int) []int {
	side := make([]int, n)
	for k := range side {
		side[k] = p.random.IntN(2)
	}
	first := p.random.IntN(n)
	side[first], side[(first+1)%n] = 0, 1
	return side
}

const (
	leastPart = 0x1p-60  // below, x itself is on the bounds, or outside by rounding
	nearlyAll = 1 - 1e-9 // of the way to the bounds is gone, so that rounding does not lead out of them
)

// within returns the largest of about 1, ½, ¼, … by which the steps may be taken from
// x, one by one and together, without leaving the bounds.
func (p *prober) within(x []float64, steps ...[]float64) float64 {
	t := 1.0
	for i := range x {
		least, most := 0.0, 0.0 // the furthest that any of them goes
		for _, step := range steps {
			least += min(step[i], 0)
			most += max(step[i], 0)
		}
		for t > leastPart && (x[i]+float64(t*least) < p.bounds.Lo[i] || x[i]+float64(t*most) > p.bounds.Hi[i]) {
			t /= 2
		}
	}
	return t * nearlyAll
}

func square(x float64) float64 { return float64(x * x) }
