package outer

import (
	"math"
	"slices"
	"sort"

	"github.com/untwist/untwist/internal/kernel"
)

// A bend is an increasing function Q of the values u of a power law, for maps that are not
// powers. log Q′ is linear between knots and constant beyond them, so that Q goes on straight
// there.
type bend struct {
	u []float64 // knots, ascending
	l []float64 // log Q′ at the knots
	q []float64 // Q at the knots
}

// newBend returns the bend with log Q′ at some knots.
func newBend(u, l []float64) *bend {
	b := &bend{u, l, []float64{u[0]}}
	for k := 1; k < len(u); k++ {
		b.q = append(b.q, b.within(k-1, u[k]))
	}
	return b
}

// within returns Q at v, from the knot k on: q_k + e^{l_k}(e^{z} − 1)(v − u_k)/z, where z is how
// much log Q′ grows up to v.
func (b *bend) within(k int, v float64) float64 {
	z := (b.l[k+1] - b.l[k]) / (b.u[k+1] - b.u[k]) * (v - b.u[k])
	grows := 1.0
	if z != 0 {
		grows = expm1(z) / z
	}
	return b.q[k] + float64(kernel.ExpOf(b.l[k])*grows*(v-b.u[k]))
}

// place returns the knot before v, -1 and the last one if v is beyond the knots.
func (b *bend) place(v float64) int {
	if v < b.u[0] {
		return -1
	}
	return sort.Search(len(b.u), func(k int) bool { return b.u[k] > v }) - 1
}

// of returns Q(v).
func (b *bend) of(v float64) float64 {
	last := len(b.u) - 1
	switch k := b.place(v); k {
	case -1:
		return b.q[0] + float64(kernel.ExpOf(b.l[0])*(v-b.u[0]))
	case last:
		return b.q[last] + float64(kernel.ExpOf(b.l[last])*(v-b.u[last]))
	default:
		return b.within(k, v)
	}
}

// log returns log Q′(v).
func (b *bend) log(v float64) float64 {
	last := len(b.u) - 1
	switch k := b.place(v); k {
	case -1:
		return b.l[0]
	case last:
		return b.l[last]
	default:
		return b.l[k] + float64((b.l[k+1]-b.l[k])*(v-b.u[k])/(b.u[k+1]-b.u[k]))
	}
}

// slope returns Q′(v).
func (b *bend) slope(v float64) float64 { return kernel.ExpOf(b.log(v)) }

// curve returns Q″/Q′ at v, over the way between two knots.
func (b *bend) curve(v float64) float64 {
	half := (b.u[len(b.u)-1] - b.u[0]) / float64(2*len(b.u)-2)
	return (b.log(v+half) - b.log(v-half)) / (2 * half)
}

// scaled returns the bend for values multiplied by factor: Q(factor·u) = factor·Q(u).
func (b *bend) scaled(factor float64) *bend {
	next := &bend{slices.Clone(b.u), b.l, slices.Clone(b.q)}
	for k := range next.u {
		next.u[k] *= factor
		next.q[k] *= factor
	}
	return next
}

const (
	// knots is how many a bend has: enough for a smooth map that is a power on the whole.
	knots = 9
	// steepest is the largest |log Q′|.
	steepest = 20
)

// bent is the family of maps that bend a power law m at knots among some values; false if they
// are too few.
func bent(m *Map, values []float64) (law, bool) {
	var u []float64
	for _, f := range values {
		v, _ := m.law(f)
		u = append(u, v)
	}
	slices.Sort(u)
	var at []float64
	for k := range knots {
		v := u[k*(len(u)-1)/(knots-1)]
		if len(at) > 0 && !(v > at[len(at)-1]) {
			return law{}, false
		}
		at = append(at, v)
	}
	return law{knots - 1, nil, func(_, _ float64, x []float64) *Map {
		l := []float64{0}
		for _, v := range x {
			l = append(l, min(max(v, -steepest), steepest))
		}
		next := *m
		next.bend, next.free = newBend(at, l), knots-1
		return &next
	}}, len(u) > 0 && !math.IsNaN(u[0])
}
