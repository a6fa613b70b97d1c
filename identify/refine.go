package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

const (
	wholeDesigns = 2 // asked for every pair, which has two unknowns
	mostDesigns  = 3 // asked for pairs that are badly determined
	// determined is the information about E_ij that counts as enough, in units of the
	// largest curvatures: 1 is what two orthogonal equations say; below 0.02 an error in
	// the mixed differences is in E seven times as large.
	determined = 0.02
	passes     = 3 // over the terms of second order, each of which adds an order
	// boldestE is the largest |E_ij| that is believed: (I+E) has to stay near I.
	boldestE = 0.3
)

// refine returns E, the error of a candidate's frame, for some pairs of blocks, by
// large steps: for i in block A and j in block B,
//
//	M_ij = f(x+S_i+S_j) − f(x+S_i) − f(x+S_j) + f(x)
//	     ≈ h_j Σ_{a∈A} Δ_a^(i) E_aj + h_i Σ_{b∈B} Δ_b^(j) E_bi
//
// with S_i = h_i u_i and Δ_a^(i) = ∂_a f(x+S_i) − ∂_a f(x). Two designs, each a
// point and steps, determine E_ab and E_ba; where they do so badly a third is
// asked. In blocks of one that is M_ij ≈ E_ij h_j Δ_i + E_ji h_i Δ_j.
//
// Terms of second order are taken from the solution before, passes times, so
// that the error that is left is of third order in blocks of one:
//
//	h_i h_j (EᵀLE)_ij + ½(h_j E_ij)²(f_i''(y_i+h_i) − f_i''(y_i)) + ½(h_i E_ji)²(…),
//
// L = diag f_i″. For all pairs of m blocks of one it costs m² + 9m + 2 queries,
// and for each that is asked again one more.
//
// It returns the candidate too, with the second derivatives that were seen on the way.
func refine(g *ground, c *candidate, groups []*group) (*mat.Dense, *candidate, error) {
	return refineFrom(g, c, groups, nil)
}

// supplement returns E as refine does, with the Hessians that the frame was made of as
// equations, too: a Hessian is a design of steps h = 1 with Δ_i = f_i″. Two Hessians say
// little about a pair whose curvatures are in the same proportion in both. Designs are
// asked for such pairs only. It returns nil if there are none.
func supplement(g *ground, c *candidate, groups []*group) (*mat.Dense, *candidate, error) {
	return refineFrom(g, c, groups, asDesigns(c, groups))
}

// refineFrom returns E, given designs that are known, those that they determine badly
// from further ones.
func refineFrom(g *ground, c *candidate, groups []*group, known []*design) (*mat.Dense, *candidate, error) {
	r := &leastSquares{at: places(c.blocks), unit: c.curvature}
	for _, d := range known {
		r.take(d, groups)
	}
	need := r.open(groups)
	if len(need) == 0 {
		return nil, c, nil
	}
	designs, err := newDesigns(g, c, mostDesigns)
	if err != nil {
		return nil, c, err
	}
	for n := max(1, wholeDesigns-len(known)); len(designs) > 0 && len(need) > 0; n = 1 {
		if err := measure(g, c, designs[:n], need); err != nil {
			return nil, c, err
		}
		for _, d := range designs[:n] {
			c = c.seeing(d.y, d.curvature(r.at))
			r.take(d, need)
		}
		need, designs = r.open(need), designs[n:]
	}
	var e *mat.Dense
	for range passes {
		e = r.pass(groups, e)
	}
	return e, c, nil
}

// places returns where each component stands in its block.
func places(blocks [][]int) []int {
	at := make([]int, len(blockOf(blocks)))
	for _, b := range blocks {
		for k, i := range b {
			at[i] = k
		}
	}
	return at
}

// leastSquares are the equations for E that refine has asked so far.
type leastSquares struct {
	at      []int     // where each component stands in its block
	unit    []float64 // c_i, the largest curvature of each component
	designs []*design
	row     []float64
	squares
}

