package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// H = I learns that the slope rises by ¼ along (1, 0): all of it is made a quarter first. It
// learns that it rises by 4 along (0, 1): only that changes.
func TestSecantByHand(t *testing.T) {
	c := newSecant(2, 1)
	c.learn([]float64{1, 0}, []float64{0.25, 0})
	if want := mat.NewDense(2, 2, []float64{0.25, 0, 0, 0.25}); !mat.EqualApprox(c.h, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(c.h))
	}
	c.learn([]float64{0, 1}, []float64{0, 4})
	if want := mat.NewDense(2, 2, []float64{0.25, 0, 0, 4}); !mat.EqualApprox(c.h, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(c.h))
	}
	if got := c.way([]float64{1, 8}); !slices.Equal(got, []float64{-4, -2}) {
		t.Errorf("way %v", got)
	}
	c.learn([]float64{1, 0}, []float64{-1, 0}) // f curves downwards: nothing is learnt
	if c.h.At(0, 0) != 0.25 {
		t.Errorf("%v", mat.Formatted(c.h))
	}
}

// Whatever it has learnt, H takes the last step to the last difference, and H⁻¹ is its inverse.
func TestSecantEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 4
		c := newSecant(d, rapid.Float64Range(0.1, 10).Draw(t, "curvature"))
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			s, y := make([]float64, d), make([]float64, d)
			for i := range d {
				s[i] = rapid.Float64Range(-1, 1).Draw(t, "s")
				y[i] = s[i]*rapid.Float64Range(0.2, 5).Draw(t, "rise") + rapid.Float64Range(-0.05, 0.05).Draw(t, "y")
			}
			if kernel.Dot(s, y) < 0.1*math.Sqrt(kernel.Dot(s, s)*kernel.Dot(y, y)) || kernel.Dot(s, s) < 0.01 {
				continue
			}
			c.learn(s, y)
			hs := make([]float64, d)
			kernel.MulVec(hs, c.h.RawMatrix(), s)
			for i := range d {
				if math.Abs(hs[i]-y[i]) > 1e-9 {
					t.Fatalf("Hs = %v, y = %v", hs, y)
				}
			}
			if one := kernel.Times(c.h, c.inverse); !mat.EqualApprox(one, kernel.Identity(d), 1e-6) {
				t.Fatalf("H H⁻¹ = %v", mat.Formatted(one))
			}
		}
	})
}

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

// plunged goes down from a corner, and returns what it asked.
func plunged(t *testing.T, d, until int, f func(x []float64) float64, curvature float64) (*watched, *plunge) {
	t.Helper()
	return plungedAbreast(t, d, until, f, curvature, false)
}

func plungedAbreast(t *testing.T, d, until int, f func(x []float64) float64, curvature float64, abreast bool) (*watched, *plunge) {
	t.Helper()
	w := watch(objective.Func(d, f), func(objective.Stage) {})
	x := slices.Repeat([]float64{-0.7}, d)
	p := &plunge{f: w, along: kernel.Identity(d), x: x, seen: newSecant(d, curvature), gain: curvature * firstStep * firstStep, abreast: abreast}
	if err := p.down(ctx, until); err != nil {
		t.Fatal(err)
	}
	return w, p
}

// Flat powers are no obstacle, whatever the map: to 1e-9 of the first value with some forty
// gradients.
func TestPlungeOnFlatPowers(t *testing.T) {
	const d = 10
	for name, psi := range map[string]func(float64) float64{
		"none": func(v float64) float64 { return v }, "root": math.Sqrt, "logarithm": math.Log1p, "square": func(v float64) float64 { return v * v }, "exponential": math.Exp,
	} {
		for _, abreast := range []bool{false, true} {
			w, _ := plungedAbreast(t, d, 60*d, powers(d, psi), 2, abreast)
			if sum := powers(d, func(v float64) float64 { return v })(w.best.Point); sum > 1e-6 {
				t.Errorf("%s, abreast %v: %v above the minimum after %d queries", name, abreast, sum, w.queries)
			}
		}
	}
}

// The unit of f makes no difference.
func TestPlungeWhateverTheUnit(t *testing.T) {
	const d = 6
	plain, _ := plunged(t, d, 200, powers(d, math.Sqrt), 2)
	large, _ := plunged(t, d, 200, powers(d, func(v float64) float64 { return 0x1p40 * math.Sqrt(v) }), 0x1p41)
	if plain.queries != large.queries || !slices.Equal(plain.best.Point, large.best.Point) {
		t.Errorf("%v after %d queries, and %v after %d", plain.best.Point, plain.queries, large.best.Point, large.queries)
	}
}

// Where f falls for ever no step is longer than half the diagonal of the start box, and it ends
// when it has had its share. Where f fails it ends at once.
func TestPlungeEnds(t *testing.T) {
	const d, until = 4, 100
	w, p := plunged(t, d, until, func(x []float64) float64 { return -kernel.Dot(x, x) - x[0] }, 1)
	if steps := float64(until) / (d + 1); w.queries > until+3*d || math.Sqrt(kernel.Dot(p.x, p.x)) > 2*steps*math.Sqrt(d) {
		t.Errorf("at %v after %d queries", p.x, w.queries)
	}
	w, _ = plunged(t, d, until, func([]float64) float64 { return math.NaN() }, 1)
	if w.queries > 50 {
		t.Errorf("%d queries of a function that fails", w.queries)
	}
}

// f falls at an even pace if ten steps gain nearly as much as the ten before; of 44 directions
// eleven.
func TestEvenlyByHand(t *testing.T) {
	line, curve := []float64{}, []float64{}
	for k := range 21 {
		line, curve = append(line, -float64(k)), append(curve, math.Pow(0.9, float64(k))) // 0.9¹⁰ = 0.35
	}
	if !evenly(line, 4) || evenly(line[:20], 4) || evenly(curve, 4) || evenly(line, 44) {
		t.Error(evenly(line, 4), evenly(line[:20], 4), evenly(curve, 4), evenly(line, 44))
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
			if err := r.pause(ctx, identify.Doubt{Basin: basin}); err != nil {
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

// f is asked at numbers only, whatever rounding has made of the curvature, and however large f is.
func TestPlungeAsksAtNumbers(t *testing.T) {
	for _, curvature := range []float64{-1e-9, 0, math.Inf(1), math.NaN(), 5e-324} {
		f := objective.Func(2, func(x []float64) float64 {
			if slices.ContainsFunc(x, notFinite) {
				t.Fatalf("curvature %v: asked at %v", curvature, x)
			}
			return kernel.Dot(x, x)
		})
		p := &plunge{f: watch(f, func(objective.Stage) {}), along: kernel.Identity(2), x: []float64{0.3, 0.4}, seen: newSecant(2, 1), gain: 0.01}
		p.seen.h.Set(1, 1, curvature)
		if err := p.down(ctx, 100); err != nil {
			t.Fatal(err)
		}
	}
}
