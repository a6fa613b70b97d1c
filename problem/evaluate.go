package problem

import (
	"cmp"
	"context"
	"sync"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// rowsAtOnce limits the scratch memory of Evaluate, and how many more points it
// evaluates after the context has ended.
const rowsAtOnce = 64

// Evaluate sets values[i] = f(points[i, :]), with the blemishes that the Spec asks for. The
// noise of a point belongs to the number of its query: see query.NumberOf.
func (p *Problem) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := p.Clean(ctx, points, values)
	if len(p.spoilers) > 0 {
		known := values[:query.Evaluated(values, err)]
		for _, spoil := range p.spoilers {
			spoil(ctx, points, known)
		}
	}
	return err
}

// Clean sets values[i] to the value of the clean function at points[i, :], the one whose
// minimum is Minimum: before the map, the noise, the scale, the rounding and the failures
// that the Spec asks for. A coupling is part of it.
func (p *Problem) Clean(ctx context.Context, points *mat.Dense, values []float64) error {
	x := points.RawMatrix()
	s := p.borrow()
	defer p.giveBack(s)
	for lo := 0; lo < len(values); lo += rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return &objective.PartialError{Done: lo, Spent: lo, Err: err}
		}
		n := min(rowsAtOnce, len(values)-lo)
		y := p.components(rows(x, lo, n), s)
		p.g.values(values[lo:lo+n], y, s)
		if p.coupling != nil {
			p.coupling.add(values[lo:lo+n], rows(x, lo, n), y, s)
		}
	}
	return nil
}

// components returns y = Wx for the rows of x, at most rowsAtOnce of them.
func (p *Problem) components(x blas64.General, s *scratch) blas64.General {
	if p.w == nil {
		return x
	}
	y := rows(s.y, 0, x.Rows)
	p.w.apply(y, x)
	return y
}

// values sets dst[i] = g(y_i) for the rows y_i of y.
func (g *function) values(dst []float64, y blas64.General, s *scratch) {
	if g.batch != nil {
		g.batch(dst, y, s)
		return
	}
	if g.terms == nil {
		for i := range dst {
			dst[i] = g.value(rows(y, i, 1).Data, s.work)
		}
		return
	}
	t := rows(s.t, 0, len(dst))
	for i := range dst {
		g.terms(rows(t, i, 1).Data, rows(y, i, 1).Data)
	}
	kernel.MulVec(dst, t, s.ones) // Σ_j t_j, in the order of j
}

// rows returns n rows of m, beginning with row lo.
func rows(m blas64.General, lo, n int) blas64.General {
	m.Rows, m.Data = n, m.Data[lo*m.Stride:(lo+n-1)*m.Stride+m.Cols]
	return m
}

// row returns x as a matrix of one row.
func row(x []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// scratch is the working memory of an evaluation.
type scratch struct {
	y, t       blas64.General // coordinates and terms of rowsAtOnce points
	ones, work []float64
}

// borrow returns scratch space that no other evaluation uses.
func (p *Problem) borrow() *scratch {
	select {
	case s := <-p.scratch:
		return s
	default:
		return newScratch(p.spec.Components, p.g.work)
	}
}

func newScratch(m, work int) *scratch {
	return &scratch{
		y:    blas64.General{Rows: rowsAtOnce, Cols: m, Stride: m, Data: make([]float64, rowsAtOnce*m)},
		t:    blas64.General{Rows: rowsAtOnce, Cols: m, Stride: m, Data: make([]float64, rowsAtOnce*m)},
		ones: ones(m), work: make([]float64, cmp.Or(work, m)),
	}
}

// giveBack lets other evaluations use the scratch space.
func (p *Problem) giveBack(s *scratch) {
	select {
	case p.scratch <- s:
	default:
	}
}

// atMinimum returns g(y*).
func (p *Problem) atMinimum() float64 {
	y := row(p.g.minimiser)
	var value [1]float64
	p.g.values(value[:], y, newScratch(y.Cols, p.g.work))
	return value[0]
}

// inverted is the most rows of a sparse W whose inverse is computed at once. Above it, it would take
// longer than the run, and its memory.
const inverted = 1000

// coordinates returns the frame of W, or that of g's own rotations if there is no W. The
// latter are well conditioned, so that nothing can go wrong when the frame is made later.
// Where W is the identity, its inverse need not be computed.
func (g *function) coordinates(mix string, w mixing, d int) (func() *frame.Frame, error) {
	switch sparse, m := g.sparse(w); {
	case mix == "none":
		return sync.OnceValue(func() *frame.Frame { return frame.Axes(d, ranks.First(m)) }), nil
	case w != nil && !(sparse && m > inverted):
		f, err := frame.New(w.matrix())
		return func() *frame.Frame { return f }, err
	case w != nil:
		return later(w.matrix), nil
	case g.frame == nil:
		return sync.OnceValue(func() *frame.Frame { return frame.Identity(d) }), nil
	}
	return later(g.frame), nil
}

// sparse says whether most entries of W are 0, and how many rows it has.
func (g *function) sparse(w mixing) (sparse bool, rows int) {
	if w == nil {
		return false, 0
	}
	_, sparse = w.(thin)
	rows, _ = w.shape()
	return sparse, rows
}

// later makes a frame when it is asked for.
func later(w func() *mat.Dense) func() *frame.Frame {
	return sync.OnceValue(func() *frame.Frame {
		f, err := frame.New(w())
		if err != nil {
			panic(err)
		}
		return f
	})
}

// preimage returns the shortest x with Wx = y*.
func (p *Problem) preimage(w mixing) []float64 {
	y := p.g.minimiser
	sparse, ok := w.(thin)
	switch {
	case p.w == nil || p.spec.Mix == "none":
		x := make([]float64, p.spec.Dim)
		for j, v := range y {
			x[j] = 0 + v // −0 is 0
		}
		return x
	case ok && len(y) > inverted:
		return sparse.preimage(y)
	}
	return solve(p.frame(), w.matrix(), y)
}

// solve returns the shortest x with Wx = y, refined once.
func solve(f *frame.Frame, w *mat.Dense, y []float64) []float64 {
	m, d := w.Dims()
	x := make([]float64, d)
	step := mat.NewDense(1, d, nil)
	rest := mat.NewDense(1, m, nil)
	for range 2 {
		for j := range m {
			// Row j of W is its length times row j of the frame.
			length := kernel.Dot(w.RawRowView(j), f.Matrix().RawRowView(j))
			rest.Set(0, j, (y[j]-kernel.Dot(w.RawRowView(j), x))/length)
		}
		f.Points(step, rest)
		for i := range x {
			x[i] += step.At(0, i)
		}
	}
	return x
}
