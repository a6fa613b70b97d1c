package problem_test

import (
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// The ring has n entries around the diagonal of every row, and goes on from the last column to the
// first. Permuted it has as many, elsewhere.
func TestTheRing(t *testing.T) {
	for _, n := range []int{0, 1, 3, 5, 9} {
		const d = 30
		w := must(t, problem.Spec{Name: "rastrigin", Dim: d, Mix: "banded", Entries: n, Seed: 2}).Frame().Matrix()
		permuted := must(t, problem.Spec{Name: "rastrigin", Dim: d, Mix: "banded", Entries: n, Permute: true, Seed: 2}).Frame().Matrix()
		want := max(n, 1)
		if n == 0 {
			want = 3
		}
		for i := range d {
			for j := range d {
				away := (j - i + d + want/2) % d
				if (w.At(i, j) != 0) != (away < want) {
					t.Fatalf("%d entries: row %d has %v at %d", n, i, w.At(i, j), j)
				}
			}
			if got := entries(permuted, i); got != want {
				t.Errorf("permuted: row %d has %d entries, want %d", i, got, want)
			}
		}
		if want > 1 && mat.Equal(w, permuted) {
			t.Errorf("%d entries: nothing is permuted", n)
		}
	}
}

func entries(w *mat.Dense, i int) (n int) {
	for _, v := range w.RawRowView(i) {
		if v != 0 {
			n++
		}
	}
	return n
}

// Sparse rows have at most n entries, and each column is met by the permutation that makes W regular.
func TestSparseRows(t *testing.T) {
	const d, n = 60, 4
	w := must(t, problem.Spec{Name: "levy", Dim: d, Mix: "sparse", Entries: n, Seed: 3}).Frame().Matrix()
	all := 0
	for i := range d {
		k := entries(w, i)
		if k < 1 || k > n {
			t.Errorf("row %d has %d entries", i, k)
		}
		all += k
	}
	if all < 9*d*n/10 {
		t.Errorf("%d entries of %d", all, d*n)
	}
}

// A sparse W is applied as the full matrix is: f = g(Wx) with the W of the frame. Rows of bands and
// sparse matrices have length 1, so the frame has W itself.
func TestSparseProducts(t *testing.T) {
	for _, mix := range []string{"banded", "sparse"} {
		for _, shape := range [][2]int{{1, 1}, {3, 3}, {20, 20}, {9, 4}} {
			s := problem.Spec{Name: "squared-norm", Dim: shape[0], Components: shape[1], Mix: mix, Seed: 5}
			p := must(t, s)
			x := make([]float64, s.Dim)
			rng.Seed(1).Stream("x").Norm(x)
			var y mat.VecDense
			y.MulVec(p.Frame().Matrix(), mat.NewVecDense(s.Dim, x))
			want := mat.Dot(&y, &y)
			if got := value(t, p, x); !(math.Abs(got-want) <= 1e-13*want) {
				t.Errorf("%v: %v, want %v", p, got, want)
			}
		}
	}
}

// In many dimensions no inverse is computed: the minimiser comes from conjugate gradients.
func TestManySparseDimensions(t *testing.T) {
	for _, s := range flags.Sample([]problem.Spec{
		{Name: "rastrigin", Dim: flags.Usually(3000, 1000), Mix: "banded"}, {Name: "microring", Dim: 3000}, {Name: "rastrigin", Dim: 10_000, Mix: "none"},
		{Name: "rastrigin", Dim: 3000, Mix: "sparse", Entries: 3, Permute: true}, {Name: "styblinski-tang", Dim: 2000, Mix: "banded", Entries: 5},
		{Name: "rosenbrock-chain", Dim: 10_000}, {Name: "blocks-rastrigin", Dim: 3000}, {Name: "blocks-elliptic", Dim: 3000, BlockCount: 20},
	}, 3) {
		p := must(t, s)
		if gap := value(t, p, p.Minimiser()) - p.Minimum(); !(math.Abs(gap) <= 1e-9*math.Max(1, math.Abs(p.Minimum()))) {
			t.Errorf("%v: f(x*) is %g above the minimum", p, gap)
		}
	}
}

// weightedFunction is f of blocks as its formula has it, from the frame and the minimiser alone: rows
// of one block are neighbours in the frame.
func weightedFunction(p *problem.Problem, sizes []int, weights []float64, x []float64) float64 {
	d, o := p.Dim(), p.Minimiser()
	z := mat.NewVecDense(d, nil)
	shifted := mat.NewVecDense(d, nil)
	for i := range x {
		shifted.SetVec(i, x[i]-o[i])
	}
	z.MulVec(p.Frame().Matrix(), shifted)
	sum, first := 0.0, 0
	for b, n := range sizes {
		for k := range n {
			at := 0.0
			if n > 1 {
				at = float64(k) / float64(n-1)
			}
			v := oscillating(z.AtVec(first + k))
			if p.Spec().Name == "blocks-elliptic" {
				sum += weights[b] * math.Pow(10, 6*at) * v * v
				continue
			}
			if v > 0 {
				v = math.Pow(v, 1+0.2*at*math.Sqrt(v))
			}
			v *= math.Pow(10, at/2)
			sum += weights[b] * (v*v + 10 - 10*math.Cos(2*math.Pi*v))
		}
		first += n
	}
	return sum
}

func oscillating(z float64) float64 {
	if z == 0 {
		return 0
	}
	h, c1, c2 := math.Log(math.Abs(z)), 10.0, 7.9
	if z < 0 {
		c1, c2 = 5.5, 3.1
	}
	return math.Copysign(math.Exp(h+0.049*(math.Sin(c1*h)+math.Sin(c2*h))), z)
}

// Blocks are rotated, bent one component after the other and weighted. Weights follow from f where all
// other blocks are at their minimum; then the formula holds everywhere.
func TestWeightedBlocks(t *testing.T) {
	for _, s := range []problem.Spec{
		{Name: "blocks-elliptic", Dim: 340, Seed: 4}, {Name: "blocks-rastrigin", Dim: 340, Seed: 5},
		{Name: "blocks-elliptic", Dim: 200, BlockCount: 20, Seed: 6}, {Name: "blocks-rastrigin", Dim: 60, Seed: 7}, {Name: "blocks-rastrigin", Dim: 4, Seed: 7},
	} {
		p := must(t, s)
		sizes := map[int][]int{340: {50, 25, 25, 100, 50, 25, 25, 40}, 200: {50, 50, 25, 25, 50}, 60: {50, 10}, 4: {4}}[s.Dim]
		weights := make([]float64, len(sizes))
		inverse := p.Frame().Inverse()
		first := 0
		for b, n := range sizes {
			x := p.Minimiser()
			for i := range x {
				x[i] += 0.3 * inverse.At(i, first)
			}
			one := make([]float64, len(sizes))
			one[b] = 1
			weights[b] = value(t, p, x) / weightedFunction(p, sizes, one, x)
			first += n
		}
		if last := weights[len(weights)-1]; s.Dim == 340 && !(math.Abs(last-1) <= 1e-9) {
			t.Errorf("%v: single variables have the weight %v", p, last)
		}
		x := make([]float64, s.Dim)
		box := p.Domain()
		box.Draw(x, rng.Seed(9).Stream("x"))
		want := weightedFunction(p, sizes, weights, x)
		if got := value(t, p, x); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%v: f = %v, the formula %v", p, got, want)
		}
		if v := value(t, p, p.Minimiser()); v != 0 {
			t.Errorf("%v: f(x*) = %v", p, v)
		}
		for _, v := range p.Minimiser() {
			if math.Abs(v) > 0.8*box.Hi[0] {
				t.Errorf("%v: x* has %v", p, v)
			}
		}
	}
}

