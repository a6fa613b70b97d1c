package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
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

// A coupled problem is one of which nobody knows the minimum, because its components couple.
// The least value that is known of it stands in its place.
type coupled struct {
	*problem.Problem
	least float64
}

func (c coupled) Minimum() float64 { return c.least }

// references are the least values that are known of a case, each found once.
type references struct{ found sync.Map } // seed → func() (float64, error)

// of returns a problem with the least value that is known of it.
func (r *references) of(p *problem.Problem, seed uint64) (Problem, error) {
	find, _ := r.found.LoadOrStore(seed, sync.OnceValues(func() (float64, error) { return reference(p) }))
	least, err := find.(func() (float64, error))()
	if err != nil {
		return nil, err
	}
	return coupled{p, least}, nil
}

// The search for a reference: how far it looks along a component at first, how finely, after
// how many rounds it ends, and below which gain.
const (
	referenceReach  = 3
	referenceStep   = 0.05
	referenceRounds = 30
	referenceGain   = 1e-9
)

// reference returns the least value that line searches along the true components reach, one
// component after another and again and again, from the minimiser of the problem without its
// couplings. It knows what no method knows. It may still miss the minimum, where a well is
// deeper that only two components together can reach.
func reference(p *problem.Problem) (float64, error) {
	ctx := context.Background()
	x, value := p.Minimiser(), make([]float64, 1)
	if err := p.Evaluate(ctx, mat.NewDense(1, len(x), x), value); err != nil {
		return 0, err
	}
	least, along := value[0], p.Frame().Directions()
	everywhere := []line.Range{{Lo: -referenceReach, Hi: referenceReach, Step: referenceStep, Least: math.Inf(-1), Most: math.Inf(1)}}
	for range referenceRounds {
		before := least
		for j := range p.Frame().Components() {
			u := mat.NewDense(1, len(x), along.RawRowView(j))
			profiles, err := line.Minimize(ctx, p, x, least, u, everywhere, line.Config{})
			if err != nil {
				return 0, err
			}
			if len(profiles[0].Wells) == 0 {
				continue
			}
			next := slices.Clone(x)
			kernel.AddScaled(next, profiles[0].Wells[0].Y, u.RawRowView(0))
			if err := p.Evaluate(ctx, mat.NewDense(1, len(x), next), value); err != nil {
				return 0, err
			}
			if value[0] < least {
				x, least = next, value[0]
			}
		}
		if !(before-least > referenceGain) {
			break
		}
	}
	return least, nil
}
