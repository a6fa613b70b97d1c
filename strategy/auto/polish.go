package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A polisher takes Newton steps along all single components at once: in the frame the
// Hessian is diagonal.
type polisher struct {
	f  *watched
	at *coordinates
	// bowl says that f is quadratic and that no second difference has contradicted
	// that it has a minimum: then a Newton step may be of any length.
	bowl bool
}

// Differences are taken over parts of a component's scale, since the slope by differences
// over ε is wrong by ε²f‴/6: over 1/50 of it, where rounding is far away, and then over
// 1/1000, where ε²f‴ is below what another step gains. A quadratic has no f‴ and is
// measured over a whole scale.
var (
	finePolish = []float64{50, 1000}
	bowlPolish = []float64{1}
)

// mostSteps is how many Newton steps are taken with differences of the same length. As a
// rule they converge quadratically and few are needed. Where f_j is as flat as y⁴ or y⁶ a
// step removes a third or a fifth of the way only, and sixty leave 1e-11 or 1e-6 of it.
// The most that different powers took at d = 20 was 20.
const mostSteps = 60

// polish takes Newton steps from the best point as long as they help, with differences
// over 1/parts[0] of each component's scale, then over 1/parts[1], and so on.
func (p *polisher) polish(ctx context.Context, parts []float64) error {
	if len(p.at.singles) == 0 {
		return nil
	}
	p.f.stage(polishing)
	for _, part := range parts {
		for range mostSteps {
			before := p.f.best.Value
			if _, err := p.newton(ctx, p.f.best, part); err != nil {
				return err
			}
			if !(before-p.f.best.Value > p.f.tolerance()) {
				break
			}
		}
	}
	return nil
}

// downhill is how far a step goes where f_j″ ≤ 0, as a part of the scale.
const downhill = 1. / 4

// newton takes one step from a point
//
//	t_j = −f_j′/f_j″   along u_j,
//
// at most the scale of the component unless f is a bowl, and a quarter of it downhill
// where f_j″ ≤ 0. It returns the point it came to, the same if none was better.
func (p *polisher) newton(ctx context.Context, from objective.Best, part float64) (objective.Best, error) {
	x, fx := slices.Clone(from.Point), from.Value
	here := objective.Best{Point: x, Value: fx} // from may be the best point, which moves
	eps := p.differences(x, part)
	values, err := p.beside(ctx, x, eps)
	if err != nil {
		return here, err
	}
	if p.bowl && hollow(p.f.grain, fx, values) {
		p.bowl = false
		return here, nil
	}
	step := make([]float64, len(x))
	for k, j := range p.at.singles {
		scale := p.at.scale[j]
		up, down := values[2*k]-fx, values[2*k+1]-fx
		slope, bend := (up-down)/(2*eps[k]), (up+down)/(eps[k]*eps[k])
		t := -math.Copysign(downhill*scale, slope)
		if bend > 0 {
			if t = -slope / bend; !p.bowl {
				t = min(max(t, -scale), scale)
			}
		}
		if !(eps[k] > 0) || math.IsNaN(t) || math.IsInf(slope, 0) {
			continue // on a face, or f failed beside x
		}
		p.at.move(step, t, j)
	}
	return p.descend(ctx, here, step)
}

// hollow reports whether one of the second differences is not above rounding.
func hollow(grain objective.Grain, fx float64, values []float64) bool {
	for k := 0; k < len(values); k += 2 {
		if !((values[k]-fx)+(values[k+1]-fx) > objective.OfCurvature*grain.Of(fx)) {
			return true
		}
	}
	return false
}

// differences returns a part of each component's scale, or what fits between x and the
// bounds: 0 on a face.
func (p *polisher) differences(x []float64, part float64) []float64 {
	eps := make([]float64, len(p.at.singles))
	for k, j := range p.at.singles {
		least, most := p.at.room(x, j)
		eps[k] = min(p.at.scale[j]/part, -least, most)
	}
	return eps
}

// beside returns f at x + ε_k u_k and x − ε_k u_k for each component.
func (p *polisher) beside(ctx context.Context, x, eps []float64) ([]float64, error) {
	return objective.Ask(ctx, p.f, 2*len(eps), func(k int, row []float64) {
		copy(row, x)
		p.at.move(row, [2]float64{1, -1}[k%2]*eps[k/2], p.at.singles[k/2])
	})
}

// lengths are the parts of a step that are tried: the whole, and if that is no better
// shorter ones, together.
var lengths = [][]float64{{1}, {0.5, 0.25, 0.1, 0.01}}

// descend asks for x + step, and if that is no better than x for shorter steps, all of
// them within the bounds. It returns the best of them, or x.
func (p *polisher) descend(ctx context.Context, x objective.Best, step []float64) (objective.Best, error) {
	best := objective.Best{Point: slices.Clone(x.Point), Value: x.Value}
	_, most := limits(p.at.bounds, x.Point, step)
	for _, parts := range lengths {
		var points [][]float64
		values, err := objective.Ask(ctx, p.f, len(parts), func(k int, row []float64) {
			copy(row, x.Point)
			kernel.AddScaled(row, min(parts[k], most), step)
			points = append(points, slices.Clone(row))
		})
		if err != nil {
			return best, err
		}
		for k, v := range values {
			best.Offer(points[k], v)
		}
		if best.Value < x.Value {
			break
		}
	}
	return best, nil
}