// Weights are 10^(3ξ): of 200 blocks a third are above 10^1.3, as many below 10^−1.3.
func TestWeights(t *testing.T) {
	above, below := 0, 0
	for seed := range uint64(200) {
		p := must(t, problem.Spec{Name: "blocks-elliptic", Dim: 1, Seed: seed})
		x := p.Minimiser()
		x[0] += 1 // T_osc(1) = 1
		switch v := value(t, p, x); {
		case v > math.Pow(10, 1.3):
			above++
		case v < math.Pow(10, -1.3):
			below++
		}
	}
	if above < 45 || above > 90 || below < 45 || below > 90 { // 66.5 ± 6.7 are expected
		t.Errorf("%d of 200 weights above 10^1.3, %d below 10^-1.3", above, below)
	}
}

// Options for other problems or matrices are refused.
func TestLayoutsAreChecked(t *testing.T) {
	for _, c := range []struct {
		spec   problem.Spec
		option string
	}{
		{problem.Spec{Name: "levy", Dim: 5, Entries: 3}, "Entries"}, {problem.Spec{Name: "levy", Dim: 5, Mix: "banded", Entries: -1}, "Entries"},
		{problem.Spec{Name: "levy", Dim: 5, Permute: true}, "Permute"}, {problem.Spec{Name: "levy", Dim: 5, BlockCount: 7}, "BlockCount"},
		{problem.Spec{Name: "bbob-3", Dim: 5, BlockCount: 7}, "BlockCount"}, {problem.Spec{Name: "bbob-3", Dim: 5, Entries: 7}, "Entries"},
		{problem.Spec{Name: "blocks-elliptic", Dim: 5, BlockCount: 8}, "BlockCount"}, {problem.Spec{Name: "blocks-elliptic", Dim: 5, Mix: "none"}, "Mix"},
		{problem.Spec{Name: "blocks-elliptic", Dim: 5, Components: 3}, "Components"}, {problem.Spec{Name: "blocks-rastrigin", Dim: 10_001}, "Dim"},
	} {
		_, err := problem.New(c.spec)
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option {
			t.Errorf("%+v: error %v, want one of %s", c.spec, err, c.option)
		}
	}
	p := must(t, problem.Spec{Name: "levy", Dim: 50, Mix: "sparse", Entries: 4, Permute: true, Seed: 1})
	if p.Spec().Layout() != "entries=4 permute" || p.String() != "levy, 50 dimensions, 50 components, mix sparse, entries=4 permute, seed 1" {
		t.Errorf("%q, %q", p.Spec().Layout(), p)
	}
}
