package leastsquares

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Problem is residuals that can be evaluated, within bounds.
type Problem struct {
	Lo, Hi []float64 // may be infinite
	// Residuals evaluates a batch of points. A row is nil where that has failed.
	Residuals func(points [][]float64) ([][]float64, error)
}

// A Fit is where a descent has come to.
type Fit struct {
	X, R []float64
	F    float64
	// J is the Jacobian of r, at X if Fresh and otherwise updated by Broyden's formula since; nil: there
	// is none yet.
	J     *mat.Dense
	Fresh bool
	First *mat.Dense // the first Jacobian
}

// The tolerances of a descent.
const (
	firstStep = 1.6858739404357612e-7 // of differences, relative to the coordinate or to 1: 2^−22.5, near √ε, where rounding and curvature cost about the same, and not a round number
	moreStep  = 100.                  // the step grows by this where residuals turn out to be noisy
	mostStep  = 1e-2                  // and no further
	gainTol   = 1e-14                 // a predicted gain below this part of F is none
	stepTol   = 1e-11                 // and so is a step below this part of the point's size
	slopeTol  = 1e-10                 // and a cosine between r and a column of J below this
	tiny      = 1e-3                  // a step this short that fails by a new J is a sign of noise,
	noiseTol  = 1e-8                  // if it has promised to gain more than this part of F
	most      = 1000                  // steps
)

// Descend descends from a point. r0 are the residuals there, nil if they are not known. When
// Residuals returns an error, so does Descend, with the best point so far.
func Descend(p Problem, x0, r0 []float64) (Fit, error) {
	s := &descent{Problem: p, h: firstStep, Fit: Fit{X: slices.Clone(x0), R: r0, F: sumOfSquares(r0)}}
	if err := s.differentiate(); err != nil || s.J == nil {
		return s.Fit, err
	}
	s.radius = s.size()
	for range most {
		done, err := s.step()
		if done || err != nil {
			return s.Fit, err
		}
	}
	return s.Fit, nil
}

// A descent is one that is going on.
type descent struct {
	Problem
	Fit
	h      float64   // relative step of differences
	d      []float64 // D: the largest length of each column so far
	radius float64   // Δ
	rate   float64   // what the last step with a new J gained for each of its queries, as a part of log F
	stale  int       // steps since J was new
	failed float64   // the ratio of the last step that has failed by a new J
	Patience
}

// step makes one step. It reports whether there is nothing more to gain.
func (s *descent) step() (done bool, err error) {
	p, predicted, bent := s.propose(s.radius)
	if s.flat(p, predicted) {
		if s.Fresh {
			return true, nil
		}
		return false, s.differentiate()
	}
	x := make([]float64, len(p))
	for i := range p {
		x[i] = min(max(s.X[i]+p[i], s.Lo[i]), s.Hi[i])
	}
	rows, err := s.Residuals([][]float64{x})
	if err != nil {
		return false, err
	}
	r, was := rows[0], s.Fit
	f := sumOfSquares(r)
	length := s.length(p)
	ratio := (was.F - f) / predicted
	switch {
	case !(ratio >= 0.25) && !was.Fresh: // it is J that was wrong
	case !(ratio >= 0.25):
		s.radius = min(s.radius, length) / 2
	case ratio > 0.75 || !bent:
		s.radius = max(s.radius, 2*length)
	}
	if r != nil {
		s.update(p, r)
	}
	if f < was.F {
		s.X, s.R, s.F = x, r, f
	}
	gained := math.Log(was.F) - math.Log(max(min(f, was.F), math.SmallestNonzeroFloat64))
	if was.Fresh {
		s.rate = gained / float64(len(p)+1)
	}
	s.Fresh = false
	s.stale++
	s.Note(was.Fresh, f < was.F && ratio > 0.1, len(p))
	switch {
	case f < was.F && ratio > 0.1 && (gained >= s.rate && !was.Fresh || was.Fresh && s.Over()) && s.stale <= len(p):
		return false, nil
	case was.Fresh && !(f < was.F): // a shorter step with the same J, which was right there
		s.J, s.Fresh = was.J, true
		slope := float64(2*ratio) - s.failed // what the ratio is at no length, by this step and the last, of twice the length
		s.failed = ratio
		if length < tiny*s.size() && s.stale > 1 && slope < 0.5 && predicted > noiseTol*was.F && s.h < mostStep {
			s.h = min(s.h*moreStep, mostStep)
			return false, s.differentiate()
		}
		return s.radius < stepTol*s.size(), nil
	}
	return false, s.differentiate()
}

// Patience says when a step with old derivatives is worth a try: after one that has failed, twice as many with new ones
// have to be made first.
type Patience struct{ needed, waited int }

// Note notes whether a step in d coordinates was with new derivatives, and whether it went well.
func (p *Patience) Note(fresh, well bool, d int) {
	switch {
	case fresh:
		p.waited++
	case well:
		p.needed = 0
	default:
		p.needed, p.waited = min(2*p.needed+1, d), 0
	}
}

// Over reports whether enough were made.
func (p *Patience) Over() bool { return p.waited > p.needed }

// flat reports whether a step promises nothing.
func (s *descent) flat(p []float64, predicted float64) bool {
	if !(predicted > gainTol*s.F) || s.length(p) < stepTol*s.size() {
		return true
	}
	return s.slope() < slopeTol
}

// size returns ‖D·max(|x|, 1)‖, the size of the point.
func (s *descent) size() (sum float64) {
	for i, v := range s.X {
		w := s.d[i] * max(math.Abs(v), 1)
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

// length returns ‖D·p‖.
func (s *descent) length(p []float64) (sum float64) {
	for i, v := range p {
		w := s.d[i] * v
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

// sumOfSquares returns F of residuals; +Inf: they are not known.
func sumOfSquares(r []float64) (sum float64) {
	if r == nil {
		return math.Inf(1)
	}
	for _, v := range r {
		sum += float64(v * v)
	}
	return sum
}
