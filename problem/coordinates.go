package problem

import (
	"sync"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/mat"
)

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
