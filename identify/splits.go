package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// halves draws a point x and the steps h_A and h_B.
type halves func() (x, a, b []float64)

// splitting tests random splits of so many blocks. It reaches no verdict.
func (s *surveyor) splitting(blocks int, draw halves) (Certificate, error) {
	c := Certificate{Verdict: Unknown, Culprit: -1}
	var mixed, single, rounding float64
	for blocks > 1 && c.Splits < splits && c.Failed < mostFailed {
		x, a, b := draw()
		v, err := s.four(x, a, b, shorter(c.Failed))
		if err != nil {
			return c, err
		}
		m, da, db := (v[3]-v[1])-(v[2]-v[0]), v[1]-v[0], v[2]-v[0]
		if math.IsNaN(m) || math.IsInf(m, 0) {
			c.Failed++
			continue
		}
		c.Splits++
		mixed += square(m)
		single += square(da) + square(db)
		for _, value := range v {
			rounding += square(0x1p-53 * value)
		}
	}
	if single > 0 {
		c.Coupling, c.Rounding = math.Sqrt(mixed/single), math.Sqrt(rounding/single)
	}
	return c, nil
}

// alone splits each block from all others, at some points, for 2n + 4 queries
// each.
func (s *surveyor) alone(c *Certificate, f *frame.Frame, blocks [][]int) error {
	n := len(blocks)
	mixed, single, floor := make([]float64, n), make([]float64, n), 0.0
	for done, failed := 0, 0; done < alones && failed < attempts; {
		x, h := s.way(f)
		steps := make([][]float64, n) // h_b
		for b, block := range blocks {
			steps[b] = along(f, block, h)
		}
		t := min(s.within(x, steps...), shorter(c.Failed+10*failed))
		to := slices.Clone(x)
		for _, step := range steps {
			kernel.AddScaled(to, t, step)
		}
		if ok, err := s.bothFinite(x, to); !ok || err != nil {
			if err != nil {
				return err
			}
			failed++
			continue
		}
		done++
		// f(x), f(x+h), then f(x+h_b) and f(x+h−h_b) for each block.
		v, err := s.ask(2+2*n, func(k int, row []float64) {
			copy(row, [2][]float64{x, to}[k%2])
			if k >= 2 {
				kernel.AddScaled(row, [2]float64{t, -t}[k%2], steps[k/2-1])
			}
		})
		if err != nil {
			return err
		}
		floor = max(floor, 0x1p-50*math.Abs(v[0]), 0x1p-50*math.Abs(v[1]))
		for b := range n {
			one, other := v[2+2*b]-v[0], v[1]-v[3+2*b] // two differences of b
			if m := other - one; !math.IsNaN(m) && !math.IsInf(m, 0) {
				mixed[b] += square(m)
				single[b] += square(one) + square(other)
			}
		}
	}
	for b := range n {
		// One that hardly moves f cannot be tested: its differences are rounding.
		if ratio := math.Sqrt(mixed[b] / single[b]); math.Sqrt(single[b]) > 1e3*floor && (c.Culprit < 0 || ratio > c.Alone) {
			c.Alone, c.Culprit = ratio, b
		}
	}
	return nil
}

// bothFinite reports whether f is finite at two points.
func (s *surveyor) bothFinite(x, y []float64) (bool, error) {
	if ok, err := s.finite(x); !ok || err != nil {
		return false, err
	}
	return s.finite(y)
}

// beyond looks whether f is constant in the directions that a frame leaves out.
func (s *surveyor) beyond(c *Certificate, f *frame.Frame) error {
	q := mat.DenseCopyOf(f.Matrix())
	kernel.Orthonormalise(q.RawMatrix())
	var inside, outside float64
	for range beyonds {
		x, to := s.anywhere(), s.anywhere()
		v := slices.Clone(to)
		kernel.AddScaled(v, -1, x)
		project(q, v)
		values, err := s.ask(3, func(k int, row []float64) {
			copy(row, [3][]float64{x, to, x}[k])
			if k == 2 {
				kernel.AddScaled(row, s.within(x, v), v)
			}
		})
		if err != nil {
			return err
		}
		if change := values[2] - values[0]; !math.IsNaN(change) && !math.IsInf(change, 0) {
			outside += square(change)
			inside += square(orZero(values[1] - values[0]))
		}
	}
	if outside > 0 {
		c.Beyond = math.Sqrt(outside / (inside + outside))
	}
	return nil
}

// shorter is the part of the way that is gone after so many failures: where f
// fails outside its box, only short steps stay inside. They must not be very
// short: beside single differences mixed ones vanish with the steps.
func shorter(failed int) float64 { return math.Ldexp(1, -min(failed/10, 3)) }

// four asks for f at x, x+h_A, x+h_B and x+h_A+h_B, with that part of the steps,
// or so much of them that all are within the bounds.
func (s *surveyor) four(x, a, b []float64, part float64) ([]float64, error) {
	t := min(part, s.within(x, a, b))
	return s.ask(4, func(k int, row []float64) {
		copy(row, x)
		for side, step := range [2][]float64{a, b} {
			if k>>side&1 == 1 {
				kernel.AddScaled(row, t, step)
			}
		}
	})
}

// way draws a point x and the way to another, as coordinates of a frame.
func (s *surveyor) way(f *frame.Frame) (x, h []float64) {
	x, to := s.anywhere(), s.anywhere()
	h = make([]float64, f.Components())
	kernel.AddScaled(to, -1, x)
	kernel.MulVec(h, f.Matrix().RawMatrix(), to)
	return x, h
}

// along returns Σ h_i u_i over a block.
func along(f *frame.Frame, block []int, h []float64) []float64 {
	step, u := make([]float64, f.Dim()), make([]float64, f.Dim())
	for _, i := range block {
		f.Direction(u, i)
		kernel.AddScaled(step, h[i], u)
	}
	return step
}

// halves draws two points and splits the way from one to the other.
func (s *surveyor) halves(f *frame.Frame, blocks [][]int) (x, a, b []float64) {
	x, h := s.way(f)
	var sides [2][]int
	for k, side := range s.sides(len(blocks)) {
		sides[side] = append(sides[side], blocks[k]...)
	}
	return x, along(f, sides[0], h), along(f, sides[1], h)
}

// sides throws n blocks on two sides, one at least on each.
func (s *surveyor) sides(n int) []int {
	side := make([]int, n)
	for k := range side {
		side[k] = s.stream.IntN(2)
	}
	first := s.stream.IntN(n)
	side[first], side[(first+1)%n] = 0, 1
	return side
}

// within returns the largest of about 1, ½, ¼, … by which the steps may be taken from
// x, one by one and together, without leaving the bounds.
func (s *surveyor) within(x []float64, steps ...[]float64) float64 {
	t := 1.0
	for i := range x {
		least, most := 0.0, 0.0 // the furthest that any of them goes
		for _, step := range steps {
			least += min(step[i], 0)
			most += max(step[i], 0)
		}
		for t > 0x1p-60 && (x[i]+float64(t*least) < s.bounds.Lo[i] || x[i]+float64(t*most) > s.bounds.Hi[i]) {
			t /= 2
		}
	}
	return t * (1 - 1e-9) // rounding must not leave the bounds either
}
