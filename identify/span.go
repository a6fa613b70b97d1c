package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A span is the directions that f depends on: those in which it curves, an
// orthonormal basis of the span of the w_j, and the one orthogonal to them, if
// any, in which it is linear.
type span struct {
	curved *mat.Dense // m×d; nil: f is linear
	linear []float64  // of length 1; nil: none
}

// Measured with 5 to 36 components in 20 and 40 dimensions, with and without a linear
// part, on rastrigin, rastrigin-like, different powers, the squared norm and levy, seeds
// 0 to 5:
const (
	// firstOrder divides the step that is best for symmetric second differences, about ε^(1/4), for gradients by forward
	// ones, ε^(1/2), and fromForward that of forward second differences, ε^(1/3).
	firstOrder, fromForward = 2e4, 1e3
	// left is the part of a gradient outside the curved directions from which on f is
	// linear in another one. Without a linear part it was 6e-6 or less, with one 2e-3
	// and more.
	left = 1e-4
	// unbent is the part of the usual curvature below which f has none. It was 1e-15
	// mostly where the span was complete, and hardly ever below 1e-4 where it was not.
	unbent = 1e-8
	// bent is the second difference, as a part of first ones, from which on a function
	// is not linear. Linear ones stood at 1e-12 or less.
	bent = 1e-3
	// blind is along how many random directions f must not curve, for it may be flat
	// along one by chance.
	blind = 2
)

// findSpan finds the span from gradients: differences of two,
//
//	∇f(x) − ∇f(x') = Σ_j (f_j'(y_j) − f_j'(y_j')) w_j,
//
// lie in the span of the w_j whatever linear part f has, and are taken one at a
// time until f curves in no other direction. Each gradient costs d+1 queries, m+1
// of them are needed. Beyond most curved directions, or d-1, it gives up and
// returns nil.
func findSpan(g *ground, most int) (*span, error) {
	d := g.f.Dim()
	if most <= g.unspanned { // tried before, in vain
		return nil, nil
	}
	if g.slopeStep == 0 {
		step, err := g.step(hessian.Symmetric, nil)
		if err != nil {
			return nil, err
		}
		g.slopeStep = step / firstOrder
	}
	step := g.slopeStep
	first, err := gradient(g, step)
	if err != nil {
		return nil, err
	}
	found := &span{}
	var rows []float64
	for m := 0; ; m++ {
		complete, err := complete(g, found.curved)
		if err != nil {
			return nil, err
		}
		if complete {
			break
		}
		if m == min(most, d-1) {
			g.unspanned = m
			return nil, nil
		}
		next, err := gradient(g, step)
		if err != nil {
			return nil, err
		}
		kernel.AddScaled(next, -1, first)
		rows = append(rows, next...)
		found.curved = mat.NewDense(m+1, d, rows)
		kernel.Orthonormalise(found.curved.RawMatrix())
	}
	length := floats.Norm(first, 2)
	if found.curved != nil {
		kernel.Project(first, found.curved.RawMatrix())
	}
	if floats.Norm(first, 2) > left*length {
		kernel.Normalise(first)
		found.linear = first
		if straight, err := straight(g, first); !straight || err != nil {
			return nil, err // it bends after all: some w_j was missed
		}
	}
	if found.curved == nil && found.linear == nil {
		return nil, ErrConstant
	}
	return found, nil
}

// straight reports whether f is linear along v, far from some points.
func straight(g *ground, v []float64) (bool, error) {
	points, err := g.points(looks)
	if err != nil {
		return false, err
	}
	ways := make([][]float64, looks)
	for k, x := range points {
		ways[k] = slices.Clone(v)
		g.stretch(x, ways[k])
	}
	f, err := threes(g, points, ways)
	if err != nil {
		return false, err
	}
	for _, t := range f {
		if up, down := t.right-t.middle, t.middle-t.left; !(math.Abs(up-down) <= bent*(math.Abs(up)+math.Abs(down))) {
			return false, nil
		}
	}
	return true, nil
}

// gradient returns a gradient at a random point, by forward differences.
func gradient(g *ground, step float64) ([]float64, error) {
	d := g.f.Dim()
	for range attempts {
		x, err := g.point()
		if err != nil {
			return nil, err
		}
		values, err := g.ask(d+1, func(k int, row []float64) {
			if copy(row, x); k < d {
				row[k] += step
			}
		})
		if err != nil {
			return nil, err
		}
		slopes, sum := make([]float64, d), 0.0
		for i := range slopes {
			slopes[i] = (values[i] - values[d]) / step
			sum += slopes[i]
		}
		if sum-sum == 0 { // all are finite
			return slopes, nil
		}
	}
	return nil, ErrNotFinite
}

// complete reports whether f curves in no direction orthogonal to the rows of q.
func complete(g *ground, q *mat.Dense) (bool, error) {
	d := g.f.Dim()
	if q != nil && q.RawMatrix().Rows == d {
		return true, nil
	}
	for range blind {
		v := make([]float64, d)
		g.random.Norm(v)
		if q != nil {
			kernel.Project(v, q.RawMatrix())
		}
		x, err := g.point()
		if err != nil {
			return false, err
		}
		if flat, err := flat(g, x, v, unbent); !flat || err != nil {
			return false, err
		}
	}
	return true, nil
}
