package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A search is the loop: propose a look, ask, learn, judge.
type search struct {
	*belief
	request Request
	steps   *ladder
	white   *mat.Dense // directions of looks while no frame is found
	clear   bool       // all of them have curvature above the noise

	found    bool    // all pairs are known well enough to look along the frame
	upright  bool    // because its rows are taken for orthogonal
	told     float64 // the error of E that the last short look leaves by itself
	caution  float64 // by how much truncation is taken for larger than it was measured
	fresh    bool    // something was learnt since the last verdict
	goal     float64
	rough    float64 // by how much errors may be larger
	restarts int
	spent    int       // queries before the span was known
	linear   []float64 // c of the subspace
	least    float64   // the least need so far, or the least usual error while no frame is found
	wasted   int       // looks since then
	bowl     bool      // f is a quadratic under the map, by the last look
	bowls    int       // looks that were asked for that
	verdict  Verdict
	blocks   [][]int // nil: single components
	unsure   float64
	coupled  estimate
}

const (
	// goodEnough is the error of a component over the box, in units of ℓ, that is small enough, and
	// finest the least that is ever asked for.
	goodEnough, finest = 0.003, 1e-4
	// mostLooks are made, coupledLooks where there are couplings, which do not become less.
	mostLooks, coupledLooks = 100, enoughLooks + 1
	// rightRow is the error of a row, as a part of its length, that is small enough.
	rightRow = 0.002
	// patience is how many times its forecast a search may take.
	patience = 6
	// enoughLooks show blocks, if there are any, or that there is no frame if they leave couplings that are not usable.
	enoughLooks = 8
	// gaping is by how much curvatures are above noise where others are not, if f is constant in
	// some directions.
	gaping = 6
	// mostWasted looks are made without progress, an error that is so much less.
	mostWasted, progress = 12, 0.9
	// nearlyAll pairs are so many, and almost all of an error that is small enough is so much.
	nearlyAll, almost = 0.9, 0.8
	// usable is the error of E from which on looks are along the frame, with longer and longer
	// steps, and the coupling above which they are of no use.
	usable = 0.1
)

// climb measures steps along directions of a frame.
func (e *search) climb(f *Frame, curvature float64, alone bool) error {
	steps, err := newLadder(e.s, f, e.theta, curvature, ladderLines, alone)
	if err == nil {
		steps.caution = e.caution
		e.steps = steps
	}
	return err
}

// raiseTruncation takes truncation for larger than the ladder has it, where short looks leave more than
// they should: a few lines may have missed it. Couplings stay if steps are shorter; truncation does
// not.
func (e *search) raiseTruncation() {
	if e.misfits < misfit || len(e.looks) <= fitAnything || e.caution > mostCaution {
		return
	}
	by := min(2, math.Sqrt(e.misfits))
	e.caution *= by
	e.steps.caution = e.caution
	for _, l := range e.looks {
		l.tau *= by
	}
	e.learn()
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
		e.fresh = false
		if err := e.look(); err != nil {
			return err
		}
	}
}

// ended reports whether no more looks can be made.
func (e *search) ended() bool {
	n := len(e.looks)
	contradicted := n >= enoughLooks && e.coupling() > usable
	return n > 0 && e.left() < forward.queries(e.m) || n > mostLooks || contradicted || e.wasted >= mostWasted || e.coupling() > 0 && n > coupledLooks
}

// targets returns the error of E_ij that is small enough: over the box it moves component i by
// a part of ℓ_i, and of its own width. Where there are couplings it need not be less than they are.
func (e *search) targets() *mat.Dense {
	r, kappa := e.s.widths(e.frame.W), e.coupling()
	return off(e.m, func(i, j int) float64 {
		harm := e.goal * min(e.not.ell[i], r[i]) / r[j]
		return max(harm, min(almost*kappa, max(1, 0.03/e.goal)*harm))
	})
}

// need returns the largest error of a pair by its target, or of a row.
func (e *search) need() float64 {
	if len(e.looks) == 0 {
		return math.Inf(1)
	}
	rows, _ := e.ofRows()
	return max(largest(e.needs()), rows/(e.rough*rightRow))
}

