package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

// remapped fits the map of the ground anew by a better frame, if there is one, and returns
// the candidate checked under it.
func remapped(s *settler, c *candidate) (*candidate, error) {
	g := s.g
	if g.psi == nil {
		return c, nil
	}
	pairs, err := crosses(g, c)
	if err != nil || len(pairs) == 0 {
		return c, err
	}
	psi := outer.FittedBeside(pairs, g.psi)
	if psi == nil || outer.Left(psi, pairs) >= outer.Left(g.psi, pairs) {
		return c, nil
	}
	g.f, g.psi = mapping{unit{g.plain.f, 1}, psi}, psi
	return c.checked(g, checkPoints)
}

// simpler returns the map of the ground, or the one that squares over the whole box show in the frame
// found if that is simpler and does as well: a rough frame may have made a power of a root.
func simpler(g *ground, found *Finding) (*outer.Map, error) {
	psi := g.psi
	if psi.Simple() {
		return psi, nil
	}
	squares, err := squaresOf(g.plain, found.Frame, found.Blocks, mapSplits)
	if err != nil || len(squares) < mapSplits/2 {
		return psi, err
	}
	if next := outer.Fitted(squares, nil); next != nil && next.Simple() && outer.Coupling(next, squares) <= outer.Coupling(psi, squares) {
		return next, nil
	}
	return psi, nil
}

const (
	mostCrossed = 12 // pairs along which squares are taken
	eachCrossed = 5  // squares along each
)

// crosses asks for f itself at squares along some pairs of components of different blocks,
// from points of the inner box. Squares at which f fails are left out, and pairs with less
// than four.
func crosses(g *ground, c *candidate) ([][]outer.Cross, error) {
	order := g.other.Perm(len(c.spread))
	var pairs [][2]int
	of := blockNumbers(c.blocks)
	for k := 0; k+1 < len(order) && len(pairs) < mostCrossed; k += 2 {
		if i, j := order[k], order[k+1]; of[i] != of[j] {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	const each = 8
	squares := make([]outer.Cross, len(pairs)*eachCrossed)
	var x []float64
	values, err := g.plain.ask(each*len(squares), func(k int, row []float64) {
		s, p := &squares[k/each], pairs[k/each/eachCrossed]
		if k%each == 0 {
			x = make([]float64, len(row))
			g.inner.Draw(x, g.other)
			for side, i := range p {
				most := min(longestSide*c.spread[i], g.room(x, c.u.RawRowView(i))/mustFit)
				s.H[side] = most * (shortStep + float64((1-shortStep)*g.other.Float64()))
				if g.other.IntN(2) == 1 {
					s.H[side] = -s.H[side]
				}
				s.Eps[side] = math.Copysign(min(c.eps[i], most), s.H[side])
			}
		}
		copy(row, x)
		for side, t := range crossSteps[k%each] {
			kernel.AddScaled(row, float64(t[0]*s.H[side])+float64(t[1]*s.Eps[side]), c.u.RawRowView(p[side]))
		}
	})
	if err != nil {
		return nil, err
	}
	var out [][]outer.Cross
	for n := range pairs {
		var whole []outer.Cross
		for k := n * eachCrossed; k < (n+1)*eachCrossed; k++ {
			s, v := squares[k], values[each*k:each*(k+1)]
			if s.Corners, s.Beside = outer.Corners(v[:4]), [4]float64(v[4:]); allFinite(v) {
				whole = append(whole, s)
			}
		}
		if len(whole) >= eachCrossed-1 {
			out = append(out, whole)
		}
	}
	return out, nil
}

// longestSide is the longest side of a square, in spreads.
const longestSide = 2

// crossSteps are the multiples of h and ε of the two components at the points of a Cross.
var crossSteps = [8][2][2]float64{
	{{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}, {{1, 0}, {1, 0}},
	{{0, 1}, {0, 0}}, {{1, 1}, {0, 0}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, 1}},
}

// allFinite reports whether all numbers are finite.
func allFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return !kernel.Finite(x) })
}

// blockNumbers returns the block of each component.
func blockNumbers(blocks [][]int) []int {
	of := make([]int, len(slices.Concat(blocks...)))
	for b, block := range blocks {
		for _, i := range block {
			of[i] = b
		}
	}
	return of
}

// squaresOf asks for f itself at x, x+a, x+b and x+a+b for n points x of the box, with steps a
// and b along some blocks of a frame and along the others. Both are projections of the
// way to other points, so that they are no longer than the box is wide. Where f fails there
// are fewer.
func squaresOf(g *ground, w *frame.Frame, blocks [][]int, n int) ([]outer.Corners, error) {
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
func squareOf(g *ground, u *mat.Dense, blocks [][]int) [4][]float64 {
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
		kernel.AddScaled(steps[side], min(1, g.room(x, way)/roomFor), way)
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
