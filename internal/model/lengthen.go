package model

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// lengthen betters a frame that separates f but for couplings by long looks, more of them than there are unknowns:
// over long steps couplings matter less beside single differences, as they are bounded by their size and
// not by their curvature. They are believed where the coupling of splits becomes less.
func (e *search) lengthen() error {
	if err := e.climb(e.frame, 1, true); err != nil {
		return err
	}
	e.setLength(e.steps.length())
	seed := e.s.random.Uint64()
	before, err := e.coupledBy(seed)
	if err != nil {
		return err
	}
	defer func() { e.coupled.mid = before }()
	if before > farOff {
		e.verdict = Not
		return nil
	}
	for _, part := range []float64{0.5, 1} {
		if part < 1 && e.unsure < roughRows {
			continue
		}
		if e.left() < enoughLooks*long.queries(e.m)+corners*mostSplits {
			break
		}
		e.not.sd = off(e.m, func(int, int) float64 { return e.unsure })
		h, last := e.s.widths(e.frame.W), e.frame
		for i := range h {
			h[i] *= part
		}
		var looks []*Look
		for range enoughLooks {
			x, err := e.s.safe(widely)
			if err != nil {
				return err
			}
			looks = append(looks, e.longLook(x, h))
		}
		if err := e.s.look(looks...); err != nil {
			return err
		}
		if e.frame = e.fitted(looks); e.frame == nil {
			e.frame = last
			return nil
		}
		now, err := e.coupledBy(seed)
		if err != nil {
			return err
		}
		if now > before/1.02 {
			e.frame = last
		} else {
			before = now
		}
	}
	return nil
}

// roughRows is the error of a frame from which on looks with half of the longest steps are made first.
const roughRows = 0.02

// coupledBy returns the coupling of splits that follow from a seed.
func (e *search) coupledBy(seed uint64) (float64, error) {
	defer e.s.seeded(seed)()
	p := splits{s: e.s, theta: e.theta, part: 1}
	err := p.more(e.frame, singles(e.m), mostSplits)
	return p.coupling().mid, err
}

// fitted returns the frame that fits long looks whose mixed differences have errors in proportion to their steps, by
// least squares pair by pair; nil: there is none.
func (e *search) fitted(looks []*Look) *Frame {
	f := e.frame
	for range 3 { // terms of second order
		eq := e.equations(f, e.theta, looks)
		if eq == nil {
			return nil
		}
		by := mat.NewDense(e.m, e.m, nil)
		eachPair(e.m, func(i, j, _ int) {
			var info sym2
			var right [2]float64
			for k, q := range eq {
				unit := math.Abs(looks[k].h[i] * looks[k].h[j])
				v, u, r := q.v.At(i, j)/unit, q.v.At(j, i)/unit, q.r.At(i, j)/unit
				info = info.plus(dyad(v, u, 1))
				right[0], right[1] = right[0]+float64(v*r), right[1]+float64(u*r)
			}
			known := info.mapped(func(l float64) float64 { return 1 / (l + float64(flatPair*info.trace()) + tiny) })
			x, y := known.of(right[0], right[1])
			by.Set(i, j, max(-furthest, min(furthest, x)))
			by.Set(j, i, max(-furthest, min(furthest, y)))
		})
		if f = f.corrected(by); f == nil {
			return nil
		}
	}
	return f
}

// flatPair is the part of the information of a pair below which there is none.
const flatPair = 0.02
