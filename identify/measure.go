package identify

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ladder are the steps, in spreads, at which second differences are compared. A factor of
// four between neighbours is a factor of sixteen in what rounding does to them.
var ladder = []float64{1. / 4096, 1. / 1024, 1. / 256, 1. / 64, 1. / 16, 1. / 4, 1}

// withSteps returns the candidate with its steps h_i and ε_i chosen by looking at
// second differences along u_i over a ladder of steps: ε_i is where they agree best
// with their neighbours, h_i the largest up to which they change by less than three
// tenths. That costs 14m + 1 queries at a point. At more points, so many in all, it looks
// whether h_i is short enough there, too, for 6m + 1 queries at each: the shortest counts.
func (c *candidate) withSteps(g *ground, points int) (*candidate, error) {
	next := *c
	all := make([][]int, len(c.spread))
	for i := range all {
		all[i] = everyRung
	}
	first, err := c.climb(g, 1, all)
	if err != nil {
		return nil, err
	}
	l := first[0]
	eps, h := l.choose(g, c)
	next.eps, next.h, next.measured = l.steps(eps), l.steps(h), true
	if points < 2 {
		return &next, nil
	}
	some := make([][]int, len(c.spread))
	for i := range some {
		some[i] = []int{eps[i]}
		for k := h[i]; k > eps[i] && k >= h[i]-1; k-- {
			some[i] = append(some[i], k)
		}
	}
	others, err := c.climb(g, points-1, some)
	if err != nil {
		return nil, err
	}
	for _, l := range others {
		for i, t := range l.steps(l.shorter(c, eps, h)) {
			next.h[i] = min(next.h[i], t)
		}
	}
	return &next, nil
}

// everyRung is all places of the ladder.
var everyRung = all(len(ladder))

// A look is what second differences along every component are at a point, at some rungs of
// the ladder.
type look struct {
	f0     float64
	most   []float64   // the step that the highest rung stands for
	second [][]float64 // at every rung; NaN: not asked
}

// steps returns the steps at some rungs.
func (l look) steps(rung []int) []float64 {
	t := make([]float64, len(rung))
	for i, k := range rung {
		t[i] = ladder[k] * l.most[i]
	}
	return t
}

// climb looks at some rungs of every component at n composed points, all in one batch. A
// point at which f fails is replaced by another in the next.
func (c *candidate) climb(g *ground, n int, rungs [][]int) ([]look, error) {
	type spot struct{ i, rung int }
	var plan []spot
	for i, some := range rungs {
		for _, k := range some {
			plan = append(plan, spot{i, k})
		}
	}
	each := 1 + 2*len(plan)
	var looks []look
	for failed := 0; len(looks) < n; {
		x, err := safely(g, c, n-len(looks))
		if err != nil {
			return nil, err
		}
		most := make([][]float64, len(x))
		for k := range x {
			most[k] = mostAt(g, c, x[k])
		}
		values, err := g.ask(len(x)*each, func(k int, row []float64) {
			at := k / each
			copy(row, x[at])
			if k %= each; k > 0 {
				p := plan[(k-1)/2]
				kernel.AddScaled(row, [2]float64{-1, 1}[k%2]*ladder[p.rung]*most[at][p.i], c.u.RawRowView(p.i))
			}
		})
		if err != nil {
			return nil, err
		}
		for k := range x {
			v := values[k*each : (k+1)*each]
			if !follow(g, v[0]) {
				failed++
				continue
			}
			l := look{f0: v[0], most: most[k], second: make([][]float64, len(rungs))}
			for i := range l.second {
				l.second[i] = nans(len(ladder))
			}
			for n, p := range plan {
				l.second[p.i][p.rung] = second(v[1+2*n:], v[0], ladder[p.rung]*most[k][p.i])
			}
			looks = append(looks, l)
		}
		if failed >= attempts && len(looks) < n {
			return nil, ErrNotFinite
		}
	}
	return looks, nil
}

