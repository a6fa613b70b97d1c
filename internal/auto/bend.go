package auto

import (
	"context"
	"math"
	"slices"

	down "github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/query"
	"gonum.org/v1/gonum/mat"
)

// A bend is how f curves at a point in the coordinates y: its Hessian, 0 between components of different blocks, and
// its slope.
type bend struct {
	blocks  [][]int
	hessian *mat.SymDense
	slope   []float64 // nil: not there, since bounds are near
	rise    []float64 // second differences along components
}

const (
	// finePart is the part of a component's scale over which f is looked at: a parabola fits well there, and rounding is
	// far away. A quadratic is looked at over a whole scale.
	finePart = 1. / 50
	// asideMost is how far from a point f is looked at instead if bounds are near, in scales: steps are halved for that.
	asideMost = 0.1
)

// look asks for f at x ± ε_j u_j, ε_j a part of the scale, and for pairs of a block at x + ε_i u_i + ε_j u_j. Where bounds are in the way it
// looks from a point nearby.
func (p *polisher) look(ctx context.Context, x []float64, fx, part float64) (*bend, error) {
	at, m := p.at, len(p.at.scale)
	eps := slices.Clone(at.scale)
	for j := range eps {
		eps[j] *= part
	}
	base := at.inside(x, eps)
	for range mostTurns {
		if at.apart(x, base) <= asideMost {
			break
		}
		for j := range eps {
			eps[j] /= 2
		}
		base = at.inside(x, eps)
	}
	var moves [][2]int // signed places from 1 on; 0: none
	there := slices.Equal(base, x)
	if !there {
		moves = append(moves, [2]int{})
	}
	for j := range m {
		moves = append(moves, [2]int{j + 1}, [2]int{-j - 1})
	}
	at.pairs(func(i, j int) { moves = append(moves, [2]int{i + 1, j + 1}) })
	values, err := query.Ask(ctx, p.f, len(moves), func(k int, row []float64) {
		copy(row, base)
		for _, c := range moves[k] {
			if j := max(c, -c) - 1; j >= 0 {
				at.move(row, math.Copysign(eps[j], float64(c)), j)
			}
		}
		clamp(row, at.bounds) // rounding
	})
	if err != nil {
		return nil, err
	}
	b := &bend{blocks: at.all(), hessian: mat.NewSymDense(m, nil), rise: make([]float64, m)}
	if there {
		values, b.slope = append([]float64{fx}, values...), make([]float64, m)
	}
	for j := range m {
		up, back := values[1+2*j]-values[0], values[2+2*j]-values[0]
		b.rise[j] = up + back
		b.hessian.SetSym(j, j, b.rise[j]/(eps[j]*eps[j]))
		if there {
			b.slope[j] = (up - back) / (2 * eps[j])
		}
	}
	k := 1 + 2*m
	at.pairs(func(i, j int) {
		mixed := (values[k] - values[1+2*i]) - (values[1+2*j] - values[0])
		b.hessian.SetSym(i, j, mixed/(eps[i]*eps[j]))
		k++
	})
	return b, nil
}

// upwards reports whether all second differences are above some rounding.
func (b *bend) upwards(rounding float64) bool {
	return !slices.ContainsFunc(b.rise, func(v float64) bool { return !(v > rounding) })
}

// diagonal are the second derivatives of single components.
func (b *bend) diagonal() []float64 {
	c := make([]float64, len(b.rise))
	for j := range c {
		c[j] = b.hessian.At(j, j)
	}
	return c
}

// spread is how much f rises over the scales of all components.
func (b *bend) spread(scale []float64) float64 {
	sum := 0.0
	for j, r := range scale {
		if rise := float64(math.Abs(b.hessian.At(j, j)) * r * r); !notFinite(rise) {
			sum += rise
		}
	}
	return sum
}

// gain is what f falls by to the minimum of the parabola of single components, Σ g_j²/2c_j.
func (b *bend) gain() float64 {
	sum := 0.0
	for j, g := range b.slope {
		sum += float64(g * g / (2 * b.hessian.At(j, j)))
	}
	return sum
}

// axes are steps in y and changes of the slope along them that say the same: with H = QΛQᵀ of a block s = q and y = λq,
// for each λ above 0.
func (b *bend) axes() []down.Pair {
	m := len(b.rise)
	var all []down.Pair
	for _, block := range b.blocks {
		h, finite := mat.NewSymDense(len(block), nil), true
		for i, p := range block {
			for j, q := range block[:i+1] {
				h.SetSym(i, j, b.hessian.At(p, q))
				finite = finite && !notFinite(h.At(i, j))
			}
		}
		var eigen mat.EigenSym
		if !finite || !eigen.Factorize(h, true) {
			continue
		}
		var v mat.Dense
		eigen.VectorsTo(&v)
		for k, lambda := range eigen.Values(nil) {
			if lambda > 0 {
				q := down.Pair{S: make([]float64, m), Y: make([]float64, m)}
				for i, j := range block {
					q.S[j], q.Y[j] = v.At(i, k), lambda*v.At(i, k)
				}
				all = append(all, q)
			}
		}
	}
	return all
}
