// Package model finds the coordinates of a function from its values, by one model:
//
//	value(x) = φ(Σ_j f_j(y_j) + Σ c_ij(y_i, y_j)) + σξ,   y = Wx.
//
// Exact values are σ = rounding. No map is φ = the identity. A sum is c = 0. A value at a
// point where f fails has no information. None of these is a mode: each is a number with an
// error.
//
// Everything that is measured is a Look, and a look is an equation for each pair of components (equations.go). docs/identify.md
// has the model and the way.
//
// Start with Identify. Coordinates are those of the box, in which it is [-1, 1]^d.
package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Request says where to look.
type Request struct {
	Box, Bounds objective.Box
	Grain       objective.Grain
	Seed        uint64
	Budget      int // the most queries; looks end before it; 0: no limit

	// Span are directions, as rows, beyond which f is constant; nil: it is not known to be.
	Span *mat.Dense
	// Rough is by how much errors may be larger than where a frame is wanted for itself; 0: 1.
	Rough float64
	// Certify tests a frame that is known well enough and that few splits do not
	// contradict. It reports whether the frame separates f, and the coupling.
	Certify func(*Result) (separates bool, coupling float64, err error)
	// Before is called before looks of which it is not known that they will help. An error ends the
	// search.
	Before func(Next) error
}

// A Next is what is known before looks.
type Next struct {
	Queries           int // that they take
	Looks, Components int // so far
	// Contradicted says that the looks so far contradict each other in every frame of single components.
	Contradicted bool

	search *search
}

// White returns directions, as rows, that looks have whitened, in the user's units.
func (n Next) White() *mat.Dense {
	return n.search.s.stretched(n.search.s.inBox(n.search.white))
}

// Last returns what the last look has seen along the coordinates, in half widths of the box.
func (n Next) Last() Sight {
	e := n.search
	return e.sight(e.looks[len(e.looks)-1], kernel.Identity(e.m))
}

// Alone reports whether all points so far at which f is lower than at a sight, and that are not as near as its steps, are on the
// side to which f falls. If one is not there is a hill on the way to it.
func (n Next) Alone(at Sight) bool {
	s := n.search.s
	d := len(at.X)
	for k, v := range s.values {
		t := make([]float64, d) // in half widths
		for i, x := range s.seen[k*d : (k+1)*d] {
			t[i] = x - (at.X[i]-s.centre[i])/s.half[i]
		}
		if floats.Norm(t, math.Inf(1)) > asNear && v < at.Value && kernel.Dot(at.Slopes, t) > 0 {
			return false
		}
	}
	return true
}

// asNear is how near points are that were asked for a look, in half widths.
const asNear = 1e-3

// A Verdict says what the posterior and the splits have found.
type Verdict string

// The verdicts.
const (
	Separable Verdict = "separable"
	Nearly    Verdict = "nearly-separable"
	Not       Verdict = "not-separable"
	Unknown   Verdict = "unknown"
)

// A Result is what was found.
type Result struct {
	W        *mat.Dense // m×d, for points in the user's units; nil: nothing was found
	Verdict  Verdict
	Blocks   [][]int // nil: single components
	Coupling float64 // of random splits, or of the certificate
	Queries  int
	Looks    int

	// Quadratic says that one look has shown the frame, and that curvatures are the same at other points.
	Quadratic bool
	// Linear says that f is linear in the last component.
	Linear bool

	// Theta are the numbers of the map for values (f − Mid)/Unit.
	Theta     Theta
	Mid, Unit float64
	Values    []float64 // of f at the points of looks

	// Error is the largest standard deviation of an E_ij, in the direction in which mixed
	// differences depend on it, and Usual the median one.
	Error, Usual float64
	// Rows is the largest standard deviation of a row of W, as a part of its length, and Expected
	// about the coupling that the errors of all rows make over the box.
	Rows, Expected float64
	// Kappa is κ of the last looks, and Pair the largest of a single pair.
	Kappa, Pair float64
	// Scale is ℓ of each component, in units of its row of W: over a step of that length its
	// curvature changes by about a third. It is the same for all until MeasureLengths.
	Scale []float64
	// First is the Hessian of the first look, along the coordinates of the box; nil: there was
	// none. InFrame are those of all short looks along the directions of the frame.
	First   *mat.Dense
	InFrame []*mat.Dense
	search  *search
}

