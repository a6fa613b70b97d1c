package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Structure says which components of a problem are coupled.
type Structure string

// The structures that a problem can have in the coordinates y = Wx.
const (
	Separable    Structure = "separable"
	Blocks       Structure = "blocks"
	NotSeparable Structure = "not-separable"
)

// An Entry describes one problem of the catalogue.
type Entry struct {
	Name      string    `json:"name"`
	Structure Structure `json:"structure"`
	Mix       string    `json:"mix"` // the default mixing matrix; "": it has rotations of its own
	Formula   string    `json:"formula"`
	Map       string    `json:"map,omitempty"` // the outer map after which f separates, in words; "": there is none
}

// Names returns the names of all problems.
func Names() []string {
	return slices.Concat(order, bbobNames())
}

// Catalogue describes all problems.
func Catalogue() []Entry {
	var all []Entry
	for _, name := range Names() {
		def, _ := named(name)
		f, _ := bbobNamed(name)
		all = append(all, Entry{name, def.structure, def.mix, def.formula, f.outer})
	}
	return all
}

func named(name string) (definition, bool) {
	if f, ok := bbobNamed(name); ok {
		return f.definition(), true
	}
	def, ok := catalogue[name]
	return def, ok
}

// order is the order in which problems are listed: the paper's first.
var order = []string{
	"rastrigin", "rastrigin-like", "squared-norm", "different-powers", "microring",
	"ackley", "levy", "styblinski-tang", "griewank", "rosenbrock", "ellipsoid", "discus",
	"rosenbrock-pairs", "ridge-blocks", "log-cosh", "step", "rosenbrock-chain",
	"blocks-elliptic", "blocks-rastrigin",
}

var catalogue = map[string]definition{
	"rastrigin": {Separable, "paper", domain(5.12), rastrigin,
		"10m + Σ (y_j−b_j)² − 10 cos 2π(y_j−b_j), b_j uniform on [−2, 2]"},
	"rastrigin-like": {Separable, "paper", domain(5.12), rastriginLike,
		"Σ (y_j²−4)² − 0.3 cos 3y_j + c_j y_j, c_j uniform on [−1, 1]"},
	"squared-norm": {Separable, "paper", domain(5.12), squaredNorm,
		"Σ y_j²"},
	"different-powers": {Separable, "paper", domain(5.12), differentPowers,
		"Σ |y_j|^(2+4(j−1)/(m−1))"},
	"microring": {Separable, "banded", func(int) (float64, float64) { return 0, 8 }, microring,
		"Σ T(y_j+φ_j), T(φ) = (a²−2ar cos φ+r²)/(1−2ar cos φ+a²r²), a = 0.95, r = 0.85"},
	"ackley": {NotSeparable, "paper", domain(32.768), ackley,
		"20 + e − 20 exp(−0.2 √(Σz_j²/m)) − exp(Σ cos(2πz_j)/m), z = y−b"},
	"levy": {Separable, "paper", domain(10), levy,
		"sin² πv_1 + Σ_{j<m} (v_j−1)²(1+10 sin²(πv_j+1)) + (v_m−1)²(1+sin² 2πv_m), v = 1+(y−b)/4"},
	"styblinski-tang": {Separable, "paper", domain(5), styblinskiTang,
		"½ Σ z_j⁴ − 16z_j² + 5z_j, z = y−b"},
	"griewank": {NotSeparable, "paper", griewankDomain, griewank,
		"1 + Σ z_j²/4000 − Π cos(z_j/√j), z = y−b, on a box so small that the product matters"},
	"rosenbrock": {NotSeparable, "paper", domain(2.048), rosenbrock,
		"Σ 100(z_{j+1}−z_j²)² + (1−z_j)², z = y−b+1"},
	"ellipsoid": {Separable, "paper", domain(5), ellipsoid,
		"Σ 10^(6(j−1)/(m−1)) z_j², z = y−b"},
	"discus": {Separable, "paper", domain(5), discus,
		"10⁶ z_1² + Σ_{j>1} z_j², z = y−b"},
	"rosenbrock-pairs": {Blocks, "paper", domain(2.048), rosenbrockPairs,
		"Σ over pairs (p, q) of components: 100(z_q−z_p²)² + (1−z_p)², z = y−b+1"},
	"ridge-blocks": {Blocks, "paper", domain(5.12), ridgeBlocks,
		"Σ over blocks B, Σ_{r≤2|B|} φ_r(⟨a_r, z_B⟩), φ_r(t) = t²/2+1−cos ω_r t, z = y−b"},
	"log-cosh": {Separable, "paper", domain(5), logCosh,
		"Σ log cosh(a_j z_j) − 3a_j exp(−4(z_j−c_j)²), a_j from 0.5 to 5, c_j = ±2, z = y−b"},
	"step": {Separable, "paper", domain(5), step,
		"Σ ⌊|2z_j|+½⌋², z = y−b: 0 on a box"},
	"rosenbrock-chain": {NotSeparable, "none", domain(2.048), rosenbrock,
		"Σ 100(z_{j+1}−z_j²)² + (1−z_j)², z = y−b+1, in the coordinates given"},
	"blocks-elliptic": {Separable, "", domain(100), blocksElliptic,
		"Σ over blocks B: w_B Σ_k 10^(6(k−1)/(n−1)) T_osc(z_k)², z = R_B(x−o)_B"},
	"blocks-rastrigin": {Separable, "", domain(5), blocksRastrigin,
		"Σ over blocks B: w_B Σ_k y_k²+10−10 cos 2πy_k, y = Λ^10 T_asy^0.2(T_osc(z)), z = R_B(x−o)_B"},
}

