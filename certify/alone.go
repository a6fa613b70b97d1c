package certify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
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

// alone splits each block from all others, at some points, for 2n + 2 queries each, and
// keeps the worst ratio of a mixed difference and the block's own differences.
func (p *prober) alone(c *Certificate, w *frame.Frame, blocks [][]int) error {
	n := len(blocks)
	mixed, single, noise, floor := make([]float64, n), make([]float64, n), make([]float64, n), 0.0
	for done, failed := 0, 0; done < alones && failed < attempts; {
		values, err := p.apart(w, blocks, alones-done, shorter(c.Failed+halveAfter*failed))
		if err != nil {
			return err
		}
		for v := range slices.Chunk(values, 2+2*n) {
			if !kernel.Finite(v[0]) || !kernel.Finite(v[1]) {
				failed++
				continue
			}
			done++
			floor = max(floor, grains.OfMixed*p.grain.Of(v[0]), grains.OfMixed*p.grain.Of(v[1]))
			for b := range n {
				one, other := v[2+2*b]-v[0], v[1]-v[3+2*b] // two differences of b
				if m := other - one; kernel.Finite(m) {
					mixed[b] += square(m)
					single[b] += square(one) + square(other)
					for _, value := range [4]float64{v[0], v[1], v[2+2*b], v[3+2*b]} {
						noise[b] += square(p.grain.Of(value))
					}
				}
			}
		}
	}
	least := moving * floor
	if p.noisy() { // what is certain of a coupling, for blocks that are louder than noise
		for b := range n {
			_, certain, _ := interval(mixed[b], noise[b], alones)
			mixed[b] = square(certain)
		}
		least = louder * floor
	}
	for b := range n {
		// A block that hardly changes f cannot be tested: its differences are rounding.
		if ratio := math.Sqrt(mixed[b] / single[b]); math.Sqrt(single[b]) > least && (c.Culprit < 0 || ratio > c.Alone) {
			c.Alone, c.Culprit = ratio, b
		}
	}
	return nil
}

// apart asks for f(x), f(x+h), then f(x+h_b) and f(x+h−h_b) for each block, for so many
// x and h that are drawn, with that part of h, or so much of it that all are within the
// bounds.
func (p *prober) apart(w *frame.Frame, blocks [][]int, points int, part float64) ([]float64, error) {
	var x, to []float64
	var t float64
	steps := make([][]float64, len(blocks)) // h_b
	each := 2 + 2*len(blocks)
	return p.ask(points*each, func(k int, row []float64) {
		if k %= each; k == 0 {
			var h []float64
			x, h = p.way(w)
			for b, block := range blocks {
				steps[b] = along(w, block, h)
			}
			t = min(p.within(x, steps...), part)
			to = slices.Clone(x)
			for _, step := range steps {
				kernel.AddScaled(to, t, step)
			}
		}
		copy(row, [2][]float64{x, to}[k%2])
		if k >= 2 {
			kernel.AddScaled(row, [2]float64{t, -t}[k%2], steps[k/2-1])
		}
	})
}

// beyond looks whether f is constant in the directions that a frame leaves out.
func (p *prober) beyond(c *Certificate, w *frame.Frame) error {
	q := mat.DenseCopyOf(w.Matrix())
	kernel.Orthonormalise(q.RawMatrix())
	var inside, outside, noise float64
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
			noise += square(p.grain.Of(values[0])) + square(p.grain.Of(values[2]))
			if change := values[1] - values[0]; kernel.Finite(change) {
				inside += square(change)
			}
		}
	}
	if p.noisy() {
		_, outside, _ = interval(outside, noise, beyonds)
		outside = square(outside)
	}
	if outside > 0 {
		c.Beyond = math.Sqrt(outside / (inside + outside))
	}
	return nil
}
