package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A system is the equations of some looks.
type system struct {
	eq   []equation
	free bool // θ may move
	// before is what was known of E and θ, around 0 and moved; nil: nothing. The R belong to a frame
	// that is already corrected by e.
	before posterior
	e      *mat.Dense
	moved  vec2
}

// A row is the equation of a look about a pair.
type row struct {
	v, u   vec2
	left   float64 // R, and what the solution leaves of it
	noise  float64 // s²
	weight float64 // 1/(s² + κ²|v_ij v_ji|); 0: there is no value
	scale  float64 // |v_ij v_ji|
}

// A solution is the E and δθ that fit a system.
type solution struct {
	e       *mat.Dense
	theta   vec2
	gain    float64   // how much of Σ(R/s)² the map explains
	rows    [][]row   // of each look and pair
	own     posterior // what these looks say
	total   posterior // and with what was known before
	ofTheta sym2      // the information about θ, whatever E is
}

// solve returns the E (and δθ) of one Gauss–Newton step.
func (s system) solve() solution {
	m, _ := s.eq[0].r.Dims()
	n := pairCount(m)
	if s.before == nil {
		s.before = make(posterior, n)
	}
	if s.e == nil {
		s.e = mat.NewDense(m, m, nil)
	}
	out := solution{own: make(posterior, n), e: mat.NewDense(m, m, nil)}
	for _, q := range s.eq {
		rows := make([]row, n)
		eachPair(m, func(i, j, p int) {
			var one about
			rows[p], one = q.of(i, j, s.e)
			out.own[p] = out.own[p].plus(one)
		})
		out.rows = append(out.rows, rows)
	}
	out.total = out.own.plus(s.before)
	known := make([]sym2, n)
	for p := range known {
		_, known[p] = out.total[p].covariance(0)
	}
	if s.eq[0].u[0] != nil {
		s.solveMap(&out, known)
	}
	by := out.theta.minus(s.moved)
	eachPair(m, func(i, j, p int) {
		e := known[p].of(s.right(&out, p, by))
		for k := range out.rows {
			q := &out.rows[k][p]
			q.left -= q.v.dot(e)
		}
		setPair(out.e, i, j, e)
		out.total[p].pull = s.pull(&out, p, by, e)
	})
	return out
}

// of returns the equation of a pair in a frame that is corrected by e, as it was before, and what it says.
func (q equation) of(i, j int, e *mat.Dense) (row, about) {
	v := pairOf(q.v, i, j)
	one := row{left: q.r.At(i, j), noise: q.s2.At(i, j), scale: math.Abs(v[0] * v[1])}
	errors, w := q.vv.At(i, j)+q.vv.At(j, i), 1/(one.noise+float64(square(q.kappa)*one.scale))
	if math.IsInf(errors, 1) || w == 0 {
		return one, about{}
	}
	one.v, one.weight = v, w
	one.left += v.dot(pairOf(e, i, j))
	says := about{info: v.dyad(w), spurious: float64(errors * w), seen: v.dyad(1 / (square(v[0]) + square(v[1]) + float64(blurred*errors) + tiny))}
	if q.u[0] != nil {
		one.u = vec2{q.u[0].At(i, j), q.u[1].At(i, j)}
		says.theta = one.u.dyad(w)
		for k, u := range one.u {
			says.with[k] = vec2{w * v[0] * u, w * v[1] * u}
		}
	}
	return one, says
}

// right returns the right side of the equations of a pair for E, Σ(v_ij, v_ji)R/s², less what was known of
// it by a θ that has moved since by so much.
func (s system) right(out *solution, p int, by vec2) (sum vec2) {
	for _, rows := range out.rows {
		q := rows[p]
		sum = sum.plus(q.v.times(q.weight * q.left))
	}
	with := s.before[p].with
	return sum.minus(with[0].times(by[0]).plus(with[1].times(by[1])))
}

// pull returns Σ u(R − …)/s² of a pair for the residuals of new equations, and for what was known before by a θ
// that has moved since by so much, where E is that.
func (s system) pull(out *solution, p int, by, e vec2) vec2 {
	b := s.before[p]
	sum := b.pull.minus(b.theta.of(by))
	for k, with := range b.with {
		sum[k] = sum[k] - float64(with[0]*e[0]) - float64(with[1]*e[1])
	}
	for _, rows := range out.rows {
		q := rows[p]
		sum = sum.plus(q.u.times(q.weight * q.left))
	}
	return sum
}

