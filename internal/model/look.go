package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A kind of look is which points around x are asked. With steps S_i, and for long looks ε_i
// times the directions u_i of the frame, they are
//
//	forward    x, x+S_i, x+2S_i, x+S_i+S_j
//	symmetric  x, x±S_i, x±(S_i+S_j)
//	four       x (twice), x±2S_i, x±(S_i+S_j), x±(S_i−S_j)
//	long       x, x+S_i, x±ε_iu_i, x+S_i±ε_iu_i, x+S_i+S_j
//
// Where f_i(y_i + E_ijy_j) is seen by steps of t, M_ij = E_ijt(f_i′(t) − f_i′(0)), or the symmetric
// form of it, is held against E_ijD_i. In units of τ, the truncation of second differences, forward
// ones with f‴t and others with f⁗t²/12, they differ by ½, 1 and, as D_i has steps of 2t, by 2.
type kind struct {
	name    string
	noise   float64 // the standard deviation of a mixed difference, in σ
	misses  float64 // the truncation of what a mixed difference says of E, in τ
	parts   []part  // after x itself, which comes first unless it is left out
	aside   bool    // it is
	measure func(v values) measured
}

// A part of a look are points x + aS_i + bε_iu_i for all i, or x + aS_i + bS_j for all pairs
// i < j.
type part struct {
	pairs bool
	a, b  float64
}

var (
	forward = &kind{
		name: "forward", noise: 2, misses: 0.5,
		parts:   []part{{false, 1, 0}, {false, 2, 0}, {true, 1, 1}},
		measure: values.forward,
	}
	symmetric = &kind{
		name: "symmetric", noise: 1.58, misses: 1,
		parts:   []part{{false, 1, 0}, {false, -1, 0}, {true, 1, 1}, {true, -1, -1}},
		measure: values.symmetric,
	}
	fourPoint = &kind{
		name: "four-point", noise: 0.5, misses: 2,
		parts:   []part{{false, 2, 0}, {false, -2, 0}, {true, 1, 1}, {true, -1, -1}, {true, 1, -1}, {true, -1, 1}},
		measure: values.fourPoint,
	}
	long = &kind{
		name: "long", noise: 2,
		parts:   []part{{false, 1, 0}, {false, 0, 1}, {false, 0, -1}, {false, 1, 1}, {false, 1, -1}, {true, 1, 1}},
		measure: values.long,
	}
	shortKinds = []*kind{forward, symmetric, fourPoint}

	// Slopes alone are seen by x and x+S_i, or x±S_i.
	oneSide   = &kind{name: "one side", parts: []part{{false, 1, 0}}}
	bothSides = &kind{name: "both sides", parts: []part{{false, 1, 0}, {false, -1, 0}}, aside: true}
)

// queries returns how many a look with m steps and all pairs takes.
func (k *kind) queries(m int) int {
	n := 1
	for _, p := range k.parts {
		if p.pairs {
			n += pairCount(m)
		} else {
			n += m
		}
	}
	return n
}

// A Look is a point, steps, and the values around it.
type Look struct {
	kind  *kind
	x     []float64
	steps *mat.Dense  // S_i as rows
	tau   float64     // of short looks: the truncation of its second differences, as a part of them
	h     []float64   // S_i = h_iu_i
	eps   []float64   // of long looks: the steps of slopes
	ends  *mat.Dense  // of long looks: ε_iu_i as rows
	z     [][]float64 // the values: that at x, and those of each part

	// Of looks along a frame: the pairs that are asked (nil: all), and what |M_ij| is expected to be
	// of others, as a part of D_i.
	pairs    []bool
	expected *mat.Dense
}

func (l *Look) asks(pair int) bool { return l.pairs == nil || l.pairs[pair] }

// bare returns a look at x that asks for no pairs, with steps t_i along directions, shorter ones where the bounds are near.
func (s *sampler) bare(k *kind, along *mat.Dense, t, x []float64) *Look {
	m, _ := along.Dims()
	h := make([]float64, m)
	for i := range h {
		h[i] = t[i] * s.around(x, beside(make([]float64, len(x)), t[i], along.RawRowView(i)))
	}
	return &Look{kind: k, x: x, steps: scaledRows(along, h), h: h, pairs: make([]bool, pairCount(m))}
}

// points are those that a look asks for.
func (l *Look) points() [][]float64 {
	m, _ := l.steps.Dims()
	var points [][]float64
	if !l.kind.aside {
		points = append(points, l.x)
	}
	for _, p := range l.kind.parts {
		if p.pairs {
			eachPair(m, func(i, j, pair int) {
				if l.asks(pair) {
					points = append(points, beside(beside(l.x, p.a, l.steps.RawRowView(i)), p.b, l.steps.RawRowView(j)))
				}
			})
			continue
		}
		for i := range m {
			x := beside(l.x, p.a, l.steps.RawRowView(i))
			if p.b != 0 {
				kernel.AddScaled(x, p.b, l.ends.RawRowView(i))
			}
			points = append(points, x)
		}
	}
	return points
}

// tell takes the values at the points, and returns those that are left.
func (l *Look) tell(z []float64) []float64 {
	m, _ := l.steps.Dims()
	if l.z = [][]float64{{math.NaN()}}; !l.kind.aside {
		l.z, z = [][]float64{z[:1]}, z[1:]
	}
	for _, p := range l.kind.parts {
		if !p.pairs {
			l.z, z = append(l.z, z[:m]), z[m:]
			continue
		}
		part := make([]float64, pairCount(m))
		for k := range part {
			if part[k] = math.NaN(); l.asks(k) {
				part[k], z = z[0], z[1:]
			}
		}
		l.z = append(l.z, part)
	}
	return z
}

// look asks for all values of some looks in one batch.
func (s *sampler) look(all ...*Look) error {
	var points [][]float64
	for _, l := range all {
		points = append(points, l.points()...)
	}
	z, err := s.at(points)
	if err != nil {
		return err
	}
	for _, l := range all {
		z = l.tell(z)
	}
	return nil
}

// slopes returns the slopes of ψ(f) along the steps, for a way of one; NaN where f failed.
func (l *Look) slopes(s *sampler, theta Theta) []float64 {
	origin, _ := s.mapped(l.z[0], theta)
	all, _ := s.mapped(l.z[1], theta)
	var back []float64
	if l.kind == bothSides {
		back, _ = s.mapped(l.z[2], theta)
	}
	for i, h := range l.h {
		if back != nil {
			all[i] = (all[i] - back[i]) / (2 * h)
		} else {
			all[i] = (all[i] - origin[0]) / h
		}
	}
	return all
}
