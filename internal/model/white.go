package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// evenPoints is at how many points the lengths of whitened directions are made even.
const evenPoints = 2

// even returns directions whose usual curvature is 1, where it was 1 at one point: at further
// points second differences along each are measured, for 2m+1 queries a point.
func even(s *sampler, u *mat.Dense, theta Theta) (*mat.Dense, error) {
	m, _ := u.Dims()
	scale, t := make([]float64, m), slices.Repeat([]float64{9 * math.Sqrt(s.sigma)}, m) // noise makes 3 % of a curvature of 1
	var looks []*Look
	for range evenPoints {
		looks = append(looks, s.bare(symmetric, u, t, s.point()))
	}
	if err := s.look(looks...); err != nil {
		return nil, err
	}
	for _, l := range looks {
		q := l.seen(s, theta)
		for i, h := range l.h {
			if c2 := (square(q.m.At(i, i)) - q.vd[i]) / square(square(h)); c2 > 0 && kernel.Finite(c2) {
				scale[i] += c2
			}
		}
	}
	for i, c2 := range scale {
		scale[i] = 1 / math.Sqrt(math.Sqrt((1+c2)/(1+evenPoints)))
	}
	return scaledRows(u, scale), nil
}

// whitened returns directions in which the mean of H² over all short looks is the identity, and
// how many of them have no curvature above the noise; gap is by how much the least of the others is
// above those. Looks along worse directions have more noise along these, and count less.
func (b *belief) whitened(u *mat.Dense) (white *mat.Dense, low int, gap float64) {
	short := b.short()
	sum, weights := mat.NewDense(b.m, b.m, nil), 0.0
	for _, l := range short {
		h, w := l.hessian(b.s, b.theta, u), 1.
		if len(short) > 1 {
			w = 1 / (h.variance() + 0.01)
		}
		h2 := kernel.Times(h.Dense, h.Dense)
		sum.Apply(func(i, j int, v float64) float64 { return v + float64(w*h2.At(i, j)) }, sum)
		weights += w
	}
	sum.Scale(1/weights, sum)
	values, vectors := eigen(sum)
	if values == nil {
		return u, b.m, 1
	}
	last := short[len(short)-1]
	ratio := 0.0
	for i := range b.m {
		ratio += length(last.steps.RawRowView(i)) / length(u.RawRowView(i)) / float64(b.m)
	}
	noise := last.kind.noise * b.s.sigma / square(ratio) * math.Sqrt(float64(b.m))
	most := math.Sqrt(max(0, values[b.m-1]))
	floor := max(noise, most*1.5e-8) // √ε: these are roots of eigenvalues
	scale := make([]float64, b.m)
	for i, v := range values {
		c := math.Sqrt(max(0, v))
		if c < 3*floor {
			low = i + 1
		}
		scale[i] = 1 / math.Sqrt(max(c, floor, tiny))
	}
	if low > 0 && low < b.m {
		gap = math.Sqrt(max(0, values[low])) / floor
	}
	return scaledRows(kernel.Times(vectors, u), scale), low, gap
}
