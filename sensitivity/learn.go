package sensitivity

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/rng"
)

const (
	mostPoints = 700  // the most queries that are fitted together, beside the traces
	fewPoints  = 300  // as many of them say how rough the functions are
	mostCells  = 160  // the most intervals of a basis
	allCells   = 6000 // of all bases together
	leastCells = 24
	rounds     = 9 // of learning how rough the functions are
	sketches   = 3 // functions drawn in each of them
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
	p := prior{q: q, sigma: max(2*finest*d.spread, d.noise), wide: 100 * d.spread}
	for _, b := range bases {
		p.tau = append(p.tau, d.spread/math.Sqrt(float64(len(bases)))*math.Pow(4/float64(b.n), float64(q)-0.5))
	}
	for range rounds {
		f, err := newFit(d, bases, p)
		if err != nil {
			return p, err
		}
		next := prior{q: q, wide: p.wide, tau: make([]float64, len(bases))}
		missed := 0.0
		for range sketches {
			functions := f.draw(random)
			for j, b := range bases {
				next.tau[j] += roughest(differences(functions[j][:b.size()], q)) / sketches
			}
			points, traces := f.misses(functions)
			r := rms(append(points, traces...))
			missed += float64(r*r) / sketches
		}
		const faster = 0.8 // the exponent of a step that is longer than that of expectation and maximisation
		for j, v := range next.tau {
			to := math.Sqrt(v)
			to = p.tau[j] * math.Pow(to/p.tau[j], 2*faster)
			next.tau[j] = min(max(to, 1e-9*d.spread), 1e3*d.spread)
		}
		to := math.Sqrt(missed)
		next.sigma = min(max(p.sigma*math.Pow(to/p.sigma, 2*faster), finest*d.spread), d.spread)
		p = next
	}
	return p, nil
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

var debug func(*fit, held)
