package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

// Blocks in short looks. In the frame of a sum over blocks every Hessian consists of blocks, and the eigenvectors of a
// pencil of two of them lie each in one block, whatever f is inside. So a pencil shows the blocks, up to errors over the
// distances of its eigenvalues, and least squares take these away: with M_k = (I+E)ᵀD_k(I+E),
//
//	M_k,ab = D_k,aa E_ab + E_baᵀ D_k,bb + δθ ∂M_k,ab/∂θ
//
// for each two blocks a, b. (Sweeps for single components need not come to an end where there are blocks.)

// A blocking is a frame with a map, the Hessians of looks along it, in which curvatures have the mean square 1, and C.
type blocking struct {
	frame    *Frame
	theta    Theta
	hessians []*mat.Dense
	c        *mat.Dense
}

const (
	// divisions are how often blocks are divided, by the best of so many pencils.
	divisions, pencils = 3, 5
	// apartSweeps are made for blocks by each link.
	apartSweeps = 3
	// slack is the part of the information about E, or θ, below which there is none.
	noInformation = 1e-12
)

// blocking returns what looks have along a frame; nil: there is none.
func (b *belief) blocking(f *Frame, theta Theta, looks []*Look) *blocking {
	if f == nil {
		return nil
	}
	all, weights := b.hessians(theta, looks, f.U)
	if len(all) < 2 {
		return nil
	}
	third := slices.Sorted(slices.Values(weights))[max(0, len(weights)-3)]
	s := make([]float64, b.m)
	for k, h := range all {
		h.Scale(min(1, weights[k]/third), h)
		for i := range s {
			s[i] += square(h.At(i, i)) / float64(len(all))
		}
	}
	for i := range s {
		s[i] = 1 / math.Sqrt(math.Sqrt(s[i])+tiny)
	}
	for _, h := range all {
		h.Apply(func(i, j int, v float64) float64 { return v * s[i] * s[j] }, h)
	}
	if f = along(scaledRows(f.U, s)); f == nil {
		return nil
	}
	return &blocking{f, theta, all, couplings(all)}
}

// couplings returns C of Hessians whose curvatures have the mean square 1.
func couplings(all []*mat.Dense) *mat.Dense {
	m, _ := all[0].Dims()
	return off(m, func(i, j int) float64 {
		sum := 0.0
		for _, h := range all {
			sum += square(h.At(i, j)) / float64(len(all))
		}
		return math.Sqrt(sum)
	})
}

// whole returns what looks have along the steps of the last of them.
func (b *belief) whole(theta Theta, looks []*Look) *blocking {
	return b.blocking(along(looks[len(looks)-1].steps), theta, looks)
}

// all returns all components.
func (b *belief) all() []int { return slices.Concat(singles(b.m)...) }

// divided divides blocks (nil: there is one of all) into those that looks have, if they have any.
func (b *belief) divided(now *blocking, blocks [][]int, looks []*Look) *blocking {
	if blocks == nil {
		blocks = [][]int{b.all()}
	}
	for range divisions {
		if now == nil {
			return nil
		}
		if now = b.blocking(b.redirected(now, blocks), now.theta, looks); now == nil {
			return nil
		}
		for _, link := range linked {
			next := jointdiag.Blocks(now.c, link)
			if len(next) == 1 {
				break
			}
			blocks = next
			for range apartSweeps {
				if next := b.apart(now, looks, blocks); next != nil {
					now = next
				}
			}
		}
	}
	return now
}

// redirected returns a frame with other directions within blocks: eigenvectors of a pencil, that which couples least of some.
func (b *belief) redirected(now *blocking, blocks [][]int) *Frame {
	u := mat.DenseCopyOf(now.frame.U)
	for _, block := range blocks {
		n := len(block)
		var all []*mat.Dense
		for _, h := range now.hessians {
			all = append(all, each(n, func(i, j int) float64 { return h.At(block[i], block[j]) }))
		}
		least, best := math.Inf(1), kernel.Identity(n)
		for range pencils {
			if n == 1 {
				break
			}
			w := jointdiag.Pencil(all, b.s.random)
			if w == nil {
				continue
			}
			if a := inverse(w); a != nil {
				if sum := logCouplings(all, a); sum < least {
					least, best = sum, transposed(a)
				}
			}
		}
		for i, at := range block {
			row := make([]float64, b.m)
			for j, from := range block {
				kernel.AddScaled(row, best.At(i, j), now.frame.U.RawRowView(from))
			}
			u.SetRow(at, row)
		}
	}
	return along(u)
}

// logCouplings returns the sum of ln C of AᵀH_kA over all pairs.
func logCouplings(all []*mat.Dense, a *mat.Dense) float64 {
	m, _ := a.Dims()
	c, s := mat.NewDense(m, m, nil), 0.0
	for _, h := range all {
		q := congruent(h, a)
		c.Apply(func(i, j int, v float64) float64 { return v + square(q.At(i, j)) }, c)
	}
	eachPair(m, func(i, j, _ int) {
		s += math.Log((c.At(i, j) + tiny) / (math.Sqrt(c.At(i, i)*c.At(j, j)) + tiny))
	})
	return s
}

