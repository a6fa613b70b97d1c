package auto

import "context"

// A polisher takes Newton steps along all single components at once: in the frame the
// Hessian is diagonal. A stencil for each component says how far.
type polisher struct {
	f  *watched
	at *coordinates
	// bowl says that f is quadratic and that no second difference has contradicted
	// that it has a minimum: then a Newton step may be of any length.
	bowl bool

	polished  *float64  // f where polishing has ended; nil: not yet
	curvature []float64 // f_j″ there, of each single component
}

// The first differences are taken over a part of a component's scale: 1/50, over which a
// parabola fits well and rounding is far away. A quadratic is measured over a whole scale.
const (
	finePolish = 50
	bowlPolish = 1
)

// mostSteps is how many steps are taken at most. As a rule they converge quadratically and
// few are needed. Where f_j is as flat as y⁴ or y⁶ a step removes a third or a fifth of the
// way only, and sixty leave 1e-11 or 1e-6 of it.
const mostSteps = 60

// polish takes Newton steps from the best point as long as they help, at first with
// differences over 1/part of each component's scale.
func (p *polisher) polish(ctx context.Context, part float64) error {
	if len(p.at.singles) == 0 || p.polished != nil && p.f.best.Value == *p.polished {
		return nil
	}
	p.f.begin(polishing, 4*len(p.at.singles)+1) // a step, and differences where it leads
	d := newDescent(p, p.f.best, part)
	err := d.steps(ctx, mostSteps)
	p.polished, p.curvature = &d.fx, d.curvature()
	return err
}

// finest is the gain that counts as none, as a part of the way that f has come since the
// first query, or of what it rises over the scales of all components, if that is less: f may
// have been huge where it was asked first. It is below the rounding of most sums of that
// size, since the terms of a sum may differ by many orders of magnitude.
const finest = 1e-17

// none is the gain that counts as none: finest, or the grain of f.
func (w *watched) none(fx float64) float64 {
	return w.counts(fx, finest, w.spread)
}
