package sensitivity

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/rng"
)

// tablePoints is how fine functions are tabled: a spline between two neighbours is straight to
// 1e-5 of its size.
const tablePoints = 2048

// A sum is f = ψ⁻¹(constant + Σ_j f_j(t_j)), with each f_j tabled over its reach.
type sum struct {
	reach  []float64
	tables [][]float64
	undo   *undo // ψ⁻¹; nil: the identity
}

// newSum tables functions.
func newSum(bases []basis, functions [][]float64, constant float64, undo *undo) sum {
	s := sum{undo: undo}
	for j, b := range bases {
		table := make([]float64, tablePoints+1)
		for k := range table {
			table[k] = b.of(functions[j], b.reach*(float64(2*float64(k)/tablePoints)-1))
		}
		s.reach, s.tables = append(s.reach, b.reach), append(s.tables, table)
	}
	for k := range s.tables[0] {
		s.tables[0][k] += constant
	}
	return s
}

// part returns f_j(t).
func (s *sum) part(j int, t float64) float64 {
	u := min(max((t/s.reach[j]+1)*(tablePoints/2), 0), tablePoints)
	k := min(int(u), tablePoints-1)
	u -= float64(k)
	table := s.tables[j][k : k+2]
	return table[0] + float64(u*(table[1]-table[0]))
}

// outward returns ψ⁻¹(v).
func (s *sum) outward(v float64) float64 {
	if s.undo == nil {
		return v
	}
	return s.undo.of(v)
}

// shares are what a sum says of all parameters.
type shares struct {
	mean, variance float64
	inner          float64     // the variance of Σ f_j, which is that of f if there is no map
	beyond         float64     // the mean square of doubts about values that nobody has seen, over the variance
	total          []float64   // S_T of each free parameter
	through        [][]float64 // through[i][j]: of parameter i, through f_j
	chance         []float64   // the standard error of total by the choice of points
}

// shifts is how many times the points are chosen, to know how much depends on that.
const shifts = 8

// shares computes them with n points, after M. J. W. Jansen. With x uniform in the box, and x′
// the same but for its i-th coordinate,
//
//	E[Var(f | x_~i)] = E (f(x) − f(x′))²/2,
//
// and the same if x_i moves one f_j alone. All sums get the same points: x = 2{k a + s} − 1, where
// a_i is the root of the i-th prime number, {} the fractional part and s a random shift. One more
// such number v says how far x_i moves: 2{k a_i + s_i + v} − 1 is independent of x.
func (w view) shares(sums []sum, n int, random *rng.Stream) []shares {
	_, d := w.v.Dims()
	roots := rootsOfPrimes(d + 1)
	tallies := make([][]*tally, len(sums))
	for range shifts {
		shift := make([]float64, d+1)
		for i := range shift {
			shift[i] = random.Float64()
		}
		for s, t := range w.tallies(sums, n/shifts, roots, shift) {
			tallies[s] = append(tallies[s], t)
		}
	}
	var out []shares
	for _, t := range tallies {
		out = append(out, together(t, n/shifts))
	}
	return out
}

// tallies goes through the points of one shift.
func (w view) tallies(sums []sum, n int, roots, shift []float64) []*tally {
	m, d := w.v.Dims()
	moves := make([][]push, d) // what a parameter moves
	for i := range d {
		for j := range m {
			if v := w.v.At(j, i); v != 0 {
				moves[i] = append(moves[i], push{j, v})
			}
		}
	}
	tallies := make([]*tally, len(sums))
	at := make([][]float64, len(sums)) // f_j(t_j) of all sums
	for s := range sums {
		tallies[s], at[s] = newTally(m, d), make([]float64, m)
	}
	u, t := make([]float64, d+1), make([]float64, m)
	for k := range n {
		for i := range u {
			u[i] = fraction(float64(float64(k+1)*roots[i]) + shift[i])
		}
		for j := range t {
			t[j] = 0
			for i, v := range w.v.RawRowView(j) {
				t[j] += float64(v * (2*u[i] - 1))
			}
		}
		for s := range sums {
			f, inner := &sums[s], 0.0
			for j := range t {
				at[s][j] = f.part(j, t[j])
				inner += at[s][j]
			}
			tallies[s].point(inner, f.outward(inner), f.undo.doubt(inner))
		}
		for i := range d {
			step := 2 * (fraction(u[i]+u[d]) - u[i])
			for s := range sums {
				tallies[s].move(&sums[s], moves[i], i, step, t, at[s])
			}
		}
	}
	return tallies
}

