package mixed

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A surrogate is a cubic spline in several dimensions through what f answered near the best point,
//
//	s(u) = Σ_i λ_i ‖u − u_i‖³ + b·u + c,   Σ λ_i = 0,  Σ λ_i u_i = 0,
//
// over the encoded points u: a coordinate for each that has an order, and one of 0 or 1 for each word of a
// choice.
type surrogate struct {
	points [][]float64
	lambda []float64
	b      []float64
	c      float64
}

// fitted returns the surrogate of points and values, which must not be fewer than coordinates; false:
// the points do not determine it.
func fitted(points [][]float64, values []float64) (surrogate, bool) {
	n, d := len(points), len(points[0])
	a, y := mat.NewDense(n+d+1, n+d+1, nil), mat.NewVecDense(n+d+1, nil)
	for i, p := range points {
		for j, q := range points[:i] {
			v := cube(p, q)
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
		for k, v := range p {
			a.Set(i, n+k, v)
			a.Set(n+k, i, v)
		}
		a.Set(i, n+d, 1)
		a.Set(n+d, i, 1)
		y.SetVec(i, values[i])
	}
	for k := range d { // words of a choice add up to 1, so that b has a direction too many
		a.Set(n+k, n+k, -ridge)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, y); err != nil {
		if _, near := err.(mat.Condition); !near {
			return surrogate{}, false
		}
	}
	raw := x.RawVector().Data
	if slices.ContainsFunc(raw, func(v float64) bool { return v-v != 0 }) {
		return surrogate{}, false
	}
	return surrogate{points, raw[:n], raw[n : n+d], raw[n+d]}, true
}

// ridge keeps the equations regular.
const ridge = 1e-9

// at returns s(u).
func (s surrogate) at(u []float64) float64 {
	sum := s.c
	for k, v := range u {
		sum += float64(s.b[k] * v)
	}
	for i, p := range s.points {
		sum += float64(s.lambda[i] * cube(u, p))
	}
	return sum
}

// cube returns ‖u − v‖³.
func cube(u, v []float64) float64 {
	r := distance2(u, v)
	return r * math.Sqrt(r)
}

// distance2 returns ‖u − v‖².
func distance2(u, v []float64) (sum float64) {
	for k := range u {
		sum += float64((u[k] - v[k]) * (u[k] - v[k]))
	}
	return sum
}

// encode returns the encoded point.
func (w *search) encode(z []float64) (u []float64) {
	for k, v := range z {
		l := w.task.Lattices[k]
		if !l.Unordered || len(l.Values) == 0 {
			u = append(u, v)
			continue
		}
		for _, word := range l.Values {
			if u = append(u, 0); word == v {
				u[len(u)-1] = 1
			}
		}
	}
	return u
}
