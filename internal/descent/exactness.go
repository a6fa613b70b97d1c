package descent

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

const (
	tableSize = 7       // values in a table of differences: its orders 1 to 6 agree to a factor of two
	tiny      = 0x1p-29 // its step, in half-widths of the start box: so short that f hardly changes
	longer    = 1024    // how many times longer the steps of a second table are, if the values of the first are the same
	exact     = 0x1p-43 // noise below this part of the values is rounding
)

// Exactness measures how exact f is around x, where it is fx, by seven values along a line that is too short for f to
// change (J. J. Moré, S. M. Wild, "Estimating computational noise", 2011): differences of order k of errors
// with standard deviation σ have the variance σ²(2k)!/(k!)², and those of a smooth f all have one sign. If most of them
// are the same, f is rounded to fewer digits: then it asks six more, and the least difference is twice the error.
func Exactness(ctx context.Context, f objective.Objective, x []float64, fx float64, bounds objective.Box, random objective.Random) (objective.Grain, error) {
	u := make([]float64, len(x))
	for i := range u {
		u[i] = tiny * (0.5 + float64(random.Float64()/2))
		if x[i] > 0 {
			u[i] = -u[i]
		}
	}
	for far := 1.0; ; far *= longer {
		values, err := query.Ask(ctx, f, tableSize-1, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, far*float64(k+1), u)
			clamp(row, bounds)
		})
		if err != nil {
			return objective.Rounding, err
		}
		values = append([]float64{fx}, values...)
		if far == 1 && stands(values) {
			continue
		}
		sigma, size := noise(values)
		if far > 1 {
			sigma = max(sigma, leastStep(values)/2)
		}
		if !(sigma > exact*size) {
			return objective.Rounding, nil
		}
		return objective.Known(sigma), nil
	}
}

// stands reports whether most values are the same as the next.
func stands(values []float64) bool {
	same := 0
	for k := range len(values) - 1 {
		if values[k] == values[k+1] {
			same++
		}
	}
	return 2*same > len(values)-1
}

// leastStep is the least difference of values that follow each other and are not the same; 0: there is none.
func leastStep(values []float64) float64 {
	least := math.Inf(1)
	for k := range len(values) - 1 {
		if v := math.Abs(values[k+1] - values[k]); v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// noise returns σ by a table of differences, 0 if there is none, and how large the values are. Where f fails there are no differences:
// those of points that are not next to each other would be taken for noise.
func noise(values []float64) (sigma, size float64) {
	t, all := slices.Clone(values), []float64(nil)
	for _, v := range values {
		if kernel.Finite(v) {
			size = max(size, math.Abs(v))
		}
	}
	part := 1.0 // (k!)²/(2k)!
	for k := 1; len(t) > 1; k++ {
		sum, n, least, most := 0.0, 0, 0.0, 0.0
		for i := range len(t) - 1 {
			if t[i] = t[i+1] - t[i]; kernel.Finite(t[i]) {
				sum += float64(t[i] / size * (t[i] / size)) // squares of f may overflow
				n, least, most = n+1, min(least, t[i]), max(most, t[i])
			}
		}
		t = t[:len(t)-1]
		part *= float64(k) / float64(4*k-2)
		if least < 0 && most > 0 {
			all = append(all, size*math.Sqrt(part*sum/float64(n)))
		}
	}
	if len(all) == 0 {
		return 0, size
	}
	slices.Sort(all)
	return (all[len(all)/2] + all[(len(all)-1)/2]) / 2, size
}
