package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Where looks contradict each other in every frame, f may be a sum over blocks, or separate but for couplings.
// Both show in the joint diagonalisation of short looks,
//
//	C_ij = rms_k M_ij/√(M_ii M_jj):
//
// blocks in pairs that stay coupled while others do not, and couplings in that C is small, and other looks leave
// the same frame. The error of the frame of K looks is about 1/√K of that of one, and half of the distance between
// the frames of their halves.

const (
	// mostShort looks are made at most; enoughLooks/2 at first, and twice as many again.
	mostShort = enoughLooks << 2
	// widely is the part of the box from which their points are drawn: most f_j curve more outside
	// than in the middle, and couplings do not.
	widely = 0.9
	// knownRows is the error of typical rows at which a frame with couplings is known, and agreeing
	// that of frames that have something to do with each other: rows of others are 0.8 to 1 apart.
	knownRows, agreeing = 5e-3, 0.35
	// nearlyCoupled is the C of a pair up to which it counts as nearly apart: pairs of Rosenbrock's
	// function stood at 0.2 and more.
	nearlyCoupled = 0.15
	// leastLink is the least C that is taken for a link where looks are exact.
	leastLink = 1e-3
)

// linked are values of C above which components may belong together, two a decade. Within a block they are 1e-2 to 1e-1,
// and between blocks 1e-6 to 1e-8 where looks are exact.
var linked = func() (all []float64) {
	for n := 10.; n <= 1/finest; n *= 10 {
		all = append(all, 3/n, 1/n)
	}
	return all
}()

// structure looks for blocks, with and without a map, and for a frame that separates f but for couplings, and reports whether there
// is one or the other.
func (e *search) structure() (bool, error) {
	if !e.affords(0, lengthening(e.m)) {
		return false, nil
	}
	e.begin(false)
	e.caution, e.theta, e.looks = 1, Theta{}, e.short()
	e.white, _, _ = e.whitened(e.white)
	if err := e.climb(along(e.white), 1, false); err != nil {
		return false, err
	}
	sure := false // nothing speaks against couplings that are small
	for n := enoughLooks / 2; n <= mostShort && e.affords(n-len(e.looks), lengthening(e.m)); n *= 2 {
		if more := n - len(e.looks); more > 0 {
			if err := e.before(more*forward.queries(e.m), true); err != nil {
				return false, err
			}
		}
		if err := e.shortLooks(n, nil, 1); err != nil {
			return false, err
		}
		f, c := e.joint(Theta{}, e.looks)
		if f = e.scaled(f, Theta{}, e.looks); !f.regular() {
			continue
		}
		e.frame, e.theta = f, Theta{}
		e.unsure = e.halves()
		most := max(4, e.m/8)
		if n >= enoughLooks && e.unsure > agreeing {
			most = e.m / 2
		}
		if done, err := e.blocked(Theta{}, most); done || err != nil {
			return done, err
		}
		if n == enoughLooks && e.unsure > knownRows {
			if done, err := e.mappedBlocks(most); done || err != nil {
				return done, err
			}
		}
		e.frame, e.theta = f, Theta{}
		last := e.unsure <= knownRows || n == mostShort || !e.affords(2*n-len(e.looks), lengthening(e.m))
		if (n > enoughLooks || last) && e.unsure > agreeing*math.Sqrt(float64(enoughLooks)/float64(n)) {
			break
		}
		if known := e.unsure <= wellKnown || e.unsure <= 2*wellKnown && largest(c) > nearlyCoupled; !sure && (last || n >= enoughLooks && known) {
			var err error
			if sure, err = e.nearly(); !sure || err != nil {
				return false, err
			}
		}
		if last || !e.affords(2*n-len(e.looks), lengthening(e.m)) {
			if e.verdict = Nearly; e.unsure <= rightRow {
				return true, nil
			}
			return true, e.lengthen()
		}
	}
	return false, nil
}

// wellKnown is the error of typical rows up to which a frame that does not nearly separate f will not do so if it is
// known better, and farOff the coupling of splits from which on none does.
const wellKnown, farOff = 0.05, 0.7

