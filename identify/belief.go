package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A belief is what is known about the error E of a frame of single components that is used
// where f has noise. For each pair E′_ij and E′_ji, with E′_ij = E_ij√(c_i/c_j), have a
// normal distribution around 0. Equations
//
//	v E′_ij + w E′_ji = m
//
// from Hessians and from designs, each up to an error of standard deviation 1, add their
// information to it. Then the frame is corrected by the mean, and the covariance is that of
// what is left.
type belief struct {
	unit  []float64 // c_i, the curvature of each component
	scale []float64 // the step over which it changes by a third
	pairs [][2]int

	info     []gram    // Σ (v, w)ᵀ(v, w) for each pair
	spurious []float64 // the trace of what errors of v and w add to it
	last     []gram    // the information of the last equations alone
	exact    bool      // E is 0, for certain

	surprise []float64 // of each component: the mean square of m by what was expected of it
	misfit   []float64 // of each component: the mean square of what equations leave
	moved    float64   // the largest E′ by which the frame was corrected
}

const (
	// prior is the standard deviation of E′ before anything is known.
	prior = 0.3
	// telling is how many times the information must be that errors of its coefficients
	// make, to be any. Where two curvatures are in the same proportion everywhere, as those
	// of a quadratic, one combination of E′_ij and E′_ji is not determined, and need not be.
	telling = 30
)

// newBelief returns the belief before anything is known.
func newBelief(c *candidate) *belief {
	pairs := pairsOf(allGroups(c.blocks))
	return &belief{
		unit: c.curvature, scale: c.h, pairs: pairs,
		info: make([]gram, len(pairs)), spurious: make([]float64, len(pairs)), last: make([]gram, len(pairs)),
	}
}

// to goes over to the curvatures and steps that were measured for a candidate.
func (b *belief) to(c *candidate) {
	for k, p := range b.pairs {
		t := b.unit[p[0]] / b.unit[p[1]] * c.curvature[p[1]] / c.curvature[p[0]] // of E′_ij²
		b.info[k] = gram{b.info[k].a * t, b.info[k].b, b.info[k].c / t}
		b.spurious[k] *= max(t, 1/t)
	}
	b.unit, b.scale = c.curvature, c.h
}

// redrawn returns the candidate with W̃ ← (I+E)W̃, nil if that is no frame. As rows have length
// 1 again, a component is y_i/n_i then, n_i the length of its row before that, and its
// curvature n_i² times what it was. E′ is the same in any unit.
func (b *belief) redrawn(g *ground, c *candidate, e *mat.Dense) *candidate {
	next := c.redrawn(g, e)
	if next == nil {
		return nil
	}
	rows := mat.DenseCopyOf(c.frame.Matrix())
	kernel.Mul(rows.RawMatrix(), 1, e.RawMatrix(), c.frame.Matrix().RawMatrix(), 1)
	unit := slices.Clone(b.unit)
	for i := range unit {
		unit[i] *= square(floats.Norm(rows.RawRowView(i), 2))
	}
	b.unit = unit
	return next
}

// ratio returns E_ij/E′_ij of the k-th pair.
func (b *belief) ratio(k int) float64 {
	return math.Sqrt(b.unit[b.pairs[k][1]] / b.unit[b.pairs[k][0]])
}

// known returns the information that is not spurious, and the prior.
func known(info gram, spurious float64) axes {
	x := info.axes()
	for _, l := range []*float64{&x.first, &x.second} {
		if *l <= telling*spurious {
			*l = 0
		}
		*l += 1 / square(prior)
	}
	return x
}

// mean returns E′_ij and E′_ji of equations with Σ (v, w)m = r: in the directions about which
// nothing is known they are 0.
func (x axes) mean(r [2]float64) (e, f float64) {
	p, q := x.along(r[0], r[1])
	unknown := 1 / square(prior)
	if x.first <= unknown {
		p = 0
	}
	if x.second <= unknown {
		q = 0
	}
	return x.back(p/x.first, q/x.second)
}

// covariance returns the covariance of E′_ij and E′_ji.
func (b *belief) covariance(k int) axes {
	if b.exact {
		return axes{cos: 1}
	}
	return known(b.info[k], b.spurious[k]).inverse()
}

// An equation says v E′_ij + w E′_ji = m, up to an error of standard deviation 1. Its
// coefficients have errors, too, of variances vv and ww.
type equation struct{ v, w, m, vv, ww float64 }

