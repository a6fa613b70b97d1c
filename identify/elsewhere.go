package identify

import (
	"errors"
	"math"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/hessian"
)

// errElsewhere ends a survey of the box that has found a frame elsewhere.
var errElsewhere = errors.New("identify: the frame was found elsewhere")

// An elsewhere looks for a frame around a local minimum, once, where few points of the box
// see the components of f: there all of them curve.
type elsewhere struct {
	w      *work
	found  Finding // what is known of f
	span   *span   // all of space, or not even that
	tried  bool
	better *Finding // what it has found; nil: nothing
}

// look finds and certifies a frame around a local minimum. Its error is errElsewhere if f
// separates in it.
func (e *elsewhere) look() error {
	if e.tried {
		return nil
	}
	e.tried = true
	e.w.stage(hessians)
	better, err := e.attempt()
	for _, nothing := range []error{ErrNotFinite, ErrNoStep, ErrSingular, ErrConstant} {
		if errors.Is(err, nothing) {
			return nil
		}
	}
	if err == nil && better != nil {
		e.better, err = better, errElsewhere
	}
	return err
}

// attempt returns the finding; nil: f does not separate.
func (e *elsewhere) attempt() (*Finding, error) {
	local, white, chain, err := inValley(e.w.g, e.span.curved)
	if err != nil {
		return nil, err
	}
	if weakest(white.Lambda) <= weakest(reversed(e.found.Spectrum.Values)) {
		return nil, nil // there is less to see than elsewhere
	}
	there, found := *e.w, e.found
	there.g, there.seen = local, hessian.Basis{}
	p, best, err := there.propose(white, chain, nil, nil)
	if err != nil || p.settled == nil {
		return nil, err
	}
	if err := there.conclude(&found, e.span, p, best); err != nil {
		return nil, err
	}
	if v := found.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return nil, nil
	}
	return &found, nil
}

// weakest returns the quarter of ascending curvatures: the weakest may be chance.
func weakest(lambda []float64) float64 { return lambda[len(lambda)/4] }

// or returns what was found elsewhere, or else what was found in the box.
func (e *elsewhere) or(found *Finding) *Finding {
	if e.better != nil {
		return e.better
	}
	return found
}

// end returns the error that ends the survey: none, if it has found something elsewhere.
func (e *elsewhere) end(err error) error {
	if errors.Is(err, errElsewhere) {
		return nil
	}
	return err
}

// A component is not seen at a point where it curves by less than dim of what it does
// elsewhere. Where that is so for one in unseenOf of all components and points, f may be
// straight in most places. With d = 20, of sums of log cosh it were 8 to 18 in a hundred,
// and of functions that do not separate mostly 3 or less.
const (
	dim      = 0.01
	unseenOf = 20
)

// unseen reports whether many points do not see components.
func unseen(c *candidate) bool {
	blind, all := 0, 0
	for _, seen := range c.sightings {
		for i, l := range seen.lambda {
			if math.IsNaN(l) {
				continue
			}
			if all++; math.Abs(l) < dim*c.curvature[i] {
				blind++
			}
		}
	}
	return blind*unseenOf > all
}