// mostAt returns the longest step along every component from x: its spread, or so much of it
// that there is room.
func mostAt(g *ground, c *candidate, x []float64) []float64 {
	most := make([]float64, len(c.spread))
	for i := range most {
		most[i] = min(c.spread[i], g.room(x, c.u.RawRowView(i))/roomFor)
	}
	return most
}

// choose returns the rungs of ε and h that a look at all of the ladder shows.
func (l look) choose(g *ground, c *candidate) (eps, h []int) {
	eps, h = make([]int, len(l.most)), make([]int, len(l.most))
	for i, d := range l.second {
		eps[i], h[i] = rungs(d, grains.OfSecond*g.grain.Of(l.f0), l.most[i], share*c.curvature[i])
	}
	return eps, h
}

// shorter returns the rungs of h, or lower ones where f_i″ changes too much up to them: the
// next one, or if that is too high as well the one below it.
func (l look) shorter(c *candidate, eps, h []int) []int {
	h = slices.Clone(h)
	for i, d := range l.second {
		at := d[eps[i]]
		size := max(math.Abs(at), share*c.curvature[i])
		for k := 0; k < 2 && h[i] > eps[i] && math.Abs(d[h[i]]-at) > steady*size; k++ {
			h[i]--
		}
	}
	return h
}

// steady is the change of f_i″ over a large step, as a part of it, that is small enough.
// Steps should be large, but refinement rests on terms of first and second order: with
// Rastrigin's ripples of length 1 it converges with steps of 0.05 to 0.2, and not with 1.
const steady = 0.3

// rungs returns which steps of the ladder serve as ε and h, given the second
// differences d at all of them and their rounding. Where d is not finite it is passed
// over.
func rungs(d []float64, rounding, spread, least float64) (eps, h int) {
	eps = 1
	calmest := math.Inf(1)
	for k := 1; k+1 < len(d); k++ {
		unrest := math.Abs(d[k]-d[k-1]) + math.Abs(d[k+1]-d[k]) + rounding/square(ladder[k]*spread)
		if unrest < calmest {
			eps, calmest = k, unrest
		}
	}
	size := max(math.Abs(d[eps]), least)
	for h = eps; h+1 < len(d) && math.Abs(d[h+1]-d[eps]) <= steady*size; h++ {
	}
	return eps, h
}

// scaled measures the scale of every component of a finding; 0 measures: it does not.
func scaled(g *ground, found *Finding, measures int) error {
	if measures == 0 {
		return nil
	}
	w := found.Frame.Matrix()
	lengths, err := model.Lengths(g.ctx, g.f, model.Request{Box: g.box, Bounds: g.bounds, Grain: g.grain, Seed: g.random.Uint64()}, w)
	if errors.Is(err, model.ErrConstant) || errors.Is(err, model.ErrNoStep) || errors.Is(err, model.ErrNotFinite) {
		lengths, err = newCandidate(g, found.Frame, certify.Singles(found.Frame.Components())).h, nil
	}
	found.Scale = lengths
	return err
}

// scaled sets the scale of every component of the finding of a result.
func (m *modelling) scaled(found *Finding, r *model.Result) error {
	if m.Measures == 0 {
		return nil
	}
	err := r.MeasureLengths()
	found.Scale = scalesOf(r)
	return err
}

// scalesOf returns ℓ of each component, for rows of length 1.
func scalesOf(r *model.Result) []float64 {
	all := slices.Clone(r.Scale)
	for i := range all {
		all[i] /= floats.Norm(r.W.RawRowView(i), 2)
	}
	return all
}

// spectrumOf returns the absolute eigenvalues of a matrix, in descending order.
func spectrumOf(h *mat.Dense) []float64 {
	var e mat.EigenSym
	if !kernel.AllFinite(h) || !e.Factorize(kernel.Symmetrised(h, 1), false) {
		return nil
	}
	all := e.Values(nil)
	for k, v := range all {
		all[k] = math.Abs(v)
	}
	slices.Sort(all)
	return reversed(all)
}
