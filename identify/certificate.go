package identify

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
)

// A Verdict says what a certificate has found.
type Verdict string

// The verdicts.
const (
	Separable    Verdict = "separable"     // into single components
	Blocked      Verdict = "blocks"        // into blocks, some of more than one component
	NotSeparable Verdict = "not-separable" // not in this frame
	Unknown      Verdict = "unknown"       // nothing was certified, for want of queries or of finite values
)

// A Certificate is the measured evidence that a frame separates f, or into
// which blocks.
//
// At fresh points the blocks are split at random into two halves A and B, and
//
//	M = f(x+h_A+h_B) − f(x+h_A) − f(x+h_B) + f(x)
//
// is held against the single differences D_A = f(x+h_A) − f(x) and D_B. If f
// separates, M = 0 for steps of any length; here they lead from one point of
// the box that was sampled to another. A pair of blocks that couples is on both
// sides of a split every other time, so that it escapes n splits with
// probability 2⁻ⁿ.
type Certificate struct {
	Verdict Verdict

	// Coupling is √(ΣM²/Σ(D_A²+D_B²)) over all splits.
	Coupling float64
	// Rounding is what it would be if the M were no more than the rounding of f.
	Rounding float64
	// Splits is how many splits were tested, and Failed how many more met a
	// value that was not finite.
	Splits, Failed int
}

// The coupling up to which a frame counts as separating.
const limit = 1e-3

// String says it in words.
func (c Certificate) String() string {
	if c.Splits == 0 {
		return fmt.Sprintf("%s (one block, nothing to test)", c.Verdict)
	}
	return fmt.Sprintf("%s (mixed differences are %.1e of single ones over %d random splits; rounding alone %.0e)",
		c.Verdict, c.Coupling, c.Splits, c.Rounding)
}

const (
	splits     = 20
	mostFailed = 5 * splits
)

// halves draws a point x and the steps h_A and h_B.
type halves func() (x, a, b []float64)

// certify tests a frame and its blocks.
func (s *surveyor) certify(f *frame.Frame, blocks [][]int) (Certificate, error) {
	return s.splitting(f.Components(), len(blocks), func() (x, a, b []float64) {
		return s.halves(f, blocks)
	})
}

// splitting certifies so many components in so many blocks.
func (s *surveyor) splitting(components, blocks int, draw halves) (Certificate, error) {
	var c Certificate
	var mixed, single, rounding float64
	for blocks > 1 && c.Splits < splits && c.Failed < mostFailed {
		x, a, b := draw()
		v, err := s.four(x, a, b)
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
	switch {
	case c.Splits == 0 && blocks > 1:
		c.Verdict = Unknown // f was nowhere finite
	case blocks == 1 && components > 1, c.Coupling > max(limit, 10*c.Rounding):
		c.Verdict = NotSeparable
	case blocks == components:
		c.Verdict = Separable
	default:
		c.Verdict = Blocked
	}
	return c, nil
}

// four asks for f at x, x+h_A, x+h_B and x+h_A+h_B, with steps so short that
// all are within the bounds.
func (s *surveyor) four(x, a, b []float64) ([]float64, error) {
	t := s.within(x, a, b)
	return s.ask(4, func(k int, row []float64) {
		copy(row, x)
		for side, step := range [2][]float64{a, b} {
			if k>>side&1 == 1 {
				kernel.AddScaled(row, t, step)
			}
		}
	})
}

// halves draws two points and splits the way from one to the other.
func (s *surveyor) halves(f *frame.Frame, blocks [][]int) (x, a, b []float64) {
	d := f.Dim()
	x, to, y := s.draw(), s.draw(), make([]float64, f.Components())
	kernel.AddScaled(to, -1, x)
	kernel.MulVec(y, f.Matrix().RawMatrix(), to)
	steps, u := [2][]float64{make([]float64, d), make([]float64, d)}, make([]float64, d)
	side := s.sides(len(blocks))
	for k, block := range blocks {
		for _, i := range block {
			f.Direction(u, i)
			kernel.AddScaled(steps[side[k]], y[i], u)
		}
	}
	return x, steps[0], steps[1]
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
