package identify

import (
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/floats"
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
// and b along some blocks of a frame and along the others: parts of the way h to another point, half as long as the bounds
// allow. Where f fails there are fewer.
func squaresOf(g *sampler, w *frame.Frame, blocks [][]int, n int) ([]outer.Corners, error) {
	d := g.f.Dim()
	x, steps := make([]float64, d), [2][]float64{}
	const corners = len(outer.Corners{})
	values, err := g.ask(corners*n, func(k int, row []float64) {
		if k%corners == 0 {
			g.inner.Draw(x, g.other)
			steps = g.sides(w, blocks, x)
		}
		copy(row, x)
		for side, step := range steps {
			if k>>side&1 == 1 {
				kernel.AddScaled(row, 1, step)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var all []outer.Corners
	for k := range n {
		c := outer.Corners(values[corners*k : corners*(k+1)])
		if allFinite(c[:]) {
			all = append(all, c)
		}
	}
	return all, nil
}

// sides draws steps from x, a = Σ_A ⟨w_i, h⟩u_i and b = Σ_B ⟨w_i, h⟩u_i, with some blocks in A and the others in B.
func (g *sampler) sides(w *frame.Frame, blocks [][]int, x []float64) (steps [2][]float64) {
	h, u := make([]float64, len(x)), w.Directions()
	g.box.Draw(h, g.other)
	kernel.AddScaled(h, -1, x)
	for side := range steps {
		steps[side] = make([]float64, len(x))
	}
	for k, at := range g.other.Perm(len(blocks)) {
		for _, i := range blocks[at] {
			kernel.AddScaled(steps[k%2], kernel.Dot(w.Matrix().RawRowView(i), h), u.RawRowView(i))
		}
	}
	for _, step := range steps {
		floats.Scale(min(1, g.room(x, step)/2), step)
	}
	return steps
}