// solveMap finds what is known of θ, with E eliminated pair by pair,
//
//	Σ_p (T − AᵀKA) δθ = Σ_p (Σ uR/s² − AᵀK Σ vR/s²),
//
// where A is about.with and T is about.theta of a pair. If θ is free it sets δθ, and takes what that explains off the
// residuals.
func (s system) solveMap(out *solution, known []sym2) {
	by := vec2{}.minus(s.moved)
	b, whole := by, 0.0
	for p, all := range out.total {
		whole += all.theta.trace()
		e, g, h := known[p].of(s.right(out, p, by)), known[p].of(all.with[0]), known[p].of(all.with[1])
		out.ofTheta = out.ofTheta.plus(all.theta)
		out.ofTheta = out.ofTheta.plus(sym2{-all.with[0].dot(g), -all.with[0].dot(h), -all.with[1].dot(h)})
		pull := s.pull(out, p, by, vec2{})
		for k, with := range all.with {
			b[k] = b[k] + pull[k] - with.dot(e)
		}
	}
	out.ofTheta = out.ofTheta.mapped(func(l float64) float64 { return max(l, rounded*whole) })
	if !s.free {
		return
	}
	out.theta = out.ofTheta.covariance().of(b)
	out.gain = out.theta.dot(b)
	for _, rows := range out.rows {
		for p := range rows {
			rows[p].left -= rows[p].u.dot(out.theta)
		}
	}
}

// rounded is the part of a sum of information that its rounding may be: where E explains nearly all that T says, less than that is
// left, of either sign.
const rounded = 0x1p-50

// covariance returns that of θ, whose standard deviations are 1 before anything is known, of its information.
func (s sym2) covariance() sym2 { return s.plus(scalar(1)).inverse(0) }

// chi returns χ² of each pair, where E costs so much by what was known of it.
func (out solution) chi(costs []float64) []float64 {
	all := slices.Clone(costs)
	for _, rows := range out.rows {
		for p, q := range rows {
			all[p] += float64(square(q.left) * q.weight)
		}
	}
	return all
}

// squares returns the (R/s)² that a solution leaves.
func (out solution) squares() (all []float64) {
	for _, rows := range out.rows {
		for _, q := range rows {
			if q.weight > 0 {
				all = append(all, float64(square(q.left)*q.weight))
			}
		}
	}
	return all
}

// pair returns the largest κ that a single pair shows: what its residuals are as a part of its curvature,
// where they are not chance. costs are what E costs by what was known of pairs.
func (out solution) pair(costs []float64, freedom float64) float64 {
	most := 0.0
	for p, chi := range out.chi(costs) {
		info := 0.0
		for _, rows := range out.rows {
			info = max(info, rows[p].weight*rows[p].scale)
		}
		if chi *= freedom; chi > notChance && info > 0 {
			most = max(most, math.Sqrt(chi/info))
		}
	}
	return most
}

// notChance is χ² of a pair that chance does not make of many.
const notChance = 50

// excesses returns κ of each look: what its residuals have beyond their variance, if that is
// significant. Pairs of little curvature say little.
func (out solution) excesses() []float64 {
	kappa, freedom := make([]float64, len(out.rows)), freedom(len(out.rows))
	m, _ := out.e.Dims()
	for k, rows := range out.rows {
		scales := make([]float64, len(rows))
		for p, q := range rows {
			scales[p] = q.scale
		}
		least := 0.05 * median(scales)
		var square2, variance, chi, n float64
		for _, q := range rows {
			if q.scale > least && q.weight > 0 {
				r2 := square(q.left) * freedom
				square2, variance, chi, n = square2+r2/q.scale, variance+q.noise/q.scale, chi+r2/q.noise, n+1
			}
		}
		chance := 1 + float64(5*math.Sqrt(2/min(n, float64(m)))) // values at the ends of single steps are shared by the pairs of a row
		if n > 0 && chi/n > chance && square2 > variance {
			kappa[k] = math.Sqrt((square2 - variance) / n)
		}
	}
	return kappa
}
