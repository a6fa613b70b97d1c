package identify

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
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
// which blocks. All of it is from fresh points of the start box.
//
// The blocks are split at random into two halves A and B, and
//
//	M = f(x+h_A+h_B) − f(x+h_A) − f(x+h_B) + f(x)
//
// is held against the single differences D_A = f(x+h_A) − f(x) and D_B. If f
// separates, M = 0 for steps of any length; here x + h_A + h_B is another point
// of the box. A pair of blocks that couples is on both sides of a split every
// other time, so that it escapes n splits with probability 2⁻ⁿ. So that a weak
// coupling is not lost beside a component that moves f much, each block is also
// split from all others and held against its own differences alone; and where
// the frame has fewer components than dimensions f must be constant in all
// other directions.
type Certificate struct {
	Verdict Verdict

	// Coupling is √(ΣM²/Σ(D_A²+D_B²)) over all splits.
	Coupling float64
	// Alone is the same for the worst block by itself, and Culprit is that
	// block; -1: none could be tested.
	Alone   float64
	Culprit int
	// Beyond is how much f changes in directions that the frame leaves out, as a
	// part of what it does in those of the frame.
	Beyond float64
	// Rounding is what Coupling would be if the M were no more than the rounding
	// of f.
	Rounding float64
	// Splits is how many splits were tested, and Failed how many more met a
	// value that was not finite.
	Splits, Failed int
}

const (
	limit      = 1e-3 // the Coupling, and Beyond, up to which a frame counts as separating
	aloneLimit = 0.1  // the same for Alone, whose own differences may be small by chance
	splits     = 20
	mostFailed = 5 * splits
	alones     = 3 // points at which each block is split from all others
	beyonds    = 4 // points at which the directions left out are looked at
)

// String says it in words.
func (c Certificate) String() string {
	if c.Splits == 0 {
		return fmt.Sprintf("%s (no split was tested)", c.Verdict)
	}
	alone := ""
	if c.Culprit >= 0 {
		alone = fmt.Sprintf(", %.1e for the worst alone", c.Alone)
	}
	return fmt.Sprintf("%s (mixed differences are %.1e of single ones over %d random splits%s; rounding %.0e)",
		c.Verdict, c.Coupling, c.Splits, alone, c.Rounding)
}

// certify tests a frame and its blocks.
func (s *surveyor) certify(f *frame.Frame, blocks [][]int) (Certificate, error) {
	c, err := s.splitting(len(blocks), func() (x, a, b []float64) { return s.halves(f, blocks) })
	if err == nil && len(blocks) > 1 {
		err = s.alone(&c, f, blocks)
	}
	if err == nil && f.Components() < f.Dim() {
		err = s.beyond(&c, f)
	}
	if err != nil {
		c.Verdict = Unknown
		return c, err
	}
	c.decide(f.Components(), len(blocks))
	return c, nil
}

// decide reaches the verdict on so many components in so many blocks.
func (c *Certificate) decide(components, blocks int) {
	switch hidden := 10 * c.Rounding; {
	case blocks > 1 && c.Splits < splits/2: // f was hardly anywhere finite
		c.Verdict = Unknown
	case blocks == 1 && components > 1, c.Coupling > max(limit, hidden), c.Alone > aloneLimit, c.Beyond > limit:
		c.Verdict = NotSeparable
	case hidden > limit: // rounding may hide anything
		c.Verdict = Unknown
	case blocks == components:
		c.Verdict = Separable
	default:
		c.Verdict = Blocked
	}
}

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
