package auto

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A parabola is the quadratic function q(s) = ⟨g, s⟩ + ½⟨s, Hs⟩.
type parabola struct {
	g []float64
	h *mat.SymDense
}

// at returns q(s) and sets slope to its gradient g + Hs.
func (q parabola) at(s, slope []float64) float64 {
	for k := range s {
		slope[k] = 0
		for i, v := range s {
			slope[k] += float64(q.h.At(k, i) * v)
		}
	}
	value := float64(kernel.Dot(s, slope) / 2)
	value += kernel.Dot(q.g, s)
	kernel.AddScaled(slope, 1, q.g)
	return value
}

// A search of a parabola in a box takes steps until one gains no more than settled, as a part of
// all: as a rule two where no limit is reached, and at most mostHalved and one for each
// coordinate. A step is halved at most mostHalved times.
const (
	settled    = 1e-12
	mostHalved = 40
)

// leastInBox returns where q is least in a box that contains 0, as far as steps downhill
// from there lead: D. Bertsekas, "Projected Newton methods for optimization problems with
// simple constraints", 1982. Coordinates that the slope holds at a limit stay there; the
// others take a Newton step, of which the box cuts off what leaves it. Where that does not
// lead down, they take a step along the slope.
func (q parabola) leastInBox(box objective.Box) []float64 {
	d := len(q.g)
	s, slope := make([]float64, d), make([]float64, d)
	value := q.at(s, slope)
	for range mostHalved + d {
		free := q.free(s, slope, box)
		if len(free) == 0 {
			break
		}
		next, lower := q.shorten(box, s, q.newton(free, slope), value)
		if !(lower < value) {
			next, lower = q.shorten(box, s, q.downhill(free, slope), value)
		}
		if !(lower < value) {
			break
		}
		gain := value - lower
		copy(s, next)
		if value = q.at(s, slope); gain <= settled*math.Abs(value) {
			break
		}
	}
	return s
}

// free returns the coordinates that the slope does not hold at a limit.
func (q parabola) free(s, slope []float64, box objective.Box) []int {
	var free []int
	for k, v := range s {
		held := v <= box.Lo[k] && slope[k] >= 0 || v >= box.Hi[k] && slope[k] <= 0
		if !held && slope[k] != 0 {
			free = append(free, k)
		}
	}
	return free
}

// newton returns −(H + λI)⁻¹ slope on the free coordinates, after scaling all of them to
// H_kk = ±1, with the smallest λ of a sequence with which the matrix is positive.
func (q parabola) newton(free []int, slope []float64) []float64 {
	n := len(free)
	size, scaled, right := make([]float64, n), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	unit := q.unit(free)
	for i, k := range free {
		size[i] = math.Sqrt(math.Abs(q.h.At(k, k)) / unit)
		if size[i] == 0 {
			size[i] = 1
		}
		right.SetVec(i, -slope[k]/unit/size[i])
		for j := range i + 1 {
			scaled.SetSym(i, j, q.h.At(k, free[j])/unit/(size[i]*size[j]))
		}
	}
	step := make([]float64, len(slope))
	for _, lambda := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000} {
		ridged := mat.NewSymDense(n, nil)
		ridged.CopySym(scaled)
		for i := range n {
			ridged.SetSym(i, i, scaled.At(i, i)+lambda)
		}
		var c mat.Cholesky
		var p mat.VecDense
		if c.Factorize(ridged) && c.SolveVecTo(&p, right) == nil {
			for i, k := range free {
				step[k] = p.AtVec(i) / size[i]
			}
			break
		}
	}
	return step
}

// unit returns the power of two below the largest |H_kk| of the free coordinates: in this
// unit the unit of f makes no difference, not even to a root.
func (q parabola) unit(free []int) float64 {
	top := 0.0
	for _, k := range free {
		top = max(top, math.Abs(q.h.At(k, k)))
	}
	if top == 0 || math.IsInf(top, 1) {
		return 1
	}
	return math.Ldexp(1, math.Ilogb(top))
}

// downhill returns −slope_k/|H_kk| on the free coordinates.
func (q parabola) downhill(free []int, slope []float64) []float64 {
	step := make([]float64, len(slope))
	for _, k := range free {
		step[k] = -slope[k]
		if bend := math.Abs(q.h.At(k, k)); bend > 0 {
			step[k] /= bend
		}
	}
	return step
}

// shorten halves a step from s, cut off by the box, until q is less than value, and
// returns where it leads and q there.
func (q parabola) shorten(box objective.Box, s, step []float64, value float64) ([]float64, float64) {
	next, slope := make([]float64, len(s)), make([]float64, len(s))
	part := 1.0
	for range mostHalved {
		for k := range s {
			next[k] = min(max(s[k]+float64(part*step[k]), box.Lo[k]), box.Hi[k])
		}
		if v := q.at(next, slope); v < value {
			return next, v
		}
		part /= 2
	}
	return s, value
}
