package descent

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A parabola is gᵀp + ½·pᵀBp within lo ≤ p ≤ hi, where lo ≤ 0 ≤ hi.
type parabola struct {
	g, lo, hi []float64
	b         *mat.Dense
}

const (
	// mostHalved is how often a step is halved at most. There are at most so many steps, and one more for every variable:
	// as a rule one where no limit is reached.
	mostHalved = 40
	// enough is the gain that ends it, as a part of all.
	enough = 1e-12
)

// least returns where the parabola is least, from 0 downhill: D. Bertsekas, "Projected Newton methods for optimization
// problems with simple constraints", 1982. Variables that the slope holds at a limit stay there; the others take a Newton
// step, of which the limits cut off what leaves them, or one along the slope if that does not lead down. It is not ok if B is not positive definite.
func (q *parabola) least() (p []float64, ok bool) {
	p = make([]float64, len(q.g))
	slope, value := q.at(p)
	for range mostHalved + len(p) {
		var free []int
		for k, v := range p {
			if held := v <= q.lo[k] && slope[k] >= 0 || v >= q.hi[k] && slope[k] <= 0; !held && slope[k] != 0 {
				free = append(free, k)
			}
		}
		step, ok := q.newton(free, slope)
		if !ok {
			return p, false
		}
		next, lower, cut := q.shorten(p, step, value)
		if !lower { // the limits have cut off what leads down
			next, _, cut = q.shorten(p, q.downhill(free, slope), value)
		}
		before := value
		p = next
		if slope, value = q.at(p); !cut && len(free) == len(p) || before-value <= enough*math.Abs(value) {
			break
		}
	}
	return p, true
}

// at returns the slope g + Bp and the value at p.
func (q *parabola) at(p []float64) (slope []float64, value float64) {
	slope = make([]float64, len(p))
	kernel.MulVec(slope, q.b.RawMatrix(), p)
	value = float64(kernel.Dot(p, slope)/2) + kernel.Dot(p, q.g)
	kernel.AddScaled(slope, 1, q.g)
	return slope, value
}

// shorten halves a step from p until the value is less, and says whether it is, and whether that or a limit has cut the
// step off.
func (q *parabola) shorten(p, step []float64, value float64) (next []float64, lower, cut bool) {
	part := 1.0
	for range mostHalved {
		next = make([]float64, len(p))
		for k := range p {
			to := p[k] + float64(part*step[k])
			next[k] = min(max(to, q.lo[k]), q.hi[k])
			cut = cut || next[k] != to
		}
		if _, v := q.at(next); v < value {
			return next, true, cut
		}
		part, cut = part/2, true
	}
	return p, false, true
}

// downhill returns −slope_k/B_kk of some variables.
func (q *parabola) downhill(free []int, slope []float64) []float64 {
	step := make([]float64, len(slope))
	for _, k := range free {
		step[k] = -slope[k] / q.b.At(k, k)
	}
	return step
}

// newton returns −B⁻¹·slope of some variables, the others are 0, by B = LDLᵀ, which takes no root of a unit of f.
func (q *parabola) newton(free []int, slope []float64) ([]float64, bool) {
	n, p := len(free), make([]float64, len(slope))
	if n == 0 {
		return p, true
	}
	l, c, z, diagonal := mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n), make([]float64, n)
	for a, i := range free {
		row := l.RawRowView(a)
		for k, j := range free[:a] { // c is row a of LD
			c[k] = q.b.At(i, j) - kernel.Dot(c[:k], l.RawRowView(k)[:k])
			row[k] = c[k] / diagonal[k]
		}
		pivot := q.b.At(i, i) - kernel.Dot(c[:a], row[:a])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return p, false
		}
		diagonal[a] = pivot
		z[a] = -slope[i] - kernel.Dot(row[:a], z[:a])
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