// needs returns the error of each E_ij by its target.
func (e *search) needs() *mat.Dense {
	targets := e.targets()
	all := mat.NewDense(e.m, e.m, nil)
	eachPair(e.m, func(i, j, p int) {
		if e.not.alike[p] { // E_ij and E_ji do no harm but together, to the Hessian
			all.Set(i, j, e.not.eff.At(i, j)/(2*e.goal))
			return
		}
		sd, of := pairOf(e.not.sd, i, j), pairOf(targets, i, j)
		setPair(all, i, j, vec2{sd[0] / of[0], sd[1] / of[1]})
	})
	return all
}

// due reports whether it is time to ask the whole box: with noise whether f separates in its coordinates, which is known
// otherwise.
func (e *search) due(need float64) bool {
	n := len(e.looks)
	now := n == 0 && (e.m == 1 || e.s.grain.Noisy()) || n == 1 && !e.bowl || need <= 1 || (n == enoughLooks/2 || n == enoughLooks || n == 2*enoughLooks) && median(e.errors()) < 0.01
	return e.fresh && now
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
		e.weigh(e.need())
		if (e.surprise > misled || e.upright && e.pair > usable || e.wasted >= mostWasted && quantile(e.errors(), 1) > usable/2) && e.restarts < mostRestarts { // the frame was a wrong one
			e.again()
		}
	case e.quadratic():
		e.fresh = true
		return e.prepareNext()
	case !e.learn():
		e.forget()
	default:
		e.raiseTruncation()
	}
	if !e.found {
		e.weigh(median(e.errors()))
	}
	e.fresh = len(e.looks) == 1 || median(e.errors()) < usable
	if e.found {
		return nil
	}
	return e.prepareNext()
}

const (
	// misfit is the mean of (R/s)² from which on truncation is taken for larger, mostCaution times
	// at most.
	misfit, mostCaution = 1.5, 4
	// misled is the surprise from which on a frame is taken for a wrong one, mostRestarts times.
	misled       = 4
	mostRestarts = 2
)

// again begins again from short looks.
func (e *search) again() {
	e.restarts++
	e.begin(false)
	e.looks, e.upright = e.short(), false
	e.forget()
}

// begin begins looks along a frame, or without one.
func (e *search) begin(found bool) { e.found, e.wasted, e.least = found, 0, math.Inf(1) }

// weigh counts looks that have not made an error less.
func (e *search) weigh(error float64) {
	if e.wasted++; error < progress*e.least {
		e.wasted, e.least = 0, error
	}
}

// prepareNext whitens directions by all that was seen, and decides whether the frame is found.
func (e *search) prepareNext() (err error) {
	was := e.clear
	var flat int
	var gap float64
	e.white, flat, gap = e.whitened(e.white)
	e.clear = flat == 0 && !e.bowl
	if done, err := e.flats(flat, gap); done || err != nil {
		return err
	}
	if e.bowl {
		e.widen()
		return nil
	}
	if len(e.short()) == 1 || !was {
		if e.white, err = even(e.s, e.white, e.theta); err != nil {
			return err
		}
		if err = e.climb(along(e.white), 1, false); err != nil {
			return err
		}
	}
	if e.m == 1 || len(e.looks) > 2 && quantile(e.errors(), 1) < usable && e.coupling() < prior {
		return e.follows()
	}
	e.setLength(e.steps.length())
	return nil
}

// follows goes on along the frame, which is found.
func (e *search) follows() error {
	e.begin(true)
	if err := e.climb(e.frame, 1, true); err != nil {
		return err
	}
	e.setLength(e.steps.length() / 1.5)
	return nil
}

// prepare measures steps, and looks for few components.
func (e *search) prepare() (err error) {
	e.white = kernel.Identity(e.m)
	if err = e.climb(e.frame, math.Inf(1), false); err != nil {
		return err
	}
	span, err := reduce(e.s, e.steps)
	if err != nil {
		return err
	}
	if span != nil {
		err = e.inSpan(span)
	}
	return err
}
