package sensitivity

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/words"
)

// folds is into how many parts queries are put, each of which is left out once, and eachTerm how
// many queries there must be for a term.
const folds, eachTerm = 5, 3

// surrogate returns the indices by a polynomial that is fitted to the queries in the box.
func (r Run) surrogate() Indices {
	d := len(r.Start.Lo)
	terms := monomials(d)
	if terms == nil {
		return Indices{Reason: fmt.Sprintf("the function is not known to split into single combinations, and %d parameters are too many for a polynomial of all of them", d)}
	}
	points := r.inBox()
	places := grouped(points, 0.3)
	if places < fewPlaces*d {
		return Indices{Reason: fmt.Sprintf("the function is not known to split into single combinations, and the queries of the run are at %d places of the box, too few for a polynomial", places)}
	}
	best, short := left(terms, points), left(slices.DeleteFunc(slices.Clone(terms), monomial.high), points)
	if rms(short.miss) <= rms(best.miss) {
		best = short
	}
	return r.byTerms(best.terms, pursue(table(best.terms, points), points, best.most, func(datum) bool { return false }), best.miss)
}

// high says that a term has more than the second degree. With few queries, most of them near the
// minimum, high degrees look like low ones there, and tell nothing of the rest of the box: so g has
// all degrees or two, whichever misses less of the queries that were left out.
func (m monomial) high() bool {
	sum := 0
	for _, p := range m.power {
		sum += p
	}
	return sum > 2
}

// A choice is how many of some terms are taken, and what these miss of the queries that were left out.
type choice struct {
	terms []monomial
	most  int
	miss  []float64
}

// left returns the choice that misses least of the queries that were left out.
func left(terms []monomial, points []datum) choice {
	rows, most := table(terms, points), len(points)*(folds-1)/folds/eachTerm
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
	return choice{terms, best, miss[best]}
}

// fewPlaces is at how many places there must be queries for each parameter.
const fewPlaces = 5

// inBox returns queries in the box that are far from each other, by z in [−1, 1]^d.
func (r Run) inBox() []datum {
	d := len(r.Start.Lo)
	var all []datum
	r.Seen.each(func(point []float64, value float64) {
		z := make([]float64, d)
		for k, v := range r.Space.Inward(point) {
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
	weight, trace := make([]float64, len(c.terms)), 0.
	for k, f := range c.factor {
		kernel.AddScaled(weight[:k+1], c.share[k], f)
		trace += kernel.Dot(f, f)
	}
	out := Indices{HeldOut: len(miss), Terms: len(c.terms), Parameters: r.named(0)}
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
		return Indices{Reason: "the function is not known to split into single combinations, and no polynomial of its parameters says more of it than its mean", HeldOut: len(miss)}
	}
	missed := rms(miss)
	unknown := float64(missed*missed*(1+trace)) - float64(r.Sigma*r.Sigma)
	share := max(unknown, 0) / out.Variance
	out.Explained = 1 - share
	worst := 0.
	for i, at := range r.Space.Free() {
		s := part[i] / out.Variance
		e := share + float64(2*math.Sqrt(s*share))
		out.Parameters[at].Total, out.Parameters[at].Error = s, e
		worst = max(worst, e)
	}
	if !(worst <= mostError) {
		return Indices{Reason: fmt.Sprintf("the function is not known to split into single combinations, and a polynomial of its parameters, fitted to the queries of the run, leaves %s %% of its variance: indices would be off by up to %.1g", words.Number(100*min(share, 1), 2), min(worst, 1)),
			Explained: out.Explained, HeldOut: out.HeldOut}
	}
	return out
}
