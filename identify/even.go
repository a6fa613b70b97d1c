package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
)

// evened returns a whitened basis with directions along which f curves equally at other
// points, too. A component that happens to be flat where the Hessian was taken has a
// direction that is far too long everywhere else, and differences along it are the
// coarsest of all. So each direction is divided by the square root of
//
//	√(mean_k (T_iᵀH_kT_i)²)
//
// over the Hessian and some points, at which second differences cost 2m + 1 queries each.
// The step is the one with which the Hessian was taken.
func evened(g *ground, base hessian.Basis, step float64) (hessian.Basis, error) {
	points, err := g.points(looks)
	if err != nil {
		return base, err
	}
	m, _ := base.T.Dims()
	each := 1 + 2*m
	within := func(x []float64, i int) float64 { return min(step, g.room(x, base.T.RawRowView(i))) }
	values, err := g.ask(looks*each, func(k int, row []float64) {
		copy(row, points[k/each])
		if k %= each; k > 0 {
			i := (k - 1) / 2
			kernel.AddScaled(row, [2]float64{-1, 1}[k%2]*within(row, i), base.T.RawRowView(i))
		}
	})
	if err != nil {
		return base, err
	}
	size := make([]float64, m)
	for i := range m {
		sum, n := 0.0, 0
		for _, h := range base.Seen {
			sum, n = sum+square(h.At(i, i)), n+1
		}
		for k := range looks {
			if bend := second(values[k*each+1+2*i:], values[k*each], within(points[k], i)); kernel.Finite(bend) {
				sum, n = sum+square(bend), n+1
			}
		}
		size[i] = math.Sqrt(sum / float64(n))
	}
	usual := slices.Sorted(slices.Values(size))[m/2]
	for i, s := range size {
		if size[i] = math.Sqrt(usual / s); !(size[i] > 0) || math.IsInf(size[i], 1) {
			size[i] = 1
		}
	}
	return base.Scaled(size), nil
}
