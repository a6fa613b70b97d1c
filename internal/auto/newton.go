package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// A newton goes to the minimum of the well that x is in, by Newton steps along all single components at once. Under noise σ a
// pair of points x ± h u_j says little, so that many are asked for and a parabola is fitted to them by least squares:
//
//	f(x ± h u_j) ≈ f(x) ± b h + c h²/2,   t = −b/c,
//
// with the errors var b = Σh²(σ₊² + σ₋²)/4 / (Σh²)², var t = var b/c². A step is expected to leave Σ c var t/2
// above the minimum. Where it gains no more than noise alone would, more pairs are asked for
// from the same point, until what is left is small enough.
type newton struct {
	f    *watched
	at   *coordinates
	bowl bool // f is quadratic: pairs may be of any length
	free bool // scales are not known: four times the length at which curvature is seen

	x           []float64
	fx          average   // of f at x
	side        []pairs   // of each single component
	slope, step []float64 // b and t of each
	before      *leg      // the step before; nil: none
	done        bool      // what is left is small enough
}

func newNewton(f *watched, at *coordinates, x []float64, bowl bool) *newton {
	s := &newton{f: f, at: at, bowl: bowl, x: slices.Clone(x), side: make([]pairs, len(at.singles))}
	for k, j := range at.singles {
		s.side[k].h = at.scale[j] / firstPairs
		if bowl {
			s.side[k].h = at.extent(j)
		}
	}
	return s
}

const (
	// firstPairs is how many lengths of the first pairs a component's scale has; of one that was not known, of the pairs that have
	// first shown its curvature: f rises by some sixty σ over it.
	firstPairs = 4
	// beyondPairs is how far a step may go, in lengths of the pairs.
	beyondPairs = 1.5
	// sure is how many standard deviations are no chance.
	sure = 3
	// atX is how many times f(x) is asked for, for each pair of a component: its error goes into all.
	atX = 2
)

// descend takes steps until what is left is expected to be less than a part of σ, or so many queries are spent.
func (s *newton) descend(ctx context.Context, part float64, most int) error {
	n, before := 1, s.f.queries
	for range mostTurns {
		if len(s.side) == 0 || s.f.queries-before+2*n*len(s.side) > most {
			return nil
		}
		if err := s.measure(ctx, n); err != nil {
			return err
		}
		if s.fails() {
			return nil
		}
		gain, left := s.propose()
		sigma := s.f.sigma(s.fx.mean())
		small := max(part*sigma, noProgress*math.Abs(s.f.first-s.fx.mean()))
		lower := s.f.sigma(s.fx.mean()-gain) < sigma/2 // where noise grows with f there is less of it there,
		chance := 1 + float64(sure*math.Sqrt(2/float64(len(s.side))))
		switch {
		case gain > max(chance*left, small), max(gain, left) > small && !math.IsInf(left, 1) && (lower || s.shorter()): // and with shorter pairs
			if err := s.advance(ctx, n); err != nil {
				return err
			}
			s.forget()
			n = max(1, n/2)
		case math.IsInf(left, 1): // longer pairs come first
		case left <= small:
			if left < gain { // what is flat and exact has neither
				s.x = s.moved(s.step, 1-left/gain)
			}
			s.done = true
			return nil
		default:
			n *= 2
		}
	}
	return nil
}

func (s *newton) fails() bool { return math.IsInf(s.fx.mean(), 1) }

// measure asks for n more pairs of each component, and for f at x.
func (s *newton) measure(ctx context.Context, n int) error {
	var all []shift
	for k, j := range s.at.singles {
		least, most := s.at.room(s.x, j)
		for i := range n {
			_, part := math.Modf(float64((float64(s.side[k].n+i) + 0.5) * math.Phi)) // no point twice
			h := min(s.side[k].h*(0.8+float64(0.4*part)), -least, most)
			all = append(all, shift{k: k, t: h}, shift{k: k, t: -h})
		}
	}
	if err := s.at.ask(ctx, s.f, s.x, all); err != nil {
		return err
	}
	for i := 0; i < len(all); i += 2 {
		up, down := all[i], all[i+1]
		s.side[up.k].add(up.t, up.value, down.value, s.f.sigma)
	}
	at, err := s.f.repeat(ctx, [][]float64{s.x}, atX*n)
	if err == nil {
		s.fx.join(at[0])
	}
	return err
}

