package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// A settler goes to the minimum of the well that x is in, by Newton steps along all single
// components at once. Under noise σ a pair of points x ± h u_j says little, so that many are
// asked for and a parabola is fitted to them by least squares:
//
//	f(x ± h u_j) ≈ f(x) ± b h + c h²/2,   t = −b/c,
//
// with the errors var b = σ²/2Σh², var t = var b/c². A step is expected to leave Σ c var t/2
// above the minimum. Where it gains no more than noise alone would, more pairs are asked for
// from the same point, until what is left is small enough.
type settler struct {
	f    *watched
	at   *coordinates
	bowl bool    // f is quadratic: pairs may be of any length
	part float64 // of σ: what may be left

	x    []float64
	fx   average // of f at x
	side []pairs // of each single component
	left float64 // what the last step is expected to leave above the minimum
}

// pairs are what was seen of one component beside x.
type pairs struct {
	h    float64 // their length, about
	n    int     // how many there are
	s2   float64 // Σh²
	s4   float64 // Σ(h²/2)²
	odd  float64 // Σ h (f₊ − f₋)/2
	even float64 // Σ (h²/2) (f₊ + f₋)/2
	c    float64 // the curvature as it was found last; 0: not yet
}

func newSettler(f *watched, at *coordinates, x []float64, bowl bool) *settler {
	s := &settler{f: f, at: at, bowl: bowl, x: slices.Clone(x), side: make([]pairs, len(at.singles)), left: math.Inf(1)}
	for k, j := range at.singles {
		s.side[k].h = at.scale[j] / firstPairs
		if bowl {
			s.side[k].h = at.extent(j)
		}
	}
	return s
}

const (
	// firstPairs is the part of a component's scale that first pairs have for their length.
	firstPairs = 4
	// mostSettling is how often pairs are asked for at most.
	mostSettling = 40
	// beyondPairs is how far a step may go, in lengths of the pairs.
	beyondPairs = 1.5
	// curved is how many standard deviations a curvature must be above 0 to be one.
	curved = 3
	// atX is how many times f(x) is asked for, for each pair of a component: its error goes into all.
	atX = 2
)

// settle takes steps until what is left is expected to be less than a part of σ, or so many
// queries are spent.
func (s *settler) settle(ctx context.Context, part float64, most int) error {
	n, before := 1, s.f.queries
	for range mostSettling {
		if len(s.side) == 0 || s.f.queries-before+2*n*len(s.side) > most {
			return nil
		}
		if err := s.measure(ctx, n); err != nil {
			return err
		}
		step, gain, left := s.step()
		if chance := 1 + float64(3*math.Sqrt(2/float64(len(s.side)))); gain > chance*left {
			s.move(step)
			s.forget()
			continue
		}
		s.left = left
		if left <= part*s.f.sigma(s.fx.mean) {
			s.move(step)
			return nil
		}
		n *= 2
	}
	return nil
}

// measure asks for n more pairs of each component, and for f at x.
func (s *settler) measure(ctx context.Context, n int) error {
	h := make([][]float64, len(s.side))
	for k, j := range s.at.singles {
		least, most := s.at.room(s.x, j)
		for i := range n {
			_, part := math.Modf(float64((float64(s.side[k].n+i) + 0.5) * math.Phi)) // no point twice
			h[k] = append(h[k], min(s.side[k].h*(0.8+float64(0.4*part)), -least, most))
		}
	}
	pairs := n * len(s.side)
	values, err := objective.Ask(ctx, s.f, 2*pairs, func(i int, row []float64) {
		copy(row, s.x)
		k := i / 2 / n
		s.at.move(row, [2]float64{1, -1}[i%2]*h[k][i/2%n], s.at.singles[k])
	})
	if err != nil {
		return err
	}
	for i := range pairs {
		s.side[i/n].add(h[i/n][i%n], values[2*i], values[2*i+1])
	}
	at, err := s.f.repeat(ctx, [][]float64{s.x}, atX*n)
	if err != nil {
		return err
	}
	s.fx.join(at[0])
	return nil
}

// add takes notice of a pair. One at which f has failed says nothing.
func (p *pairs) add(h, up, down float64) {
	p.n++
	if math.IsInf(up, 0) || math.IsInf(down, 0) || !(h > 0) {
		return
	}
	half := float64(h*h) / 2
	p.s2 += float64(h * h)
	p.s4 += float64(half * half)
	p.odd += float64(h*(up-down)) / 2
	p.even += float64(half*(up+down)) / 2
}

// parabola returns the slope and the curvature, and their variances. fx is f(x), vx its
// variance, and v that of one value.
func (p *pairs) parabola(fx, vx, v float64) (b, c, vb, vc float64) {
	b, vb = p.odd/p.s2, v/(2*p.s2)
	// Σ (h²/2)((f₊+f₋)/2 − f(x)) = c Σ(h²/2)²
	c = (p.even - float64(fx*p.s2/2)) / p.s4
	vc = v/(2*p.s4) + float64(vx*float64(p.s2/2/p.s4)*float64(p.s2/2/p.s4))
	return b, c, vb, vc
}

// step returns the step of each component, what all of them gain by the parabolas, and what
// they leave. Where f is not curved beyond doubt there is none, and pairs become longer.
func (s *settler) step() (step []float64, gain, left float64) {
	sigma := s.f.sigma(s.fx.mean)
	v := float64(sigma * sigma)
	step = make([]float64, len(s.side))
	for k, j := range s.at.singles {
		p := &s.side[k]
		if !(p.s2 > 0) {
			continue
		}
		b, c, vb, vc := p.parabola(s.fx.mean, v/float64(s.fx.n), v)
		if !(c > curved*math.Sqrt(vc)) {
			*p = pairs{h: min(2*p.h, s.longest(j)), c: p.c}
			continue
		}
		p.c = c
		longest := beyondPairs * p.h
		if s.bowl {
			longest = math.Inf(1)
		}
		step[k] = min(max(-b/c, -longest), longest)
		gain += -float64(b*step[k]) - float64(c*step[k]*step[k]/2)
		left += vb / (2 * c)
	}
	return step, gain, left
}

// longest is how long pairs of a component are at most.
func (s *settler) longest(j int) float64 {
	if s.bowl {
		return s.at.extent(j)
	}
	return s.at.scale[j]
}

// move takes a step.
func (s *settler) move(step []float64) {
	for k, t := range step {
		s.at.move(s.x, t, s.at.singles[k])
	}
	clamp(s.x, s.at.bounds)
}

// forget begins anew at another x, with pairs of the length at which noise and the change of
// the curvature move t alike. With n pairs noise leaves σ²/4nch² above the minimum. Over the
// component's scale r the curvature changes by a third, f‴ ≈ c/3r; that moves t by h²/18r or
// so, which leaves ch⁴/650r². Both are the same for h⁶ = 160 r²σ²/nc².
func (s *settler) forget() {
	sigma := s.f.sigma(s.fx.mean)
	for k, j := range s.at.singles {
		p := &s.side[k]
		h := p.h
		if r := s.at.scale[j]; p.c > 0 && !s.bowl {
			h = min(math.Pow(160, 1./6)*math.Cbrt(r*sigma/p.c), r)
		}
		*p = pairs{h: h, c: p.c}
	}
	s.fx = average{}
}
