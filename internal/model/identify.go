package model

import (
	"context"
	"fmt"
	"io"
	"math"

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
	Budget      int       // the most queries; looks end before it; 0: no limit
	Trace       io.Writer // if not nil, is told what is done

	// Certify, if not nil, tests a frame that is known well enough and that few splits do not
	// contradict. It reports whether the frame separates f, and the coupling.
	Certify func(*Result) (separates bool, coupling float64, err error)
	// Before, if not nil, is called before looks that take so many queries and of which it is not
	// known that they will help. An error ends the search.
	Before func(queries int) error
}

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
	Coupling float64 // of random splits, or of the certificate
	Queries  int
	Looks    int

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
	// Misfit is the mean of (R/s)² that the last fit of a frame from the beginning has left, 1 by
	// noise alone.
	Misfit float64
	// Scale is ℓ of each component, in units of its row of W: over a step of that length its
	// curvature changes by about a third.
	Scale []float64
	// First is the Hessian of the first look, along the coordinates of the box; nil: there was
	// none. InFrame are those of all short looks along the directions of the frame.
	First   *mat.Dense
	InFrame []*mat.Dense
}

// A search is the loop: propose a look, ask, learn, judge.
type search struct {
	*belief
	request Request
	steps   *ladder
	white   *mat.Dense // directions of looks while no frame is found
	clear   bool       // all of them have curvature above the noise

	found    bool // all pairs are known well enough to look along the frame
	fresh    bool // something was learnt since the last verdict
	goal     float64
	restarts int
	verdict  Verdict
	coupled  estimate
}

// Identify finds a frame in which f separates.
func Identify(ctx context.Context, f objective.Objective, r Request) (*Result, error) {
	s, err := newSampler(ctx, f, r)
	if err != nil {
		return &Result{Verdict: Unknown}, err
	}
	e := &search{request: r, belief: newBelief(s), fresh: true, goal: goodEnough, verdict: Unknown}
	if err := e.prepare(); err != nil {
		return e.result(), err
	}
	err = e.run()
	return e.result(), err
}

// prepare measures steps, and looks for few components.
func (e *search) prepare() (err error) {
	if e.steps, err = newLadder(e.s, e.frame, e.theta, 0, ladderLines, false); err != nil {
		return err
	}
	span, err := reduce(e.s, e.steps)
	if err != nil {
		return err
	}
	if span != nil {
		e.s.span = span
		e.belief = newBelief(e.s)
		if e.steps, err = newLadder(e.s, e.frame, e.theta, 0, ladderLines, false); err != nil {
			return err
		}
	}
	e.white = kernel.Identity(e.m)
	e.say("σ %.1e, %d components, ℓ %.2g", e.s.sigma, e.m, e.steps.length())
	return nil
}

const (
	// ladderLines are along how many lines steps are chosen, alongLines once the frame is found.
	ladderLines, alongLines = 8, 8
	// goodEnough is the error of a component over the box, in units of ℓ, that is small enough;
	// best the least that is ever asked for.
	goodEnough, finest = 0.003, 1e-4
	// mostLooks are made, coupledLooks where there are couplings, which do not become less.
	mostLooks, coupledLooks = 40, 16
	// After fairTrial looks that leave couplings of contradictory there is no frame.
	fairTrial, contradictory = 8, 0.1
	// gaping is by how much curvatures are above noise where others are not, if f is constant in
	// some directions.
	gaping = 6
	// usable is the error of E from which on looks are along the frame, with longer and longer
	// steps.
	usable = 0.1
)

// say tells the trace.
func (e *search) say(format string, args ...any) {
	if e.request.Trace != nil {
		fmt.Fprintf(e.request.Trace, "%6d  %s\n", e.s.queries, fmt.Sprintf(format, args...))
	}
}

