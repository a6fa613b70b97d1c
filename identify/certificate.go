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

// certify tests a frame and its blocks.
func (s *surveyor) certify(f *frame.Frame, blocks [][]int) (Certificate, error) {
	var c Certificate
	var mixed, single, rounding float64
	for len(blocks) > 1 && c.Splits < splits && c.Failed < mostFailed {
		v, err := s.split(f, blocks)
		if err != nil {
			return c, err
		}
		m, a, b := (v[3]-v[1])-(v[2]-v[0]), v[1]-v[0], v[2]-v[0]
		if math.IsNaN(m) || math.IsInf(m, 0) {
			c.Failed++
			continue
		}
		c.Splits++
		mixed += square(m)
		single += square(a) + square(b)
		for _, value := range v {
			rounding += square(0x1p-53 * value)
		}
	}
	if single > 0 {
		c.Coupling, c.Rounding = math.Sqrt(mixed/single), math.Sqrt(rounding/single)
	}
	switch {
	case c.Splits == 0 && f.Components() > 1 && len(blocks) > 1:
		c.Verdict = Unknown // f was nowhere finite
	case len(blocks) == 1 && f.Components() > 1, c.Coupling > max(limit, 10*c.Rounding):
		c.Verdict = NotSeparable
	case len(blocks) == f.Components():
		c.Verdict = Separable
	default:
		c.Verdict = Blocked
	}
	return c, nil
}

// split asks for f at x, x+h_A, x+h_B and x+h_A+h_B.
func (s *surveyor) split(f *frame.Frame, blocks [][]int) ([]float64, error) {
	d := f.Dim()
	x, to, y := s.draw(), s.draw(), make([]float64, f.Components())
	kernel.AddScaled(to, -1, x)
	kernel.MulVec(y, f.Matrix().RawMatrix(), to)
	steps := [2][]float64{make([]float64, d), make([]float64, d)} // h_A, h_B
	u := make([]float64, d)
	first := s.stream.IntN(len(blocks)) // is in A, the one after it in B
	for b, block := range blocks {
		side := s.stream.IntN(2)
		switch b {
		case first:
			side = 0
		case (first + 1) % len(blocks):
			side = 1
		}
		for _, i := range block {
			f.Direction(u, i)
			kernel.AddScaled(steps[side], y[i], u)
		}
	}
	t := s.within(x, steps[0], steps[1])
	return s.ask(4, func(k int, row []float64) {
		copy(row, x)
		for side, step := range steps {
			if k>>side&1 == 1 {
				kernel.AddScaled(row, t, step)
			}
		}
	})
}

// within returns the largest of 1, ½, ¼, … by which the steps may be taken from
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
	return t
}
