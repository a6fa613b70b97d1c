package several

import (
	"math"
	"slices"
)

// learn asks f at random points of the grid, each node at least once, and finds the values f_i at the
// nodes: Σ_i f_i(k_i) = f(k) by least squares, with conjugate gradients on the normal equations. It reports
// whether they explain f.
func (g *grid) learn() (bool, error) {
	var all [][]int
	for range oversample {
		for i, n := range g.steps {
			for node := range n + 1 {
				if k := g.random(i, node); k != nil {
					all = append(all, k)
				}
			}
		}
	}
	points := make([][]float64, len(all))
	for i, k := range all {
		points[i] = g.space.inner(g.point(k))
	}
	places, err := g.evaluate(points)
	if err != nil {
		return false, err
	}
	offset := make([]int, len(g.steps)+1)
	for i, n := range g.steps {
		offset[i+1] = offset[i] + n + 1
	}
	right, rows := []float64{}, [][]int{}
	for i, p := range places {
		if p.numbers == nil {
			continue
		}
		row := make([]int, len(all[i]))
		for c, k := range all[i] {
			row[c] = offset[c] + k
		}
		right, rows = append(right, p.f), append(rows, row)
	}
	x, residual := leastNorm(rows, right, offset[len(g.steps)])
	g.values = g.values[:0]
	for i := range g.steps {
		g.values = append(g.values, x[offset[i]:offset[i+1]])
	}
	return residual <= 1e-6, nil
}

// leastNorm solves Σ_{j ∈ row} x_j = right in the least-squares sense by conjugate gradients (CGLS), and
// returns what is left as a part of the spread of the right sides.
func leastNorm(rows [][]int, right []float64, n int) (x []float64, residual float64) {
	mean := 0.
	for _, v := range right {
		mean += v / float64(len(right))
	}
	x = make([]float64, n)
	r := make([]float64, len(right)) // right − A·x
	spread := 0.
	for i, v := range right {
		r[i] = v - mean
		spread = max(spread, math.Abs(r[i]))
	}
	back := func(r []float64) []float64 {
		s := make([]float64, n)
		for i, row := range rows {
			for _, j := range row {
				s[j] += r[i]
			}
		}
		return s
	}
	s := back(r)
	p := slices.Clone(s)
	gamma := square(s)
	for range 20 * n {
		if gamma == 0 || math.Sqrt(square(r)/float64(len(r))) < 1e-13*spread {
			break
		}
		q := make([]float64, len(rows))
		for i, row := range rows {
			for _, j := range row {
				q[i] += p[j]
			}
		}
		alpha := gamma / square(q)
		for j := range x {
			x[j] += float64(alpha * p[j])
		}
		for i := range r {
			r[i] -= float64(alpha * q[i])
		}
		s = back(r)
		next := square(s)
		for j := range p {
			p[j] = s[j] + float64(next/gamma*p[j])
		}
		gamma = next
	}
	share := mean / float64(max(len(rows[0]), 1))
	for j := range x {
		x[j] += share
	}
	if spread == 0 {
		return x, 0
	}
	return x, math.Sqrt(square(r)/float64(len(r))) / spread
}

func square(v []float64) (sum float64) {
	for _, w := range v {
		sum += float64(w * w)
	}
	return sum
}

// minimise minimises the sum of the f_i on a finer grid under the equation, by dynamic programming.
func (g *grid) minimise() []float64 {
	d := len(g.steps)
	most := finer*g.sum + 1
	best := make([]float64, most)
	for s := range best {
		best[s] = math.Inf(1)
	}
	best[0] = 0
	choice := make([][]int32, d)
	for i := range d {
		over := int(math.Floor((g.hi[i]-g.lo[i])/g.g*finer*(1+1e-12)+1e-9)) - g.steps[i]*finer // beyond the last node, up to the bound
		fine := refine(g.values[i], finer, over)
		next := make([]float64, most)
		choice[i] = make([]int32, most)
		for s := range next {
			next[s] = math.Inf(1)
		}
		for s, v := range best {
			if math.IsInf(v, 1) {
				continue
			}
			for k, f := range fine {
				if s+k >= most {
					break
				}
				if w := v + f; w < next[s+k] {
					next[s+k], choice[i][s+k] = w, int32(k)
				}
			}
		}
		best = next
	}
	u := make([]float64, d)
	for i, s := d-1, most-1; i >= 0; i-- {
		k := int(choice[i][s])
		u[i] = g.lo[i] + float64(k)*g.g/finer
		s -= k
	}
	return g.z(u)
}
