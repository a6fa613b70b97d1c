package auto

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// measure measures how exact f's values are, unless the task says it. With so few queries that no coordinates are looked for
// it does not, nor for the paper's way to find them.
func (r *run) measure(ctx context.Context) error {
	d := r.f.Dim()
	_, paper := r.task.Identifier.(identify.Paper)
	switch {
	case r.measured:
		return nil
	case r.task.NoiseLevel > 0:
		r.grainKnown(objective.Known(r.task.NoiseLevel))
		return nil
	case paper || r.task.Budget < min(perDimension*d, identify.Least(d)):
		return nil
	}
	r.f.stage(grains.OfNoise)
	grain, err := grains.Measure(ctx, counted{r.f}, objective.Cube(d, -1, 1), rng.Seed(r.task.Seed).Stream("grain"))
	if err == nil {
		r.grainKnown(grain)
	}
	return err
}

// grainKnown says how exact f's values are.
func (r *run) grainKnown(grain objective.Grain) {
	r.f.grain, r.measured = grain, true
	if grain.Noisy() {
		r.f.noise = newNoise(grain, r.task.Budget, r.task.Seed)
	}
}

func (r *run) request() identify.Request {
	request := r.task.Request()
	request.Grain, request.Stage = r.f.grain, r.f.stage
	return request
}

// nearby measures the errors of a function that computes in single precision again, once, where
// its minimum is about: what it adds up is little there.
func (r *run) nearby(ctx context.Context) error {
	if r.near || r.mapping != nil || r.f.best.Point == nil || r.f.grain.Kind != objective.SinglePrecision {
		return nil
	}
	r.near = true
	r.f.stage(grains.OfNoise)
	grain, err := grains.Nearby(ctx, counted{r.f}, objective.Cube(r.f.Dim(), -1, 1), slices.Clone(r.f.best.Point), r.f.grain, rng.Seed(r.task.Seed).Stream("grain", "nearby"))
	r.f.grain = grain
	return err
}

// A places says whether values are printed with a fixed number of places, like 0.012, and not of
// digits. Where f was measured they may all be of one size, so that nothing tells the one from the
// other. It shows where f is small: with three digits there are values like 0.0123, too.
type places struct {
	digits int     // of the largest values; 0: all
	last   int     // the last decimal place of all values
	missed int     // so many values in turn would have a further one with as many digits, and have not
	at     float64 // the last of them
}

// mostMissed is how many values in turn end with a zero by chance: one in ten does.
const mostMissed = 3

// see takes notice of a value.
func (p *places) see(v float64) {
	if p.digits == 0 || v == 0 || notFinite(v) {
		return
	}
	last, decade := lastPlace(v)
	switch further := p.digits - 1 - decade; {
	case last > p.last:
		p.last, p.missed = last, 0
	case further > p.last && v != p.at:
		p.missed, p.at = p.missed+1, v
	}
}

// lastPlace returns the decimal place of v's last digit, 3 for 0.012, and the decade of its first, −2.
func lastPlace(v float64) (last, decade int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	_, digits, _ := strings.Cut(mantissa, ".")
	decade, err := strconv.Atoi(exponent)
	if err != nil {
		panic("auto: " + err.Error())
	}
	return len(digits) - decade, decade
}

// roundedOff is the standard deviation of what is rounded off where f is v.
func (p *places) roundedOff(g objective.Grain, v float64) float64 {
	if p.missed < mostMissed {
		return g.Of(v)
	}
	return max(g.Of(v), math.Pow10(-p.last)/(2*raster))
}

// Values that are printed with few digits may have noise that their rounding hides where they are large. Near a minimum of 0
// they are small, every digit of them is there, and the noise is all that is left.

// uncovered looks whether f, which was rounded to few digits where it was measured, is random at the best point by more than
// that, and takes notice of it. It asks for that point four times if it is not.
func (r *run) uncovered(ctx context.Context) error {
	f := r.itself()
	n := f.noise
	if n == nil || n.kind != objective.Raster || f.best.Point == nil || f.best.Value == n.uncovered {
		return nil
	}
	x := [][]float64{slices.Clone(f.best.Point)}
	seen, err := f.repeat(ctx, x, atScan/2)
	if err == nil && seen[0].residual > 0 {
		var more []average
		if more, err = f.repeat(ctx, x, 2*atScan); err == nil {
			seen[0].join(more[0])
		}
	}
	n.uncovered = f.best.Value
	if err != nil {
		return err
	}
	if sigma := math.Sqrt(seen[0].variance()); sigma > f.sigma(seen[0].mean()) && !math.IsInf(sigma, 1) {
		n.rounded = f.grain
		f.grain.Kind, f.grain.Absolute = objective.RandomNoise, max(f.grain.Absolute, sigma)
		n.kind = objective.RandomNoise
		n.ahead()
	}
	if r.mapping != nil {
		r.f.queries = f.queries
		r.mapping.revalue(r.f)
	}
	return nil
}
