package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// fewFirst is along how many directions the first Hessian is taken, and how many
	// times as many the next one has. The last costs more than all before: they cost
	// about d²/15 together.
	fewFirst = 4
	// fewShare is the part of a budget, an eighth, that may be spent on this.
	fewShare = 8
	// flatPart is the part of the usual curvature below which a direction is flat to the
	// accuracy of a Hessian by symmetric differences.
	flatPart = 1e-3
)

// few looks for signs that f has few components, m < d/4: the Hessian along s
// random directions has rank min(s, m), so that one along four directions, then
// sixteen, and so on, of which each costs s² + s + 1 queries, sees m as soon as
// s > m. It returns such an s, or 0. Of a budget it spends an eighth at most.
func few(g *ground, budget int) (int, error) {
	d := g.f.Dim()
	step := 0.0 // along directions that are random anyway
	for n := fewFirst; n <= d/fewFirst && (budget == 0 || n*n <= budget/fewShare); n *= fewFirst {
		if step == 0 {
			var err error
			if step, err = g.step(hessian.Symmetric, nil); err != nil {
				return 0, err
			}
		}
		t := rng.Sphere(n, d, g.random)
		kernel.Orthonormalise(t.RawMatrix())
		x, err := g.point()
		if err != nil {
			return 0, err
		}
		e, err := hessian.Symmetric.At(g.ctx, g.f, x, t, step)
		if err != nil {
			return 0, err
		}
		if e.Missing > 0 {
			return 0, nil // no evidence
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(kernel.Symmetrised(e.Hessian, 1), true) {
			return 0, nil
		}
		values := eigen.Values(nil)
		flattest, largest := 0, 0.0
		for i, v := range values {
			if math.Abs(v) < math.Abs(values[flattest]) {
				flattest = i
			}
			largest = max(largest, math.Abs(v))
		}
		if math.Abs(values[flattest]) > flatPart*largest {
			continue
		}
		// The flattest direction is flat to the accuracy of the Hessian. Is f?
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		v := make([]float64, d)
		kernel.MulVecT(v, t.RawMatrix(), mat.Col(nil, flattest, &vectors))
		isFlat, err := flat(g, e.Point, v, flatPart)
		if err != nil {
			return 0, err
		}
		if isFlat {
			return n, nil
		}
	}
	return 0, nil
}

// flat reports whether f hardly curves from x along v: less than part of what it
// does along a random direction, or not more than its rounding.
func flat(g *ground, x, v []float64, part float64) (bool, error) {
	other := make([]float64, len(x))
	g.random.Norm(other)
	g.stretch(x, v)
	g.stretch(x, other)
	values, err := g.ask(5, func(k int, row []float64) {
		copy(row, x)
		if k > 0 { // x, x ± v, x ± other
			kernel.AddScaled(row, [2]float64{-1, 1}[k%2], [2][]float64{v, other}[(k-1)/2])
		}
	})
	if err != nil {
		return false, err
	}
	bend := math.Abs(second(values[1:], values[0], 1))
	usual := math.Abs(second(values[3:], values[0], 1))
	if !kernel.Finite(usual) {
		return false, nil // no evidence
	}
	return bend <= part*usual || bend <= g.grain.Times(grains.OfFlat, values[0]), nil
}

// A suspicion says what in a spectrum is a sign of fewer components than dimensions.
type suspicion struct {
	least int     // eigenvalues below the gap, at least
	part  float64 // of the usual curvature that is left in their directions, at most
}

// many suspects that a tenth of all components are missing, two at least. The flat
// directions of a Hessian by forward differences are not exact, so that some curvature is
// left in them. A false suspicion costs a few gradients.
func many(d int) suspicion { return suspicion{max(2, d/10), 0.03} }

// one suspects that a single component is missing. That is not worth looking for before
// all else has failed, and then f has to be flat beyond doubt.
var one = suspicion{1, 1e-6}

const (
	// wideGap is the ratio of neighbouring eigenvalues from which on there is a gap. A
	// false one costs the five queries that flat asks.
	wideGap = 10.0
	// lowest is the part of the largest eigenvalue below which eigenvalues are rounding,
	// and their ratios chance.
	lowest = 1e-13
	// below is how many weak components may stand below the gap: so many eigenvalues
	// fewer are tried as flat ones.
	below = 2
)

// suspect looks in a Hessian for signs that f has fewer components than dimensions: a
// gap in its spectrum. If there are any it returns the span, nil if there is no smaller
// one.
func suspect(g *ground, c hessian.Chain, white hessian.Basis, sign suspicion, stage func(objective.Stage)) (*span, error) {
	d := len(white.Lambda)
	top := white.Lambda[d-1]
	if !(top*square(c.Step) > g.grain.Times(grains.OfSum, c.Values[len(c.Values)-1])) { // no curvature but rounding
		stage(reduction)
		return findSpan(g, d)
	}
	null, widest := 0, wideGap
	for k := sign.least; k < d; k++ {
		if gap := white.Lambda[k] / max(white.Lambda[k-1], lowest*top); gap > widest {
			null, widest = k, gap
		}
	}
	if g.slopeStep == 0 && c.Stencil.Name == hessian.Forward.Name {
		g.slopeStep = c.Step / fromForward
	}
	for last := null - below - 1; null > max(0, last) && null >= sign.least; null-- {
		v, mix := make([]float64, d), make([]float64, null)
		g.random.Norm(mix)
		for i, a := range mix {
			u := white.T.RawRowView(i)
			kernel.AddScaled(v, a/floats.Norm(u, 2), u)
		}
		isFlat, err := flat(g, c.Points[0], v, sign.part)
		if err != nil {
			return nil, err
		}
		if isFlat {
			stage(reduction)
			found, err := findSpan(g, d-null+below)
			if found == nil && err == nil {
				stage(hessians)
			}
			return found, err
		}
	}
	return nil, nil
}

// reconsider looks once more for signs of fewer components than dimensions, in
// Hessians that are more exact than the first. It returns nil if there are none.
func (p *proposer) reconsider(chain hessian.Chain) (*span, error) {
	b := chain.Own()
	m, d := b.T.Dims()
	white, err := b.Whitened()
	if m < d || err != nil {
		return nil, nil
	}
	return suspect(p.g, chain, white, many(d), p.stage)
}
