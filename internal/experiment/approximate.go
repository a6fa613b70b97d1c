package experiment

import (
	"fmt"

	"github.com/untwist/untwist/problem"
)

// couplingSizes are the couplings that the sweep goes through, in standard deviations of f.
var couplingSizes = []float64{0, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1}

// Approximate sweeps couplings, with which f is separable only approximately: the paper's three
// methods with the frames of its road, CBO on f, auto and online. Without a coupling the cells
// are those of Table1.
//
// With a coupling nobody knows the minimum. Gaps are then above the least value that searches
// along the true components reach from where the minimum would be without it; a method that
// finds less has succeeded, too.
//
// Reference: section 5, "can we still obtain convergence guarantees … when the function is only
// approximately separable?"
func Approximate(of Extent) (Sweep, error) {
	s, err := of.sweep("approximate", "What becomes of the methods if f separates only approximately?")
	if err != nil {
		return s, err
	}
	s.Pictures = []Picture{{
		Name: "couplings", Title: "f = g(Wx) + D·std(g)·c(Wx), c couples pairs of components",
		X: "coupling D, in standard deviations of g", Rows: "coupling D", Gaps: true,
	}}
	lines, err := of.methods("cbo", "auto", "online")
	if err != nil {
		return s, err
	}
	sizes, separable := of.sizes(couplingSizes), s.Cases
	s.Cases = nil
	for _, size := range sizes {
		for _, c := range separable {
			c, err := withCoupling(c, size)
			if err != nil {
				return s, err
			}
			s.Cases = append(s.Cases, c)
		}
	}
	for _, name := range lines {
		m, err := MethodNamed(name)
		if err != nil {
			return s, err
		}
		for k, size := range sizes {
			for i := range separable {
				s.Places = append(s.Places, Place{Picture: "couplings", Line: name, X: size, Row: fmt.Sprint(size), Case: k*len(separable) + i, Method: len(s.Methods)})
			}
		}
		s.Methods = append(s.Methods, m)
	}
	return s, s.Complete()
}

// withCoupling returns a case with a coupling of this size.
func withCoupling(c Case, size float64) (Case, error) {
	if size == 0 {
		return c, nil
	}
	spec := problem.Spec{Name: c.Problem, Dim: c.Dim, Mix: c.Mix, Blemishes: problem.Blemishes{Coupling: size}}
	c, err := BuiltIn(spec)
	if err != nil {
		return c, err
	}
	draw := c.New
	known := &references{}
	c.New = func(seed uint64) (Problem, error) {
		p, err := draw(seed)
		if err != nil {
			return nil, err
		}
		return known.of(p.(*problem.Problem), seed)
	}
	return c, nil
}
