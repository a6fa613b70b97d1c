package identify

import (
	"errors"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"gonum.org/v1/gonum/mat"
)

// conclude makes a finding of what was proposed, or of the best candidate if nothing
// was settled.
func (w *work) conclude(found *Finding, s *span, p proposal, best *candidate) error {
	c, slack := p.settled, w.Tolerance
	if c == nil {
		if c, slack = best, 0; c == nil {
			return ErrSingular
		}
	}
	found.Quadratic = p.quadratic
	if w.Measures > 0 && !c.measured && !p.quadratic {
		var err error
		if c, err = c.withSteps(w.g, w.Measures); err != nil {
			return err
		}
	}
	kept, err := prune(w.g, c, p.quadratic)
	if err != nil {
		return err
	}
	found.Residual = c.check.worst()
	if err := w.assemble(found, s, kept, slack); err != nil {
		return err
	}
	found.Quadratic = found.Quadratic && found.Certificate.Verdict == certify.Separable
	return nil
}

// assemble puts the frame of the curved directions and the linear one together,
// and certifies them.
func (w *work) assemble(found *Finding, s *span, kept pruned, slack float64) error {
	f, blocks := kept.frame, kept.blocks
	found.Linear, found.Scale = kept.linear, kept.scale
	if s.linear != nil {
		m := 0
		if f != nil {
			m = f.Components()
		}
		rows := mat.NewDense(m+1, len(s.linear), nil)
		if f != nil {
			rows.Slice(0, m, 0, len(s.linear)).(*mat.Dense).Copy(f.Matrix())
		}
		rows.SetRow(m, s.linear)
		var err error
		if f, err = frame.New(rows); err != nil {
			return err
		}
		blocks = append(slices.Clip(blocks), []int{m})
		found.Linear = m
		found.Scale = append(slices.Clip(found.Scale), w.g.spread(s.linear))
	}
	found.Frame, found.Blocks = f, blocks
	return w.certify(found, slack)
}

// certify certifies the frame of a finding, whose error is known to be at most slack; 0:
// nothing is known.
func (w *work) certify(found *Finding, slack float64) error {
	w.stage(certificate)
	if len(w.seen.Seen) > 0 {
		found.After = w.seen.InFrame(found.Frame)
	}
	var err error
	found.Certificate, err = w.g.test(slack, found.Quadratic).Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	return err
}

// uncurved returns the span of a function that has no curvature.
func (w *work) uncurved() (*span, error) {
	w.stage(reduction)
	s, err := findSpan(w.g, 0)
	if s == nil && err == nil {
		err = ErrSingular
	}
	return s, err
}

// secondThought returns a smaller span if there is a single flat direction, which may be
// why nothing separated; nil if there is none.
func (w *work) secondThought(first hessian.Chain, white hessian.Basis) (*span, error) {
	smaller, err := suspect(w.g, first, white, one, w.stage)
	if errors.Is(err, ErrNotFinite) || errors.Is(err, ErrConstant) {
		return nil, nil
	}
	return smaller, err
}

// orBest returns the finding, with the frame of a candidate if it has none.
func (f Finding) orBest(best *candidate) *Finding {
	if f.Frame == nil && best != nil {
		f.Frame, f.Blocks, f.Residual = best.frame, best.blocks, best.check.worst()
	}
	return &f
}

// reversed returns x in reverse order.
func reversed(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Reverse(x)
	return x
}
