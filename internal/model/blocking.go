package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
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
	b        *belief
	looks    []*Look
	frame    *Frame
	theta    Theta
	hessians []*mat.Dense
	c        *mat.Dense
}

const (
	// divisions are how often blocks are divided, by the best of so many pencils, and as often brought apart by each link.
	divisions, pencils = 3, 5
)

// blocking returns what looks have along a frame, nil: the directions of the last of them.
func (b *belief) blocking(f *Frame, theta Theta, looks []*Look) *blocking {
	if f == nil {
		f = along(looks[len(looks)-1].steps)
	}
	all, weights := b.hessians(theta, looks, f.U)
	third := slices.Sorted(slices.Values(weights))[max(0, len(weights)-1-fitAnything)]
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
	u := scaledRows(f.U, s)
	_, e := math.Frexp(largest(u)) // s alone lengthens a frame each time that it is divided, as Hessians have the size 1
	u.Scale(math.Ldexp(1, -e), u)
	c := off(b.m, func(i, j int) float64 {
		sum := 0.0
		for _, h := range all {
			sum += square(h.At(i, j)) / float64(len(all))
		}
		return math.Sqrt(sum)
	})
	return &blocking{b, looks, along(u), theta, all, c}
}

// at returns what the looks have along another frame.
func (n *blocking) at(f *Frame, theta Theta) *blocking { return n.b.blocking(f, theta, n.looks) }

// whole returns one block of m components.
func whole(m int) [][]int { return [][]int{slices.Concat(singles(m)...)} }

// divided divides blocks into those that looks have, if they have any.
func (n *blocking) divided(blocks [][]int) *blocking {
	now := n
	for range divisions {
		now = now.at(now.redirected(blocks), now.theta)
		for _, link := range linked {
			next := jointdiag.Blocks(now.c, link)
			if len(next) == 1 {
				break
			}
			blocks = next
			for range divisions {
				now = now.apart(blocks)
			}
		}
	}
	return now
}

// redirected returns a frame with other directions within blocks: eigenvectors of a pencil, that of some which couples
// least.
func (n *blocking) redirected(blocks [][]int) *Frame {
	u := mat.DenseCopyOf(n.frame.U)
	for _, block := range blocks {
		if len(block) == 1 {
			continue
		}
		var all []*mat.Dense
		for _, h := range n.hessians {
			all = append(all, each(len(block), func(i, j int) float64 { return h.At(block[i], block[j]) }))
		}
		least, best := math.Inf(1), kernel.Identity(len(block))
		for range pencils {
			w := jointdiag.Pencil(all, n.b.s.random)
			if w == nil {
				continue
			}
			a := inverse(w)
			if sum := logCouplings(all, a); sum < least {
				least, best = sum, transposed(a)
			}
		}
		for i, to := range block {
			row := make([]float64, n.b.m)
			for j, from := range block {
				kernel.AddScaled(row, best.At(i, j), n.frame.U.RawRowView(from))
			}
			u.SetRow(to, row)
		}
	}
	return along(u)
}

// logCouplings returns the sum of ln C over all pairs, C of AᵀH_kA.
func logCouplings(all []*mat.Dense, a *mat.Dense) (sum float64) {
	m, _ := a.Dims()
	c := mat.NewDense(m, m, nil)
	for _, h := range all {
		q := congruent(h, a)
		c.Apply(func(i, j int, v float64) float64 { return v + square(q.At(i, j)) }, c)
	}
	eachPair(m, func(i, j, _ int) {
		sum += float64(math.Log((c.At(i, j)+tiny)/(math.Sqrt(c.At(i, i)*c.At(j, j))+tiny)) / 2)
	})
	return sum
}

// logs returns the mean of ln C.
func (n *blocking) logs() float64 {
	return logCouplings(n.hessians, kernel.Identity(n.b.m)) / float64(pairCount(n.b.m))
}

// finer is by how much splits of finer blocks may couple more than those of coarser ones.
const finer = 10

// groupings returns the blocks of at most so many components that C shows, the finest first. Looks are as exact as E is
// to a part.
func (e *search) groupings(now *blocking, most int, part float64) (all []grouping, err error) {
	before := e.m
	_, looked := e.steps.best(forward, e.s.sigma, part)
	for _, link := range linked {
		if link > max(leastLink, amplified*looked) {
			continue
		}
		blocks := jointdiag.Blocks(now.c, link)
		if len(blocks) == before {
			continue
		}
		if before = len(blocks); before == 1 || slices.ContainsFunc(blocks, func(b []int) bool { return len(b) > most }) {
			break
		}
		coupled, err := e.split(blocks, fewSplits, middle)
		if err != nil {
			return nil, err
		}
		all = append(all, grouping{blocks, coupled})
	}
	return all, nil
}

// mappedBlocks looks for a map under which f separates into blocks, and reports whether there is one: most pairs are
// coupled far less then. ψ″/ψ′ is about the same for all values first, or as 1/f.
func (e *search) mappedBlocks(most int) (bool, error) {
	seed := e.s.random.Uint64()
	plain := e.typical(Theta{}, seed)
	best, least := Theta{}, plain
	try := func(t Theta) {
		if v := e.typical(t, seed); v < least {
			best, least = t, v
		}
	}
	for _, some := range outer.Starts(e.s.low, e.s.unit/e.s.mid)[:fewStarts] {
		for _, t := range some {
			try(t)
		}
	}
	if best.Identity() || least > promising*plain {
		return false, nil
	}
	for step, n := best.Size()/2, 0; step > finest*best.Size() && n < mostSweeps; n++ {
		b := best
		for _, g := range []float64{-step, 0, step} {
			for _, h := range []float64{-step, 0, step} {
				try(b.Moved([2]float64{g, h}, step, e.s.low))
			}
		}
		if b == best {
			step /= 3
		}
	}
	f, _ := e.joint(best, e.looks)
	e.frame, e.theta = e.scaled(f, best, e.looks), best
	if !e.frame.regular() {
		return false, nil
	}
	if e.refits() { // a sum under a map
		e.fresh, e.restarts = true, mostRestarts
		e.begin(false)
		if err := e.prepareNext(); err != nil {
			return true, err
		}
		if err := e.run(); err != nil || e.verdict == Separable {
			return true, err
		}
		e.begin(false)
		e.looks = e.short()
	}
	return e.blocked(best, most)
}

// typical returns the geometric mean of C in the best of some pencils, the same ones for a seed.
func (e *search) typical(theta Theta, seed uint64) float64 {
	defer e.s.seeded(seed)()
	now := e.blocking(nil, theta, e.looks)
	return math.Exp(now.at(now.redirected(whole(e.m)), theta).logs())
}

// refits fits looks with the map free, and reports whether they do not contradict each other then.
func (e *search) refits() bool {
	for range passes { // θ and κ depend on each other
		e.kappa = make([]float64, len(e.looks))
		if !e.fit() {
			return false
		}
		if e.coupling() == 0 {
			return true
		}
	}
	return false
}

// fewStarts is for how many β maps are tried, and promising the part of couplings that the nearest leaves where there
// is a map.
const fewStarts, promising = 3, 0.8