// A definition is how to make a problem.
type definition struct {
	structure Structure
	mix       string // "": it has rotations of its own
	domain    func(m int) (lo, hi float64)
	draw      func(drawing) function
	formula   string
}

// domain is the box [-r, r] for any number of components.
func domain(r float64) func(int) (float64, float64) {
	return func(int) (float64, float64) { return -r, r }
}

// A drawing is what a definition draws its function from.
type drawing struct {
	spec   Spec
	w      mixing
	domain objective.Box
	params *rng.Stream
}

// A function is g with its minimiser. It is given by its terms if it is a sum of them,
// by its value otherwise, or by its values at a batch if it has matrix products of its own.
type function struct {
	terms     func(t, y []float64)                              // sets t_j = f_j(y_j), where g(y) = Σ f_j(y_j)
	value     func(y, work []float64) float64                   // returns g(y)
	batch     func(dst []float64, y blas64.General, s *scratch) // sets dst_i = g(y_i) for the rows y_i of y
	work      int                                               // the length of work that value needs; 0: m
	minimiser []float64                                         // y*
	point     []float64                                         // an x* with Wx* = y*; nil: the shortest one
	frame     func() *mat.Dense                                 // the coordinates that blocks means if there is no W; nil: those of x
	blocks    [][]int
}

// separable is a sum of terms.
func separable(minimiser []float64, terms func(t, y []float64)) function {
	return function{terms: terms, minimiser: minimiser, blocks: singles(len(minimiser))}
}

// coupled is a function that couples blocks of components.
func coupled(minimiser []float64, blocks [][]int, value func(y, work []float64) float64) function {
	return function{value: value, minimiser: minimiser, blocks: blocks}
}

// uniform draws one parameter for every component, uniform on [lo, hi].
func (d drawing) uniform(lo, hi float64) []float64 {
	b := objective.Cube(d.spec.Components, lo, hi)
	x := make([]float64, d.spec.Components)
	b.Draw(x, d.params)
	return x
}

// shift draws the minimiser b from within 0.4 of the domain's half-width, as the
// paper does for Rastrigin ([−2, 2] in [−5.12, 5.12]).
func (d drawing) shift() []float64 {
	r := 0.4 * d.domain.Hi[0]
	return d.uniform(-r, r)
}

// box is where a minimiser is drawn, if the problem can place it: within the bounds.
// Where a bound is infinite, the box is as wide as the domain.
func (d drawing) box() objective.Box {
	box := objective.Box{Lo: slices.Clone(d.spec.Bounds.Lo), Hi: slices.Clone(d.spec.Bounds.Hi)}
	for i := range box.Lo {
		width := d.domain.Hi[i] - d.domain.Lo[i]
		switch below, above := math.IsInf(box.Lo[i], -1), math.IsInf(box.Hi[i], 1); {
		case below && above:
			box.Lo[i], box.Hi[i] = d.domain.Lo[i], d.domain.Hi[i]
		case below:
			box.Lo[i] = box.Hi[i] - width
		case above:
			box.Hi[i] = box.Lo[i] + width
		}
	}
	return box
}

// spread returns m evenly spaced numbers from 0 to 1: (j−1)/(m−1).
func spread(m int) []float64 {
	x := make([]float64, m)
	for j := 1; j < m; j++ {
		x[j] = float64(j) / float64(m-1)
	}
	return x
}

// singles returns the blocks of a separable function.
func singles(m int) [][]int { return runs(m, 1) }

// whole returns the one block of a function that couples all components.
func whole(m int) [][]int { return runs(m, m) }

// runs returns blocks of size consecutive components; the last may be smaller.
func runs(m, size int) [][]int {
	var blocks [][]int
	for lo := 0; lo < m; lo += size {
		var block []int
		for j := lo; j < min(lo+size, m); j++ {
			block = append(block, j)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

func square(t float64) float64 { return float64(t * t) }

// lowest returns the global minimiser on [lo, hi] of a smooth function with the
// derivatives d1 and d2. It takes the best point of a fine grid and refines it by
// Newton's method.
func lowest(f, d1, d2 func(float64) float64, lo, hi float64) float64 {
	const grid = 2000
	best := lo
	for k := 1; k <= grid; k++ {
		if t := lo + (hi-lo)*float64(k)/grid; f(t) < f(best) {
			best = t
		}
	}
	for range 50 {
		step := d1(best) / d2(best)
		best -= step
		if math.Abs(step) <= 1e-16*math.Abs(best) {
			break
		}
	}
	return best
}

// Choice lists all names for a person to choose from, the BBOB functions in one word.
func Choice() string {
	return fmt.Sprintf("%s, bbob-1 … bbob-%d", strings.Join(order, ", "), len(bbobFunctions))
}

// Suites returns the names of the suites.
func Suites() []string { return []string{"paper", "classic", "large", "bbob"} }

// Suite returns the names of the problems of a suite: "paper" has those of the paper's table,
// "large" those that are made for many dimensions, "bbob" the 24 BBOB functions, "classic" all others.
func Suite(name string) ([]string, error) {
	const table = 4                                  // the paper's are the first in order
	large := slices.Index(order, "rosenbrock-chain") // and those for many dimensions the last
	switch name {
	case "paper":
		return append([]string(nil), order[:table]...), nil
	case "classic":
		return append([]string(nil), order[table:large]...), nil
	case "large":
		return append([]string(nil), order[large:]...), nil
	case "bbob":
		return bbobNames(), nil
	}
	return nil, objective.BadOption("Suite", "unknown suite %q: must be one of %s", name, strings.Join(Suites(), ", "))
}
