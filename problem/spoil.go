package problem

import (
	"cmp"
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
		phi, before := outerMaps[b.Map], s
		p.add(valuewise(func(f float64) float64 { return phi(max(f-p.minimum, 0), before, p.spec.Components) })) // rounding does not make it negative
		if b.Noise > 0 {
			s = p.deviation(p.spoilt)
		}
	}
	if b.Noise > 0 {
		if !usable(s) {
			return objective.BadOption("Noise", "needs a function that varies over the domain, and its standard deviation is %v", s)
		}
		amount := b.Noise * s
		p.add(noisy(numbersOf(seed, "noise"), func(v, xi float64) float64 { return v + float64(amount*xi) }))
	}
	if b.NoiseRelative > 0 {
		p.add(noisy(numbersOf(seed, "noise-relative"), func(v, xi float64) float64 { return v * (1 + float64(b.NoiseRelative*xi)) }))
	}
	if b.ScaleValue != 0 || b.Offset != 0 {
		a := cmp.Or(b.ScaleValue, 1)
		p.add(valuewise(func(v float64) float64 { return float64(a*v) + b.Offset }))
	}
	if b.Digits > 0 {
		p.add(valuewise(func(v float64) float64 { return toDigits(v, b.Digits) }))
	}
	if b.Failing > 0 {
		hash := numbersOf(seed, "failing") // of the point: x* is one like any other
		p.add(failing(func(x []float64) bool { return hash.at(x) < b.Failing }))
	}
	if b.FailingBeyond != nil {
		p.add(p.failingBeyond(*b.FailingBeyond, seed.Stream("problem", "failing-beyond")))
	}
	return nil
}

func (p *Problem) add(s spoiler) { p.spoilers = append(p.spoilers, s) }

// usable says whether one can divide by a standard deviation.
func usable(s float64) bool { return s > 0 && !math.IsInf(s, 1) }

// valuewise changes each value by itself.
func valuewise(change func(v float64) float64) spoiler {
	return func(_ context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			values[i] = change(v)
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

// noisy changes each value by a ξ that belongs to the number of its query. What is not finite
// stays as it is.
func noisy(numbers numbers, change func(v, xi float64) float64) spoiler {
	return func(ctx context.Context, _ *mat.Dense, values []float64) {
		for i, v := range values {
			if kernel.Finite(v) {
				values[i] = change(v, numbers.gaussian(query.NumberOf(ctx, i)))
			}
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

// failing makes the values of points at which f fails NaN.
func failing(at func(x []float64) bool) spoiler {
	return func(_ context.Context, points *mat.Dense, values []float64) {
		for i := range values {
			if at(points.RawRowView(i)) {
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
	return failing(func(x []float64) bool { return kernel.Dot(n, x) > limit })
}

// inSingle: f as code for a graphics card computes it. Points, W, the products and sums of y = Wx,
// the terms f_j(y_j) and their sum are all rounded to float32, from left to right. A function that
// is no sum of terms is computed in double precision of such a y, and rounded once.
func (p *Problem) inSingle() spoiler {
	return func(_ context.Context, points *mat.Dense, values []float64) {
		s := newScratch(p.spec.Components, p.g.work)
		x := make([]float64, p.Dim())
		for i := range values {
			for k, v := range points.RawRowView(i) {
				x[k] = float64(float32(v))
			}
			y := rows(s.y, 0, 1)
			if p.w == nil {
				y.Data = x
			} else {
				p.w.single(y.Data, x)
			}
			if p.g.terms == nil {
				p.g.values(values[i:i+1], y, s)
				values[i] = float64(float32(values[i]))
				continue
			}
			t, sum := rows(s.t, 0, 1).Data, float32(0)
			p.g.terms(t, y.Data)
			for _, v := range t {
				sum += float32(v)
			}
			values[i] = float64(sum)
		}
	}
}

// numbers are random numbers that can be had in any order: each depends on the seed and on
// what it belongs to alone.
type numbers uint64

func numbersOf(seed rng.Seed, name string) numbers {
	return numbers(seed.Stream("problem", name).Uint64())
}

// gaussian returns the N(0, 1) number that belongs to n ≥ 1, by Box and Muller:
//
//	√(−2 ln u) cos 2πu′,   u on (0, 1], u′ on [0, 1)
func (k numbers) gaussian(n int) float64 {
	u, angle := unit(scramble(uint64(k)+(2*uint64(n)-1)*golden)), unit(scramble(uint64(k)+2*uint64(n)*golden))
	return float64(math.Sqrt(-2*kernel.LogOf(1-u)) * kernel.CosOf(2*math.Pi*angle))
}

// at returns the number that belongs to the point x, uniform on [0, 1). −0 is 0.
func (k numbers) at(x []float64) float64 {
	h := uint64(k)
	for _, v := range x {
		h = scramble((h ^ math.Float64bits(v+0)) + golden)
	}
	return unit(h)
}

// golden is the odd number next to 2⁶⁴/φ.
const golden = 0x9e3779b97f4a7c15

// scramble is the output function of SplitMix64: of 1, 2, 3, … times golden it makes random
// words.
//
// Reference: G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
// generators", 2014.
func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns the number on [0, 1) that the first 53 bits of a word stand for.
func unit(word uint64) float64 { return float64(float64(word>>11) / (1 << 53)) }
