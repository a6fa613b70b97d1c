package model

import (
	"math"

	"github.com/untwist/untwist/internal/outer"
)

// mappedBlocks looks for a map under which f separates into blocks, and reports whether there is one: most pairs are
// coupled far less then. ψ″/ψ′ is about the same for all values first, or as 1/f.
func (e *search) mappedBlocks(most int) (bool, error) {
	seed := e.s.random.Uint64()
	plain := e.typical(Theta{}, seed)
	best, least := Theta{}, plain
	try := func(t Theta) {
		if v := e.typical(t, seed); v < least {
			best, least = t, v
		}
	}
	for _, some := range outer.Starts(e.s.low, e.s.unit/e.s.mid)[:fewStarts] {
		for _, t := range some {
			try(t)
		}
	}
	if best.Identity() || least > promising*plain {
		return false, nil
	}
	for step, n := math.Abs(best.Gamma)/2, 0; step > thetaStep*math.Abs(best.Gamma) && n < mostSweeps; n++ {
		b := best
		for _, g := range []float64{-step, 0, step} {
			for _, h := range []float64{-step, 0, step} {
				try(b.Moved([2]float64{g, h}, step, e.s.low))
			}
		}
		if b == best {
			step /= 3
		}
	}
	f, _ := e.joint(best, e.looks)
	if f == nil {
		return false, nil
	}
	e.frame, e.theta = e.scaled(f, best, e.looks), best
	if e.frame == nil {
		return false, nil
	}
	if e.refits() { // a sum under a map
		e.fresh, e.restarts = true, mostRestarts
		e.begin(false)
		if err := e.prepareNext(); err != nil {
			return true, err
		}
		if err := e.run(); err != nil || e.verdict == Separable {
			return true, err
		}
		e.begin(false)
		e.looks = e.short()
	}
	return e.blocked(e.blocking(nil, best, e.looks), whole(e.m), most)
}

// typical returns the geometric mean of C in the best of some pencils, the same ones for a seed.
func (e *search) typical(theta Theta, seed uint64) float64 {
	defer e.s.seeded(seed)()
	now := e.blocking(nil, theta, e.looks)
	if now == nil {
		return math.Inf(1)
	}
	if now = now.at(now.redirected(whole(e.m)), theta); now == nil {
		return math.Inf(1)
	}
	return math.Exp(now.logs())
}

// refits fits looks with the map free, and reports whether they do not contradict each other then.
func (e *search) refits() bool {
	const most = 6 // θ and κ depend on each other
	for range most {
		e.kappa = make([]float64, len(e.looks))
		if !e.fit() {
			return false
		}
		if e.coupling() == 0 {
			return true
		}
	}
	return false
}

// fewStarts is for how many β maps are tried, and promising the part of couplings that the nearest leaves where there
// is a map.
const fewStarts, promising = 3, 0.8
