package cbo

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// wellsOf are three functions of one variable.
var wellsOf = []func(y float64) float64{
	func(y float64) float64 { return y*y - 2*math.Cos(5*y) },
	func(y float64) float64 { return math.Abs(y - 0.4) },
	func(y float64) float64 { return math.Pow(y, 4) - y },
}

// separable returns g(y) = Σ_j g_j(y_j) for each row.
func separable(x *mat.Dense) []float64 {
	n, d := x.Dims()
	energies := make([]float64, n)
	for i := range n {
		for j := range d {
			energies[i] += wellsOf[j](x.At(i, j))
		}
	}
	return energies
}

// oneByOne returns the consensus point of each column by itself, with g_j.
func oneByOne(columns [][]float64, alpha float64) []float64 {
	var c []float64
	for j, column := range columns {
		x := mat.NewDense(len(column), 1, column)
		energies := make([]float64, len(column))
		for i, y := range column {
			energies[i] = wellsOf[j](y)
		}
		point, _ := consensusOf(x, energies, alpha)
		c = append(c, point[0])
	}
	return c
}

// The consensus point of a product measure under a separable function is the vector of
// its one-dimensional consensus points (section 3.3, remark): exp(−αΣg_j) is a product
// too, and all integrals but one cancel. This is exact for an ensemble that is a product,
// that is, one that has all combinations of some coordinates.
func TestConsensusOfAProduct(t *testing.T) {
	columns := [][]float64{{-1.1, 0.2, 0.9, 1.3}, {-0.5, 0.1, 0.7}, {-2, -0.3, 0.5, 0.8, 1.9}}
	x := mat.NewDense(4*3*5, 3, nil)
	for i := range 60 {
		x.SetRow(i, []float64{columns[0][i%4], columns[1][i/4%3], columns[2][i/12]})
	}
	for _, alpha := range []float64{0, 0.3, 1, 10, 1e3} {
		got, _ := consensusOf(x, separable(x), alpha)
		for j, want := range oneByOne(columns, alpha) {
			if math.Abs(got[j]-want) > 1e-9 {
				t.Errorf("α = %g, component %d: %v, by itself %v", alpha, j, got[j], want)
			}
		}
	}
}

// A finite ensemble drawn from a product measure is not a product. Its consensus point
// deviates from the vector of one-dimensional ones by 1/√n on average.
func TestConsensusOfADraw(t *testing.T) {
	const alpha = 2
	repeats := flags.Usually(40, 15)
	deviation := func(n int) float64 {
		sum := 0.0
		for repeat := range repeats {
			stream := rng.Seed(repeat).Stream("product", n)
			x := mat.NewDense(n, 3, nil)
			objective.Cube(3*n, -2, 2).Draw(x.RawMatrix().Data, stream)
			got, _ := consensusOf(x, separable(x), alpha)
			columns := make([][]float64, 3)
			for j := range columns {
				columns[j] = mat.Col(nil, j, x)
			}
			for j, want := range oneByOne(columns, alpha) {
				sum += math.Abs(got[j] - want)
			}
		}
		return sum / float64(repeats)
	}
	few, many := deviation(200), deviation(20_000)
	t.Logf("deviation %.4f with 200 particles, %.4f with 20,000", few, many)
	if ratio := few / many; ratio < 7 || ratio > 14 {
		t.Errorf("a hundred times as many particles make it %.1f times smaller, want about 10", ratio)
	}
}
