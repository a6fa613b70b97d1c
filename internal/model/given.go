package model

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Given is f in a frame that is known from elsewhere.
type Given struct {
	s      *sampler
	frame  *Frame    // rows are as long as makes components go about 1 in the middle of the box
	widths []float64 // what they are divided by
}

// NewGiven prepares to look at f in the frame with the rows w.
func NewGiven(ctx context.Context, f objective.Objective, r Request, w *mat.Dense) (*Given, error) {
	m, d := w.Dims()
	if m < d {
		r.Span = w
	}
	s, err := newSampler(ctx, f, r)
	if err != nil {
		return nil, err
	}
	rows := s.inSpan(s.stretched(w))
	g := &Given{s: s, widths: s.widths(rows)}
	inverses := make([]float64, m)
	for i, v := range g.widths {
		inverses[i] = 1 / v
	}
	if g.frame = frameOf(scaledRows(rows, inverses)); !g.frame.regular() {
		return nil, ErrNoStep
	}
	return g, nil
}

// Round reports whether minima are round in the frame, so that what couples in it couples little.
func (g *Given) Round() (bool, error) { return newValley(g.s, g.frame).round() }

// Corners returns f at x, x+a, x+b and x+a+b for n splits of the box, with a along random halves of some blocks and b along the
// others. Where f fails there are fewer.
func (g *Given) Corners(blocks [][]int, n int) ([]outer.Corners, error) {
	p := splits{s: g.s, part: 1}
	err := p.more(g.frame, blocks, n)
	for k := range p.four {
		for i, z := range p.four[k] {
			p.four[k][i] = g.s.value(z)
		}
	}
	return p.four, err
}

// Lengths measures the length ℓ of each component, in units of the rows.
func (g *Given) Lengths() ([]float64, error) {
	s, m := g.s, len(g.widths)
	steps, err := newLadder(s, g.frame, Theta{}, math.Inf(1), ladderLines, true)
	if err != nil {
		return nil, err
	}
	x, z, err := s.finite(rulerPlaces)
	if err != nil {
		return nil, err
	}
	by := ruler{s: s, frame: g.frame}
	for k, v := range z {
		by.at(x.RawRowView(k), v)
	}
	t, _ := steps.best(symmetric, s.sigma, 1)
	if err := by.curvatures(slices.Repeat([]float64{t}, m)); err != nil {
		return nil, err
	}
	lengths, err := by.lengths(slices.Repeat([]float64{steps.length()}, m))
	for i := range lengths {
		lengths[i] *= g.widths[i]
	}
	return lengths, err
}
