package model

import "math"

// A sym2 is the symmetric matrix (a b; b c).
type sym2 struct{ a, b, c float64 }

// dyad returns w(v, u)ᵀ(v, u).
func dyad(v, u, w float64) sym2 {
	return sym2{float64(w * v * v), float64(w * v * u), float64(w * u * u)}
}

func (s sym2) plus(t sym2) sym2 { return sym2{s.a + t.a, s.b + t.b, s.c + t.c} }
func (s sym2) times(f float64) sym2 {
	return sym2{float64(s.a * f), float64(s.b * f), float64(s.c * f)}
}
func (s sym2) of(x, y float64) (u, v float64) {
	return float64(s.a*x) + float64(s.b*y), float64(s.b*x) + float64(s.c*y)
}

// form returns (x, y)S(x, y)ᵀ.
func (s sym2) form(x, y float64) float64 {
	return float64(s.a*x*x) + float64(2*s.b*x*y) + float64(s.c*y*y)
}

// dot returns the trace of ST.
func (s sym2) dot(t sym2) float64 { return float64(s.a*t.a) + float64(2*s.b*t.b) + float64(s.c*t.c) }

// trace returns a + c.
func (s sym2) trace() float64 { return s.a + s.c }

// mapped returns the matrix with the same eigenvectors whose eigenvalues are f of those of s.
func (s sym2) mapped(f func(float64) float64) sym2 {
	mean, half := float64((s.a+s.c)/2), float64((s.a-s.c)/2)
	r := math.Hypot(half, s.b)
	hi, lo := f(mean+r), f(max(0, mean-r))
	if r == 0 {
		return sym2{hi, 0, hi}
	}
	x, y := half/r, s.b/r // cos 2t, sin 2t of the first eigenvector
	middle, diff := float64((hi+lo)/2), float64((hi-lo)/2)
	return sym2{middle + float64(diff*x), diff * y, middle - float64(diff*x)}
}
