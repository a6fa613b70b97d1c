package problem

import (
	"context"
	"math"
	"strconv"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A spoiler changes clean values at points into worse ones.
type spoiler func(ctx context.Context, points *mat.Dense, values []float64)

// Blemished says whether the values of Evaluate differ from those of Clean. A coupling is
// part of the clean function.
func (p *Problem) Blemished() bool { return len(p.spoilers) > 0 }

// spoil adds the blemishes of the Spec to a clean problem.
func (p *Problem) spoil(seed rng.Seed) error {
	b := p.spec.Blemishes
	s := math.NaN()
	if b.Coupling > 0 || b.Noise > 0 || b.Map != "" && b.Map != "rms" {
		s = p.deviation(p.cleanly)
	}
	if b.Coupling > 0 {
		if err := p.couple(b, s, seed.Stream("problem", "coupling")); err != nil {
			return err
		}
	}
	if b.Single {
		p.add(p.inSingle())
	}
	if b.Map != "" {
		if !usable(s) && b.Map != "rms" {
			return objective.BadOption("Map", "%q needs a function that varies over the domain, and its standard deviation is %v", b.Map, s)
		}
		p.add(mapped(outerMaps[b.Map], p.minimum, s, p.spec.Components))
		if b.Noise > 0 {
			s = p.deviation(p.spoilt)
		}
	}
	if b.Noise > 0 {
		if !usable(s) {
			return objective.BadOption("Noise", "needs a function that varies over the domain, and its standard deviation is %v", s)
		}
		p.add(noisy(b.Noise*s, numbersOf(seed, "noise")))
	}
	if b.NoiseRelative > 0 {
		p.add(relativelyNoisy(b.NoiseRelative, numbersOf(seed, "noise-relative")))
	}
	if b.ScaleValue != 0 || b.Offset != 0 {
		p.add(inOtherUnits(b.ScaleValue, b.Offset))
	}
	if b.Digits > 0 {
		p.add(rounded(b.Digits))
	}
	if b.Failing > 0 {
		p.add(failing(b.Failing, numbersOf(seed, "failing")))
	}
	if b.FailingBeyond != nil {
		p.add(p.failingBeyond(*b.FailingBeyond, seed.Stream("problem", "failing-beyond")))
	}
	return nil
}

func (p *Problem) add(s spoiler) { p.spoilers = append(p.spoilers, s) }

// usable says whether one can divide by a standard deviation.
func usable(s float64) bool { return s > 0 && !math.IsInf(s, 1) }

// mapped: φ(v), v = f − min f. Rounding does not make v negative.
func mapped(phi outerMap, minimum, s float64, m int) spoiler {
	return func(_ context.Context, _ *mat.Dense, values []float64) {
		for i, f := range values {
			values[i] = phi(max(f-minimum, 0), s, m)
		}
	}
}

// An outerMap is an increasing φ(v) for v ≥ 0, where f has the standard deviation s and m
// components.
type outerMap func(v, s float64, m int) float64

var mapOrder = []string{"sqrt", "log", "square", "exp", "rms"}

var outerMaps = map[string]outerMap{
	"sqrt":   func(v, s float64, _ int) float64 { return math.Sqrt(1 + float64(v/s)) },
	"log":    func(v, s float64, _ int) float64 { return kernel.LogOf(1 + float64(v/s)) },
	"square": func(v, s float64, _ int) float64 { return square(v / s) },
	"exp":    func(v, s float64, _ int) float64 { return kernel.ExpOf(v / s) },
	"rms":    func(v, _ float64, m int) float64 { return math.Sqrt(v / float64(m)) },
}

// noisy: plus amount·ξ, where ξ belongs to the number of the query. What is not finite
// stays as it is.
func noisy(amount float64, xi numbers) spoiler {
	return func(ctx context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			if kernel.Finite(v) {
				values[i] = v + float64(amount*xi.gaussian(query.NumberOf(ctx, i)))
			}
		}
	}
}

// relativelyNoisy: times 1 + amount·ξ.
func relativelyNoisy(amount float64, xi numbers) spoiler {
	return func(ctx context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			if kernel.Finite(v) {
				values[i] = v * (1 + float64(amount*xi.gaussian(query.NumberOf(ctx, i))))
			}
		}
	}
}

// inOtherUnits: a·f + b; a = 0 stands for 1.
func inOtherUnits(a, b float64) spoiler {
	if a == 0 {
		a = 1
	}
	return func(_ context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			values[i] = float64(a*v) + b
		}
	}
}

// rounded: to n significant digits.
func rounded(n int) spoiler {
	return func(_ context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			values[i] = toDigits(v, n)
		}
	}
}

// toDigits returns v as a program would print and read it with n significant digits. What
// is not finite, or would not be, stays as it is.
func toDigits(v float64, n int) float64 {
	var text [32]byte
	near, err := strconv.ParseFloat(string(strconv.AppendFloat(text[:0], v, 'e', n-1, 64)), 64)
	if err != nil {
		return v
	}
	return near
}

// failing: NaN at a share of all points, by a hash of the point. x* is a point like any
// other.
func failing(share float64, hash numbers) spoiler {
	return func(_ context.Context, points *mat.Dense, values []float64) {
		for i := range values {
			if hash.at(points.RawRowView(i)) < share {
				values[i] = math.NaN()
			}
		}
	}
}

// failingBeyond: NaN where ⟨n, x−x*⟩ > t widths of the domain, n a random unit vector.
func (p *Problem) failingBeyond(t float64, r *rng.Stream) spoiler {
	n := make([]float64, p.Dim())
	r.Norm(n)
	kernel.Normalise(n)
	limit := kernel.Dot(n, p.minimiser) + float64(t*(p.domain.Hi[0]-p.domain.Lo[0]))
	return func(_ context.Context, points *mat.Dense, values []float64) {
		for i := range values {
			if kernel.Dot(n, points.RawRowView(i)) > limit {
				values[i] = math.NaN()
			}
		}
	}
}