// A Sight is f at a point, and its slopes and second differences along some directions.
type Sight struct {
	X       []float64
	Value   float64
	Slopes  []float64
	Hessian *mat.Dense
}

// Identify finds a frame in which f separates.
func Identify(ctx context.Context, f objective.Objective, r Request) (*Result, error) {
	s, err := newSampler(ctx, f, r)
	if err != nil {
		return &Result{Verdict: Unknown}, err
	}
	rough := cmp.Or(r.Rough, 1)
	e := &search{request: r, rough: rough, caution: 1, belief: newBelief(s), fresh: true, least: math.Inf(1), goal: rough * goodEnough, verdict: Unknown}
	if err := e.prepare(); err != nil {
		return e.result(), err
	}
	if err = e.run(); err == nil && e.disproved() {
		e, err = e.beyond()
	}
	return e.result(), err
}

// ofRows returns the largest standard deviation of a row, as a part of its length, and the largest
// by which a component is off over the box, as a part of ℓ. Pairs whose curvatures are in proportion
// do not count.
func (e *search) ofRows() (rows, off float64) {
	r := e.s.widths(e.frame.W)
	sums := make([]float64, e.m)
	eachPair(e.m, func(i, j, p int) {
		if !e.not.alike[p] {
			sums[i] += square(e.not.sd.At(i, j) * r[j])
			sums[j] += square(e.not.sd.At(j, i) * r[i])
		}
	})
	for i, sum := range sums {
		rows, off = max(rows, math.Sqrt(sum)/r[i]), max(off, math.Sqrt(sum)/e.not.ell[i])
	}
	if !(rows+off < math.Inf(1)) { // nothing is known
		return math.Inf(1), math.Inf(1)
	}
	return rows, off
}

// result returns what was found so far.
func (e *search) result() *Result {
	w := mat.DenseCopyOf(e.s.inBox(e.frame.W))
	if e.linear != nil {
		joined := &mat.Dense{}
		joined.Stack(w, mat.NewDense(1, len(e.linear), e.linear))
		w = joined
	}
	w.Apply(func(_, k int, v float64) float64 { return v / e.s.half[k] }, w)
	r := &Result{
		search: e, W: w, Verdict: e.verdict, Blocks: e.blocks, Coupling: e.coupled.mid, Queries: e.s.queries, Looks: len(e.looks),
		Theta: e.theta, Mid: e.s.mid, Unit: e.s.unit, Error: quantile(e.errors(), 1), Usual: median(e.errors()), Kappa: e.coupling(), Pair: e.pair,
		Linear: e.linear != nil,
	}
	if slight := 2 * separates; r.Theta.Size()*e.s.far <= slight { // without it f has couplings that count as none
		r.Theta = Theta{}
	}
	ell := slices.Clone(e.not.ell)
	for i, width := range e.s.widths(e.frame.W) {
		if math.IsInf(ell[i], 1) { // no look has shown a scale yet
			ell[i] = width
		}
	}
	r.scaled(ell)
	r.Rows, r.Expected = e.ofRows()
	r.Quadratic = e.bowl
	for k, l := range e.looks {
		r.Values = append(r.Values, e.s.value(l.z[0][0]))
		if l.kind == long {
			continue
		}
		if k == 0 && e.s.span == nil {
			r.First = l.hessian(e.s, e.theta, kernel.Identity(e.m)).Dense
		}
		r.InFrame = append(r.InFrame, l.hessian(e.s, e.theta, e.frame.U).Dense)
	}
	return r
}

// scaled sets the scales of components. That of a linear one is how far it goes.
func (r *Result) scaled(ell []float64) {
	r.Scale = ell
	if c := r.search.linear; c != nil {
		r.Scale = append(r.Scale, length(c))
	}
}

// sight returns what a short look of all pairs has seen along some directions, without a map.
func (e *search) sight(l *Look, along *mat.Dense) Sight {
	h, x := l.hessian(e.s, Theta{}, along), slices.Clone(l.x)
	if e.s.span != nil {
		x = e.s.whole(x)
	}
	for k, v := range x {
		x[k] = e.s.centre[k] + float64(e.s.half[k]*v)
	}
	g := h.slopes()
	g.Scale(e.s.unit, g)
	h.Scale(e.s.unit, h.Dense)
	return Sight{x, e.s.value(l.z[0][0]), g.RawRowView(0), h.Dense}
}
