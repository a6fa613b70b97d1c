package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Forecast is about how many queries a search for m components takes in all where values have noise of σ, in their
// spread: three or four looks where they are exact and one more for some two decades of noise, steps, lengths and a
// certificate. (For rastrigin, levy and styblinski-tang the median was 0.7 to 1.6 times that, d = 10 and 20, σ up to
// 1e-6.)
func Forecast(m int, sigma float64) int {
	looks := 3.6 + float64(0.4*math.Log10(max(1, sigma/exact)))
	return int(looks*float64(forward.queries(m))) + 26*m + 300
}

// exact is the rounding of values, and noisiest the noise with which coordinates are rarely found.
const exact, noisiest = 1e-16, 1e-3

// Most is how many queries a search for m components takes at most.
func Most(m int) int { return patience * Forecast(m, noisiest) }

// affordable is the part of the budget that a search may take.
const affordable = 0.4

// lookAround makes a short look along whitened directions, of the kind that tells most for its
// queries.
func (e *search) lookAround() error {
	kind, t, size := e.sharpest(1, usable/6)
	if kind == nil {
		return ErrNoStep
	}
	e.told = size
	if budget := e.request.Budget; len(e.looks) == 0 && budget > 0 && float64(Forecast(e.m, e.s.sigma)) > affordable*float64(budget) {
		return ErrSmallBudget
	}
	if err := e.before(kind.queries(e.m), e.contested()); err != nil {
		return err
	}
	along := e.white
	if e.bowl {
		along = e.wide()
	}
	_, err := e.take(middle, func(x []float64) *Look { return e.shortLook(kind, along, t, x) })
	return err
}

// before says that so many queries are about to be asked.
func (e *search) before(queries int, contradicted bool) error {
	return e.request.Before(Next{Queries: queries, Looks: len(e.looks) + e.restarts, Components: e.m, Contradicted: contradicted, search: e})
}

// take makes a look at a random point of so much of the box, and keeps it.
func (e *search) take(part float64, at func(x []float64) *Look) (*Look, error) {
	x, err := e.s.safe(part)
	if err != nil {
		return nil, err
	}
	l := at(x)
	if err = e.s.look(l); err == nil {
		e.looks = append(e.looks, l)
	}
	return l, err
}

// shortLook returns a look at x with steps of t along directions, shorter ones where the bounds are near.
func (e *search) shortLook(k *kind, along *mat.Dense, t float64, x []float64) *Look {
	scale := make([]float64, e.m)
	for i := range scale {
		scale[i] = t * e.s.around(x, beside(make([]float64, e.m), 2*t, along.RawRowView(i)))
	}
	return &Look{kind: k, x: x, steps: scaledRows(along, scale), h: scale, tau: e.steps.tau(k, t)}
}

// uneven is the part of a long step by which it may be shorter, so that no two are the same.
const uneven = 0.3

// longLook returns a look at x with steps of about so much along the frame, shorter ones where two of them and slopes would not
// stay within the bounds, and the other way where there is more room.
func (e *search) longLook(x, most []float64) *Look {
	eps, h := make([]float64, e.m), make([]float64, e.m)
	for i, l := range e.not.ell {
		t := most[i] * float64(2*e.s.random.IntN(2)-1) * (1 - uneven + float64(uneven*e.s.random.Float64()))
		end := min(math.Cbrt(3*e.s.sigma*l), l/3)
		step := func(t float64) []float64 { return beside(make([]float64, e.m), t, e.frame.U.RawRowView(i)) }
		eps[i] = end * e.s.around(x, step(4*end))
		there, back := e.s.reach(x, step(3*t), 1), e.s.reach(x, step(-3*t), 1)
		h[i] = t * there
		if back > there {
			h[i] = -t * back
		}
	}
	return &Look{kind: long, x: x, steps: scaledRows(e.frame.U, h), h: h, eps: eps, ends: scaledRows(e.frame.U, eps)}
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
		n = lastLooks
	}
	pairs := e.wanting()
	if n > 1 || e.upright {
		if err := e.before(n*o.kind.queries(e.m), e.contested()); err != nil {
			return 0, err
		}
	}
	at := func(x []float64) *Look {
		l := e.shortLook(o.kind, e.frame.U, o.steps[0], x)
		if o.kind == long {
			l = e.longLook(x, o.steps)
		}
		if slices.Contains(pairs, false) && (e.theta.Identity() || !e.s.grain.Noisy()) { // with noise, a map is learnt from all pairs
			l.pairs = pairs
		}
		l.expected = off(e.m, func(i, j int) float64 { return e.not.sd.At(i, j) * math.Abs(l.h[j]/l.h[i]) })
		return l
	}
	for range n {
		if _, err := e.take(middle, at); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// wanting returns the pairs that are not known well enough, by their targets and by their shares in the
// errors of rows, and those whose curvatures are in proportion by chance, maybe.
func (e *search) wanting() []bool {
	pairs := make([]bool, pairCount(e.m))
	needs, r := e.needs(), e.s.widths(e.frame.W)
	share := func(i, j int) float64 {
		return e.not.sd.At(i, j) * r[j] / r[i] * math.Sqrt(float64(e.m)) / (e.rough * rightRow)
	}
	eachPair(e.m, func(i, j, p int) {
		pairs[p] = e.not.alike[p] || max(needs.At(i, j), needs.At(j, i), share(i, j), share(j, i)) > almost
	})
	return pairs
}

// cheapest returns the option that takes the fewest queries.
func (e *search) cheapest() option {
	errors := e.errors()
	worst, kappa := quantile(errors, 1), e.coupling()
	var targets []float64
	t := e.targets()
	eachPair(e.m, func(i, j, _ int) { targets = append(targets, t.At(i, j), t.At(j, i)) })
	goal := min(worst/1.1, median(targets))
	var all []option
	for _, k := range shortKinds {
		t, err := e.steps.best(k, e.s.sigma, worst)
		all = append(all, option{kind: k, steps: []float64{t}, error: math.Hypot(err, kappa)})
	}
	best := option{cost: math.Inf(1)}
	for _, o := range append(all, e.longOption(quantile(errors, nearlyAll))) {
		after := 1 / math.Sqrt(1/square(worst)+0.5/square(o.error))
		o.cost = float64(o.kind.queries(e.m)) * max(1, math.Log(10*worst/goal)/math.Log(worst/after))
		if o.cost < best.cost {
			best = o
		}
	}
	return best
}

// leastLong is the shortest step of a long look, in ℓ.
const leastLong = 0.3

// longOption returns the best long look: long steps have less noise, and more truncation where E
// is not known well.
func (e *search) longOption(usual float64) option {
	r, l, kappa := e.s.widths(e.frame.W), median(e.not.ell), e.coupling()
	o := option{kind: long}
	m := math.Sqrt(float64(e.m))
	missed := func(h float64) float64 {
		noise := 2 * e.s.sigma / (h * min(h, 2*l))
		truncation := (1 + float64(1.25*m)) * usual * square(usual*h/l)
		return math.Hypot(math.Hypot(noise, kappa/square(max(1, h))), truncation)
	}
	best, _ := leastOver(leastLong*l, max(l, quantile(r, 1)), missed)
	for j := range r {
		safe := math.Inf(1) // no component may move by much of its ℓ
		for i := range e.m {
			if i != j {
				safe = min(safe, 0.15*e.not.ell[i]/(2*e.not.sd.At(i, j)+tiny))
			}
		}
		o.steps = append(o.steps, min(r[j], best, max(leastLong*e.not.ell[j], safe)))
	}
	o.error = missed(median(o.steps))
	return o
}
