package sensitivity_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/objective"
)

// box is a space of d parameters with limits.
func box(d int, lo, hi float64) parameter.Space {
	s := parameter.Plain(d)
	for i := range s {
		s[i].Min, s[i].Max = &lo, &hi
	}
	return s
}

// scatter asks f at random points of a box.
func scatter(space parameter.Space, n int, f func([]float64) float64) sensitivity.Run {
	seen := sensitivity.NewSeen(len(space))
	random := rng.Seed(3).Stream("scatter")
	for k := range n {
		x := make([]float64, len(space))
		for i, p := range space {
			x[i] = *p.Min + float64(random.Float64()*(*p.Max-*p.Min))
		}
		seen.See(k+1, x, objective.Answer{Value: f(x)})
	}
	return sensitivity.Run{Space: space, Seen: seen}
}

// By hand: a function that does not separate, and is a polynomial of few terms.
func TestSurrogateKnowsProducts(t *testing.T) {
	product := func(x []float64) float64 { return x[0]*x[1] + x[2]*x[2]*x[3] + x[4]/2 }
	got := sensitivity.Of(scatter(box(6, -1, 1), 400, product))
	// Var x1x2 = 1/9, Var x3²x4 = E x3⁴ E x4² = 1/15, Var x5/2 = 1/12.
	all := 1./9 + 1./15 + 1./12
	want := []float64{1. / 9 / all, 1. / 9 / all, 4. / 135 / all, 1. / 15 / all, 1. / 12 / all, 0}
	if !got.OK() || got.Terms == 0 || math.Abs(got.Variance-all) > 1e-6 {
		t.Fatalf("%+v", got)
	}
	for i, p := range got.Parameters {
		if math.Abs(p.Total-want[i]) > 1e-5 || p.Error > 1e-2 {
			t.Errorf("x%d: %v ± %v, want %v", i+1, p.Total, p.Error, want[i])
		}
	}
}

// After few queries, most of them near the minimum, a parabola is known by its few terms. By hand:
// Var (x − c)² = E(x − c)⁴ − (E(x − c)²)² is 0.0341 − 0.12333² on [0, 1] and 11 − 2.33333² on [0, 5].
func TestSurrogateAfterFewQueries(t *testing.T) {
	f := func(x []float64) float64 { return (x[0]-0.3)*(x[0]-0.3) + (x[1]-2)*(x[1]-2) }
	space := parameter.Space{{Name: "k", Min: new(0.), Max: new(1.)}, {Name: "depth", Min: new(0.), Max: new(5.)}}
	want := 0.018889 / (0.018889 + 5.555556)
	for _, budget := range []int{60, 100, 200} {
		seen := sensitivity.NewSeen(2)
		if _, err := untwist.Minimize(context.Background(), objective.Func(2, f), untwist.Options{Parameters: space, Budget: budget, Seen: seen.See}); err != nil {
			t.Fatal(err)
		}
		got := sensitivity.Of(sensitivity.Run{Space: space, Seen: seen})
		if !got.OK() || math.Abs(got.Parameters[0].Total-want) > 1e-6 || math.Abs(got.Parameters[1].Total-(1-want)) > 1e-6 {
			t.Errorf("%d queries: %+v", budget, got)
		}
	}
}

// Where no polynomial of few terms is f, there is a reason and no number.
func TestSurrogateRefuses(t *testing.T) {
	rough := func(x []float64) float64 { return math.Cos(20*x[0]*x[1]) + math.Sin(30*x[2]) }
	if got := sensitivity.Of(scatter(box(3, -1, 1), 500, rough)); got.OK() || !strings.Contains(got.Reason, "polynomial") {
		t.Errorf("%+v", got)
	}
	few := sensitivity.Of(scatter(box(6, -1, 1), 20, rough))
	if few.OK() || !strings.Contains(few.Reason, "too few") {
		t.Errorf("%+v", few)
	}
	many := sensitivity.Of(scatter(box(60, -1, 1), 500, rough))
	if many.OK() || !strings.Contains(many.Reason, "too many") {
		t.Errorf("%+v", many)
	}
}

// couplings are functions that do not separate.
var couplings = map[string]func([]float64) float64{
	"rosenbrock": func(x []float64) (sum float64) {
		for i := range len(x) - 1 {
			a, b := x[i+1]-x[i]*x[i], 1-x[i]
			sum += 100*a*a + b*b
		}
		return sum
	},
	"chain": func(x []float64) (sum float64) {
		for i := range len(x) - 1 {
			sum += math.Sin(x[i]*x[i+1]/4) + x[i]*x[i]/float64(2*i+1)
		}
		return sum
	},
	"bowl": func(x []float64) (sum float64) {
		for i := range x {
			sum += float64((i+1)*(i+1)) * x[i] * x[i]
		}
		return math.Exp(-sum/200) * (1 + x[0]/9)
	},
	"ratio": func(x []float64) float64 { return (x[0] + 3*x[1] + x[2]*x[3]) / (9 + x[len(x)-1]) },
}

// After runs on functions that do not separate, an answer has the truth within its errors, and
// there is one for some. By brute force, which is off by some 0.003.
func TestSurrogateIsHonest(t *testing.T) {
	dims, seeds := []int{flags.Usually(5, 3)}, uint64(1)
	if *flags.Whole {
		dims, seeds = []int{3, 5, 10, 20}, 3
	}
	answered, inside, all := 0, 0, 0
	for name, f := range couplings {
		for _, d := range dims {
			if name == "ratio" && d < 5 {
				continue
			}
			want := brute(f, d, -2, 2)
			for seed := range seeds {
				space := box(d, -2, 2)
				seen := sensitivity.NewSeen(d)
				_, err := untwist.Minimize(context.Background(), objective.Func(d, f), untwist.Options{Parameters: space, Budget: flags.Usually(2000, 700) + 100*d, Seed: seed + 1, Seen: seen.See})
				if err != nil {
					t.Fatal(err)
				}
				got := sensitivity.Of(sensitivity.Run{Space: space, Seen: seen})
				worst, claimed := 0., 0.
				if got.OK() {
					answered++
					for i, p := range got.Parameters {
						all++
						off := math.Abs(p.Total - want[i])
						worst, claimed = max(worst, off), max(claimed, p.Error)
						if off <= p.Error+0.003 {
							inside++
						}
					}
				}
				t.Logf("%s, d = %d, seed %d: off by %.4f, claimed %.4f, %d terms, %s", name, d, seed+1, worst, claimed, got.Terms, got.Reason)
			}
		}
	}
	t.Logf("%d answers, %d of %d within", answered, inside, all)
	if answered == 0 || 20*inside < 19*all {
		t.Errorf("%d answers, %d of %d within their errors", answered, inside, all)
	}
}

// brute returns the total indices of f over a cube by Jansen's formula.
func brute(f func([]float64) float64, d int, lo, hi float64) []float64 {
	random := rng.Seed(5).Stream("brute")
	n := 100_000
	x := make([]float64, d)
	sum, squares := 0., 0.
	total := make([]float64, d)
	for range n {
		for i := range x {
			x[i] = lo + float64(random.Float64()*(hi-lo))
		}
		v := f(x)
		sum, squares = sum+v, squares+v*v
		for i, before := range x {
			x[i] = lo + float64(random.Float64()*(hi-lo))
			w := f(x)
			total[i] += (v - w) * (v - w) / 2
			x[i] = before
		}
	}
	variance := squares/float64(n) - sum/float64(n)*sum/float64(n)
	for i := range total {
		total[i] /= float64(n) * variance
	}
	return total
}
