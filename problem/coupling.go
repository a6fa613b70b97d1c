package problem

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A coupling is a sum over pairs (i, j) of components,
//
//	factor · Σ a(y_i) b(y_j),
//
// which is added to a function that may have none. y are the components that g has, or
// those of the problem's frame where g makes its own.
type coupling struct {
	pairs  [][2]int
	waves  waves
	factor float64
	frameT *mat.Dense // d×m; nil: y is what g gets
}

// waves sets a_j = a(y_j) and b_j = b(y_j) for every component.
type waves func(a, b, y []float64)

var couplingKinds = map[string]waves{
	"sines": func(a, b, y []float64) { // sin(y_i) cos(2y_j)
		kernel.Sin(a, y)
		for j, v := range y {
			b[j] = 2 * v
		}
		kernel.Cos(b, b)
	},
	"products": func(a, b, y []float64) { // tanh(y_i/2) tanh(y_j/2)
		for j, v := range y {
			a[j] = -math.Abs(v)
		}
		kernel.Exp(a, a)
		for j, e := range a { // tanh(y/2) = (1−e^−y)/(1+e^−y) for y ≥ 0, and it is odd
			a[j] = math.Copysign((1-e)/(1+e), y[j])
			b[j] = a[j]
		}
	},
}

// couple adds D·s times a coupling whose standard deviation over the domain is 1. From then
// on nobody knows the minimum.
func (p *Problem) couple(b Blemishes, s float64, r *rng.Stream) error {
	m := p.spec.Components
	c := &coupling{waves: couplingKinds[b.CouplingKind], factor: 1}
	for range 2 * m {
		i, j := r.IntN(m), r.IntN(m-1)
		if j >= i {
			j++
		}
		c.pairs = append(c.pairs, [2]int{i, j})
	}
	if p.w == nil && p.spec.Mix != "none" {
		c.frameT = mat.DenseCopyOf(p.frame().Matrix().T())
	}
	own := p.deviation(func(points *mat.Dense, values []float64) {
		clear(values)
		scratch := p.borrow()
		defer p.giveBack(scratch)
		c.add(values, points.RawMatrix(), p.components(points.RawMatrix(), scratch), scratch)
	})
	c.factor = b.Coupling * s / own
	if !usable(s) || !usable(own) {
		return objective.BadOption("Coupling", "needs a function that varies over the domain; the standard deviations are %v, and %v of the coupling", s, own)
	}
	p.coupling, p.minimum = c, math.NaN()
	return nil
}

// add adds the coupling at the rows of x to values; y are the components that g gets there.
func (c *coupling) add(values []float64, x, y blas64.General, s *scratch) {
	if c.frameT != nil {
		y = rows(s.y, 0, len(values))
		kernel.Mul(y, 1, x, c.frameT.RawMatrix(), 0)
	}
	a, b := rows(s.t, 0, 1).Data, rows(s.t, 1, 1).Data
	for i := range values {
		c.waves(a, b, rows(y, i, 1).Data)
		sum := 0.0
		for _, pair := range c.pairs {
			sum += float64(a[pair[0]] * b[pair[1]])
		}
		values[i] += float64(c.factor * sum)
	}
}

// spreadPoints is how many points of the domain a standard deviation is estimated from.
const spreadPoints = 1000

// deviation returns the standard deviation of f over the domain. Every f sees the same
// points, at most rowsAtOnce of them at a time.
func (p *Problem) deviation(f func(points *mat.Dense, values []float64)) float64 {
	stream := rng.Seed(p.spec.Seed).Stream("problem", "spread")
	values := make([]float64, spreadPoints)
	most := max(1, min(rowsAtOnce, query.MaxBatch(p.Dim())))
	for lo := 0; lo < spreadPoints; lo += most {
		n := min(most, spreadPoints-lo)
		points := mat.NewDense(n, p.Dim(), nil)
		for i := range n {
			p.domain.Draw(points.RawRowView(i), stream)
		}
		f(points, values[lo:lo+n])
	}
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += float64(v / spreadPoints)
	}
	for _, v := range values {
		squares += square(v - mean)
	}
	return math.Sqrt(squares / (spreadPoints - 1))
}

// cleanly sets the clean values at points. Nothing stops it.
func (p *Problem) cleanly(points *mat.Dense, values []float64) {
	_ = p.Clean(context.Background(), points, values) // no error without an end
}

// spoilt sets the values at points with the blemishes that there are so far.
func (p *Problem) spoilt(points *mat.Dense, values []float64) {
	_ = p.Evaluate(context.Background(), points, values) // no error without an end
}
