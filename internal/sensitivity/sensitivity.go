// Package sensitivity says how much each parameter matters.
//
// For x uniform in a box, the total Sobol' index of a parameter is the share of the variance
// of f that is left when all other parameters are known,
//
//	S_Ti = E[Var(f | x_~i)]/Var f,   x_~i = all parameters but the i-th.
//
// Where f(x) = ψ⁻¹(Σ_j f_j(⟨w_j, x⟩)) with coordinates w_j that a run has found, its own
// queries tell what the f_j are, and no more of them are needed. Where it is no such sum, a
// polynomial is fitted to them. Start with Of. Its answer has
// an error, or a reason why there is none. docs/sensitivity.md has the mathematics.
package sensitivity

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A Run is what is known of f after a run.
type Run struct {
	// Space is the parameters of f; nil: x1, x2, … as they are.
	Space parameter.Space
	// Start is the box, in the coordinates of the search: logarithms where the scale is
	// logarithmic, and no fixed parameters. Its zero value is the start box of the Space.
	Start objective.Box
	// Frame, Blocks and Map are those of the Structure that was found. Blocks of nil: each
	// component is by itself. A Frame of nil, or a block of several: f is no sum along coordinates.
	Frame  *frame.Frame
	Blocks [][]int
	Map    identify.Map
	// Profiles are those of the Result, if there are any.
	Profiles []frame.Profile
	// Seen are the queries of the run.
	Seen *Seen
	// Sigma is the standard deviation of f's noise; 0: none, or not known.
	Sigma float64
}

// Indices are the answer.
type Indices struct {
	// Reason says why there are none; "": there are.
	Reason string
	// Parameters are those of the Space, in order.
	Parameters []Index
	// Mean and Variance are those of f over the box.
	Mean, Variance float64
	// Explained is the share of the variance of f that functions fitted without them predict of
	// queries in the box, and HeldOut how many places of the box that says.
	Explained float64
	HeldOut   int
	// Terms is how many terms the polynomial has that stands for f where that is no sum along
	// coordinates; 0: it is such a sum.
	Terms int
}

// An Index says how much a parameter matters.
type Index struct {
	Name string
	// Fixed says that the parameter is not searched. All else is 0 then.
	Fixed bool
	// Total is S_T. The interval Total ± Error has it with a probability of 95 %.
	Total, Error float64
	// Through says for each block how much of it goes through that block: the total index of
	// the parameter for the function of the block alone, over Var f. They need not sum to Total:
	// where the parameter moves several of them, their effects may add up or cancel.
	Through []float64
}

// OK reports whether there are indices.
func (i Indices) OK() bool { return i.Reason == "" }

// Of returns the indices of all parameters. It makes no query. Random numbers come from the
// stream ("sensitivity") of seed 0, so the same run gives the same bits.
func Of(r Run) Indices {
	if reason := r.complete(); reason != "" {
		return Indices{Reason: reason}
	}
	if r.Frame == nil || slices.ContainsFunc(r.Blocks, func(b []int) bool { return len(b) > 1 }) {
		return r.surrogate()
	}
	w := newView(r)
	d := gather(r, w, mostPoints)
	if len(d.points) < 2*r.Frame.Components()+8 || d.spread == 0 {
		return Indices{Reason: fmt.Sprintf("of the queries of the run, only %d are of use to know f in the whole box", len(d.points))}
	}
	d.noise = math.Sqrt(r.noise(d))
	grouped(d.points, 0.3)
	bases := basesFor(w, d)
	random := rng.Seed(0).Stream("sensitivity")
	best, held, err := choose(d, bases, random)
	if err != nil {
		return Indices{Reason: err.Error()}
	}
	return r.answer(w, best, held, random)
}

// complete fills in what follows from the rest, and says what is missing.
func (r *Run) complete() string {
	if r.Seen == nil {
		return "the queries of the run were not kept"
	}
	if r.Space != nil && r.Start.Lo == nil {
		r.Start = r.Space.Start()
	}
	if r.Start.Lo == nil || r.Start.CheckFinite() != nil || r.Frame != nil && r.Start.Check(r.Frame.Dim()) != nil {
		return "the box is not known"
	}
	if r.Space == nil {
		r.Space = parameter.Plain(len(r.Start.Lo))
	}
	if r.Frame == nil {
		return ""
	}
	if m, d := r.Frame.Components(), r.Frame.Dim(); m > mostComponents || m*d > mostComponents*mostComponents {
		return fmt.Sprintf("there are too many components, %d, to compute indices", m)
	}
	return ""
}

// named returns an index for each parameter, of a function of so many blocks, in which nothing is known yet.
func (r Run) named(blocks int) (all []Index) {
	for _, p := range r.Space {
		all = append(all, Index{Name: p.Name, Fixed: p.Fixed != nil, Through: make([]float64, blocks)})
	}
	return all
}

// mostComponents is how many components there may be.
const mostComponents = 200

