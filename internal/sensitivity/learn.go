package sensitivity

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

const (
	mostPoints = 700  // the most queries that are fitted together, beside the traces
	fewPoints  = 300  // as many of them say how rough the functions are
	mostCells  = 160  // the most intervals of a basis
	allCells   = 6000 // of all bases together
	leastCells = 24
	rounds     = 9 // of learning how rough the functions are; twice as many without traces
	sketches   = 4 // functions drawn in each of them
	windows    = 4 // parts of a range in which a function may be rough
	finest     = 2e-4
)

// basesFor chooses how fine the splines of every function are: as fine as the points at which
// something is known of it.
func basesFor(w view, d data) []basis {
	var out []basis
	for j, reach := range w.reach {
		var at []float64
		at = append(at, d.traces[j].t...)
		for _, p := range d.points {
			at = append(at, p.t[j])
		}
		slices.Sort(at)
		const near = 0.02
		places, last := 0, math.Inf(-1)
		for _, t := range at {
			if t-last > near {
				places, last = places+1, t
			}
		}
		out = append(out, basis{min(mostCells, max(leastCells, min(3*places/2, allCells/len(w.reach)))), reach})
	}
	return out
}

// learn finds how rough the functions are and how exact the values, by expectation and
// maximisation: functions are drawn as all that is believed allows, and τ_j² and σ² become the
// mean squares of what is seen in them.
func learn(d data, bases []basis, q int, random *rng.Stream) (prior, error) {
	p := prior{q: q, sigma: max(2*finest*d.spread, d.noise)}
	for j, b := range bases {
		wide, bent := d.wide(j, b.reach)
		p.wide, p.bent = append(p.wide, wide), append(p.bent, bent)
		p.tau = append(p.tau, max(d.traces[j].rough(b, q), d.spread/math.Sqrt(float64(len(bases)))*math.Pow(4/float64(b.n), float64(q)-0.5)))
	}
	rounds := rounds
	if !d.traced() {
		rounds *= 2
	}
	for round := range rounds {
		f, err := newFit(d, bases, p)
		if err != nil {
			return p, err
		}
		next := prior{q: q, wide: p.wide, bent: p.bent, tau: make([]float64, len(bases))}
		missed := 0.0
		for range sketches {
			functions := f.draw(random)
			for j, b := range bases {
				next.tau[j] += float64(roughest(differences(functions[j][:b.size()], q)) / sketches)
			}
			points, traces := f.misses(functions)
			r := rms(append(points, traces...))
			missed += float64(float64(r*r) / sketches)
		}
		const faster = 0.8 // the exponent of a step that is longer than that of expectation and maximisation
		for j, v := range next.tau {
			to := math.Sqrt(v)
			to = p.tau[j] * math.Pow(to/p.tau[j], 2*faster)
			next.tau[j] = min(max(to, 1e-9*d.spread), 1e3*d.spread)
		}
		to := math.Sqrt(missed)
		if round < rounds/2 { // as long as functions are not yet rough enough, values would be blamed
			to = p.sigma
		}
		next.sigma = min(max(p.sigma*math.Pow(to/p.sigma, 2*faster), finest*d.spread), d.spread)
		p = next
	}
	return p, nil
}

// traced reports whether there is a trace of every function.
func (d data) traced() bool {
	return !slices.ContainsFunc(d.traces, func(t trace) bool { return len(t.t) < 8 })
}

// wide returns how far from 0 a function may be, and how far from a parabola: some times as far
// as its trace is. Where there is none, or it is short, it is some times as far as f.
func (d data) wide(j int, reach float64) (wide, bent float64) {
	t := d.traces[j]
	if end := 0.8 * min(reach, 3); len(t.t) < 8 || slices.Min(t.t) > -end || slices.Max(t.t) < end {
		return 20 * d.spread, 20 * d.spread
	}
	a, y := mat.NewDense(len(t.t), 3, nil), mat.NewVecDense(len(t.t), t.value)
	for k, v := range t.t {
		a.SetRow(k, []float64{1, v, float64(v * v)})
	}
	var c, fitted mat.VecDense
	if err := c.SolveVec(a, y); err != nil {
		return 20 * d.spread, 20 * d.spread
	}
	fitted.MulVec(a, &c)
	off := 0.0
	for k, v := range t.value {
		off = max(off, math.Abs(v-fitted.AtVec(k)))
	}
	return max(20*d.spread, 4*slices.Max(t.value)), max(3*off, finest*d.spread) // the least value is 0
}

// rough returns τ as the trace alone has it; 0 if it has too few points. If the q-th differences
// at a distance g of its points are δ, those at the distance h of splines are
// τ = δ (h/g)^(q−½), since it is sums of independent numbers that make up δ.
func (t trace) rough(b basis, q int) float64 {
	n := len(t.t)
	if n < 2*q+4 {
		return 0
	}
	order := ranks.Order(n, func(a, b int) int { return cmp.Compare(t.t[a], t.t[b]) })
	lo, g := t.t[order[0]], (t.t[order[n-1]]-t.t[order[0]])/float64(n-1)
	var even []float64 // the trace at equal distances g
	k := 0
	for i := range n {
		at := lo + float64(float64(i)*g)
		for k+2 < n && t.t[order[k+1]] < at {
			k++
		}
		a, c := order[k], order[k+1]
		part := 0.0
		if t.t[c] > t.t[a] {
			part = (at - t.t[a]) / (t.t[c] - t.t[a])
		}
		even = append(even, t.value[a]+float64(part*(t.value[c]-t.value[a])))
	}
	h := 2 * b.reach / float64(b.n)
	return rms(differences(even, q)) * math.Pow(h/g, float64(q)-0.5)
}

// roughest returns the mean square of differences in that part of the range in which it is
// largest: a function that is smooth elsewhere may be as rough where little of it is seen.
func roughest(differences []float64) float64 {
	most := 0.0
	for w := range windows {
		n := len(differences)
		r := rms(differences[w*n/windows : (w+1)*n/windows])
		most = max(most, float64(r*r))
	}
	return most
}

// believed returns how well a fit predicts what it has not seen: the mean of the logarithms of the
// densities that it claims for held-out points.
func believed(miss, claimed []float64) float64 {
	sum := 0.0
	for k, e := range miss {
		s := claimed[k]
		sum -= float64(e*e)/float64(2*s*s) + math.Log(s)
	}
	return sum / float64(max(1, len(miss)))
}

// grouped says which points belong together: those nearer to each other than apart.
func grouped(points []datum, near float64) int {
	groups := 0
	var heads []int
	for k := range points {
		points[k].place = -1
		for _, h := range heads {
			if apart(points[k].t, points[h].t) < near*near {
				points[k].place = points[h].place
				break
			}
		}
		if points[k].place < 0 {
			points[k].place = groups
			heads = append(heads, k)
			groups++
		}
	}
	return groups
}