// nearly reports whether nothing speaks against couplings that are small: those of splits, and minima.
func (e *search) nearly() (bool, error) {
	if !e.affords(0, lengthening(e.m)) {
		return false, nil
	}
	var err error
	if e.coupled, err = e.split(singles(e.m), enoughSplits, 1); err != nil || e.coupled.lo > farOff {
		return false, err
	}
	return newValley(e.s, e.frame).round()
}

// shortLooks makes looks along some directions until there are n; nil: along whitened ones. E in them is about part.
func (e *search) shortLooks(n int, along *mat.Dense, part float64) error {
	for len(e.looks) < n {
		kind, step, _ := e.sharpest(part, finest)
		if kind == nil {
			return ErrNoStep
		}
		l, err := e.take(widely, func(x []float64) *Look {
			l := e.shortLook(kind, cmp.Or(along, e.white), step, x)
			l.tau *= part
			return l
		})
		if err != nil {
			return err
		}
		if along == nil && kernel.Finite(l.z[0][0]) {
			e.white, _, _ = e.whitened(e.white)
		}
	}
	return nil
}

// halves returns half of the distance between typical rows of the frames of two halves of the looks.
func (e *search) halves() float64 {
	n := len(e.looks)
	var made [2]*frame.Frame
	for k, some := range [][]*Look{e.looks[:n/2], e.looks[n/2:]} {
		f, _ := e.joint(e.theta, some)
		var err error
		if made[k], err = frame.New(mat.DenseCopyOf(f.W)); err != nil {
			return math.Inf(1)
		}
	}
	return median(frame.Compare(made[0], made[1]).Distance) / 2
}

// A grouping are blocks, and the coupling of few splits of them.
type grouping struct {
	blocks  [][]int
	coupled estimate
}

// blocked divides all components into the finest blocks of at most so many components that separate f, and reports whether there are any.
// Where splits of some couple less than half as much as those of single components it makes looks along their frame, until splits do
// not become less: between blocks truncation is that of E alone, so that steps may be the longer the less E is.
func (e *search) blocked(theta Theta, most int) (bool, error) {
	looks, steps, now, blocks := e.looks, e.steps, e.blocking(nil, theta, e.looks), whole(e.m)
	for last, part := math.Inf(1), 1.; ; {
		now = now.divided(blocks)
		f := e.scaled(now.frame, now.theta, e.looks)
		if !f.regular() {
			return false, nil
		}
		e.frame, e.theta = f, now.theta
		all, err := e.groupings(now, most, part)
		if err != nil {
			return true, err
		}
		best := grouping{coupled: estimate{mid: math.Inf(1)}}
		for _, g := range all {
			if g.coupled.mid < best.coupled.mid {
				best = g
			}
		}
		least := best.coupled.mid
		exact := e.separates() / finer
		if math.IsInf(last, 1) && least >= exact && len(all) > 0 {
			alone, err := e.split(singles(e.m), fewSplits, middle)
			if err != nil {
				return true, err
			}
			last = min(2*usable, alone.mid)
		}
		ended := !(least < last/2) || !e.affords(lastLooks, 0) // also where there are none
		for _, g := range all {                                // components that couple little beside others belong together, too
			if c := g.coupled.mid; (ended || least < exact) && c < min(e.separates(), max(finer*least, exact)) {
				e.blocks, e.coupled = g.blocks, g.coupled
				if _, err := e.certify(); e.verdict == Separable || err != nil {
					return true, err
				}
				e.blocks = nil
			}
		}
		if ended { // looks along a frame that is a wrong one miss more than they say
			e.looks, e.steps = looks, steps
			return false, nil
		}
		last, part = least, min(1, finer*least)
		if err := e.climb(e.frame, 1, true); err != nil {
			return true, err
		}
		if err := e.shortLooks(len(e.looks)+lastLooks, e.frame.U, part); err != nil {
			return true, err
		}
		now, blocks = e.blocking(now.frame, now.theta, e.looks), best.blocks
	}
}

// singles returns a block for each of m components.
func singles(m int) [][]int {
	all := make([][]int, m)
	for i := range all {
		all[i] = []int{i}
	}
	return all
}

// half returns the components of half of some blocks.
func half(s *sampler, blocks [][]int) []int {
	var some []int
	for _, k := range s.random.Perm(len(blocks))[:max(1, len(blocks)/2)] {
		some = append(some, blocks[k]...)
	}
	return slices.Clip(some)
}
