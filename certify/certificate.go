// Package certify measures how well a frame separates a function.
//
// A frame W̃ (from a survey, from the paper's method, from anywhere) separates f, or
// separates it into blocks, if
//
//	M = f(x+h_A+h_B) − f(x+h_A) − f(x+h_B) + f(x) = 0
//
// for any x and any steps h_A and h_B along different blocks, however long. A Test asks
// f for such mixed differences at random points of a box and returns a Certificate: the
// numbers, and a verdict. Start with Test.Certify.
package certify

import (
	"fmt"
	"math"
)

// A Verdict says what a certificate has found.
type Verdict string

// The verdicts.
const (
	Separable       Verdict = "separable"        // into single components
	Blocks          Verdict = "blocks"           // into blocks, some of more than one component
	NearlySeparable Verdict = "nearly-separable" // into single components but for couplings, which Coupling measures
	NotSeparable    Verdict = "not-separable"    // not in this frame
	Unknown         Verdict = "unknown"          // nothing was certified: too few queries, or too few finite values
)

// A Certificate is the measured evidence that a frame separates f, or into which
// blocks it does. All of it is from fresh random points.
//
// The blocks are split at random into two halves A and B, and the mixed difference M
// is held against the single differences D_A = f(x+h_A) − f(x) and D_B. Here
// x + h_A + h_B is another point of the box, as far as the frame leads there. The two
// blocks of a pair that couples are on different sides of a split every other time, so
// that the pair escapes n splits with probability 2⁻ⁿ. Beside a component that changes f
// much a weak coupling could be lost. So each block is also split from all others and
// held against its own differences alone. Where the frame has fewer components than
// dimensions, f must be constant in all other directions.
type Certificate struct {
	Verdict Verdict

	// Coupling is √(ΣM²/Σ(D_A²+D_B²)) over all splits. Where f has noise, what noise alone
	// would make of ΣM² is subtracted, and Coupling is between Least and Most with a
	// confidence of 95 %.
	Coupling    float64
	Least, Most float64
	// Alone is the same ratio for each block by itself, the worst of all, and Culprit is
	// the block that has it; -1: none could be tested.
	Alone   float64
	Culprit int
	// Beyond is how much f changes in directions that the frame leaves out,
	// √(ΣB²/Σ(B²+C²)): C is the change of f from one random point to another, and B
	// that on the part of this way that the frame leaves out.
	Beyond float64
	// Rounding is what Coupling would be if the M were no more than the grain of f.
	Rounding float64
	// Splits is how many splits were tested, and Failed how many more met a
	// value that was not finite.
	Splits, Failed int
}

// None is the certificate of a frame that was not tested.
func None() Certificate { return Certificate{Verdict: Unknown, Culprit: -1} }

// The limits of a verdict. Over all problems of package problem with d = 10, 20 and 30,
// seeds 0 to 9, the Coupling of frames that are right to 1e-7 was 2e-6 or less where f
// separates, into blocks or not, and the best frames of other functions stood at 0.04 or
// more.
const (
	limit       = 1e-3 // the Coupling up to which a frame counts as separating
	beyondLimit = 1e-3 // the same for Beyond

	// aloneLimit is the same for Alone. A flat component's own differences may be
	// small by chance: right frames stood at 3e-4 or less, and wrong ones that Coupling
	// misses at 0.26 to 1.4.
	aloneLimit = 0.1

	// slackFactor is how many times as large as the known error of a frame its
	// Coupling may be, and aloneFactor the same of Alone: a quarter where a survey is to be exact.
	slackFactor, aloneFactor = 10, 600

	// exactEnough is the slack up to which the usual limits hold.
	exactEnough = 1e-7

	// hidden is how many times Rounding the Coupling must be to count as one.
	hidden = 10

	// longest is the norm of W̃†, whose rows have length 1, up to which a frame can be
	// certified: single differences along directions that are longer hide any coupling.
	longest = 1e7
)

// LeavesOut reports whether f depends on directions that the frame leaves out.
func (c Certificate) LeavesOut() bool { return c.Beyond > beyondLimit }

// String returns the verdict and its evidence, in words.
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

// decide reaches the verdict on so many components in so many blocks: no if the lower limit of the Coupling is too large, and
// yes if the upper one is small enough. Where values are exact these are the Coupling, but for rounding, which may hide
// anything; where there is noise they are Least and Most. A frame whose error is known to be slack is allowed slackFactor times
// that, and single blocks aloneFactor times that. A frame of single components that does
// not separate f nearly does if its Coupling is at most nearly.
func (c *Certificate) decide(components, blocks int, slack, nearly float64, noisy bool) {
	limit, aloneLimit := limit, aloneLimit
	if slack > exactEnough {
		limit, aloneLimit = max(limit, slackFactor*slack), max(aloneLimit, aloneFactor*slack)
	}
	least, most, yes := c.Least, c.Most, min(limit, mostNoisy)
	if !noisy {
		least, most, yes = 0, max(c.Coupling, hidden*c.Rounding), limit
		if c.Coupling > hidden*c.Rounding {
			least = c.Coupling
		}
	}
	switch {
	case blocks > 1 && c.Splits < splits/2: // f was hardly anywhere finite
		c.Verdict = Unknown
	case blocks == 1 && components > 1, least > limit, c.Alone > aloneLimit, c.Beyond > beyondLimit:
		c.Verdict = NotSeparable
		if nearly > 0 && blocks == components && least > limit && c.Coupling <= nearly && c.Beyond <= beyondLimit {
			c.Verdict = NearlySeparable
		}
	case !(most <= yes): // NaN too: squares of f's differences overflow
		c.Verdict = Unknown
	case blocks == components:
		c.Verdict = Separable
	default:
		c.Verdict = Blocks
	}
}

// The limits of a verdict where there is noise.
const (
	// confident is how many standard errors the limits of a confidence interval are from
	// what was measured.
	confident = 2
	// varianceError is the error of the variance of the noise, as a part of it.
	varianceError = 0.3
	// noisySplits is how many splits are tested where there is noise: more make the interval
	// smaller.
	noisySplits = 4 * splits
	// mostNoisy is the Coupling up to which a frame counts as separating at most, however
	// large its error is known to be.
	mostNoisy = 0.1
	// louder is how many times the noise of its mixed difference the differences of a block
	// must be to say anything.
	louder = 10
)

// interval returns the square root of what a sum of n squares says about the couplings in
// it, and the limits between which that is with some confidence. Noise alone would make the
// sum as large as noise, which is known up to a part varianceError; and sums of n squares
// scatter by √(2/n) of what they are. Noise that is more than the whole sum was measured too
// large: of the upper limit no more than the sum is subtracted.
func interval(sum, noise float64, n int) (value, least, most float64) {
	scatter := confident * math.Sqrt(2/float64(max(1, n)))
	root := func(v float64) float64 { return math.Sqrt(max(0, v)) }
	return root(sum - noise), root(sum - float64(noise*(1+scatter+varianceError))), root(float64(sum*(1+scatter)) - float64(min(noise, sum)*(1-varianceError)))
}
