package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// powers is Σ|x_j − 0.3|^p_j with p_j from 2 to 6 after an increasing map.
func powers(d int, psi func(float64) float64) func(x []float64) float64 {
	return func(x []float64) float64 {
		sum := 0.0
		for j, v := range x {
			sum += math.Pow(math.Abs(v-0.3), 2+4*float64(j)/float64(d-1))
		}
		return psi(sum)
	}
}

// plunged goes down from a corner with some budget, and returns what it asked.
func plunged(t *testing.T, d, budget int, f func(x []float64) float64, curvature float64, parallel int) *watched {
	t.Helper()
	w := watch(objective.Func(d, f), func(objective.Stage) {})
	r := &race{fallback: &fallback{run: &run{f: w, task: strategy.Task{Parallel: parallel}}}, budget: plungeShare * budget}
	basin := &identify.Basin{Point: slices.Repeat([]float64{-0.7}, d), Along: kernel.Identity(d), Curvature: curvature}
	if err := r.plunge(ctx, basin); err != nil {
		t.Fatal(err)
	}
	return w
}

// Flat powers are no obstacle, whatever the map: to 1e-9 of the first value with some forty
// gradients.
func TestPlungeOnFlatPowers(t *testing.T) {
	const d = 10
	for name, psi := range map[string]func(float64) float64{
		"none": func(v float64) float64 { return v }, "root": math.Sqrt, "logarithm": math.Log1p, "square": func(v float64) float64 { return v * v }, "exponential": math.Exp,
	} {
		for _, parallel := range []int{1, 8} {
			w := plunged(t, d, 60*d, powers(d, psi), 2, parallel)
			if sum := powers(d, func(v float64) float64 { return v })(w.best.Point); sum > 1e-6 {
				t.Errorf("%s, parallel %d: %v above the minimum after %d queries", name, parallel, sum, w.queries)
			}
		}
	}
}

// The unit of f makes no difference.
func TestPlungeWhateverTheUnit(t *testing.T) {
	const d = 6
	plain := plunged(t, d, 200, powers(d, math.Sqrt), 2, 1)
	large := plunged(t, d, 200, powers(d, func(v float64) float64 { return 0x1p40 * math.Sqrt(v) }), 0x1p41, 1)
	if plain.queries != large.queries || !slices.Equal(plain.best.Point, large.best.Point) {
		t.Errorf("%v after %d queries, and %v after %d", plain.best.Point, plain.queries, large.best.Point, large.queries)
	}
}

// Where f falls for ever no step is longer than half the diagonal of the start box, and it ends
// when it has had its share. Where f fails it ends at once.
func TestPlungeEnds(t *testing.T) {
	const d, until = 4, 100
	w := plunged(t, d, until, func(x []float64) float64 { return -kernel.Dot(x, x) - x[0] }, 1, 1)
	if x := w.best.Point; w.queries > until+3*d || math.Sqrt(kernel.Dot(x, x)) > 2*until/(d+1)*math.Sqrt(d) {
		t.Errorf("at %v after %d queries", x, w.queries)
	}
	w = plunged(t, d, until, func([]float64) float64 { return math.NaN() }, 1, 1)
	if w.queries > 50 {
		t.Errorf("%d queries of a function that fails", w.queries)
	}
}

// A race goes straight down once, and not within bounds.
func TestOnePlunge(t *testing.T) {
	const d = 5
	for _, bounded := range []bool{false, true} {
		w := watch(objective.Func(d, powers(d, math.Sqrt)), func(objective.Stage) {})
		r := &race{fallback: &fallback{run: &run{f: w}}, bounded: bounded, budget: 8000}
		basin := &identify.Basin{Point: make([]float64, d), Along: kernel.Identity(d), Curvature: 1}
		for range 2 {
			before := w.queries
			if err := r.pause(ctx, identify.Next{Basin: basin}); err != nil {
				t.Fatal(err)
			}
			if asked := w.queries > before; asked == (before > 0 || bounded) {
				t.Errorf("bounded %v: %d queries after %d", bounded, w.queries, before)
			}
		}
		if most := identify.Least(d)/plungePart + 4*d; w.queries > most {
			t.Errorf("%d queries", w.queries)
		}
	}
}

// f is asked at numbers only, whatever the curvature is said to be, and however large f is.
func TestPlungeAsksAtNumbers(t *testing.T) {
	for _, curvature := range []float64{-1e-9, 0, math.Inf(1), math.NaN(), 5e-324} {
		plunged(t, 2, 100, func(x []float64) float64 {
			if slices.ContainsFunc(x, notFinite) {
				t.Fatalf("curvature %v: asked at %v", curvature, x)
			}
			return kernel.Dot(x, x)
		}, curvature, 1)
	}
}

// A descent crawls if half of its last twenty steps have gained less than a tenth of what they promised.
func TestCrawlsByHand(t *testing.T) {
	kept := append(slices.Repeat([]float64{0.01}, 11), slices.Repeat([]float64{1}, 9)...)
	if !crawls(kept, 10) || crawls(kept[1:], 10) || crawls(append(kept, 1, 1), 10) {
		t.Error(crawls(kept, 10), crawls(kept[1:], 10), crawls(append(kept, 1, 1), 10))
	}
}

// Parts of a step that fail are passed over, also the first.
func TestPartsThatFail(t *testing.T) {
	w := watch(objective.Func(1, func(x []float64) float64 {
		if x[0] > 0.6 || x[0] < 0.2 {
			return math.NaN()
		}
		return x[0]
	}), func(objective.Stage) {})
	best, part, err := w.parts(t.Context(), []float64{0}, []float64{1}, objective.Cube(1, -1, 1), []float64{1, 0.5, 0.25, 0.1})
	if err != nil || best.Value != 0.25 || part != 0.25 {
		t.Errorf("%v at part %v, error %v", best, part, err)
	}
}