// apart brings blocks apart once, and betters the map if there is one and all pairs couple less then; nil: there is no
// such frame.
func (b *belief) apart(now *blocking, looks []*Look, blocks [][]int) *blocking {
	var slopes [2][]*mat.Dense
	if !now.theta.identity() {
		slopes = b.slopesOf(now, looks)
	}
	var info sym2
	var right [2]float64
	var all []*between
	for k, one := range blocks {
		for _, two := range blocks[:k] {
			p := newBetween(one, two, now.hessians, slopes)
			all = append(all, p)
			info = info.plus(p.theta)
			right[0], right[1] = right[0]+p.pull[0], right[1]+p.pull[1]
		}
	}
	moved := func(theta Theta) *blocking {
		e := mat.NewDense(b.m, b.m, nil)
		for _, p := range all {
			p.set(e, [2]float64{theta.Gamma - now.theta.Gamma, theta.Beta - now.theta.Beta})
		}
		if big := largest(e); big > boldest {
			e.Scale(boldest/big, e)
		}
		return b.blocking(now.frame.corrected(e), theta, looks)
	}
	next := moved(now.theta)
	if slopes[0] != nil {
		ridge := noInformation * info.trace()
		var delta [2]float64
		delta[0], delta[1] = info.mapped(func(l float64) float64 { return 1 / (l + ridge + tiny) }).of(right[0], right[1])
		if other := moved(now.theta.moved(delta, 0.3)); other != nil && (next == nil || other.logs() < next.logs()) {
			return other
		}
	}
	return next
}

// logs returns the sum of ln C.
func (n *blocking) logs() (sum float64) {
	m, _ := n.c.Dims()
	eachPair(m, func(i, j, _ int) { sum += math.Log(n.c.At(i, j) + tiny) })
	return sum
}

// slopesOf returns ∂M_k/∂γ and ∂M_k/∂β; nil: they are not known.
func (b *belief) slopesOf(now *blocking, looks []*Look) (slopes [2][]*mat.Dense) {
	const d = 1e-4
	t := now.theta
	for k, next := range []Theta{{t.Gamma + d, t.Beta}, {t.Gamma, t.Beta + d}} {
		moved := b.blocking(now.frame, next, looks)
		if moved == nil || len(moved.hessians) != len(now.hessians) {
			return [2][]*mat.Dense{}
		}
		for l, h := range moved.hessians {
			h.Sub(h, now.hessians[l])
			h.Scale(1/d, h)
		}
		slopes[k] = moved.hessians
	}
	return slopes
}

// between are the equations of two blocks, solved: E = by − Σ_t with_t δθ_t, and what they say of θ.
type between struct {
	one, two []int
	by       [3][]float64 // of M, and of its slopes
	theta    sym2
	pull     [2]float64
}

// newBetween solves the equations of two blocks.
func newBetween(one, two []int, all []*mat.Dense, slopes [2][]*mat.Dense) *between {
	p, q := len(one), len(two)
	n := 2 * p * q
	b := &between{one: one, two: two}
	rows := mat.NewDense(len(all)*p*q, n, nil)
	right := mat.NewDense(len(all)*p*q, 3, nil)
	at := 0
	for l, h := range all {
		for i := range p {
			for j := range q {
				row := rows.RawRowView(at)
				for k := range p {
					row[k*q+j] += h.At(one[i], one[k])
				}
				for k := range q {
					row[p*q+k*p+i] += h.At(two[k], two[j])
				}
				right.Set(at, 0, h.At(one[i], two[j]))
				for t, s := range slopes {
					if s != nil {
						right.Set(at, 1+t, s[l].At(one[i], two[j]))
					}
				}
				at++
			}
		}
	}
	info := kernel.Times(transposed(rows), rows)
	trace := mat.Trace(info)
	for i := range n {
		info.Set(i, i, info.At(i, i)+noInformation*trace+tiny)
	}
	var x mat.Dense
	if inv := inverse(info); inv != nil {
		x.Mul(inv, kernel.Times(transposed(rows), right))
	} else {
		x = *mat.NewDense(n, 3, nil)
	}
	left := mat.DenseCopyOf(right)
	left.Sub(left, kernel.Times(rows, mat.DenseCopyOf(&x)))
	for k := range b.by {
		b.by[k] = mat.Col(nil, k, &x)
	}
	dot := func(i, j int) (sum float64) {
		for r := range at {
			sum += float64(left.At(r, i) * right.At(r, j))
		}
		return sum
	}
	b.theta, b.pull = sym2{dot(1, 1), dot(1, 2), dot(2, 2)}, [2]float64{-dot(0, 1), -dot(0, 2)}
	return b
}

// set sets E of two blocks where θ is moved.
func (b *between) set(e *mat.Dense, delta [2]float64) {
	p, q := len(b.one), len(b.two)
	x := func(k int) float64 {
		return b.by[0][k] + float64(b.by[1][k]*delta[0]) + float64(b.by[2][k]*delta[1])
	}
	for k := range p {
		for j := range q {
			e.Set(b.one[k], b.two[j], x(k*q+j))
		}
	}
	for k := range q {
		for i := range p {
			e.Set(b.two[k], b.one[i], x(p*q+k*p+i))
		}
	}
}
