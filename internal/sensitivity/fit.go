package sensitivity

import (
	"errors"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// A prior says how rough the functions are, and how exact the values: differences of order q
// of the coefficients of f_j are N(0, τ_j²), and values have an error of N(0, σ²).
type prior struct {
	q     int
	tau   []float64
	sigma float64
	wide  []float64 // how far from 0 f_j may be
	bent  []float64 // how far from a parabola f_j may be
}

// A part is what is known of one function from its trace alone: its coefficients, and the
// constant of the trace after them, are N(mean, C).
type part struct {
	basis
	first  []int            // of the splines at each point
	weight [][order]float64 // and their values there
	mean   []float64
	c      *mat.Dense
	root   *mat.Cholesky // of C⁻¹
	spread *mat.Dense    // T = C Bᵀ
}

// A fit is what all queries say of all functions.
//
// With B_j the splines at the points, C_j as a trace leaves it, and r what the means leave of
// the values,
//
//	G = Σ_j B_j C_j B_jᵀ + σ²,   α = G⁻¹ r,   β_j = mean_j + C_j B_jᵀ α.
type fit struct {
	prior
	data  data
	parts []part
	root  *mat.Cholesky // of G
	rest  []float64     // r
	alpha []float64
}

// newFit fits functions to data. It returns an error if numbers are too far apart for that.
func newFit(d data, bases []basis, p prior) (*fit, error) {
	f := &fit{prior: p, data: d}
	n := len(d.points)
	f.rest = make([]float64, n)
	for k, point := range d.points {
		f.rest[k] = point.value
	}
	g := mat.NewDense(n, n, nil)
	for j, b := range bases {
		part := part{basis: b}
		if err := part.learn(d.traces[j], p, j); err != nil {
			return nil, err
		}
		part.look(d.points, j)
		for k := range n {
			first, weight := part.first[k], part.weight[k]
			for i, v := range weight {
				f.rest[k] -= float64(v * part.mean[first+i])
				kernel.AddScaled(g.RawRowView(k), v, part.spread.RawRowView(first+i))
			}
		}
		f.parts = append(f.parts, part)
	}
	whole := kernel.Symmetrised(g, 1)
	for k := range n {
		whole.SetSym(k, k, whole.At(k, k)+float64(p.sigma*p.sigma))
	}
	f.root = &mat.Cholesky{}
	if !f.root.Factorize(whole) {
		return nil, errTooFar
	}
	f.alpha = f.solve(f.rest)
	return f, nil
}

// learn finds what a trace says of the function: with rows b of splines and a 1 for the
// constant, and P the projection on the coefficients of parabolas,
//
//	C⁻¹ = DᵀD/τ² + (1 − P)/bent² + P/wide² + Σ bbᵀ/σ²,   mean = C Σ b·value/σ².
func (p *part) learn(seen trace, prior prior, j int) error {
	tau, wide, bent := prior.tau[j], prior.wide[j], prior.bent[j]
	n := p.size()
	a := mat.NewSymDense(n+1, nil)
	rough := roughness(n, prior.q)
	for i := range n {
		for k := i; k < min(n, i+prior.q+1); k++ {
			a.SetSym(i, k, rough.At(i, k)/float64(tau*tau))
		}
	}
	parabolas := parabolas(n)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+1/float64(bent*bent))
		for k := i; k < n; k++ {
			for _, q := range parabolas {
				a.SetSym(i, k, a.At(i, k)+float64(q[i]*q[k]*(1/float64(wide*wide)-1/float64(bent*bent))))
			}
		}
	}
	a.SetSym(n, n, 1/float64(wide*wide))
	right := make([]float64, n+1)
	s := 1 / float64(prior.sigma*prior.sigma)
	for k, t := range seen.t {
		first, w := p.at(t)
		at, v := [order + 1]int{order: n}, [order + 1]float64{order: 1}
		for i := range w {
			at[i], v[i] = first+i, w[i]
		}
		for i := range at {
			right[at[i]] += float64(v[i] * s * seen.value[k])
			for l := i; l < len(at); l++ {
				a.SetSym(at[i], at[l], a.At(at[i], at[l])+float64(v[i]*v[l]*s))
			}
		}
	}
	p.root = &mat.Cholesky{}
	if !p.root.Factorize(a) {
		return errTooFar
	}
	var inverse mat.SymDense
	if err := p.root.InverseTo(&inverse); err != nil && p.root.Cond() > 1e18 {
		return errTooFar
	}
	p.c = mat.DenseCopyOf(&inverse)
	p.mean = make([]float64, n+1)
	kernel.MulVec(p.mean, p.c.RawMatrix(), right)
	return nil
}

var errTooFar = errors.New("the values seen are too far apart, or the points too close together, to fit functions to them")