// fraction returns the fractional part of v ≥ 0.
func fraction(v float64) float64 { return v - math.Floor(v) }

// rootsOfPrimes returns the roots of the first n prime numbers.
func rootsOfPrimes(n int) (out []float64) {
	var primes []int
	for p := 2; len(primes) < n; p++ {
		if !slices.ContainsFunc(primes, func(q int) bool { return p%q == 0 }) {
			primes = append(primes, p)
			out = append(out, math.Sqrt(float64(p)))
		}
	}
	return out
}

// A tally sums up what the points say.
type tally struct {
	inner, value float64 // Σ f_j and f at the present point
	origin       float64 // f at the first point, which is taken off
	n            int
	sum, square  float64
	first        float64    // Σ f_j at the first point
	inners       [2]float64 // the sums of Σ f_j less that, and of its squares
	beyond       float64    // the sum of the squares of doubts about values that nobody has seen
	total        []float64  // Σ Δ²/2
	through      [][]float64
}

func newTally(m, d int) *tally {
	t := &tally{total: make([]float64, d)}
	for range d {
		t.through = append(t.through, make([]float64, m))
	}
	return t
}

// point takes notice of a point.
func (t *tally) point(inner, value, doubt float64) {
	if t.n == 0 {
		t.origin, t.first = value, inner
	}
	t.n++
	t.inner, t.value = inner, value
	v := value - t.origin
	t.sum += v
	t.square += float64(v * v)
	t.beyond += float64(doubt * doubt)
	t.inners[0] += inner - t.first
	t.inners[1] += float64((inner - t.first) * (inner - t.first))
}

// A push is by how much a parameter moves coordinate j, for each unit of its own.
type push struct {
	j  int
	by float64
}

// move takes notice of the point at which coordinate i is moved by a step.
func (t *tally) move(f *sum, moves []push, i int, step float64, at, parts []float64) {
	inner, through := t.inner, t.through[i]
	for _, m := range moves {
		j := m.j
		v := f.part(j, at[j]+float64(m.by*step)) - parts[j]
		inner += v
		alone := v
		if f.undo != nil {
			alone = f.undo.of(t.inner+v) - t.value
		}
		through[j] += float64(alone * alone / 2)
	}
	v := f.outward(inner) - t.value
	t.total[i] += float64(v * v / 2)
}

func (t *tally) variance() float64 {
	mean := t.sum / float64(t.n)
	return max(t.square/float64(t.n)-float64(mean*mean), 0)
}

// together returns what tallies of n points each come to.
func together(tallies []*tally, n int) shares {
	c, all := float64(n), float64(len(tallies))
	d, m := len(tallies[0].total), len(tallies[0].through[0])
	out := shares{total: make([]float64, d), chance: make([]float64, d)}
	for _, t := range tallies {
		out.mean += (t.origin + t.sum/c) / all
		out.variance += t.variance() / all
		out.inner += (t.inners[1]/c - float64(t.inners[0]/c*t.inners[0]/c)) / all
		out.beyond += t.beyond / c / max(t.variance(), math.SmallestNonzeroFloat64) / all
	}
	for i := range d {
		through := make([]float64, m)
		for _, t := range tallies {
			out.total[i] += t.total[i] / c / all / out.variance
			for j, v := range t.through[i] {
				through[j] += v / c / all / out.variance
			}
		}
		out.through = append(out.through, through)
		for _, t := range tallies {
			off := t.total[i]/c/t.variance() - out.total[i]
			out.chance[i] += float64(off*off) / float64(all*(all-1))
		}
		out.chance[i] = math.Sqrt(out.chance[i])
	}
	return out
}
