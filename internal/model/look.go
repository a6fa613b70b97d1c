package model

import (
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
	noise   float64         // the standard deviation of a mixed difference, in σ
	misses  float64         // the truncation of what a mixed difference says of E, in τ
	queries func(m int) int // of a look with m steps
	parts   []part          // after x itself, which comes first
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
		name: "forward", noise: 2, misses: 0.5, queries: func(m int) int { return m*(m+3)/2 + 1 },
		parts:   []part{{false, 1, 0}, {false, 2, 0}, {true, 1, 1}},
		measure: values.forward,
	}
	symmetric = &kind{
		name: "symmetric", noise: 1.58, misses: 1, queries: func(m int) int { return m*m + m + 1 },
		parts:   []part{{false, 1, 0}, {false, -1, 0}, {true, 1, 1}, {true, -1, -1}},
		measure: values.symmetric,
	}
	fourPoint = &kind{
		name: "four-point", noise: 0.5, misses: 2, queries: func(m int) int { return 2*m*m + 1 },
		parts:   []part{{false, 2, 0}, {false, -2, 0}, {true, 1, 1}, {true, -1, -1}, {true, 1, -1}, {true, -1, 1}},
		measure: values.fourPoint,
	}
	long = &kind{
		name: "long", noise: 2, queries: func(m int) int { return m*(m-1)/2 + 5*m + 1 },
		parts:   []part{{false, 1, 0}, {false, 0, 1}, {false, 0, -1}, {false, 1, 1}, {false, 1, -1}, {true, 1, 1}},
		measure: values.long,
	}
	shortKinds = []*kind{forward, symmetric, fourPoint}
)

// A Look is a point, steps, and the values around it.
type Look struct {
	kind  *kind
	x     []float64
	steps *mat.Dense  // S_i as rows
	tau   float64     // of short looks: the truncation of its second differences, as a part of them
	h     []float64   // of long looks: S_i = h_iu_i
	eps   []float64   // of long looks: the steps of slopes
	z     [][]float64 // the values: that at x, and those of each part
}

// A shortLook has steps of any direction.
func (s *sampler) shortLook(k *kind, x []float64, steps *mat.Dense, tau float64) (*Look, error) {
	l := &Look{kind: k, x: x, steps: steps, tau: tau}
	return l, l.ask(s, nil)
}

// A longLook has steps h_i along the rows of u, the directions of a frame.
func (s *sampler) longLook(x []float64, u *mat.Dense, h, eps []float64) (*Look, error) {
	l := &Look{kind: long, x: x, steps: scaledRows(u, h), h: h, eps: eps}
	return l, l.ask(s, scaledRows(u, eps))
}

// ask asks for all values in one batch.
func (l *Look) ask(s *sampler, slopes *mat.Dense) error {
	m, d := l.steps.Dims()
	points := mat.NewDense(l.kind.queries(m), d, nil)
	for k := range l.kind.queries(m) {
		copy(points.RawRowView(k), l.x)
	}
	n := 1
	ends := []int{n}
	for _, p := range l.kind.parts {
		for i := range m {
			if !p.pairs {
				kernel.AddScaled(points.RawRowView(n), p.a, l.steps.RawRowView(i))
				if slopes != nil {
					kernel.AddScaled(points.RawRowView(n), p.b, slopes.RawRowView(i))
				}
				n++
				continue
			}
			for j := i + 1; j < m; j++ {
				kernel.AddScaled(points.RawRowView(n), p.a, l.steps.RawRowView(i))
				kernel.AddScaled(points.RawRowView(n), p.b, l.steps.RawRowView(j))
				n++
			}
		}
		ends = append(ends, n)
	}
	z, err := s.ask(points)
	if err != nil {
		return err
	}
	l.z = [][]float64{z[:1]}
	for k, to := range ends[1:] {
		l.z = append(l.z, z[ends[k]:to])
	}
	return nil
}
