package descent

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A pair is a step s and the difference y of the slopes at its ends.
type pair struct {
	s, y   []float64
	sy, ss float64 // ⟨s, y⟩ and ⟨s, s⟩
}

// curved is the cosine between s and y below which f does not curve upwards along s.
const curved = 1e-10

// learn keeps the pair of the last step, if f curves upwards along it, and forgets the oldest where B would
// take too long.
func (s *search) learn(g []float64) {
	d := len(s.x)
	p := pair{s: make([]float64, d), y: make([]float64, d)}
	kernel.Difference(p.s, 1, s.x, s.from)
	kernel.Difference(p.y, 1, g, s.g)
	p.sy, p.ss = kernel.Dot(p.s, p.y), kernel.Dot(p.s, p.s)
	if !(p.sy > curved*math.Sqrt(p.ss)*math.Sqrt(kernel.Dot(p.y, p.y))) || math.IsInf(p.sy, 1) {
		return
	}
	s.pairs = append(s.pairs, p)
	if most := max(1, int(work/float64(d*d))); len(s.pairs) > most {
		s.pairs = s.pairs[1:]
	}
}

// curve makes B of all pairs; without any it makes the first step as long as it should be. n steps go where f is steep
// first: what they have not gone along is flatter than the last of them, d/(d + n) times as curved.
func (s *search) curve() {
	d := len(s.x)
	if s.b == nil {
		s.b = mat.NewDense(d, d, nil)
	}
	gamma := math.Sqrt(kernel.Dot(s.g, s.g)) / (firstStep * math.Sqrt(float64(d)))
	if n := len(s.pairs); s.Curvature > 0 {
		gamma = s.Curvature
	} else if n > 0 {
		gamma = float64(d) / float64(d+n) * s.pairs[n-1].sy / s.pairs[n-1].ss
	}
	for i := range d {
		row := s.b.RawRowView(i)
		clear(row)
		row[i] = gamma
	}
	bs := make([]float64, d)
	for _, p := range s.pairs {
		kernel.MulVec(bs, s.b.RawMatrix(), p.s)
		sbs := kernel.Dot(p.s, bs)
		if !(sbs > 0) {
			continue
		}
		if part := p.sy / sbs; s.Curvature > 0 && part < 1 { // Oren and Luenberger
			s.b.Scale(part, s.b)
			kernel.MulVec(bs, s.b.RawMatrix(), p.s)
			sbs = kernel.Dot(p.s, bs)
		}
		for i := range d {
			row := s.b.RawRowView(i)
			kernel.AddScaled(row, -bs[i]/sbs, bs)
			kernel.AddScaled(row, p.y[i]/p.sy, p.y)
		}
	}
}

// newton returns the step −B⁻¹g of the variables that are not at a bound, no further than the start box is
// wide. If B is not positive definite, the older half of all pairs is forgotten.
func (s *search) newton() []float64 {
	d := len(s.x)
	s.curve()
	var free []int
	for i := range d {
		free = append(free, i)
	}
	for len(free) > 0 {
		p, ok := s.solve(free)
		if !ok {
			s.pairs = s.pairs[(len(s.pairs)+1)/2:]
			s.curve()
			continue
		}
		var inside []int
		for _, i := range free {
			if !(s.x[i] <= s.Bounds.Lo[i] && p[i] < 0 || s.x[i] >= s.Bounds.Hi[i] && p[i] > 0) {
				inside = append(inside, i)
			}
		}
		if len(inside) < len(free) {
			free = inside
			continue
		}
		far := max(1, s.reach(p))
		if !kernel.Finite(far) { // slopes that overflow
			break
		}
		for i := range p {
			p[i] /= far
		}
		return p
	}
	return make([]float64, d)
}

// reach is how far a step goes, in widths of the start box.
func (s *search) reach(p []float64) float64 {
	if s.Reach != nil {
		return s.Reach(p)
	}
	far := 0.0
	for _, v := range p {
		far = max(far, math.Abs(v)/2)
	}
	return far
}

// solve returns −B⁻¹g of some variables, the others are 0, by B = LDLᵀ, which takes no root of a unit of f. It is
// not ok if B is not positive definite, which without pairs it is.
func (s *search) solve(free []int) ([]float64, bool) {
	n, p := len(free), make([]float64, len(s.x))
	l, c, z, diagonal := mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n), make([]float64, n)
	for a, i := range free {
		row := l.RawRowView(a)
		for b, j := range free[:a] { // c is row a of LD
			c[b] = s.b.At(i, j) - kernel.Dot(c[:b], l.RawRowView(b)[:b])
			row[b] = c[b] / diagonal[b]
		}
		pivot := s.b.At(i, i) - kernel.Dot(c[:a], row[:a])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return p, len(s.pairs) == 0
		}
		diagonal[a] = pivot
		z[a] = -s.g[i] - kernel.Dot(row[:a], z[:a])
	}
	for a := range z {
		z[a] /= diagonal[a]
	}
	for a := n - 1; a >= 0; a-- {
		kernel.AddScaled(z[:a], -z[a], l.RawRowView(a)[:a])
		p[free[a]] = z[a]
	}
	return p, true
}
