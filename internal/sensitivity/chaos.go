package sensitivity

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/parameter"
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

// folds is into how many parts queries are put, each of which is left out once, and eachTerm how
// many queries there must be for a term.
const folds, eachTerm = 5, 3

// surrogate returns the indices by a polynomial that is fitted to the queries in the box.
func (r Run) surrogate() Indices {
	d := len(r.Start.Lo)
	terms := monomials(d)
	if terms == nil {
		return Indices{Reason: fmt.Sprintf("parameters act together, and %d parameters are too many for a polynomial of all of them", d)}
	}
	points := r.inBox()
	places := grouped(points, 0.3)
	if places < fewPlaces*d {
		return Indices{Reason: fmt.Sprintf("parameters act together, and the queries of the run are at %d places of the box, too few for a polynomial", places)}
	}
	rows := table(terms, points)
	most := len(points) * (folds - 1) / folds / eachTerm
	miss := make([][]float64, most+1) // of all that were left out, after so many terms
	for fold := range folds {
		c := pursue(rows, points, most, func(p datum) bool { return p.place%folds == fold })
		for k := range miss {
			miss[k] = append(miss[k], c.missed[min(k, len(c.missed)-1)]...)
		}
	}
	best := 0
	for k := range miss {
		if rms(miss[k]) < rms(miss[best]) {
			best = k
		}
	}
	return r.byTerms(terms, pursue(rows, points, best, func(datum) bool { return false }), miss[best])
}

// fewPlaces is at how many places there must be queries for each parameter.
const fewPlaces = 5

// inBox returns queries in the box that are far from each other, by z in [−1, 1]^d.
func (r Run) inBox() []datum {
	d := len(r.Start.Lo)
	var all []datum
	r.Seen.each(func(point []float64, value float64) {
		x := point
		if r.Space != nil {
			x = r.Space.Inward(point)
		}
		z := make([]float64, d)
		for k, v := range x {
			half := float64((r.Start.Hi[k] - r.Start.Lo[k]) / 2)
			z[k] = (v - r.Start.Lo[k] - half) / half
			if !(math.Abs(z[k]) <= 1+1e-9) {
				return
			}
		}
		all = append(all, datum{t: z, value: value, inside: true})
	})
	return scattered(everyNth(all, candidates/d), mostPoints*4/3)
}

// byTerms turns a polynomial into indices. By a share ρ of the variance it does not know f: what
// it misses of queries that were left out, more by what is not known of the mean over the
// box, E h = tr (ΦᵀΦ)⁻¹, where the queries do not cover it. The square root of E[Var(f | z_~i)] is
// a seminorm, so an index is off by at most ρ + 2√(ρ S), as far as Var f is that of g.
func (r Run) byTerms(terms []monomial, c *chaos, miss []float64) Indices {
	space := r.Space
	if space == nil {
		space = parameter.Plain(len(r.Start.Lo))
	}
	weight, trace := make([]float64, len(c.terms)), 0.
	for k, f := range c.factor {
		kernel.AddScaled(weight[:k+1], c.share[k], f)
		trace += kernel.Dot(f, f)
	}
	out := Indices{HeldOut: len(miss), Terms: len(c.terms), Parameters: make([]Index, len(space))}
	part := make([]float64, len(r.Start.Lo))
	for k, j := range c.terms {
		if j < 0 {
			out.Mean = weight[k]
			continue
		}
		square := float64(weight[k] * weight[k])
		out.Variance += square
		for _, i := range terms[j].of {
			part[i] += square
		}
	}
	if out.Variance == 0 {
		return Indices{Reason: "parameters act together, and no polynomial of its parameters says more of it than its mean", HeldOut: len(miss)}
	}
	missed := rms(miss)
	unknown := float64(missed*missed*(1+trace)) - float64(r.Sigma*r.Sigma)
	share := max(unknown, 0) / out.Variance
	out.Explained = 1 - share
	for i, p := range space {
		out.Parameters[i] = Index{Name: p.Name, Fixed: p.Fixed != nil}
	}
	worst := 0.
	for i, at := range space.Free() {
		s := part[i] / out.Variance
		e := share + float64(2*math.Sqrt(s*share))
		out.Parameters[at].Total, out.Parameters[at].Error = s, e
		worst = max(worst, e)
	}
	if !(worst <= mostError) {
		return Indices{Reason: fmt.Sprintf("parameters act together, and a polynomial of its parameters, fitted to the queries of the run, leaves %.2g %% of its variance: indices would be off by up to %.1g", 100*min(share, 1), min(worst, 1)),
			Explained: out.Explained, HeldOut: out.HeldOut}
	}
	return out
}
