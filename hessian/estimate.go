package hessian

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/query"
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
	Failed   int        // how many values were not finite
	Missing  int        // how many entries of Gradient and Hessian are not finite because of that
}

// At estimates derivatives of f at x along the rows of directions (m×d; nil:
// the coordinates) with step ε, which must be finite and above 0. It asks
// s.Queries(m) queries, in batches of up to query.MaxBatch points. Entries
// that a value that is not finite has spoilt are asked for again, each by itself
// and with shorter steps; see Estimate.Missing.
func (s Stencil) At(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, step float64) (Estimate, error) {
	if !(step > 0) || math.IsInf(step, 0) {
		panic(fmt.Sprintf("hessian: step %v, must be finite and above 0", step))
	}
	m := s.mustFit(f, x, directions)
	pairs := allPairs(m)
	values, err := ask(ctx, f, x, directions, step, s.plan(m, pairs))
	if err != nil {
		return Estimate{}, err
	}
	e := s.weigh(x, m, step, pairs, values)
	if e.Failed > 0 {
		if err := s.mend(ctx, f, &e, directions, step, pairs); err != nil {
			return Estimate{}, err
		}
	}
	return e, nil
}

// allPairs returns the pairs i < j of m directions.
func allPairs(m int) [][2]int {
	pairs := make([][2]int, 0, m*(m-1)/2)
	for i := range m {
		for j := i + 1; j < m; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// weigh makes the estimate at x of the values that were asked for along m directions.
func (s Stencil) weigh(x []float64, m int, step float64, pairs [][2]int, values []float64) Estimate {
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
		s.weighAlone(&e, pairs, values)
	} else {
		s.weighShared(&e, pairs, values)
	}
	for i := range m {
		e.Gradient[i] /= step
		e.Hessian.Set(i, i, e.Hessian.At(i, i)/(step*step))
	}
	for _, p := range pairs {
		h := e.Hessian.At(p[0], p[1]) / (step * step)
		e.Hessian.Set(p[0], p[1], h)
		e.Hessian.Set(p[1], p[0], h)
	}
	return e
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

// plan returns the points that the stencil asks for: if they are shared, x
// itself, then each single multiple along every direction, then each term of
// both directions for every pair; if not, those of each diagonal entry, then
// those of each pair.
func (s Stencil) plan(m int, pairs [][2]int) []offset {
	var plan []offset
	if s.Alone {
		for i := range m {
			for _, t := range s.Diagonal {
				plan = append(plan, offset{i, i, t.A, t.B})
			}
		}
		for _, p := range pairs {
			for _, t := range s.Pair {
				plan = append(plan, offset{p[0], p[1], t.A, t.B})
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
		for _, p := range pairs {
			plan = append(plan, offset{p[0], p[1], t.A, t.B})
		}
	}
	return plan
}

// ask evaluates f at the points of a plan, from x.
func ask(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, step float64, plan []offset) ([]float64, error) {
	return query.Ask(ctx, f, len(plan), func(k int, row []float64) {
		o := plan[k]
		copy(row, x)
		walk(row, directions, o.i, float64(o.a*step))
		walk(row, directions, o.j, float64(o.b*step))
	})
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
func (s Stencil) weighAlone(e *Estimate, pairs [][2]int, values []float64) {
	sum := func(terms []Term) float64 {
		sum := 0.0
		for n, t := range terms {
			sum += float64(t.Weight * values[n])
		}
		return sum
	}
	for i := range e.Gradient {
		e.Hessian.Set(i, i, sum(s.Diagonal))
		e.Gradient[i] = slope(s.Slope, s.Diagonal, values)
		e.Value = at(0, s.Diagonal, values)
		values = values[len(s.Diagonal):]
	}
	for _, p := range pairs {
		e.Hessian.Set(p[0], p[1], sum(s.Pair))
		values = values[len(s.Pair):]
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
	panic("hessian: the diagonal of a stencil whose entries stand alone must ask for x itself, and for every point of the slope")
}

// weighShared forms the sums over the terms of each entry from points that
// entries share. As the weights of an entry sum to 0, f(x) is subtracted from
// all values first: that takes away most of their rounding.
func (s Stencil) weighShared(e *Estimate, pairs [][2]int, values []float64) {
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
		for k, p := range pairs {
			entry := e.Hessian.At(p[0], p[1])
			switch {
			case both:
				entry += float64(t.Weight * (values[k] - f0))
			case t.A != 0:
				entry += float64(t.Weight * single[t.A][p[0]])
			case t.B != 0:
				entry += float64(t.Weight * single[t.B][p[1]])
			}
			e.Hessian.Set(p[0], p[1], entry)
		}
		if both {
			values = values[len(pairs):]
		}
	}
}
