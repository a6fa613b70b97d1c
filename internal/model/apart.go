package model

import (
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// apart brings blocks apart once, and betters the map if there is one and pairs couple less then.
func (n *blocking) apart(blocks [][]int) *blocking {
	slopes := n.slopes()
	var info sym2
	var right vec2
	var all []*between
	for k, one := range blocks {
		for _, two := range blocks[:k] {
			p := newBetween(one, two, n.hessians, slopes)
			all = append(all, p)
			info, right = info.plus(p.theta), right.plus(p.pull)
		}
	}
	moved := func(theta Theta) *blocking {
		e := mat.NewDense(n.b.m, n.b.m, nil)
		for _, p := range all {
			p.set(e, theta.Less(n.theta))
		}
		tame(e)
		return n.at(n.frame.corrected(e), theta)
	}
	next := moved(n.theta)
	if slopes[0] != nil {
		delta := info.inverse(float64(nothing*info.trace()) + tiny).of(right)
		if other := moved(n.theta.Moved(delta, furthest, n.b.s.low)); other.logs() < next.logs() {
			return other
		}
	}
	return next
}

// slopes returns ∂M_k/∂γ and ∂M_k/∂β; nil: there is no map.
func (n *blocking) slopes() (slopes [2][]*mat.Dense) {
	t := n.theta
	if t.Identity() {
		return slopes
	}
	var all [2][]*mat.Dense
	for k, next := range t.Beside(thetaStep) {
		moved := n.at(n.frame, next)
		for l, h := range moved.hessians {
			h.Sub(h, n.hessians[l])
			h.Scale(1/thetaStep, h)
		}
		all[k] = moved.hessians
	}
	return all
}

// A between are the equations of two blocks, solved for E by least squares: with δθ E is by_0 + by_1δγ + by_2δβ. What
// they leave says something of θ.
type between struct {
	one, two []int
	by       *mat.Dense // E_ab and E_ba, a column for M and for each of its slopes
	theta    sym2
	pull     vec2
}

// newBetween solves the equations of two blocks.
func newBetween(one, two []int, all []*mat.Dense, slopes [2][]*mat.Dense) *between {
	p, q := len(one), len(two)
	n, each := 2*p*q, p*q
	columns := 1 + len(slopes) // of M and of its slopes
	rows, right := mat.NewDense(len(all)*each, n, nil), mat.NewDense(len(all)*each, columns, nil)
	for l, h := range all {
		for i := range p {
			for j := range q {
				at := l*each + i*q + j
				for k := range p {
					rows.Set(at, k*q+j, h.At(one[i], one[k]))
				}
				for k := range q {
					rows.Set(at, each+k*p+i, h.At(two[k], two[j]))
				}
				right.Set(at, 0, h.At(one[i], two[j]))
				for t, s := range slopes {
					if s != nil {
						right.Set(at, 1+t, s[l].At(one[i], two[j]))
					}
				}
			}
		}
	}
	info := kernel.Times(transposed(rows), rows)
	least := float64(nothing*mat.Trace(info)) + tiny
	for i := range n {
		info.Set(i, i, info.At(i, i)+least)
	}
	b := &between{one: one, two: two, by: kernel.Times(inverse(info), kernel.Times(transposed(rows), right))}
	left := kernel.Times(rows, b.by)
	left.Sub(right, left)
	g := kernel.Times(transposed(left), left)
	b.theta, b.pull = sym2{g.At(1, 1), g.At(1, 2), g.At(2, 2)}, vec2{-g.At(0, 1), -g.At(0, 2)}
	return b
}

// set sets E of two blocks where θ moves by so much.
func (b *between) set(e *mat.Dense, by vec2) {
	p, q := len(b.one), len(b.two)
	x := func(k int) float64 {
		return b.by.At(k, 0) + float64(b.by.At(k, 1)*by[0]) + float64(b.by.At(k, 2)*by[1])
	}
	for i := range p {
		for j := range q {
			e.Set(b.one[i], b.two[j], x(i*q+j))
			e.Set(b.two[j], b.one[i], x(p*q+j*p+i))
		}
	}
}
