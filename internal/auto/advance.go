package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// advance goes along the steps of all components as far as that helps. Where coordinates are rough or are not those of the
// Hessian, the steps are not independent: with conjugate directions (E. Polak and G. Ribière), p ← t + β p, β =
// Σ(b−b′)t/Σb′t′ from the step before, they come to the minimum all the same. Along p the slope is Σbp, and f(x ± p) shows
// the curvature.
func (s *newton) advance(ctx context.Context, n int) error {
	p := slices.Clone(s.step)
	if s.before != nil {
		over, under := 0.0, 0.0
		for k, t := range s.step {
			over += float64((s.slope[k] - s.before.slope[k]) * t)
			under += float64(s.before.slope[k] * s.before.step[k])
		}
		if beta := over / under; beta > 0 && !math.IsInf(beta, 1) {
			kernel.AddScaled(p, beta, s.before.p)
		}
	}
	slope := kernel.Dot(s.slope, p)
	if !(slope < 0) {
		p, slope = slices.Clone(s.step), kernel.Dot(s.slope, s.step)
	}
	s.before = &leg{slope: s.slope, step: s.step, p: p}
	times := max(alongStep, n)
	seen, err := s.f.repeat(ctx, [][]float64{s.moved(p, 1), s.moved(p, -1)}, times)
	if err != nil {
		return err
	}
	bend := seen[0].mean() + seen[1].mean() - float64(2*s.fx.mean())
	length := 1.0
	if v := square(s.f.sigma(seen[0].mean())); bend > curved*math.Sqrt(v*(2/float64(times)+4/float64(s.fx.n))) {
		length = min(-slope/bend, longestStep)
	}
	return s.choose(ctx, p, length, times)
}

// moved returns x after a part of a step.
func (s *newton) moved(step []float64, part float64) []float64 {
	x := slices.Clone(s.x)
	for k, t := range step {
		s.at.move(x, part*t, s.at.singles[k])
	}
	clamp(x, s.at.bounds)
	return x
}

// choose goes as far along p as f falls: all of the step, a quarter of it, or a sixteenth, where f is not what the parabolas
// say. Where it does not fall, pairs are too long.
func (s *newton) choose(ctx context.Context, p []float64, length float64, times int) error {
	var points [][]float64
	for _, part := range []float64{1, quarter, quarter * quarter} {
		points = append(points, s.moved(p, part*length))
	}
	seen, err := s.f.repeat(ctx, points, times)
	if err != nil {
		return err
	}
	least := slices.MinFunc(seen, func(a, b average) int { return cmp.Compare(a.mean(), b.mean()) })
	if least.mean() < s.fx.mean() {
		s.x = points[slices.Index(seen, least)]
		return nil
	}
	s.before = nil
	for k, j := range s.at.singles {
		p := &s.side[k]
		p.r = cmp.Or(p.r, s.longest(j)) / 2
	}
	return nil
}

// quarter is the part of a step that is tried where the whole one does not help.
const quarter = 1. / 4

// A leg is a step that was taken: the slopes where it began, the steps of all components, and the direction.
type leg struct{ slope, step, p []float64 }

const (
	// alongStep is how often f is asked at each end of a step at least.
	alongStep = 4
	// longestStep is how much longer a step becomes at most.
	longestStep = 2
)
