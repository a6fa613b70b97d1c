package certify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A Pair is how much two components of a frame couple.
type Pair struct {
	I, J int // components, I < J
	// Mixed is √(mean M²), M the mixed difference for steps along the two components, in
	// units of f.
	Mixed float64
	// Coupling is √(ΣM²/Σ(D_I²+D_J²)): their mixed differences as a part of their own single
	// ones.
	Coupling float64
}

// Pairs measures how much all pairs of components of a frame couple, at so many points of
// the box, with steps that lead to another point of it. For m components that takes
// 1 + m + m(m−1)/2 queries a point. A pair at which f is nowhere finite has a Coupling of 0.
// The pairs are ordered by I, then by J.
func (t Test) Pairs(ctx context.Context, f objective.Objective, w *frame.Frame, points int) ([]Pair, error) {
	if w == nil {
		return nil, objective.BadOption("Frame", "is nil")
	}
	p, _, err := t.prober(ctx, f, w, nil)
	if err != nil {
		return nil, err
	}
	m := w.Components()
	var pairs []Pair
	for i := range m {
		for j := i + 1; j < m; j++ {
			pairs = append(pairs, Pair{I: i, J: j})
		}
	}
	single, tested := make([]float64, len(pairs)), make([]float64, len(pairs))
	each := 1 + m + len(pairs)
	values, err := p.pairs(w, pairs, points)
	if err != nil {
		return nil, err
	}
	for v := range slices.Chunk(values, each) {
		for k := range pairs {
			q := &pairs[k]
			one, other := v[1+q.I]-v[0], v[1+q.J]-v[0]
			if mixed := (v[1+m+k] - v[1+q.I]) - other; kernel.Finite(mixed) {
				q.Mixed += square(mixed)
				single[k] += square(one) + square(other)
				tested[k]++
			}
		}
	}
	for k := range pairs {
		q := &pairs[k]
		if single[k] > 0 {
			q.Coupling = math.Sqrt(q.Mixed / single[k])
		}
		q.Mixed = math.Sqrt(q.Mixed / max(tested[k], 1))
	}
	return pairs, nil
}

// pairs asks for f(x), f(x+h_i) for every component and f(x+h_i+h_j) for every pair, at
// points that are drawn.
func (p *prober) pairs(w *frame.Frame, pairs []Pair, points int) ([]float64, error) {
	m := w.Components()
	each := 1 + m + len(pairs)
	var x []float64
	steps := make([][]float64, m)
	return p.ask(points*each, func(k int, row []float64) {
		if k %= each; k == 0 {
			var h []float64
			x, h = p.way(w)
			for i := range steps {
				steps[i] = along(w, []int{i}, h)
			}
			t := p.within(x, steps...)
			for _, step := range steps {
				for i := range step {
					step[i] *= t
				}
			}
		}
		copy(row, x)
		switch {
		case k > m:
			kernel.AddScaled(row, 1, steps[pairs[k-1-m].I])
			kernel.AddScaled(row, 1, steps[pairs[k-1-m].J])
		case k > 0:
			kernel.AddScaled(row, 1, steps[k-1])
		}
	})
}

// carried is the part of the sum of all M² that the pairs make up which carry it.
const carried = 0.9

// Carriers returns the fewest pairs that make up nine tenths of the sum of all M², the
// largest first.
func Carriers(pairs []Pair) []Pair {
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b Pair) int { return cmp.Compare(b.Mixed, a.Mixed) })
	all := 0.0
	for _, q := range sorted {
		all += square(q.Mixed)
	}
	sum := 0.0
	for k, q := range sorted {
		if sum >= carried*all {
			return sorted[:k]
		}
		sum += square(q.Mixed)
	}
	return sorted
}