// learn takes the equations of every pair, which may depend on E by terms of second order, and
// returns E. Where they surprise, in components whose equations are further off than they
// should be, less is believed of what was known before; and where they do not fit each other,
// less of what is known then.
func (b *belief) learn(equations func(k int, e *mat.Dense) []equation) *mat.Dense {
	b.surprise = b.mean(func(k int) (sum float64, n int) {
		cov := b.covariance(k)
		for _, q := range equations(k, nil) {
			sum += square(q.m) / (1 + cov.of(q.v, q.w))
			n++
		}
		return sum, n
	})
	info, spurious := b.tempered(b.info, b.spurious, b.surprise)
	var e *mat.Dense
	var after []gram
	var total []float64
	for range passes {
		next := mat.NewDense(len(b.unit), len(b.unit), nil)
		after, total = slices.Clone(info), slices.Clone(spurious)
		b.moved = 0
		b.misfit = b.mean(func(k int) (float64, int) {
			all := equations(k, e)
			var r [2]float64
			b.last[k] = gram{}
			for _, q := range all {
				b.last[k] = b.last[k].plus(gramOf(q.v, q.w))
				r[0], r[1] = r[0]+float64(q.v*q.m), r[1]+float64(q.w*q.m)
				total[k] += q.vv + q.ww
			}
			after[k] = after[k].plus(b.last[k])
			x, y := known(after[k], total[k]).mean(r)
			sum := info[k].axes().of(x, y)
			for _, q := range all {
				sum += square(q.m - float64(q.v*x) - float64(q.w*y))
			}
			if size := max(math.Abs(x), math.Abs(y)); kernel.Finite(size) {
				b.moved = max(b.moved, size)
			}
			next.Set(b.pairs[k][0], b.pairs[k][1], believed(x)*b.ratio(k))
			next.Set(b.pairs[k][1], b.pairs[k][0], believed(y)/b.ratio(k))
			return sum, len(all)
		})
		e = next
	}
	b.info, b.spurious = b.tempered(after, total, b.misfit)
	return e
}

// mean returns for every component the mean of something over its pairs.
func (b *belief) mean(of func(k int) (sum float64, n int)) []float64 {
	sums, ns := make([]float64, len(b.unit)), make([]float64, len(b.unit))
	for k, p := range b.pairs {
		sum, n := of(k)
		for _, i := range p {
			sums[i] += sum
			ns[i] += float64(n)
		}
	}
	for i := range sums {
		sums[i] /= max(1, ns[i])
	}
	return sums
}

// tempered returns information that is smaller by the mean squares of both components, where
// these are above 1.
func (b *belief) tempered(info []gram, spurious, squares []float64) ([]gram, []float64) {
	info, spurious = slices.Clone(info), slices.Clone(spurious)
	for k, p := range b.pairs {
		t := 1 / max(1, math.Sqrt(squares[p[0]]*squares[p[1]]))
		info[k], spurious[k] = info[k].scaled(t), spurious[k]*t
	}
	return info, spurious
}

// errors returns the standard deviation of E′ of every pair, in the direction in which mixed
// differences depend on it, in ascending order.
func (b *belief) errors() []float64 {
	all := make([]float64, len(b.pairs))
	for k, v := range b.last {
		all[k] = prior
		if size := v.a + v.c; size > 0 {
			all[k] = math.Sqrt(b.covariance(k).dot(v) / size)
		}
	}
	slices.Sort(all)
	return all
}

// error returns the largest of them.
func (b *belief) error() float64 { return slices.Max(b.errors()) }

// blank reports whether next to nothing is known about most pairs.
func (b *belief) blank() bool { return b.usual() > nothing }

// usual returns the median of them.
func (b *belief) usual() float64 { return b.errors()[len(b.pairs)/2] }

// The mean squares that should be 1. The standard deviation of the noise is known to a tenth or
// so. On the suite, Hessians of functions that separate left 0.5 to 1.4 in most components, and
// those of others mostly 2.5 and more.
const (
	fitting    = 2   // up to which everything is as noise lets expect, in the mean or in most components
	fittingAll = 4   // and in every component
	doubtful   = 4   // from which on designs are in vain: those of functions that separate left 2.2 at most
	hopelessly = 100 // from which on Hessians are exact enough for the road of exact functions
)

// fits reports whether the last equations were no surprise in any component.
func (b *belief) fits() bool {
	sum := 0.0
	for _, s := range b.surprise {
		sum += s / float64(len(b.surprise))
	}
	return sum <= fitting && slices.Max(b.surprise) <= fittingAll
}

// contradicted reports whether the last equations contradict each other far above noise.
func (b *belief) contradicted() bool { return b.typical() > hopelessly }

// limitedByNoise reports whether more equations would make the frame better.
func (b *belief) limitedByNoise() bool { return b.typical() <= fitting }

// typical returns the median of what the last equations leave.
func (b *belief) typical() float64 {
	return slices.Sorted(slices.Values(b.misfit))[len(b.misfit)/2]
}