// look finds the splines at all points, and C Bᵀ.
func (p *part) look(points []datum, j int) {
	p.spread = mat.NewDense(p.size()+1, len(points), nil)
	p.first, p.weight = make([]int, len(points)), make([][order]float64, len(points))
	for k, point := range points {
		p.first[k], p.weight[k] = p.at(point.t[j])
		for r := range p.size() + 1 {
			row := p.c.RawRowView(r)[p.first[k]:]
			sum := 0.0
			for i, v := range p.weight[k] {
				sum += float64(v * row[i])
			}
			p.spread.Set(r, k, sum)
		}
	}
}

// solve returns G⁻¹ r.
func (f *fit) solve(r []float64) []float64 {
	out := mat.NewVecDense(len(r), nil)
	_ = f.root.SolveVecTo(out, mat.NewVecDense(len(r), r)) // a bad condition is no error: what it says is off is far below σ
	return out.RawVector().Data
}

// functions returns the coefficients of all functions: the most probable ones.
func (f *fit) functions() [][]float64 {
	var out [][]float64
	for _, p := range f.parts {
		beta := make([]float64, len(p.mean))
		kernel.MulVec(beta, p.spread.RawMatrix(), f.alpha)
		for i := range beta {
			beta[i] += p.mean[i]
		}
		out = append(out, beta)
	}
	return out
}

// draw draws functions that are as likely as all that is known allows: with β⁰ drawn from what
// the traces say and ε from N(0, σ²),
//
//	β_j = β⁰_j + C_j B_jᵀ G⁻¹(value − Σ B_j β⁰_j − ε).
func (f *fit) draw(random *rng.Stream) [][]float64 {
	rest := make([]float64, len(f.rest))
	for k, point := range f.data.points {
		rest[k] = point.value - float64(f.sigma*random.NormFloat64())
	}
	var out [][]float64
	for _, p := range f.parts {
		beta := make([]float64, len(p.mean))
		random.Norm(beta)
		x := mat.NewVecDense(len(beta), beta)
		var u mat.TriDense
		p.root.UTo(&u)
		_ = x.SolveVec(&u, x) // UᵀU = C⁻¹, so U⁻¹z has the covariance C
		for i := range beta {
			beta[i] += p.mean[i]
		}
		for k := range rest {
			for i, v := range p.weight[k] {
				rest[k] -= float64(v * beta[p.first[k]+i])
			}
		}
		out = append(out, beta)
	}
	alpha := f.solve(rest)
	for j, p := range f.parts {
		add := make([]float64, len(p.mean))
		kernel.MulVec(add, p.spread.RawMatrix(), alpha)
		for i, v := range add {
			out[j][i] += v
		}
	}
	return out
}

// misses returns what functions leave of the values: at the points, and along the traces.
func (f *fit) misses(functions [][]float64) (points, traces []float64) {
	for k, point := range f.data.points {
		miss := point.value
		for j, p := range f.parts {
			for i, v := range p.weight[k] {
				miss -= float64(v * functions[j][p.first[k]+i])
			}
		}
		points = append(points, miss)
	}
	for j, p := range f.parts {
		for k, t := range f.data.traces[j].t {
			constant := functions[j][p.size()]
			traces = append(traces, f.data.traces[j].value[k]-constant-p.of(functions[j], t))
		}
	}
	return points, traces
}

// heldOut returns, for every group of queries near each other that has a point in the box, how far off the
// functions fitted without it are at that point, and the standard deviation they claim. For a
// group b,
//
//	miss = ((G⁻¹)_bb)⁻¹ α_b,   Cov = ((G⁻¹)_bb)⁻¹.
func (f *fit) heldOut() (miss, claimed []float64) {
	var inverse mat.SymDense
	_ = f.root.InverseTo(&inverse)
	groups := map[int][]int{}
	last := 0
	for k, p := range f.data.points {
		groups[p.place] = append(groups[p.place], k)
		last = max(last, p.place)
	}
	for g := range last + 1 {
		group := groups[g]
		if len(group) == 0 || !f.data.points[group[0]].inside {
			continue
		}
		sub := mat.NewSymDense(len(group), nil)
		right := mat.NewVecDense(len(group), nil)
		for i, a := range group {
			right.SetVec(i, f.alpha[a])
			for l := i; l < len(group); l++ {
				sub.SetSym(i, l, inverse.At(a, group[l]))
			}
		}
		var root mat.Cholesky
		if !root.Factorize(sub) {
			continue
		}
		var cov mat.SymDense
		_ = root.InverseTo(&cov)
		var out mat.VecDense
		_ = root.SolveVecTo(&out, right)
		miss = append(miss, out.AtVec(0))
		claimed = append(claimed, math.Sqrt(max(cov.At(0, 0), 0)))
	}
	return miss, claimed
}
