package sensitivity

import (
	"math"

	"github.com/untwist/untwist/internal/rng"
)

// tablePoints is how fine functions are tabled: a spline between two neighbours is straight to
// 1e-5 of its size.
const tablePoints = 2048

// A sum is f = ψ⁻¹(constant + Σ_j f_j(t_j)), with each f_j tabled over its reach.
type sum struct {
	reach  []float64
	tables [][]float64
	undo   func(float64) float64 // ψ⁻¹; nil: the identity
}

// newSum tables functions.
func newSum(bases []basis, functions [][]float64, constant float64, undo func(float64) float64) sum {
	s := sum{undo: undo}
	for j, b := range bases {
		table := make([]float64, tablePoints+1)
		for k := range table {
			table[k] = b.of(functions[j], b.reach*(2*float64(k)/tablePoints-1))
		}
		s.reach, s.tables = append(s.reach, b.reach), append(s.tables, table)
	}
	for k := range s.tables[0] {
		s.tables[0][k] += constant
	}
	return s
}

// part returns f_j(t).
func (s sum) part(j int, t float64) float64 {
	u := min(max((t/s.reach[j]+1)*(tablePoints/2), 0), tablePoints)
	k := min(int(u), tablePoints-1)
	u -= float64(k)
	return s.tables[j][k] + float64(u*(s.tables[j][k+1]-s.tables[j][k]))
}

// outward returns ψ⁻¹(v).
func (s sum) outward(v float64) float64 {
	if s.undo == nil {
		return v
	}
	return s.undo(v)
}

// shares are what a sum says of all parameters.
type shares struct {
	mean, variance float64
	total          []float64   // S_T of each free parameter
	through        [][]float64 // through[i][j]: of parameter i, for f_j alone
	chance         []float64   // the standard error of total by the choice of points
}

// shares computes them with n points, after M. J. W. Jansen. With x uniform in the box, and x′
// the same but for its i-th coordinate,
//
//	E[Var(f | x_~i)] = E (f(x) − f(x′))²/2,
//
// and the same for each f_j by itself. sums are all computed with the same points.
func (w view) shares(sums []sum, n int, random *rng.Stream) []shares {
	m, d := w.v.Dims()
	moves := make([][]int, d) // the components that a parameter moves
	for i := range d {
		for j := range m {
			if w.v.At(j, i) != 0 {
				moves[i] = append(moves[i], j)
			}
		}
	}
	tallies := make([]*tally, len(sums))
	for s := range sums {
		tallies[s] = newTally(m, d)
	}
	z, t := make([]float64, d), make([]float64, m)
	at := make([][]float64, len(sums)) // f_j(t_j) of all sums
	for s := range at {
		at[s] = make([]float64, m)
	}
	for range n {
		for i := range z {
			z[i] = float64(2*random.Float64()) - 1
		}
		for j := range t {
			t[j] = 0
			for i, v := range w.v.RawRowView(j) {
				t[j] += float64(v * z[i])
			}
		}
		for s, f := range sums {
			whole := 0.0
			for j := range t {
				at[s][j] = f.part(j, t[j])
				whole += at[s][j]
			}
			tallies[s].point(whole, f.outward(whole))
		}
		for i := range z {
			step := float64(2*random.Float64()) - 1 - z[i]
			for s, f := range sums {
				tallies[s].move(f, w, moves[i], i, step, t, at[s])
			}
		}
	}
	var out []shares
	for _, t := range tallies {
		out = append(out, t.shares(n))
	}
	return out
}

// A tally sums up what the points say.
type tally struct {
	inner, value  float64 // Σ f_j and f at the present point
	origin        float64 // f at the first point, which is taken off
	n             int
	power         [4]float64 // Σ (f − origin)^k, k = 1 … 4
	total, fourth []float64  // Σ Δ²/2 and Σ (Δ²/2)²
	through       [][]float64
}

func newTally(m, d int) *tally {
	t := &tally{total: make([]float64, d), fourth: make([]float64, d)}
	for range d {
		t.through = append(t.through, make([]float64, m))
	}
	return t
}

// point takes notice of a point.
func (t *tally) point(inner, value float64) {
	if t.n == 0 {
		t.origin = value
	}
	t.n++
	t.inner, t.value = inner, value
	v := value - t.origin
	p := v
	for k := range t.power {
		t.power[k] += p
		p *= v
	}
}

// move takes notice of the point at which coordinate i is moved by a step.
func (t *tally) move(f sum, w view, moves []int, i int, step float64, at, parts []float64) {
	inner := t.inner
	for _, j := range moves {
		v := f.part(j, at[j]+float64(w.v.At(j, i)*step)) - parts[j]
		inner += v
		alone := f.outward(t.inner+v) - t.value
		t.through[i][j] += float64(alone*alone) / 2
	}
	v := f.outward(inner) - t.value
	half := float64(v*v) / 2
	t.total[i] += half
	t.fourth[i] += float64(half * half)
}

// shares returns what the tally comes to.
func (t *tally) shares(n int) shares {
	c := float64(n)
	mean := t.power[0] / c
	variance := max(t.power[1]/c-float64(mean*mean), 0)
	m2, m3, m4 := t.power[1]/c, t.power[2]/c, t.power[3]/c
	fourth := m4 - float64(4*mean*m3) + float64(6*mean*mean*m2) - float64(3*mean*mean*mean*mean)
	loose := math.Sqrt(max(fourth/float64(variance*variance)-1, 0) / c) // the relative error of the variance
	out := shares{mean: mean + t.origin, variance: variance}
	for i, v := range t.total {
		s := v / c / variance
		spread := max(t.fourth[i]/c-float64(v/c*v/c), 0) / float64(c*variance*variance)
		out.total = append(out.total, s)
		out.chance = append(out.chance, math.Sqrt(spread+float64(s*loose*s*loose)))
		var through []float64
		for _, v := range t.through[i] {
			through = append(through, v/c/variance)
		}
		out.through = append(out.through, through)
	}
	return out
}
