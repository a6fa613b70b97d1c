package outer

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// A Cross is f at the corners of a square with sides h_i u_i and h_j u_j along two components
// of a frame, and beside them, so that slopes are known.
//
// Where the frame is wrong by a small E, the mixed difference M of a sum is not 0 but
//
//	M = E_ij h_j Δ_i + E_ji h_i Δ_j,
//
// with Δ_i = f_i′(y_i+h_i) − f_i′(y_i). Three squares along the same two components determine
// E_ij and E_ji, and what they leave is the fault of the map alone. So they say of a map
// what is right whatever the error of the frame, to its second order.
type Cross struct {
	Corners Corners    // f at x, x+h_i u_i, x+h_j u_j and x+h_i u_i+h_j u_j
	Beside  [4]float64 // f at x+ε_i u_i, x+h_i u_i+ε_i u_i, x+ε_j u_j and x+h_j u_j+ε_j u_j
	H, Eps  [2]float64 // h_i and h_j, ε_i and ε_j
}

// equation returns M, h_jΔ_i and h_iΔ_j of ψ(f), each divided by the root of the sum of
// squares of the four single differences.
func (c Cross) equation(psi *Map) (m, a, b float64) {
	of := psi.Of
	v := [4]float64{of(c.Corners[0]), of(c.Corners[1]), of(c.Corners[2]), of(c.Corners[3])}
	size := math.Hypot(math.Hypot(v[1]-v[0], v[2]-v[0]), math.Hypot(v[3]-v[2], v[3]-v[1]))
	if size == 0 {
		return 0, 0, 0
	}
	di := (of(c.Beside[1]) - v[1]) - (of(c.Beside[0]) - v[0])
	dj := (of(c.Beside[3]) - v[2]) - (of(c.Beside[2]) - v[0])
	m = (v[3] - v[2]) - (v[1] - v[0])
	return m / size, c.H[1] / c.Eps[0] * di / size, c.H[0] / c.Eps[1] * dj / size
}

// crossed appends what squares along the same two components leave of their equations, by
// least squares over E_ij and E_ji.
func crossed(to []float64, squares []Cross, psi *Map) []float64 {
	var m, a, b []float64
	for _, c := range squares {
		mk, ak, bk := c.equation(psi)
		m, a, b = append(m, mk), append(a, ak), append(b, bk)
	}
	eij, eji := least(a, b, m, 0)
	kernel.AddScaled(m, -eij, a)
	kernel.AddScaled(m, -eji, b)
	return append(to, m...)
}

// least returns the x and y for which |xa + yb − r|² + λ(x²|a|² + y²|b|²) is least.
func least(a, b, r []float64, lambda float64) (x, y float64) {
	aa, bb := kernel.Dot(a, a)*(1+lambda), kernel.Dot(b, b)*(1+lambda)
	ab, ra, rb := kernel.Dot(a, b), kernel.Dot(a, r), kernel.Dot(b, r)
	switch det := float64(aa*bb) - float64(ab*ab); {
	case aa == 0 && bb == 0:
		return 0, 0
	case !(det > parallel*aa*bb):
		if aa > bb {
			return ra / aa, 0
		}
		return 0, rb / bb
	default:
		return (float64(bb*ra) - float64(ab*rb)) / det, (float64(aa*rb) - float64(ab*ra)) / det
	}
}

// parallel is the determinant of two columns, as a part of what it can be, up to which they
// count as one.
const parallel = 1e-14