// choose learns how rough functions are for both orders of differences, from the most scattered
// queries, takes the order that predicts better what it has not seen, and fits all queries.
func choose(d data, bases []basis, random *rng.Stream) (best *fit, h held, err error) {
	few := d
	few.points = d.points[:min(fewPoints, len(d.points))]
	var p *prior
	score := 0.0
	for _, q := range []int{2, 3} {
		learnt, e := learn(few, bases, q, random)
		if e == nil {
			best, e = newFit(few, bases, learnt)
		}
		if e != nil {
			err = e
			continue
		}
		if s := believed(best.heldOut()); p == nil || s > score {
			p, score = &learnt, s
		}
	}
	if p == nil {
		return nil, h, err
	}
	if best, err = newFit(d, bases, *p); err == nil {
		h.miss, h.claimed = best.heldOut()
	}
	return best, h, err
}

// held is what a fit without them says of some queries.
type held struct {
	miss, claimed []float64
}

// excess is how many times larger misses are than claimed; at least 1.
func (h held) excess() float64 {
	var z []float64
	for k, e := range h.miss {
		z = append(z, e/h.claimed[k])
	}
	return max(1, rms(z))
}

// beyond is how much larger the mean square of the misses is than twice what was claimed: then f
// is no such sum. (Where the claim is right, it is so once in a thousand times.)
func (h held) beyond() float64 {
	miss, claimed := rms(h.miss), rms(h.claimed)
	return float64(miss*miss) - float64(2*claimed*claimed)
}

const draws = 16

// How many evaluations of one f_j there are for the indices, and for each set that is drawn.
// Nothing but quick tests changes them.
var work, less = 4e7, 1e6

// answer turns a fit into indices.
func (r Run) answer(w view, f *fit, h held, random *rng.Stream) Indices {
	m, d := w.v.Dims()
	var bases []basis
	for _, p := range f.parts {
		bases = append(bases, p.basis)
	}
	undo := r.undo(f.data)
	mean := newSum(bases, f.functions(), f.data.middle, undo)
	n := min(1<<20, int(work/float64(d*m)))
	center := w.shares([]sum{mean}, n, random)[0]
	sums := []sum{mean}
	for range draws {
		sums = append(sums, newSum(bases, f.draw(random), f.data.middle, undo))
	}
	spread := w.shares(sums, max(160, int(less/float64(d*m))), random)
	out := Indices{Mean: center.mean, Variance: center.variance, HeldOut: len(h.miss)}
	missed := rms(h.miss)
	out.Explained = 1 - float64(missed*missed)/center.inner
	excess := h.excess()
	if !f.data.traced() {
		excess *= untraced
	}
	misfit := max(float64(f.sigma*f.sigma)-r.noise(f.data), h.beyond()-r.noise(f.data), 0)/center.inner + center.beyond
	out.Parameters = r.named(m)
	worst := 0.0
	for i, at := range r.Space.Free() {
		var off []float64
		for _, s := range spread[1:] {
			off = append(off, s.total[i]-spread[0].total[i])
		}
		s := center.total[i]
		e := math.Hypot(2*excess*rms(off), 2.4*center.chance[i]) + misfit + float64(2*math.Sqrt(s*misfit))
		index := &out.Parameters[at]
		index.Total, index.Error = s, e
		copy(index.Through, center.through[i])
		worst = max(worst, e)
	}
	if hidden := 1 - out.Explained - r.noise(f.data)/center.inner; hidden > mostHidden {
		return Indices{Reason: fmt.Sprintf("too little of the box was seen: a sum along the coordinates found, fitted without them, leaves %.2g %% of the variance of f at queries in the box", 100*hidden),
			Explained: out.Explained, HeldOut: out.HeldOut}
	}
	if !(worst <= mostError) {
		return Indices{Reason: fmt.Sprintf("too little of the box was seen to know f in all of it: indices would be off by up to %.1g", min(worst, 1)),
			Explained: out.Explained, HeldOut: out.HeldOut}
	}
	return out
}

// untraced is by how much errors are larger where some function has no trace: where it ends, in
// corners of the box that no query has seen, it may be rougher than elsewhere. It was found by
// measuring: without it, one index in ten was outside its error.
const untraced = 1.6

// mostHidden is the share of the variance of f at queries in the box that may stay unexplained by
// functions fitted without them, but for noise.
const mostHidden = 0.05

// mostError is the error from which on an index says nothing.
const mostError = 0.1

// noise returns the variance of the noise that values of ψ(f) may have: σ²ψ′² in the middle of
// them. A sixth more is allowed for, since the variance of a few hundred values is only known so
// well.
func (r Run) noise(d data) float64 {
	slope := 1.0
	if r.Map != nil {
		slope = r.Map.Slope(r.Map.Inverse(d.middle))
	}
	return float64(r.Sigma*slope*r.Sigma*slope) * 7 / 6
}