// propose finds the slope and the step of each component. It returns what all steps gain by the parabolas, and what they
// leave. Where f is not surely curved there is none, and pairs become longer.
func (s *newton) propose() (gain, left float64) {
	vx := square(s.f.sigma(s.fx.mean())) / float64(s.fx.n)
	s.step, s.slope = make([]float64, len(s.side)), make([]float64, len(s.side))
	for k, j := range s.at.singles {
		p := &s.side[k]
		if !(p.s2 > 0) {
			continue
		}
		b, c, vb, vc := p.parabola(s.fx.mean(), vx)
		s.slope[k] = b
		if !(c > sure*math.Sqrt(vc)) {
			longest := s.longest(j)
			if p.h >= longest { // it rises by no more than that
				p.c = max(c, 0) + math.Sqrt(vc)
				left += float64((max(c, 0) + float64(sure*math.Sqrt(vc))) * longest * longest / 2)
				continue
			}
			left = math.Inf(1)
			*p = pairs{h: min(2*p.h, longest), c: p.c}
			continue
		}
		if p.c = c; s.free && p.r == 0 {
			p.r = firstPairs * p.h
		}
		longest := beyondPairs * p.h
		if s.bowl {
			longest = math.Inf(1)
		}
		t := min(max(-b/c, -longest), longest)
		s.step[k] = t
		gain += -float64(b*t) - float64(c*t*t/2)
		left += vb / (2 * c)
	}
	return gain, left
}

// longest is how long pairs of a component are at most.
func (s *newton) longest(j int) float64 {
	if s.bowl || s.free {
		return s.at.extent(j)
	}
	return s.at.scale[j]
}

// forget begins at another x, with pairs of another length.
func (s *newton) forget() {
	for k, j := range s.at.singles {
		p := &s.side[k]
		*p = pairs{h: s.length(p, j), c: p.c, r: p.r}
	}
	s.fx = average{}
}

// length is that of pairs with which a step is expected to leave the least above the minimum. Noise leaves σ²/4ch², where σ
// is that of the pair's values, which may grow with h. Over the component's scale r the curvature changes by a third, f‴ ≈
// c/3r; that moves t by h²/18r or so, which leaves ch⁴/650r². If σ is the same everywhere the sum is least for h⁶ = 80
// r²σ²/c². A quadratic has no third derivative.
func (s *newton) length(p *pairs, j int) float64 {
	if !(p.c > 0) {
		return p.h
	}
	r := s.longest(j)
	if p.r > 0 {
		r = p.r
	}
	best, least := p.h, math.Inf(1)
	for h := r; h > shortest*r; h /= math.Sqrt2 {
		half := float64(p.c * h * h / 2)
		left := float64(square(s.f.sigma(s.fx.mean()+half)) / (8 * half))
		if !s.bowl {
			left += float64(half * square(h/r) / 325)
		}
		if left < least {
			best, least = h, left
		}
	}
	return best
}

// shortest is the least length of pairs, in scales.
const shortest = 1e-9

// shorter reports whether pairs of another length would leave much less.
func (s *newton) shorter() bool {
	for k, j := range s.at.singles {
		if p := &s.side[k]; s.length(p, j) < p.h/2 {
			return true
		}
	}
	return false
}

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
	if v := square(s.f.sigma(seen[0].mean())); bend > sure*math.Sqrt(v*(2/float64(times)+4/float64(s.fx.n))) {
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
