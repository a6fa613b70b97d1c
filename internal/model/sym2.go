package model

import "math"

// A sym2 is the symmetric matrix (a b; b c).
type sym2 struct{ a, b, c float64 }

// outer returns w(v, u)ᵀ(v, u).
func outer(v, u, w float64) sym2 { return sym2{w * v * v, w * v * u, w * u * u} }

func (s sym2) plus(t sym2) sym2               { return sym2{s.a + t.a, s.b + t.b, s.c + t.c} }
func (s sym2) times(f float64) sym2           { return sym2{s.a * f, s.b * f, s.c * f} }
func (s sym2) of(x, y float64) (u, v float64) { return s.a*x + s.b*y, s.b*x + s.c*y }

// form returns (x, y)S(x, y)ᵀ.
func (s sym2) form(x, y float64) float64 { return s.a*x*x + 2*s.b*x*y + s.c*y*y }

// dot returns the trace of ST.
func (s sym2) dot(t sym2) float64 { return s.a*t.a + 2*s.b*t.b + s.c*t.c }

// trace returns a + c.
func (s sym2) trace() float64 { return s.a + s.c }

// mapped returns the matrix with the same eigenvectors whose eigenvalues are f of those of s.
func (s sym2) mapped(f func(float64) float64) sym2 {
	mean, half := (s.a+s.c)/2, (s.a-s.c)/2
	r := math.Hypot(half, s.b)
	hi, lo := f(mean+r), f(max(0, mean-r))
	if r == 0 {
		return sym2{hi, 0, hi}
	}
	x, y := half/r, s.b/r // cos 2t, sin 2t of the first eigenvector
	middle, diff := (hi+lo)/2, (hi-lo)/2
	return sym2{middle + diff*x, diff * y, middle - diff*x}
}
