package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A valley is a place around a local minimum, x + s Σ ξ_i T_i with ξ_i from N(0, 1), in
// which every component curves: of a sum of functions that are straight but for some
// places, like log cosh, most points see nothing.
type valley struct {
	bottom []float64  // x
	t      *mat.Dense // T_i, along which the curvature at x is the same for all i
	size   float64    // s
}

// draw sets x to a random point of the valley, at most half of the way to the bounds.
func (v *valley) draw(g *ground, x []float64) {
	xi := make([]float64, v.t.RawMatrix().Rows)
	g.random.Norm(xi)
	step := make([]float64, len(x))
	kernel.MulVecT(step, v.t.RawMatrix(), xi)
	copy(x, v.bottom)
	kernel.AddScaled(x, min(v.size, g.room(x, step)/roomFor), step)
}

// spread returns the standard deviation of ⟨w, x⟩ over the valley.
func (v *valley) spread(w []float64) float64 {
	sum := 0.0
	for i := range v.t.RawMatrix().Rows {
		sum += square(kernel.Dot(v.t.RawRowView(i), w))
	}
	return v.size * math.Sqrt(sum)
}

// inValley returns the ground around the point to which a descent leads, and the Hessian
// there that has whitened its directions.
func inValley(g *ground, curved *mat.Dense) (*ground, hessian.Basis, hessian.Chain, error) {
	local := *g
	local.finite = nil
	from, err := g.point()
	if err != nil {
		return nil, hessian.Basis{}, hessian.Chain{}, err
	}
	bottom, err := descent{g}.from(from)
	if err != nil {
		return nil, hessian.Basis{}, hessian.Chain{}, err
	}
	d := len(bottom)
	local.valley = &valley{bottom, kernel.Identity(d), 0} // the bottom alone
	chain, err := local.chain(hessian.Forward, hessian.Orthonormal(curved))
	if err != nil {
		return nil, hessian.Basis{}, hessian.Chain{}, err
	}
	if chain, err = local.extended(chain, 1); err != nil {
		return nil, hessian.Basis{}, hessian.Chain{}, err
	}
	white, err := whitened(chain)
	if err != nil {
		return nil, white, chain, err
	}
	local.valley.t = white.T
	local.valley.size, err = local.valley.width(&local)
	local.finite = nil
	return &local, white, chain, err
}

// widths are the parts of the box that a valley may be wide, from the largest down.
var widths = []float64{1, 0.5, 0.25, 0.125, 1. / 16, 1. / 32, 1. / 64, 1. / 128, 1. / 256, 1. / 512, 1. / 1024}

// differs is by how much the curvature along a random direction differs from that at the
// bottom where a valley ends: enough to tell components apart.
const differs = 0.3

// width returns how far one may go from the bottom before the curvature is another one, along
// any of some random directions.
func (v *valley) width(g *ground) (float64, error) {
	m, d := v.t.Dims()
	x := v.bottom
	n := len(widths)
	points, ways := make([][]float64, lines*n), make([][]float64, lines*n)
	for k := range lines {
		xi, way := make([]float64, m), make([]float64, d)
		g.random.Norm(xi)
		kernel.MulVecT(way, v.t.RawMatrix(), xi)
		room := min(1, g.room(x, way))
		for i, part := range widths {
			points[k*n+i], ways[k*n+i] = x, make([]float64, d)
			kernel.AddScaled(ways[k*n+i], part*room, way)
		}
	}
	f, err := threes(g, points, ways)
	if err != nil {
		return 0, err
	}
	at := make([]int, lines)
	for k := range lines {
		last := f[k*n+n-1].second() / square(widths[n-1])
		for at[k] = n - 1; at[k] > 0; at[k]-- {
			if now := f[k*n+at[k]-1].second() / square(widths[at[k]-1]); !(math.Abs(now-last) <= differs*math.Abs(last)) {
				break
			}
		}
	}
	most := 0
	for _, i := range at {
		most = max(most, i)
	}
	return widths[most], nil
}

// gap returns how far its points are from the bounds at least, along coordinate k.
func (v *valley) gap(bounds objective.Box, k int) float64 {
	x := v.bottom[k]
	return min(x-bounds.Lo[k], bounds.Hi[k]-x) / roomFor
}
