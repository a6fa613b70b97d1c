package identify

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
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
	limit      = 1e-3 // the Coupling up to which a frame counts as separating
	beyond     = 1e-3 // the same for Beyond
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

// certify tests a frame and its blocks, whose error is known to be at most slack
// where that is above rounding.
func (s *surveyor) certify(f *frame.Frame, blocks [][]int, slack float64) (Certificate, error) {
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
	c.decide(f.Components(), len(blocks), slack)
	return c, nil
}

// decide reaches the verdict on so many components in so many blocks. Of a frame with
// an error of slack no more than ten times that is wanted; that each block by itself
// is apart from all others has been checked before.
func (c *Certificate) decide(components, blocks int, slack float64) {
	limit, aloneLimit := limit, aloneLimit
	if slack > defaultTolerance {
		limit, aloneLimit = max(limit, 10*slack), math.Inf(1)
	}
	switch hidden := 10 * c.Rounding; {
	case blocks > 1 && c.Splits < splits/2: // f was hardly anywhere finite
		c.Verdict = Unknown
	case blocks == 1 && components > 1, c.Coupling > max(limit, hidden), c.Alone > aloneLimit, c.Beyond > beyond:
		c.Verdict = NotSeparable
	case hidden > limit: // rounding may hide anything
		c.Verdict = Unknown
	case blocks == components:
		c.Verdict = Separable
	default:
		c.Verdict = Blocked
	}
}
