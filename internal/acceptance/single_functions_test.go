package acceptance

import (
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// A real is a number of single or double precision.
type real interface{ float32 | float64 }

// A summed is a + b Σ_j f_j(⟨w_j, x⟩ − b_j) as somebody would write it, in the precision of T:
// points, W, products, sums and functions are all rounded to it.
type summed[T real] struct {
	w            [][]T
	b            []T
	term         func(j, m int, z T) T
	pairwise     bool // sums are those of halves, as torch adds, and not from left to right
	unit, offset T
}

// at returns f(x).
func (f *summed[T]) at(x []float64) float64 {
	terms, products := make([]T, len(f.w)), make([]T, len(x))
	for j, row := range f.w {
		for i, v := range x {
			products[i] = T(row[i] * T(v))
		}
		terms[j] = f.term(j, len(f.w), added(products, f.pairwise)-f.b[j])
	}
	return float64(f.offset + T(f.unit*added(terms, f.pairwise)))
}

func added[T real](v []T, pairwise bool) T {
	if pairwise && len(v) > 2 {
		return added(v[:len(v)/2], true) + added(v[len(v)/2:], true)
	}
	total := T(0)
	for _, x := range v {
		total += x
	}
	return total
}

// The functions of T, each rounded once.
func cos[T real](x T) T            { return T(math.Cos(float64(x))) }
func sin[T real](x T) T            { return T(math.Sin(float64(x))) }
func exp[T real](x T) T            { return T(math.Exp(float64(x))) }
func abs[T real](x T) T            { return T(math.Abs(float64(x))) }
func sqrt[T real](x T) T           { return T(math.Sqrt(float64(x))) }
func pow[T real](x T, p float64) T { return T(math.Pow(float64(x), p)) }

func rastriginTerm[T real](_, _ int, z T) T {
	return T(z*z) + (10 - T(10*cos(T(2*math.Pi)*z)))
}

func styblinskiTerm[T real](_, _ int, z T) T {
	return (T(T(z*z)*T(z*z)) - T(16*T(z*z)) + T(5*z)) / 2
}

func levyTerm[T real](_, _ int, z T) T {
	v := 1 + z/4
	s := sin(T(T(math.Pi)*v) + 1)
	return T(T((v-1)*(v-1)) * (1 + T(10*T(s*s))))
}

func likeTerm[T real](j, _ int, z T) T {
	a := T(z*z) - 4
	return T(a*a) - T(T(0.3)*cos(3*z)) + T(T(math.Sin(float64(3*j+1)))*z)
}

func coshTerm[T real](j, m int, z T) T {
	a := T(0.5 + 4.5*float64(j)/float64(max(1, m-1)))
	u, c := abs(a*z), T(2-4*(j%2))
	return u + T(math.Log1p(float64(exp(-2*u)))) - T(3*a*exp(T(-4*T((z-c)*(z-c)))))
}

func powersTerm[T real](j, m int, z T) T {
	return pow(abs(z), 2+4*float64(j)/float64(max(1, m-1)))
}

func ackleyTerm[T real](_, _ int, z T) T {
	return T(20*(1-exp(T(-0.2)*sqrt(T(z*z)+T(0.01))))) + (T(math.E) - exp(cos(T(2*math.Pi)*z)))
}

func wavesTerm[T real](j, _ int, z T) T {
	return T(T(0.5)*T(z*z)) + T(2*(1-cos(3*z))) + T(sin(T(z+T(j)))*T(0.5))
}

func wellsTerm[T real](_, _ int, z T) T {
	return T(T(0.1)*T(z*z)) - T(3*exp(-T((z-1)*(z-1)))) - T(2*exp(T(-2*T((z+2)*(z+2)))))
}

func quarticTerm[T real](_, _ int, z T) T {
	return T(T(0.25)*T(T(z*z)*T(z*z))) - T(2*T(z*z)) + z + sin(5*z)
}

// A component is f_j in both precisions, with half the width of the box.
type component struct {
	half         float64
	single       func(j, m int, z float32) float32
	double       func(j, m int, z float64) float64
	pairwise     bool
	unit, offset float64
}

var components = map[string]component{
	"rastrigin":        {5.12, rastriginTerm[float32], rastriginTerm[float64], false, 1, 0},
	"styblinski-tang":  {5, styblinskiTerm[float32], styblinskiTerm[float64], true, 1, 0},
	"levy":             {10, levyTerm[float32], levyTerm[float64], false, 1, 0},
	"rastrigin-like":   {4, likeTerm[float32], likeTerm[float64], true, 1, 0},
	"ackleys":          {8, ackleyTerm[float32], ackleyTerm[float64], false, 1, 0},
	"different-powers": {5, powersTerm[float32], powersTerm[float64], true, 1, 0},
	"log-cosh":         {5, coshTerm[float32], coshTerm[float64], false, 1, 0},
	"waves":            {6, wavesTerm[float32], wavesTerm[float64], true, 1, 0},
	"wells":            {4, wellsTerm[float32], wellsTerm[float64], false, 1, 10},
	"quartic":          {3, quarticTerm[float32], quarticTerm[float64], true, 1e-3, 0},
	"in millions":      {5.12, rastriginTerm[float32], rastriginTerm[float64], true, 1e6, 1e3},
	"above 1e4":        {10, levyTerm[float32], levyTerm[float64], false, 1, 1e4},
}

// both returns a function in single and in double precision, and its minimum. W is the same: in
// single precision.
func both(name, mix string, d int, seed uint64) (single, double func(x []float64) float64, least float64) {
	c := components[name]
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: d, Mix: mix, Seed: seed})
	if err != nil {
		panic(err)
	}
	w, stream := p.Frame().Matrix(), rng.Seed(seed).Stream("single")
	s := &summed[float32]{term: c.single, pairwise: c.pairwise, unit: float32(c.unit), offset: float32(c.offset)}
	e := &summed[float64]{term: c.double, unit: c.unit, offset: c.offset}
	for j := range d {
		short, exact := make([]float32, d), make([]float64, d)
		for i := range short {
			short[i] = float32(w.At(j, i))
			exact[i] = float64(short[i])
		}
		b := float32(c.half * 0.4 * (2*stream.Float64() - 1))
		s.w, s.b = append(s.w, short), append(s.b, b)
		e.w, e.b = append(e.w, exact), append(e.b, float64(b))
		least += lowest(func(z float64) float64 { return c.double(j, d, z) }, c.half)
	}
	return s.at, e.at, c.offset + c.unit*least
}

// lowest returns the minimum of a function of one number, by a fine grid and golden sections.
func lowest(f func(z float64) float64, half float64) float64 {
	const n = 4000
	best := 0.0
	for i := -n; i <= n; i++ {
		if z := half * float64(i) / n; f(z) < f(best) {
			best = z
		}
	}
	lo, hi := best-half/n, best+half/n
	for range 200 {
		if a, b := lo+(hi-lo)*0.382, lo+(hi-lo)*0.618; f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return min(f(best), f((lo+hi)/2))
}

// spreadOf returns the standard deviation of f over a box.
func spreadOf(f func(x []float64) float64, box objective.Box, seed uint64) float64 {
	stream, x := rng.Seed(seed).Stream("spread"), make([]float64, len(box.Lo))
	sum, squares, n := 0.0, 0.0, 1000.0
	for range int(n) {
		box.Draw(x, stream)
		v := f(x)
		sum, squares = sum+v, squares+v*v
	}
	return math.Sqrt(squares/n - sum*sum/n/n)
}
