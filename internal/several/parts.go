package several

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/leastsquares"
	"gonum.org/v1/gonum/mat"
)

// A division is what is known of the parts into which residuals fall. Those are found by the Jacobians that descents take
// anyway; if there are several, each query has tried all of them at once, and the best of each can be put together.
type division struct {
	*leastsquares.Parts // nil: there is only one, or it is not known yet
	final               bool
	jacobians           []*mat.Dense
}

// learn takes the first and the last Jacobian of a descent, until parts are known. It reports whether there are several now.
func (p *division) learn(fit leastsquares.Fit) (found bool) {
	for _, j := range []*mat.Dense{fit.First, fit.J} {
		if p.final || j == nil || len(p.jacobians) > 0 && j == p.jacobians[len(p.jacobians)-1] || j == fit.J && !fit.Fresh {
			continue
		}
		p.jacobians = append(p.jacobians, j)
		if parts := leastsquares.FindParts(p.jacobians); parts.Known {
			p.final, p.jacobians = true, nil
			if found = parts.Count > 1; found {
				p.Parts = parts
			}
		}
	}
	return found
}

func (p *division) count() int {
	if p.Parts == nil {
		return 1
	}
	return p.Count
}

// sums returns the sum of squares of each part.
func (p *division) sums(fit leastsquares.Fit) []float64 {
	if p.Parts == nil {
		return []float64{fit.F}
	}
	return p.Sums(fit.R)
}

// merge returns a point with the best parts of some others, as far as they are better and bounds allow, and the
// sum of squares that they promise; nil: that is next to nothing.
func (p *division) merge(s *fitting, at leastsquares.Fit, others ...leastsquares.Fit) (x []float64, promised float64) {
	if p.Parts == nil {
		return nil, 0
	}
	sums, better := p.Sums(at.R), make(map[int][]float64) // of a part, where it is better
	promised = at.F
	least := slices.Clone(sums)
	for _, o := range others {
		for part, v := range p.Sums(o.R) {
			if v < least[part]-s.near(sums[part]) {
				least[part], better[part] = v, o.X
			}
		}
	}
	for moved := true; moved; { // a move that would leave the bounds alone may stay within them after others
		moved = false
		for part := range sums {
			y, ok := better[part]
			if !ok {
				continue
			}
			from := x
			if x == nil {
				from = at.X
			}
			if to, ok := s.inside(p.Move(from, y, part)); ok {
				x, promised, moved = to, promised-sums[part]+least[part], true
				delete(better, part)
			}
		}
	}
	if !(promised < at.F-s.near(at.F)) {
		return nil, 0
	}
	return x, promised
}

// inside returns a point within the bounds, and whether it was, or next to them.
func (s *fitting) inside(x []float64) (in []float64, ok bool) {
	in, ok = make([]float64, len(x)), true
	for k, v := range x {
		in[k] = min(max(v, s.problem.Lo[k]), s.problem.Hi[k])
		ok = ok && math.Abs(in[k]-v) <= besides
	}
	return in, ok
}