// take adds the mixed differences of a design to the groups for which they were asked.
func (r *leastSquares) take(d *design, groups []*group) {
	values := d.m
	for _, q := range groups {
		n := len(q.a) * len(q.b)
		q.in, q.m = append(q.in, len(r.designs)), append(q.m, values[:n])
		values = values[n:]
	}
	r.designs = append(r.designs, d)
}

// open returns the groups about which the equations say too little.
func (r *leastSquares) open(groups []*group) []*group {
	var open []*group
	for _, q := range groups {
		if r.equations(q, nil); r.information() < determined {
			open = append(open, q)
		}
	}
	return open
}

// pass solves for E, with the terms of second order taken from the E before.
func (r *leastSquares) pass(groups []*group, before *mat.Dense) *mat.Dense {
	m := len(r.at)
	var second func(k, i, j int) float64
	if before != nil {
		second = r.secondOrder(before)
	}
	e := mat.NewDense(m, m, nil)
	for _, q := range groups {
		r.equations(q, second)
		x := r.solve()
		for _, a := range q.a {
			for _, b := range q.b {
				scale := math.Sqrt(r.unit[a] / r.unit[b])
				e.Set(a, b, believed(x[0]/scale))
				e.Set(b, a, believed(x[1]*scale))
				x = x[2:]
			}
		}
	}
	return e
}

// believed returns e, cut to what is believed of it.
func believed(e float64) float64 {
	if math.IsNaN(e) {
		return 0
	}
	return min(max(e, -boldestE), boldestE)
}

// secondOrder returns the terms of second order of M_ij in the k-th design.
func (r *leastSquares) secondOrder(e *mat.Dense) func(k, i, j int) float64 {
	m := len(r.at)
	eT := mat.DenseCopyOf(e.T())
	var quad []*mat.Dense // EᵀLE
	for _, g := range r.designs {
		le := mat.NewDense(m, m, nil)
		for i := range m {
			kernel.AddScaled(le.RawRowView(i), g.c0[i], e.RawRowView(i))
		}
		quad = append(quad, kernel.Times(eT, le))
	}
	half := func(h, e, bend float64) float64 { return float64(square(h*e) * bend / 2) }
	return func(k, i, j int) float64 {
		g := r.designs[k]
		return float64(g.h[i]*g.h[j]*quad[k].At(i, j)) +
			half(g.h[j], e.At(i, j), g.c1[i]-g.c0[i]) + half(g.h[i], e.At(j, i), g.c1[j]-g.c0[j])
	}
}

// equations sets up the least squares for E_ab, E_ba, a in A, b in B, in this
// order, in units of the curvatures: with E′_ab = E_ab √(c_a/c_b),
//
//	M_ij/(h_i h_j √(c_i c_j)) = Σ_a E′_aj Δ_a^(i)/(h_i √(c_a c_i)) + Σ_b E′_bi Δ_b^(j)/(h_j √(c_b c_j)).
//
// So large curvatures make coefficients of 1, and Hessians along directions that were
// whitened are equally exact in all entries.
func (r *leastSquares) equations(q *group, second func(k, i, j int) float64) {
	n := 2 * len(q.a) * len(q.b)
	r.reset(n)
	r.row = slices.Grow(r.row[:0], n)[:n]
	of := func(a, b int) int { return 2 * (a*len(q.b) + b) } // of E_ab; E_ba is next
	for t, k := range q.in {
		g := r.designs[k]
		for ia, i := range q.a {
			for jb, j := range q.b {
				clear(r.row)
				for n, a := range q.a {
					r.row[of(n, jb)] = g.delta[i][n] / (g.h[i] * math.Sqrt(r.unit[a]*r.unit[i]))
				}
				for n, b := range q.b {
					r.row[of(ia, n)+1] = g.delta[j][n] / (g.h[j] * math.Sqrt(r.unit[b]*r.unit[j]))
				}
				m := q.m[t][ia*len(q.b)+jb]
				if second != nil {
					m -= second(k, i, j)
				}
				r.add(r.row, m/(g.h[i]*g.h[j]*math.Sqrt(r.unit[i]*r.unit[j])))
			}
		}
	}
}
