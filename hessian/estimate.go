package hessian

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An Estimate is what a stencil says about f at a point, along directions
// u_1, …, u_m.
type Estimate struct {
	Point    []float64
	Value    float64    // f(x)
	Gradient []float64  // u_iᵀ∇f
	Hessian  *mat.Dense // u_iᵀHu_j
	Failed   int        // how many values were not finite; what is built on them is not finite either
}

// At estimates derivatives of f at x along the rows of directions (m×d; nil:
// the coordinates) with step ε, which must be finite and above 0. It asks
// s.Queries(m) queries, in batches of up to objective.MaxBatch points.
func (s Stencil) At(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, step float64) (Estimate, error) {
	if !(step > 0) || math.IsInf(step, 0) {
		panic(fmt.Sprintf("hessian: step %v, must be finite and above 0", step))
	}
	m := len(x)
	if directions != nil {
		m, _ = directions.Dims()
	}
	plan := s.plan(m)
	values := make([]float64, len(plan))
	if err := ask(ctx, f, x, directions, step, plan, values); err != nil {
		return Estimate{}, err
	}
	e := Estimate{
		Point:    append([]float64(nil), x...),
		Gradient: make([]float64, m),
		Hessian:  mat.NewDense(m, m, nil),
	}
	for _, v := range values {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			e.Failed++
		}
	}
	if s.Alone {
		s.weighAlone(&e, values)
	} else {
		s.weighShared(&e, values)
	}
	for i := range m {
		e.Gradient[i] /= step
		for j := i; j < m; j++ {
			h := e.Hessian.At(i, j) / (step * step)
			e.Hessian.Set(i, j, h)
			e.Hessian.Set(j, i, h)
		}
	}
	return e, nil
}

// An offset is the point x + ε(a u_i + b u_j).
type offset struct {
	i, j int
	a, b float64
}

// plan returns the points that the stencil asks for: if they are shared, x
// itself, then each single multiple along every direction, then each term of
// both directions for every pair i < j; if not, those of each entry i ≤ j.
func (s Stencil) plan(m int) []offset {
	plan := make([]offset, 0, s.Queries(m))
	if s.Alone {
		for i := range m {
			for j := i; j < m; j++ {
				for _, t := range s.entry(i, j) {
					plan = append(plan, offset{i, j, t.A, t.B})
				}
			}
		}
		return plan
	}
	plan = append(plan, offset{})
	for _, a := range s.singles() {
		for i := range m {
			plan = append(plan, offset{i: i, a: a})
		}
	}
	for _, t := range s.both() {
		for i := range m {
			for j := i + 1; j < m; j++ {
				plan = append(plan, offset{i, j, t.A, t.B})
			}
		}
	}
	return plan
}

// entry returns the terms of an entry of H.
func (s Stencil) entry(i, j int) []Term {
	if i == j {
		return s.Diagonal
	}
	return s.Pair
}

// ask evaluates f at the points of a plan.
func ask(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, step float64, plan []offset, values []float64) error {
	most := min(objective.MaxBatch(len(x)), len(plan))
	points := mat.NewDense(most, len(x), nil)
	for len(plan) > 0 {
		n := min(most, len(plan))
		for k, o := range plan[:n] {
			row := points.RawRowView(k)
			copy(row, x)
			walk(row, directions, o.i, float64(o.a*step))
			walk(row, directions, o.j, float64(o.b*step))
		}
		if err := f.Evaluate(ctx, points.Slice(0, n, 0, len(x)).(*mat.Dense), values[:n]); err != nil {
			return err
		}
		plan, values = plan[n:], values[n:]
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

// weighAlone forms the sums over the terms of each entry by itself.
func (s Stencil) weighAlone(e *Estimate, values []float64) {
	for i := range e.Gradient {
		for j := i; j < len(e.Gradient); j++ {
			terms := s.entry(i, j)
			sum := 0.0
			for n, t := range terms {
				sum += float64(t.Weight * values[n])
			}
			e.Hessian.Set(i, j, sum)
			if i == j {
				e.Gradient[i] = slope(s.Slope, terms, values)
				e.Value = at(0, terms, values)
			}
			values = values[len(terms):]
		}
	}
}

// slope forms the sum over slope of values that were asked for by terms.
func slope(slope, terms []Term, values []float64) float64 {
	sum := 0.0
	for _, t := range slope {
		sum += float64(t.Weight * at(t.A, terms, values))
	}
	return sum
}

// at returns the value that was asked for at the multiple a.
func at(a float64, terms []Term, values []float64) float64 {
	for n, t := range terms {
		if t.A == a {
			return values[n]
		}
	}
	panic("hessian: a stencil's slope asks for a point of its own")
}

// weighShared forms the sums over the terms of each entry from points that
// entries share. As the weights of an entry sum to 0, f(x) is subtracted from
// all values first: that takes away most of their rounding.
func (s Stencil) weighShared(e *Estimate, values []float64) {
	m := len(e.Gradient)
	f0 := values[0]
	e.Value = f0
	values = values[1:]
	single := map[float64][]float64{0: make([]float64, m)} // f(x + εa u_i) − f(x), by a
	for _, a := range s.singles() {
		for i := range m {
			values[i] -= f0
		}
		single[a], values = values[:m], values[m:]
	}
	for i := range m {
		for _, t := range s.Slope {
			e.Gradient[i] += float64(t.Weight * single[t.A][i])
		}
		sum := 0.0
		for _, t := range s.Diagonal {
			sum += float64(t.Weight * single[t.A][i])
		}
		e.Hessian.Set(i, i, sum)
	}
	for _, t := range s.Pair {
		both := t.A != 0 && t.B != 0
		for i := range m {
			row := e.Hessian.RawRowView(i)
			for j := i + 1; j < m; j++ {
				switch {
				case both:
					row[j] += float64(t.Weight * (values[0] - f0))
					values = values[1:]
				case t.A != 0:
					row[j] += float64(t.Weight * single[t.A][i])
				case t.B != 0:
					row[j] += float64(t.Weight * single[t.B][j])
				}
			}
		}
	}
}
