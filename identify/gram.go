package identify

import "math"

// A gram is the symmetric matrix (a b; b c).
type gram struct{ a, b, c float64 }

// gramOf returns (v, w)ᵀ(v, w).
func gramOf(v, w float64) gram { return gram{square(v), float64(v * w), square(w)} }

// plus returns the sum of two matrices.
func (g gram) plus(h gram) gram { return gram{g.a + h.a, g.b + h.b, g.c + h.c} }

// scaled returns the matrix times t.
func (g gram) scaled(t float64) gram { return gram{g.a * t, g.b * t, g.c * t} }

// An axes is a symmetric matrix by its eigenvalues: the first has the eigenvector
// (cos φ, sin φ), the second (−sin φ, cos φ).
type axes struct{ sin, cos, first, second float64 }

// lost is the part of the larger eigenvalue below which a smaller one is rounding.
const lost = 1e-13

// axes returns the eigenvalues of the matrix, the larger first: with r = √(((a−c)/2)² + b²)
//
//	(a+c)/2 ± r,   cos 2φ = (a−c)/2r,   sin 2φ = b/r.
func (g gram) axes() axes {
	mean, half := float64((g.a+g.c)/2), float64((g.a-g.c)/2)
	r := math.Sqrt(square(half) + square(g.b))
	x := axes{0, 1, mean + r, mean - r}
	switch {
	case r == 0:
	case half >= 0:
		x.cos = math.Sqrt((1 + half/r) / 2)
		x.sin = g.b / (2 * r * x.cos)
	default:
		x.sin = math.Sqrt((1 - half/r) / 2)
		x.cos = g.b / (2 * r * x.sin)
	}
	if x.second < lost*x.first {
		x.second = 0
	}
	return x
}

// along returns the parts of (v, w) along the eigenvectors.
func (x axes) along(v, w float64) (p, q float64) {
	return float64(x.cos*v) + float64(x.sin*w), float64(x.cos*w) - float64(x.sin*v)
}

// back returns the vector with these parts along the eigenvectors.
func (x axes) back(p, q float64) (v, w float64) {
	return float64(x.cos*p) - float64(x.sin*q), float64(x.sin*p) + float64(x.cos*q)
}

// of returns (v, w) X (v, w)ᵀ.
func (x axes) of(v, w float64) float64 {
	p, q := x.along(v, w)
	return float64(x.first*p*p) + float64(x.second*q*q)
}

// inverse returns the inverse matrix.
func (x axes) inverse() axes { return axes{x.sin, x.cos, 1 / x.first, 1 / x.second} }

// dot returns the trace of the product with a matrix.
func (x axes) dot(g gram) float64 {
	y := g.axes()
	v, w := y.back(1, 0)
	s, t := y.back(0, 1)
	return float64(y.first*x.of(v, w)) + float64(y.second*x.of(s, t))
}
