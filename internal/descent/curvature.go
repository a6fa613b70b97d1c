package descent

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Pair is a step s and the difference y of the slopes at its ends.
type Pair struct {
	S, Y   []float64
	sy, ss float64 // ⟨s, y⟩ and ⟨s, s⟩
}

// curved is the cosine between s and y below which f does not curve upwards along s.
const curved = 1e-10

// know begins with what is known: pairs along which f curves upwards.
func (s *search) know(pairs ...Pair) {
	s.pairs, s.b = nil, nil
	for _, p := range pairs {
		s.keep(p)
	}
	if len(s.pairs) > 0 {
		s.curve()
	}
}

// learn keeps the pair of the last step.
func (s *search) learn(g []float64) {
	d := len(s.x)
	p := Pair{S: make([]float64, d), Y: make([]float64, d)}
	kernel.Difference(p.S, 1, s.x, s.from)
	kernel.Difference(p.Y, 1, g, s.g)
	s.keep(p)
}

// keep keeps a pair, if f curves upwards along it, and forgets the oldest where B would take too long.
func (s *search) keep(p Pair) {
	p.sy, p.ss = kernel.Dot(p.S, p.Y), kernel.Dot(p.S, p.S)
	if !(p.sy > curved*math.Sqrt(p.ss)*norm(p.Y)) || math.IsInf(p.sy, 1) {
		return
	}
	s.pairs = append(s.pairs, p)
	if most := max(1, int(work/square(float64(len(s.x))))); len(s.pairs) > most {
		s.pairs = s.pairs[1:]
	}
}

func square(v float64) float64 { return float64(v * v) }

// norm is ‖v‖, whose squares may overflow: slopes are in the unit of f.
func norm(v []float64) float64 {
	most, sum := 0.0, 0.0
	for _, a := range v {
		most = max(most, math.Abs(a))
	}
	if most == 0 || math.IsInf(most, 1) {
		return most
	}
	for _, a := range v {
		sum += square(a / most)
	}
	return most * math.Sqrt(sum)
}

// curve makes B of all pairs; without any it makes the first step as long as it should be. n steps go where f is steep
// first: what they have not gone along is flatter than the last of them, d/(d + n) times as curved.
func (s *search) curve() {
	d := len(s.x)
	if s.b == nil {
		s.b = mat.NewDense(d, d, nil)
	}
	gamma := norm(s.g) / (firstStep * math.Sqrt(float64(d)))
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
		kernel.MulVec(bs, s.b.RawMatrix(), p.S)
		sbs := kernel.Dot(p.S, bs)
		if !(sbs > 0) {
			continue
		}
		if part := p.sy / sbs; s.Curvature > 0 && part < 1 { // Oren and Luenberger
			s.b.Scale(part, s.b)
			kernel.MulVec(bs, s.b.RawMatrix(), p.S)
			sbs = kernel.Dot(p.S, bs)
		}
		for i := range d {
			row := s.b.RawRowView(i)
			kernel.AddScaled(row, -bs[i]/sbs, bs)
			kernel.AddScaled(row, p.Y[i]/p.sy, p.Y)
		}
	}
}

// newton returns the step to where gᵀp + ½pᵀBp is least within the bounds, no further than the start box is wide. If B
// is not positive definite, the older half of all pairs is forgotten.
func (s *search) newton() []float64 {
	lo, hi := make([]float64, len(s.x)), make([]float64, len(s.x))
	for i, x := range s.x {
		lo[i], hi[i] = s.Bounds.Lo[i]-x, s.Bounds.Hi[i]-x
	}
	for {
		s.curve()
		p, ok := (&parabola{s.g, lo, hi, s.b}).least()
		if !ok && len(s.pairs) > 0 {
			s.pairs = s.pairs[(len(s.pairs)+1)/2:]
			continue
		}
		far := max(1, s.reach(p))
		if !kernel.Finite(far) { // slopes that overflow
			return make([]float64, len(s.x))
		}
		for i := range p {
			p[i] /= far
		}
		return p
	}
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
