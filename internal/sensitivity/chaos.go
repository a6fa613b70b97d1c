package sensitivity

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// Where f is no sum along coordinates, a polynomial stands for it,
//
//	g(z) = Σ_α c_α φ_α(z),   φ_α(z) = Π_k √(2α_k + 1) P_{α_k}(z_k),   z uniform in [−1, 1]^d,
//
// with Legendre's polynomials P_n. The φ_α are orthonormal, so that Var g = Σ_{α≠0} c_α², and
// E[Var(g | z_~i)] = Σ_{α_i>0} c_α² (B. Sudret, Reliability Engineering & System Safety 93, 2008).
// Only a few terms are taken, one after the other, each the one that explains most of what the
// others leave (orthogonal matching pursuit). How many is decided by queries that were left out.

// A monomial is φ_α: the parameters with α_k > 0, and these α_k.
type monomial struct {
	of    []int
	power []int
}

// The highest degrees of terms in one and in two parameters, and how many terms there may be. The
// products x_i x_j x_k are among them where they are few enough.
const ofOne, ofTwo, mostMonomials = 6, 4, 8000

// monomials returns the terms that g may have; nil: there are too many.
func monomials(d int) (all []monomial) {
	for i := range d {
		for p := 1; p <= ofOne; p++ {
			all = append(all, monomial{[]int{i}, []int{p}})
		}
	}
	for i := range d {
		for j := range i {
			for p := 1; p < ofTwo; p++ {
				for q := 1; p+q <= ofTwo; q++ {
					all = append(all, monomial{[]int{j, i}, []int{p, q}})
				}
			}
			if len(all) > mostMonomials {
				return nil
			}
		}
	}
	if n := d * (d - 1) * (d - 2) / 6; n <= mostMonomials/4 {
		for i := range d {
			for j := range i {
				for k := range j {
					all = append(all, monomial{[]int{k, j, i}, []int{1, 1, 1}})
				}
			}
		}
	}
	return all
}

// legendre returns √(2n + 1) P_n(z) for n = 0 to ofOne: (n + 1)P_{n+1} = (2n + 1)zP_n − nP_{n−1}.
func legendre(z float64) (all [ofOne + 1]float64) {
	before, p := 0., 1.
	for n := range all {
		all[n] = math.Sqrt(float64(2*n+1)) * p
		before, p = p, (float64(float64(2*n+1)*z*p)-float64(float64(n)*before))/float64(n+1)
	}
	return all
}

// table returns the values of terms at points: a row for each term.
func table(terms []monomial, points []datum) [][]float64 {
	at := make([][][ofOne + 1]float64, len(points))
	for k, p := range points {
		for _, z := range p.t {
			at[k] = append(at[k], legendre(z))
		}
	}
	rows := make([][]float64, len(terms))
	for j, term := range terms {
		rows[j] = make([]float64, len(points))
		for k := range points {
			v := 1.
			for n, i := range term.of {
				v *= at[k][i][term.power[n]]
			}
			rows[j][k] = v
		}
	}
	return rows
}

// A chaos is a polynomial that is fitted to some of the points, g = Σ_k share[k] q_k. The q_k are
// its terms made orthonormal over these points, one after the other: q_k = Σ_l factor[k][l] φ_l.
type chaos struct {
	terms  []int // that were taken, in order; −1 is the constant
	factor [][]float64
	share  []float64
	missed [][]float64 // after each term, by how much each point that was left out is missed

	in    []float64 // 1 for a point that is fitted, 0 for one that is left out
	rest  []float64 // what the terms leave of the values
	basis [][]float64
}

// over returns Σ a b over the points that are fitted.
func (c *chaos) over(a, b []float64) (sum float64) {
	for k, v := range a {
		sum += float64(float64(c.in[k]*v) * b[k])
	}
	return sum
}

// take takes a term, unless the others have nothing left of it: by modified Gram-Schmidt.
func (c *chaos) take(term int, row []float64) {
	q, factor := slices.Clone(row), make([]float64, len(c.terms)+1)
	factor[len(c.terms)] = 1
	for l, b := range c.basis {
		by := c.over(q, b)
		kernel.AddScaled(q, -by, b)
		kernel.AddScaled(factor[:l+1], -by, c.factor[l])
	}
	length := math.Sqrt(c.over(q, q))
	if length <= dependent*math.Sqrt(c.over(row, row)) {
		return
	}
	divide(q, length)
	divide(factor, length)
	share := c.over(q, c.rest)
	kernel.AddScaled(c.rest, -share, q)
	c.terms, c.factor, c.share, c.basis = append(c.terms, term), append(c.factor, factor), append(c.share, share), append(c.basis, q)
	var missed []float64
	for k, in := range c.in {
		if in == 0 {
			missed = append(missed, c.rest[k])
		}
	}
	c.missed = append(c.missed, missed)
}

// pursue fits the constant and at most so many terms to the points that are not left out.
func pursue(rows [][]float64, points []datum, most int, out func(datum) bool) *chaos {
	n := len(points)
	c := &chaos{in: make([]float64, n), rest: make([]float64, n)}
	one, masked := make([]float64, n), make([]float64, n)
	for k, p := range points {
		one[k], c.rest[k] = 1, p.value
		if !out(p) {
			c.in[k] = 1
		}
	}
	c.take(-1, one)
	taken := make([]bool, len(rows))
	for range most {
		for k := range masked {
			masked[k] = c.in[k] * c.rest[k]
		}
		best, next := 0., -1
		for j, r := range rows {
			if v := math.Abs(kernel.Dot(r, masked)); v > best && !taken[j] {
				best, next = v, j
			}
		}
		if next < 0 {
			break
		}
		taken[next] = true
		c.take(next, rows[next])
	}
	return c
}

func divide(v []float64, by float64) {
	for k := range v {
		v[k] /= by
	}
}

// dependent is the part of a term below which what the others leave of it is nothing new.
const dependent = 1e-6
