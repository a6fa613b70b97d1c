package auto

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// shapes are functions of one variable with their minimum 0 at 0, most of which have no
// second derivative there, or nothing else that a Newton step could rely on.
var shapes = map[string]func(y float64) float64{
	"|y|^0.7": func(y float64) float64 { return math.Pow(math.Abs(y), 0.7) },
	"|y|":     math.Abs,
	"|y|^1.3": func(y float64) float64 { return math.Pow(math.Abs(y), 1.3) },
	"|y|^3":   func(y float64) float64 { return math.Pow(math.Abs(y), 3) },
	"y^8":     func(y float64) float64 { return math.Pow(y, 8) },
	"kink":    func(y float64) float64 { return max(y, -20*y) },
	"slope with wells": func(y float64) float64 {
		return 30*math.Abs(y) + 4*(1-math.Cos(25*y))
	},
	"ripple near the minimum": func(y float64) float64 {
		return y*y + 0.02*math.Exp(-20*y*y)*(1-math.Cos(60*y))
	},
	"plateau": func(y float64) float64 { return max(math.Abs(y), 0.3) - 0.3 },
	"barrier": func(y float64) float64 {
		if y <= -0.5 {
			return math.NaN()
		}
		return 2*y - math.Log(1+2*y)
	},
	"quadratic": func(y float64) float64 { return y * y },
	"oscillating": func(y float64) float64 {
		if y == 0 {
			return 0
		}
		l := math.Log(math.Abs(y))
		return math.Exp(2 * (l + 0.049*(math.Sin(10*l)+math.Sin(7.9*l))))
	},
}

// Sums of these, in the coordinates given, weighted from 1 to 1,000, are minimised to 1e-10
// of what they vary by, whatever they look like at the minimum.
func TestShapes(t *testing.T) {
	const d, budget = 5, 50_000
	for name, g := range shapes {
		for seed := range uint64(3) {
			b := make([]float64, d)
			rng.Seed(seed).Stream("test").Norm(b)
			f := objective.Func(d, func(x []float64) float64 {
				sum := 0.0
				for k, v := range x {
					sum += math.Pow(1000, float64(k)/(d-1)) * g(v-0.2*math.Tanh(b[k]))
				}
				return sum
			})
			w := watch(query.NewMeter(f, budget), func(objective.Stage) {})
			out, err := Auto{}.Minimize(ctx, w, strategy.Task{Budget: budget, Seed: seed})
			if gap := w.best.Value; err != nil || !(gap <= 1e-10*1000) {
				t.Errorf("%s, seed %d: %v after %d queries, %v, error %v", name, seed, gap, w.queries, out.Status, err)
			}
		}
	}
}
