package hessian

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An Estimate is what a stencil says about f at a point, along directions
// u_1, …, u_m.
type Estimate struct {
	Hessian *mat.Dense // u_iᵀHu_j
	Missing int        // how many entries are not finite, because values are not

	point []float64
	value float64 // f(x)
}

// At estimates second derivatives of f at x along the rows of directions (m×d; nil:
// the coordinates) with step ε, which must be finite and above 0. It asks
// s.Queries(m) queries, in batches of up to query.MaxBatch points. Entries
// that a value that is not finite has spoilt are asked for again, each by itself
// and with shorter steps; see Estimate.Missing.
func (s Stencil) At(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, step float64) (Estimate, error) {
	if !(step > 0) || math.IsInf(step, 0) {
		panic(fmt.Sprintf("hessian: step %v, must be finite and above 0", step))
	}
	m := s.mustFit(f, x, directions)
	e := Estimate{point: x, value: math.NaN(), Hessian: mat.NewDense(m, m, nil)}
	if err := s.fill(ctx, f, &e, directions, step, entries(m), !s.Alone); err != nil {
		return Estimate{}, err
	}
	return e, s.mend(ctx, f, &e, directions, step)
}

// entries returns those of a symmetric matrix: the diagonal, and the pairs i < j.
func entries(m int) [][2]int {
	var all [][2]int
	for i := range m {
		all = append(all, [2]int{i, i})
	}
	for i := range m {
		for j := i + 1; j < m; j++ {
			all = append(all, [2]int{i, j})
		}
	}
	return all
}

// mustFit returns m, and panics where the arguments do not fit each other.
func (s Stencil) mustFit(f objective.Objective, x []float64, directions *mat.Dense) int {
	if len(s.Diagonal) == 0 || len(s.Pair) == 0 {
		panic("hessian: a stencil needs terms for the diagonal and for pairs")
	}
	if len(x) != f.Dim() {
		panic(fmt.Sprintf("hessian: a point of %d coordinates, the objective has %d", len(x), f.Dim()))
	}
	if directions == nil {
		return len(x)
	}
	m, d := directions.Dims()
	if d != len(x) {
		panic(fmt.Sprintf("hessian: directions of %d coordinates, the objective has %d", d, len(x)))
	}
	return m
}

// An offset is the point x + ε(a u_i + b u_j).
type offset struct {
	i, j int
	a, b float64
}

// offsetOf returns the point of a term of an entry, the same one for the same point.
func offsetOf(entry [2]int, t Term) offset {
	o := offset{entry[0], entry[1], t.A, t.B}
	if o.a == 0 {
		o.i, o.a, o.b = o.j, o.b, 0
	}
	if o.b == 0 {
		o.j = 0
	}
	if o.a == 0 {
		o.i = 0
	}
	return o
}

// terms returns those of an entry.
func (s Stencil) terms(entry [2]int) []Term {
	if entry[0] == entry[1] {
		return s.Diagonal
	}
	return s.Pair
}

// plan returns the points to ask for, and which of them each term of each entry belongs to. Points that are shared are
// asked for once, and x is the first of them.
func (s Stencil) plan(entries [][2]int, shared bool) (points []offset, places []int) {
	at := map[offset]int{}
	place := func(o offset) int {
		k, known := at[o]
		if !known || !shared {
			k = len(points)
			at[o], points = k, append(points, o)
		}
		return k
	}
	if shared {
		place(offset{})
		for k, terms := range [2][]Term{s.Diagonal, s.Pair} {
			for _, t := range terms {
				for _, p := range entries {
					if pair := p[0] != p[1]; pair == (k == 1) {
						place(offsetOf(p, t))
					}
				}
			}
		}
	}
	for _, p := range entries {
		for _, t := range s.terms(p) {
			places = append(places, place(offsetOf(p, t)))
		}
	}
	return points, places
}

// fill asks for some entries. As the weights of an entry sum to 0, f(x) is subtracted
// from all values if it is known: that takes away most of their rounding.
func (s Stencil) fill(ctx context.Context, f objective.Objective, e *Estimate, directions *mat.Dense, step float64, entries [][2]int, shared bool) error {
	points, places := s.plan(entries, shared)
	values, err := query.Ask(ctx, f, len(points), func(k int, row []float64) {
		o := points[k]
		copy(row, e.point)
		walk(row, directions, o.i, float64(o.a*step))
		walk(row, directions, o.j, float64(o.b*step))
	})
	if err != nil {
		return err
	}
	if shared {
		e.value = values[0]
	}
	base, known := e.value, !math.IsNaN(e.value)
	for _, p := range entries {
		sum := 0.0
		for k, t := range s.terms(p) {
			v := values[places[k]]
			switch {
			case known:
				v -= base
			case t.A == 0 && t.B == 0:
				e.value = v
			}
			sum += float64(t.Weight * v)
		}
		places = places[len(s.terms(p)):]
		e.Hessian.Set(p[0], p[1], sum/(step*step))
		e.Hessian.Set(p[1], p[0], sum/(step*step))
	}
	return nil
}

// walk adds t u_i to x.
func walk(x []float64, directions *mat.Dense, i int, t float64) {
	switch {
	case t == 0:
	case directions == nil:
		x[i] += t
	default:
		for k, u := range directions.RawRowView(i) {
			x[k] += float64(t * u)
		}
	}
}

// shorter are the parts of the step with which a spoilt entry is asked for again: so
// different that other points are asked, and so long that rounding grows eightfold
// at most.
var shorter = []float64{0.7, 0.5, 0.35}

// mend asks again for entries that values that were not finite have spoilt:
// each by itself, with a shorter step, so that a simulator that fails here and
// there does not cost a whole Hessian. It counts what stays missing. Where f(x)
// itself or most of the rest failed it asks for nothing.
func (s Stencil) mend(ctx context.Context, f objective.Objective, e *Estimate, directions *mat.Dense, step float64) error {
	all := entries(e.Hessian.RawMatrix().Rows)
	spoilt := e.spoilt(all)
	if kernel.Finite(e.value) && len(spoilt) <= len(all)/2 {
		for _, part := range shorter {
			if len(spoilt) == 0 {
				break
			}
			if err := s.fill(ctx, f, e, directions, float64(part*step), spoilt, false); err != nil {
				return err
			}
			spoilt = e.spoilt(all)
		}
	}
	e.Missing = len(spoilt)
	return nil
}

// spoilt returns the entries that are not finite.
func (e *Estimate) spoilt(all [][2]int) [][2]int {
	return slices.DeleteFunc(slices.Clone(all), func(p [2]int) bool { return kernel.Finite(e.Hessian.At(p[0], p[1])) })
}
