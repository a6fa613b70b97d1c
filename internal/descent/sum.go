package descent

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// adds is the part of the spread of four values up to which they add up as those of a sum over the axes
// do: far above rounding, and far below what a coupling of random points leaves.
const adds = 1e-9

// Sum reports whether f may be a sum over the axes, by splits of two points x and y: if u has a random half of
// the coordinates of y and v the other half, otherwise those of x,
//
//	f(x) + f(y) = f(u) + f(v).
//
// Each split takes two queries, all of them in one batch. And it returns how much these values vary.
func Sum(ctx context.Context, f objective.Objective, x []float64, fx float64, y []float64, fy float64, splits int, random objective.Random) (bool, float64, error) {
	row := Splits(x, y, splits, random)
	values, err := query.Ask(ctx, f, 2*splits, row)
	if err != nil {
		return false, 0, err
	}
	sum, spread := Adds(fx, fy, values)
	return sum && len(x) > 1, spread, nil
}

// Splits draws splits of x and y, and returns what sets a row to one of the points.
func Splits(x, y []float64, splits int, random objective.Random) func(k int, row []float64) {
	d := len(x)
	half := make([][]bool, splits)
	for k := range half {
		half[k] = make([]bool, d)
		for n, i := range permutation(d, random) {
			half[k][i] = n%2 == 1
		}
	}
	return func(k int, row []float64) {
		for i := range row {
			if row[i] = x[i]; half[k/2][i] == (k%2 == 0) {
				row[i] = y[i]
			}
		}
	}
}

// Adds reports whether the values of splits are those of a sum, and how much they vary. A split at which f fails says nothing.
func Adds(fx, fy float64, values []float64) (bool, float64) {
	least, most := min(fx, fy), max(fx, fy)
	known := slices.Clone(values)[:0]
	for pair := range slices.Chunk(values, 2) {
		if kernel.Finite(pair[0]) && kernel.Finite(pair[1]) {
			known = append(known, pair...)
			least, most = min(least, pair[0], pair[1]), max(most, pair[0], pair[1])
		}
	}
	spread, sum := most-least, 2*len(known) > len(values)
	if !kernel.Finite(spread) {
		return false, math.Abs(fx)
	}
	for pair := range slices.Chunk(known, 2) {
		sum = sum && math.Abs((fx-pair[0])+(fy-pair[1])) <= adds*spread
	}
	return sum && spread > 0, spread
}

// permutation returns 0, …, n−1 in random order.
func permutation(n int, random objective.Random) []int {
	all := make([]int, n)
	for i := range all {
		k := random.IntN(i + 1)
		all[i] = all[k]
		all[k] = i
	}
	return all
}
