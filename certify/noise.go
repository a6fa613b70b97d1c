package certify

import "math"

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