// run is the loop.
func (e *search) run() error {
	for {
		ended, need := e.ended(), e.need()
		if e.due(need) || ended {
			if done, err := e.judge(need, ended); done || err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		e.fresh = false
		e.open()
		if err := e.look(); err != nil {
			return err
		}
		e.say("  looks %d χ² %.2g κ %.1e error median %.1e worst %.1e θ %.3g %.3g ℓ %.2g", len(e.looks), e.surprise, e.coupling(), median(e.errors()), quantile(e.errors(), 1), e.theta.Gamma, e.theta.Beta, median(e.not.ell))
	}
}

// ended reports whether no more looks can be made.
func (e *search) ended() bool {
	n := len(e.looks)
	next := forward.queries(e.m)
	contradicted := !e.found && n >= fairTrial && e.coupling() > contradictory
	blind := !e.found && n >= fairTrial && kernel.Finite(e.surprise) && quantile(e.errors(), 0.1) >= prior // no look tells anything
	return e.request.Budget > 0 && e.s.queries+next > e.request.Budget || n > mostLooks || contradicted || blind || e.coupling() > 0 && n > coupledLooks
}

// targets returns the error of E_ij that is small enough: over the box it moves component i by
// a part of ℓ_i, and of its own width. Where there are couplings it need not be less than they are.
func (e *search) targets() *mat.Dense {
	r, kappa := e.s.widths(e.frame.W), e.coupling()
	return off(e.m, func(i, j int) float64 {
		harm := e.goal * min(e.not.ell[i], r[i]) / r[j]
		return max(harm, min(0.8*kappa, max(1, 0.03/e.goal)*harm))
	})
}

// need returns the largest error of a pair by its target.
func (e *search) need() float64 {
	switch {
	case len(e.looks) == 0:
		return math.Inf(1)
	}
	targets, most := e.targets(), 0.0
	eachPair(e.m, func(i, j, p int) {
		if e.not.alike[p] { // E_ij and E_ji do no harm but together, to the Hessian
			most = max(most, e.not.eff.At(i, j)/e.goal)
			return
		}
		most = max(most, e.not.sd.At(i, j)/targets.At(i, j), e.not.sd.At(j, i)/targets.At(j, i))
	})
	return most
}

// open tells the trace which pair needs most.
func (e *search) open() {
	if e.request.Trace == nil || e.m < 2 {
		return
	}
	targets, most, text := e.targets(), 0.0, ""
	eachPair(e.m, func(i, j, p int) {
		for _, q := range [][2]int{{i, j}, {j, i}} {
			if v := e.not.sd.At(q[0], q[1]) / targets.At(q[0], q[1]); v > most {
				most = v
				text = fmt.Sprintf("pair %d %d: error %.1e of %.1e, info %.1e, spurious %.1e", q[0], q[1], e.not.sd.At(q[0], q[1]), targets.At(q[0], q[1]), e.known.info[p], e.known.spurious[p])
			}
		}
	})
	e.say("  %s", text)
}

// due reports whether it is time to ask the whole box.
func (e *search) due(need float64) bool {
	n := len(e.looks)
	now := n < 2 || need <= 1 || (n == 4 || n == 8 || n == 16) && median(e.errors()) < 0.01
	return e.fresh && now
}

// judge asks splits, as few as it takes, and reports whether the verdict is final.
func (e *search) judge(need float64, ended bool) (bool, error) {
	var p splits
	for n := fewSplits; ; n = someSplits {
		if err := p.more(e.s, e.frame, e.theta, n); err != nil {
			return true, err
		}
		c, asked := p.coupling(), len(p.mixed)
		e.coupled = c
		if e.request.Certify != nil && (need <= 1 || len(e.looks) == 0) && c.mid < separates {
			return e.certify()
		}
		if asked >= enoughSplits && c.hi < separates || c.lo > separates || asked >= mostSplits {
			break
		}
		if need > 1 && !ended && len(e.looks) > 0 || need > 1 && c.mid > 0.1 && !ended { // a yes would not be believed
			break
		}
		if asked >= enoughSplits && c.loud < 0.3 {
			break
		}
	}
	return e.decide(&p, need, ended), nil
}

// certify has the frame certified, and reports whether the verdict is final.
func (e *search) certify() (bool, error) {
	ok, coupling, err := e.request.Certify(e.result())
	e.say("  certificate: %v, coupling %.1e", ok, coupling)
	e.coupled = estimate{coupling, coupling, coupling, 0}
	switch {
	case err != nil:
		return true, err
	case ok:
		e.verdict = Separable
	case len(e.looks) < 3 || e.ended():
		return e.ended(), nil
	case e.goal > finest:
		e.goal /= 3
		return false, nil
	case coupling < prior:
		e.verdict = Nearly
	default:
		e.verdict = Not
	}
	return true, nil
}

// decide reaches the verdict that splits allow, and reports whether it is final.
func (e *search) decide(p *splits, need float64, ended bool) bool {
	c := e.coupled
	e.say("  %d splits: coupling %.1e, %.1e to %.1e", len(p.mixed), c.mid, c.lo, c.hi)
	if c.hi < separates && (need <= 1 || len(e.looks) == 0) {
		e.verdict = Separable
		return true
	}
	if !ended && (need > 1 || len(e.looks) < 3) { // two looks fit any function
		return false
	}
	if e.goal > finest && e.coupling() == 0 && c.mid < prior && !ended { // looks know of no coupling
		e.goal /= 3
		return false
	}
	switch {
	case c.lo <= separates || len(e.looks) < 3:
		e.verdict = Unknown
	case c.mid < prior && median(e.errors()) < usable:
		e.verdict = Nearly
	default:
		e.verdict = Not
	}
	return true
}

// look makes the next looks and learns them.
func (e *search) look() error {
	n := 1
	var err error
	if e.found {
		n, err = e.lookAlong()
	} else {
		err = e.lookAround()
	}
	if err != nil {
		return err
	}
	switch {
	case e.found:
		if !e.follow(n) {
			e.surprise = math.Inf(1)
		}
		if e.surprise > misled && e.restarts < mostRestarts { // the frame was a wrong one
			e.restarts++
			e.found = false
			e.looks = e.short()
			e.forget()
			e.say("  surprised: again from short looks")
		}
	default:
		e.learn()
	}
	e.fresh = len(e.looks) == 1 || median(e.errors()) < usable
	if e.found {
		return nil
	}
	return e.prepareNext()
}

const (
	// misled is the surprise from which on a frame is taken for a wrong one, mostRestarts times.
	misled       = 4
	mostRestarts = 2
)

// prepareNext whitens directions by all that was seen, and decides whether the frame is found.
func (e *search) prepareNext() (err error) {
	was := e.clear
	var flat int
	var gap float64
	e.white, flat, gap = e.whitened(e.white)
	if e.clear = flat == 0; gap > gaping && e.s.span == nil && len(e.looks) <= 3 {
		if done, err := e.respan(flat); done || err != nil {
			return err
		}
	}
	if len(e.short()) == 1 || !was {
		if e.white, err = even(e.s, e.white, e.theta); err != nil {
			return err
		}
		if e.steps, err = newLadder(e.s, along(e.white), e.theta, 1, ladderLines, false); err != nil {
			return err
		}
	}
	worst := quantile(e.errors(), 1)
	if e.m == 1 || len(e.looks) > 2 && worst < usable && e.coupling() < prior || len(e.looks) > 7 && quantile(e.errors(), 0.9) < usable {
		e.found = true
		if e.steps, err = newLadder(e.s, e.frame, e.theta, 1, alongLines, true); err != nil {
			return err
		}
		e.setLength(e.steps.length() / 1.5)
		return nil
	}
	e.setLength(e.steps.length())
	return nil
}

// respan looks whether f is constant in so many directions, in which no look has shown any
// curvature. If so, it begins again in those that are left.
func (e *search) respan(flat int) (bool, error) {
	span, err := spanOf(e.s, e.steps, e.m-flat)
	if span == nil || err != nil {
		return false, err
	}
	e.s.span = span
	steps := e.steps
	e.belief = newBelief(e.s)
	if e.steps, err = newLadder(e.s, e.frame, e.theta, 0, ladderLines, false); err != nil {
		e.steps = steps
		return false, err
	}
	e.white, e.clear = kernel.Identity(e.m), false
	e.say("f has %d components", e.m)
	return true, nil
}

func (e *search) setLength(l float64) {
	ell := make([]float64, e.m)
	for i := range ell {
		ell[i] = l
	}
	e.not.ell = ell
}

// lookAround makes a short look along whitened directions, of the kind that tells most for its
// queries.
func (e *search) lookAround() error {
	var kind *kind
	least := math.Inf(1)
	for _, k := range shortKinds {
		_, err := e.steps.best(k, e.s.sigma, 1)
		if cost := float64(k.queries(e.m)) * max(1, square(3*err/0.05)); cost < least {
			kind, least = k, cost
		}
	}
	if kind == nil {
		return ErrNoStep
	}
	t, size := e.steps.best(kind, e.s.sigma, 1)
	e.say("look %s t %.1e error %.1e", kind.name, t, size)
	if err := e.before(kind.queries(e.m)); err != nil {
		return err
	}
	return e.takeShort(kind, e.white, t, e.s.point)
}

// before tells what so many queries are about to be asked.
func (e *search) before(queries int) error {
	if e.request.Before == nil {
		return nil
	}
	return e.request.Before(queries)
}

// takeShort makes a short look along directions, at another point where f fails around one.
func (e *search) takeShort(k *kind, along *mat.Dense, t float64, point func() []float64) error {
	x := point()
	scale := make([]float64, e.m)
	for i := range scale {
		far := scaledRows(along.Slice(i, i+1, 0, e.m).(*mat.Dense), []float64{2 * t})
		scale[i] = t * e.s.around(x, far.RawRowView(0))
	}
	l, err := e.s.shortLook(k, x, scaledRows(along, scale), e.steps.tau(k, t))
	if err == nil {
		e.looks = append(e.looks, l)
	}
	return err
}

// An option is a kind of look along the frame: what it costs until all pairs are good enough, its
// steps, and the error of E that it leaves by itself.
type option struct {
	kind  *kind
	cost  float64
	steps []float64
	error float64
}

// lookAlong makes the look along the frame that takes the fewest queries until all pairs are good
// enough, three of them where there may be couplings, which are more unknowns.
func (e *search) lookAlong() (int, error) {
	o := e.cheapest()
	if o.kind == nil {
		return 0, ErrNoStep
	}
	n := 1
	if e.coupling() > 0 || e.surprise > misled {
		n = 3
	}
	e.say("%d looks %s, t %.1e error %.1e", n, o.kind.name, median(o.steps), o.error)
	if n > 1 {
		if err := e.before(n * o.kind.queries(e.m)); err != nil {
			return 0, err
		}
	}
	for range n {
		if o.kind != long {
			if err := e.takeShort(o.kind, e.frame.U, o.steps[0], e.composed); err != nil {
				return 0, err
			}
			continue
		}
		eps, h := make([]float64, e.m), make([]float64, e.m)
		for i := range h {
			eps[i] = min(math.Cbrt(3*e.s.sigma*e.not.ell[i]), e.not.ell[i]/3)
			h[i] = o.steps[i] * float64(2*e.s.random.IntN(2)-1) * (0.7 + 0.3*e.s.random.Float64())
		}
		x := e.composed()
		for i := range h {
			e.within(x, i, &h[i], &eps[i])
		}
		l, err := e.s.longLook(x, e.frame.U, h, eps)
		if err != nil {
			return 0, err
		}
		e.looks = append(e.looks, l)
	}
	return n, nil
}

// within shortens a long step of component i, and that of its slopes, so that two of them and
// the slopes stay within the bounds; it goes the other way if there is more room.
func (e *search) within(x []float64, i int, h, eps *float64) {
	u := e.frame.U.RawRowView(i)
	step := func(t float64) []float64 {
		v := make([]float64, len(u))
		kernel.AddScaled(v, t, u)
		return v
	}
	*eps *= e.s.around(x, step(4**eps))
	there, back := e.s.reach(x, step(3**h), 1), e.s.reach(x, step(-3**h), 1)
	if back > there {
		*h, there = -*h, back
	}
	*h *= there
}

// composed draws a point whose components are near those of earlier looks, with a probability
// that is proportional to their curvature there.
func (e *search) composed() []float64 {
	r := e.s.widths(e.frame.W)
	x := make([]float64, e.m)
	c := e.curvatures()
	for i := range x {
		at := e.looks[drawn(c[i], e.s.random.Float64())].x
		y := kernel.Dot(e.frame.W.RawRowView(i), at) + min(e.not.ell[i], r[i]/4)*e.s.random.NormFloat64()
		kernel.AddScaled(x, y, e.frame.U.RawRowView(i))
	}
	return e.inside(x)
}

// curvatures returns the size of the curvature of each component at each look.
func (e *search) curvatures() [][]float64 {
	all := make([][]float64, e.m)
	eq := e.equations(e.frame, e.theta, e.looks)
	for i := range all {
		all[i] = make([]float64, len(e.looks))
		for k, l := range e.looks {
			all[i][k] = 1
			if eq != nil {
				all[i][k] = math.Abs(eq[k].v.At(i, i))
			}
			if l.kind == long && eq != nil {
				all[i][k] /= square(kernel.Dot(e.frame.W.RawRowView(i), l.steps.RawRowView(i)))
			}
		}
	}
	return all
}

// drawn returns k with a probability that is proportional to w_k, for a uniform number u.
func drawn(w []float64, u float64) int {
	left := u * floats.Sum(w)
	for k, v := range w {
		if left -= v; left < 0 {
			return k
		}
	}
	return len(w) - 1
}

// inside returns x, or a point on the way to it from the last look from which there is room on
// both sides.
func (e *search) inside(x []float64) []float64 {
	from := e.looks[len(e.looks)-1].x
	way := make([]float64, len(x))
	kernel.AddScaled(way, 2, x)
	kernel.AddScaled(way, -2, from)
	part := e.s.reach(from, way, 1)
	at := make([]float64, len(x))
	copy(at, from)
	kernel.AddScaled(at, part/2, way)
	return at
}

// cheapest returns the option that takes the fewest queries.
func (e *search) cheapest() option {
	errors := e.errors()
	worst, kappa := quantile(errors, 1), e.coupling()
	var targets []float64
	t := e.targets()
	eachPair(e.m, func(i, j, _ int) { targets = append(targets, t.At(i, j), t.At(j, i)) })
	goal := min(worst/1.1, median(targets))
	best := option{cost: math.Inf(1)}
	for _, o := range append(e.shortOptions(worst), e.longOption(quantile(errors, 0.9))) {
		if o.kind != long {
			o.error = math.Hypot(o.error, kappa)
		}
		after := 1 / math.Sqrt(1/square(worst)+0.5/square(o.error))
		o.cost = float64(o.kind.queries(e.m)) * max(1, math.Log(10*worst/goal)/math.Log(worst/after))
		if o.cost < best.cost {
			best = o
		}
	}
	return best
}

func (e *search) shortOptions(worst float64) []option {
	var all []option
	for _, k := range shortKinds {
		t, err := e.steps.best(k, e.s.sigma, worst)
		all = append(all, option{kind: k, steps: []float64{t}, error: err})
	}
	return all
}

// longOption returns the best long look: long steps have less noise, and more truncation where E
// is not known well.
func (e *search) longOption(usual float64) option {
	r, l, kappa := e.s.widths(e.frame.W), median(e.not.ell), e.coupling()
	o := option{kind: long, error: math.Inf(1)}
	m := math.Sqrt(float64(e.m))
	var best float64
	for h := range steps(0.3*l, max(l, quantile(r, 1)), 60) {
		noise := 2 * e.s.sigma / (h * min(h, 2*l))
		truncation := (1 + 1.25*m) * usual * square(usual*h/l)
		if v := math.Hypot(math.Hypot(noise, kappa/square(max(1, h))), truncation); v < o.error {
			best, o.error = h, v
		}
	}
	for j := range r {
		safe := math.Inf(1) // no component may move by much of its ℓ
		for i := range e.m {
			if i != j {
				safe = min(safe, 0.15*e.not.ell[i]/(2*e.not.sd.At(i, j)+tiny))
			}
		}
		o.steps = append(o.steps, min(r[j], best, max(0.3*e.not.ell[j], safe)))
	}
	return o
}

// ofRows returns the largest standard deviation of a row, as a part of its length, and the largest
// by which a component is off over the box, as a part of ℓ.
func (e *search) ofRows() (rows, off float64) {
	r := e.s.widths(e.frame.W)
	for i := range e.m {
		sum := 0.0
		for j := range e.m {
			if i != j {
				sum += square(e.not.sd.At(i, j) * r[j])
			}
		}
		rows, off = max(rows, math.Sqrt(sum)/r[i]), max(off, math.Sqrt(sum)/e.not.ell[i])
	}
	return rows, off
}

// result returns what was found so far.
func (e *search) result() *Result {
	w := e.frame.W
	if e.s.span != nil {
		w = timesT(w, e.s.span)
	}
	w = mat.DenseCopyOf(w)
	w.Apply(func(_, k int, v float64) float64 { return v / e.s.half[k] }, w)
	r := &Result{
		W: w, Verdict: e.verdict, Coupling: e.coupled.mid, Queries: e.s.queries, Looks: len(e.looks),
		Theta: e.theta, Mid: e.s.mid, Unit: e.s.unit, Error: quantile(e.errors(), 1), Usual: median(e.errors()), Scale: e.not.ell, Misfit: e.misfits,
	}
	r.Rows, r.Expected = e.ofRows()
	for k, l := range e.looks {
		r.Values = append(r.Values, float64(l.z[0][0]*e.s.unit)+e.s.mid)
		if l.kind == long {
			continue
		}
		q := l.measure(e.s, e.theta)
		if a := inverse(l.steps); a != nil && k == 0 && e.s.span == nil {
			r.First = congruent(q.m, transposed(a))
		}
		if a := l.toSteps(e.frame.U); a != nil {
			r.InFrame = append(r.InFrame, congruent(q.m, a))
		}
	}
	return r
}
