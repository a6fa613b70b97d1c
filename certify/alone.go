package certify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

const (
	alones   = 3  // points at which each block is split from all others, as one may be blind
	beyonds  = 4  // points at which the directions left out are looked at
	attempts = 20 // failed points after which no more are tried

	// moving is how many times the rounding of a mixed difference the differences of
	// a block must be to say anything: aloneLimit would be a hundred roundings.
	moving = 1e3
)

// alone splits each block from all others, at some points, for 2n + 4 queries each, and
// keeps the worst ratio of a mixed difference and the block's own differences.
func (p *prober) alone(c *Certificate, w *frame.Frame, blocks [][]int) error {
	n := len(blocks)
	mixed, single, floor := make([]float64, n), make([]float64, n), 0.0
	for done, failed := 0, 0; done < alones && failed < attempts; {
		x, h := p.way(w)
		steps := make([][]float64, n) // h_b
		for b, block := range blocks {
			steps[b] = along(w, block, h)
		}
		t := min(p.within(x, steps...), shorter(c.Failed+halveAfter*failed))
		to := slices.Clone(x)
		for _, step := range steps {
			kernel.AddScaled(to, t, step)
		}
		if ok, err := p.bothFinite(x, to); !ok || err != nil {
			if err != nil {
				return err
			}
			failed++
			continue
		}
		done++
		v, err := p.apart(x, to, t, steps)
		if err != nil {
			return err
		}
		floor = max(floor, objective.OfMixed*p.grain.Of(v[0]), objective.OfMixed*p.grain.Of(v[1]))
		for b := range n {
			one, other := v[2+2*b]-v[0], v[1]-v[3+2*b] // two differences of b
			if m := other - one; kernel.Finite(m) {
				mixed[b] += square(m)
				single[b] += square(one) + square(other)
			}
		}
	}
	for b := range n {
		// A block that hardly changes f cannot be tested: its differences are rounding.
		if ratio := math.Sqrt(mixed[b] / single[b]); math.Sqrt(single[b]) > moving*floor && (c.Culprit < 0 || ratio > c.Alone) {
			c.Alone, c.Culprit = ratio, b
		}
	}
	return nil
}

// apart asks for f(x), f(x+h), then f(x+h_b) and f(x+h−h_b) for each block.
func (p *prober) apart(x, to []float64, t float64, steps [][]float64) ([]float64, error) {
	return p.ask(2+2*len(steps), func(k int, row []float64) {
		copy(row, [2][]float64{x, to}[k%2])
		if k >= 2 {
			kernel.AddScaled(row, [2]float64{t, -t}[k%2], steps[k/2-1])
		}
	})
}

// bothFinite reports whether f is finite at two points.
func (p *prober) bothFinite(x, y []float64) (bool, error) {
	if ok, err := p.finiteAt(x); !ok || err != nil {
		return false, err
	}
	return p.finiteAt(y)
}

// finiteAt reports whether f is finite at x, for a query.
func (p *prober) finiteAt(x []float64) (bool, error) {
	v, err := p.ask(1, func(_ int, row []float64) { copy(row, x) })
	return err == nil && kernel.Finite(v[0]), err
}

// beyond looks whether f is constant in the directions that a frame leaves out.
func (p *prober) beyond(c *Certificate, w *frame.Frame) error {
	q := mat.DenseCopyOf(w.Matrix())
	kernel.Orthonormalise(q.RawMatrix())
	var inside, outside float64
	for range beyonds {
		x, to := p.anywhere(), p.anywhere()
		v := slices.Clone(to)
		kernel.AddScaled(v, -1, x)
		kernel.Project(v, q.RawMatrix())
		values, err := p.ask(3, func(k int, row []float64) {
			copy(row, [3][]float64{x, to, x}[k])
			if k == 2 {
				kernel.AddScaled(row, p.within(x, v), v)
			}
		})
		if err != nil {
			return err
		}
		if change := values[2] - values[0]; kernel.Finite(change) {
			outside += square(change)
			if change := values[1] - values[0]; kernel.Finite(change) {
				inside += square(change)
			}
		}
	}
	if outside > 0 {
		c.Beyond = math.Sqrt(outside / (inside + outside))
	}
	return nil
}
