package identify

import (
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

const (
	// mapSplits is at how many squares of values a map is fitted.
	mapSplits = 12
	// clearly is the part of the mixed differences of f that those of ψ(f) may be, and
	// mixedMost what they may be of single ones. A rough frame left 0.02 or less where
	// there is a map, and Ackley's and Griewank's functions 0.15 and more.
	clearly   = 0.5
	mixedMost = 0.06
)

// under certifies a known frame, which f itself has failed, under the map that it tells: the ψ that makes the mixed
// differences of f over random squares least. It returns the finding as it was if none makes them clearly less.
func (w *work) under(found *Finding) (*Finding, error) {
	w.stage(certificate)
	if len(found.Blocks) < 2 {
		return found, nil
	}
	squares, err := squaresOf(w.g, found.Frame, found.Blocks, mapSplits)
	if err != nil || len(squares) < mapSplits/2 {
		return found, err
	}
	psi := outer.FittedWithin(squares, min(mixedMost, clearly*outer.Coupling(nil, squares)))
	if psi == nil {
		return found, nil
	}
	var values []float64
	for _, c := range squares {
		values = append(values, c[:]...)
	}
	on, next := *w, *found
	on.g, next.Map = mapped(w.g, psi, values), psi.Scaled(1/w.g.factor)
	if err := on.certify(&next, 0); err != nil {
		return found, err
	}
	if v := next.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return found, nil
	}
	w.g = on.g
	return &next, nil
}

// allFinite reports whether all numbers are finite.
func allFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return !kernel.Finite(x) })
}

// squaresOf asks for f itself at x, x+a, x+b and x+a+b for n points x of the box, with steps a
// and b along some blocks of a frame and along the others. Both are projections of the
// way to other points, so that they are no longer than the box is wide. Where f fails there
// are fewer.
func squaresOf(g *sampler, w *frame.Frame, blocks [][]int, n int) ([]outer.Corners, error) {
	u := w.Directions()
	var x [4][]float64
	values, err := g.ask(4*n, func(k int, row []float64) {
		if k%4 == 0 {
			x = squareOf(g, u, blocks)
		}
		copy(row, x[k%4])
	})
	if err != nil {
		return nil, err
	}
	var all []outer.Corners
	for k := range n {
		c := outer.Corners(values[4*k : 4*k+4])
		if allFinite(c[:]) {
			all = append(all, c)
		}
	}
	return all, nil
}

// squareOf draws the four points of a square.
func squareOf(g *sampler, u *mat.Dense, blocks [][]int) [4][]float64 {
	d := g.f.Dim()
	var sides [2][]int
	for {
		sides = [2][]int{}
		for _, block := range blocks {
			side := g.other.IntN(2)
			sides[side] = append(sides[side], block...)
		}
		if len(sides[0]) > 0 && len(sides[1]) > 0 || len(blocks) < 2 {
			break
		}
	}
	x := make([]float64, d)
	g.inner.Draw(x, g.other)
	var steps [2][]float64
	for side, of := range sides {
		steps[side] = make([]float64, d)
		if len(of) == 0 {
			continue
		}
		q := mat.NewDense(len(of), d, nil)
		for k, i := range of {
			q.SetRow(k, u.RawRowView(i))
		}
		kernel.Orthonormalise(q.RawMatrix())
		way, rest := make([]float64, d), make([]float64, d)
		g.box.Draw(way, g.other)
		kernel.AddScaled(way, -1, x)
		copy(rest, way)
		kernel.Project(rest, q.RawMatrix())
		kernel.AddScaled(way, -1, rest)
		kernel.AddScaled(steps[side], min(1, g.room(x, way)/2), way)
	}
	var out [4][]float64
	for k := range out {
		out[k] = make([]float64, d)
		copy(out[k], x)
		for side, step := range steps {
			if k>>side&1 == 1 {
				kernel.AddScaled(out[k], 1, step)
			}
		}
	}
	return out
}
