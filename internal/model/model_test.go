package model

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	_ "github.com/untwist/untwist/internal/seeded" // rapid draws the same numbers each time
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// unbounded is a box without sides.
func unbounded(d int) objective.Box { return objective.Cube(d, math.Inf(-1), math.Inf(1)) }

// trusting returns a request that takes every frame for right, and every look for worth its queries.
func trusting(r Request) Request {
	r.Certify = func(*Result) (bool, float64, error) { return true, 0, nil }
	r.Before = func(Next) error { return nil }
	return r
}

// sampled returns a sampler of f in [-1, 1]^d.
func sampled(t interface{ Fatal(...any) }, d int, f func(x []float64) float64) *sampler {
	s, err := newSampler(context.Background(), objective.Func(d, f), Request{Box: objective.Cube(d, -1, 1), Bounds: unbounded(d), Grain: objective.Rounding, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A function of a matrix is one of its eigenvalues.
func TestSym2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) float64 { return rapid.Float64Range(-3, 3).Draw(t, name) }
		s := vec2{draw("v"), draw("u")}.dyad(1).plus(vec2{draw("w"), draw("x")}.dyad(2))
		inv := s.inverse(1)
		// (S + I)⁻¹(S + I) = I
		a, b := inv.of(vec2{s.a + 1, s.b}), inv.of(vec2{s.b, s.c + 1})
		if math.Abs(a[0]-1)+math.Abs(a[1])+math.Abs(b[0])+math.Abs(b[1]-1) > 1e-9 {
			t.Fatalf("%v: %v %v", s, a, b)
		}
	})
}

// On a quadratic every kind of short look measures SᵀHS exactly, and asks as many points as it says.
func TestShortLooksOfAQuadratic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 4
		h := mat.NewSymDense(d, nil)
		steps := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				steps.Set(i, j, rapid.Float64Range(-1, 1).Draw(t, "S"))
				if j >= i {
					h.SetSym(i, j, rapid.Float64Range(-1, 1).Draw(t, "H"))
				}
			}
		}
		h.SetSym(0, 0, 2)
		s := sampled(t, d, func(x []float64) float64 {
			v := mat.NewVecDense(d, x)
			return mat.Inner(v, h, v) / 2
		})
		var want mat.Dense
		want.Product(steps, h, steps.T())
		for _, k := range shortKinds {
			before := s.queries
			l := &Look{kind: k, x: make([]float64, d), steps: steps}
			if err := s.look(l); err != nil || s.queries-before != k.queries(d) {
				t.Fatalf("%s: %d queries, error %v", k.name, s.queries-before, err)
			}
			q := l.measure(s, Theta{})
			q.m.Scale(s.unit, q.m)
			if !mat.EqualApprox(q.m, &want, 1e-9) {
				t.Fatalf("%s: %v, want %v", k.name, mat.Formatted(q.m), mat.Formatted(&want))
			}
		}
	})
}

// A long look along a frame that is off by E leaves nothing of first order in E: by hand for two
// components, f = cos y_1 + y_2³ with y_1 = x_1 + e x_2.
func TestLongLookByHand(t *testing.T) {
	const e = 1e-4
	s := sampled(t, 2, func(x []float64) float64 { return math.Cos(x[0]+e*x[1]) + x[1]*x[1]*x[1] })
	h, eps := []float64{0.5, 0.4}, []float64{1e-3, 1e-3}
	l := &Look{kind: long, x: []float64{0.3, 0.2}, steps: scaledRows(identity(2), h), h: h, eps: eps, ends: scaledRows(identity(2), eps)}
	if err := s.look(l); err != nil {
		t.Fatal(err)
	}
	not := newBelief(s).not
	q := equationOf(l.measure(s, Theta{}), l, along(identity(2)), not)
	// In the frame of the axes R = v_12 E_12, v_12 = h_2Δ_1 with Δ_1 = −sin 0.8 + sin 0.3.
	v := 0.4 * (math.Sin(0.3) - math.Sin(0.8)) / s.unit
	if math.Abs(q.v.At(0, 1)-v) > 1e-4*math.Abs(v) || math.Abs(q.r.At(0, 1)-v*e) > 1e-3*math.Abs(v*e) {
		t.Errorf("v = %v, want %v; R = %v, want %v", q.v.At(0, 1), v, q.r.At(0, 1), v*e)
	}
	truth := frameOf(mat.NewDense(2, 2, []float64{1, e, 0, 1}))
	if q := equationOf(l.measure(s, Theta{}), l, truth, not); math.Abs(q.r.At(0, 1)) > 1e-3*math.Abs(v*e) {
		t.Errorf("at the true frame R = %v", q.r.At(0, 1))
	}
}

func identity(n int) *mat.Dense {
	return each(n, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	})
}

// A system of equations for one pair is solved as by the normal equations.
func TestSolveIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const looks = 5
		var eq []equation
		var a sym2
		var b vec2
		for range looks {
			v, u := rapid.Float64Range(0.5, 2).Draw(t, "v"), rapid.Float64Range(-2, -0.5).Draw(t, "u")
			r, s := rapid.Float64Range(-1, 1).Draw(t, "R"), rapid.Float64Range(0.01, 0.1).Draw(t, "s")
			eq = append(eq, equation{
				r: mat.NewDense(2, 2, []float64{0, r, r, 0}), v: mat.NewDense(2, 2, []float64{v, v, u, u}),
				s2: mat.NewDense(2, 2, []float64{s * s, s * s, s * s, s * s}), vv: mat.NewDense(2, 2, nil),
			})
			pair := vec2{v, u}
			a, b = a.plus(pair.dyad(1/(s*s))), b.plus(pair.times(r/(s*s)))
		}
		out := system{eq: eq}.solve()
		want := a.inverse(1 / (prior * prior)).of(b)
		if off := pairOf(out.e, 0, 1).minus(want); math.Abs(off[0])+math.Abs(off[1]) > 1e-6*(1+math.Abs(want[0])+math.Abs(want[1])) {
			t.Fatalf("E = %v, want %v", pairOf(out.e, 0, 1), want)
		}
	})
}

// ripples is a sum of d functions along directions that are not orthogonal.
func ripples(d int) (func(x []float64) float64, *mat.Dense) {
	w := each(d, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0.4 * math.Sin(float64(1+3*i+5*j))
	})
	return func(x []float64) float64 {
		sum := 0.0
		for i := range d {
			y := 0.0
			for j, v := range w.RawRowView(i) {
				y += v * x[j]
			}
			sum += y*y + math.Cos(3*y+float64(i))
		}
		return sum
	}, w
}

// found reports whether every row of w is one of a frame, up to its length and an error.
func found(w, frame *mat.Dense, most float64) bool {
	n, _ := w.Dims()
	m, _ := frame.Dims()
	for i := range n {
		best := math.Inf(1)
		for j := range m {
			c := mat.Dot(w.RowView(i), frame.RowView(j)) / length(w.RawRowView(i)) / length(frame.RawRowView(j))
			best = min(best, math.Sqrt(max(0, 2-2*math.Abs(c))))
		}
		if best > most {
			return false
		}
	}
	return true
}

// The frame is found, within the bounds and in any units of f and x, and no wrong one where f fails
// at some points; nothing outside the bounds is asked.
func TestIdentify(t *testing.T) {
	d := flags.Usually(6, 4)
	f, w := ripples(d)
	for name, c := range map[string]struct {
		value, length float64
		fails, bound  bool
	}{
		"plain": {1, 1, false, false}, "bounds": {1, 1, false, true}, "failures": {1, 1, true, false}, "units": {1e12, 1e-5, false, true},
	} {
		box := objective.Cube(d, -c.length, c.length)
		bounds := unbounded(d)
		if c.bound {
			bounds = box
		}
		n := 0
		g := objective.Func(d, func(x []float64) float64 {
			y := make([]float64, d)
			for k := range x {
				if y[k] = x[k] / c.length; x[k] < bounds.Lo[k] || x[k] > bounds.Hi[k] {
					t.Fatalf("%s: %v is outside", name, x)
				}
			}
			if n++; c.fails && n%23 == 0 {
				return math.Inf(1)
			}
			return c.value * f(y)
		})
		r, err := Identify(t.Context(), g, trusting(Request{Box: box, Bounds: bounds, Grain: objective.Rounding, Seed: 2}))
		right := r.Verdict == Separable && found(w, r.W, 0.01)
		if c.fails { // a failed value says nothing, and spoils a few others: the frame may be left open
			right = r.Verdict != Separable || found(w, r.W, 0.01)
		}
		if err != nil || !right || r.Queries != n {
			t.Errorf("%s: %s after %d queries (%d), error %v", name, r.Verdict, r.Queries, n, err)
		}
	}
}

// A map is found with the frame, few components by gradients, and a product is neither a sum nor
// a sum under a map.
func TestIdentifyOddFunctions(t *testing.T) {
	const d = 6
	f, w := ripples(d)
	identify := func(f func(x []float64) float64, d int) *Result {
		r, err := Identify(t.Context(), query.NewMeter(objective.Func(d, f), 1<<20), trusting(Request{Box: objective.Cube(d, -1, 1), Bounds: unbounded(d), Grain: objective.Rounding, Seed: 1}))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := identify(func(x []float64) float64 { return math.Log(10 + f(x)) }, d); r.Verdict != Separable || r.Theta.Gamma >= 0 || !found(w, r.W, 0.01) {
		t.Errorf("logarithm: %s, θ = %v", r.Verdict, r.Theta)
	}
	few := func(x []float64) float64 { return math.Cos(3*x[0]-x[1]+x[7]) + math.Sin(2*x[2]+x[9]) }
	if r := identify(few, 16); r.Verdict != Separable || r.W.RawMatrix().Rows != 2 {
		t.Errorf("two components: %s, %d found", r.Verdict, r.W.RawMatrix().Rows)
	}
	product := func(x []float64) float64 {
		return math.Exp(x[0])*math.Cos(2*x[1]+x[2]) + x[2]*x[3]*x[4] + math.Sin(x[4]*x[5]) + x[0]*x[1]*x[2]
	}
	if r := identify(product, d); r.Verdict == Separable {
		t.Errorf("a product: %s", r.Verdict)
	}
}

// The same seed gives the same bits, and a search does not begin with too small a budget.
func TestSameBitsAndBudgets(t *testing.T) {
	const d = 6
	f, _ := ripples(d)
	request := trusting(Request{Box: objective.Cube(d, -1, 1), Bounds: unbounded(d), Grain: objective.Rounding, Seed: 5})
	var first *Result
	for range 2 {
		r, err := Identify(t.Context(), objective.Func(d, f), request)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && (!mat.Equal(first.W, r.W) || first.Queries != r.Queries) {
			t.Error("other bits")
		}
		first = r
	}
	request.Budget = 300
	if r, err := Identify(t.Context(), objective.Func(d, f), request); !errors.Is(err, ErrSmallBudget) || r.Queries > 300 {
		t.Errorf("%s after %d queries, error %v", r.Verdict, r.Queries, err)
	}
	request.Budget = 0
	for most := 30; most < 400; most += 30 { // wherever the queries end, scales are lengths
		r, err := Identify(t.Context(), query.NewMeter(objective.Func(d, f), most), request)
		for _, l := range r.Scale {
			if !(l > 0 && l < math.Inf(1)) {
				t.Errorf("%d queries: a scale of %v, error %v", most, l, err)
			}
		}
	}
}

// Nothing outside the bounds is asked, whatever they are and however the box touches them.
func TestBoundsAreKept(t *testing.T) {
	budget := flags.Usually(0, 1000)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, flags.Usually(5, 3)).Draw(t, "d")
		box := objective.Cube(d, 0, 0)
		for k := range d {
			box.Lo[k] = rapid.Float64Range(-10, 10).Draw(t, "lo")
			box.Hi[k] = box.Lo[k] + rapid.Float64Range(0.1, 20).Draw(t, "width")
		}
		f, _ := ripples(d)
		g := objective.Func(d, func(x []float64) float64 {
			for k, v := range x {
				if v < box.Lo[k] || v > box.Hi[k] {
					t.Fatalf("coordinate %d: %v is outside %v to %v", k, v, box.Lo[k], box.Hi[k])
				}
			}
			return f(x)
		})
		_, _ = Identify(context.Background(), g, trusting(Request{Box: box, Bounds: box, Grain: objective.Rounding, Budget: budget, Seed: rapid.Uint64().Draw(t, "seed")}))
	})
}

// A point that is lower and not downhill is behind a hill, unless it is as near as a look.
func TestKnownValuesSpeakAgainstOneMinimum(t *testing.T) {
	at := Sight{X: []float64{1, 0}, Value: 5, Slopes: []float64{2, 0}}
	for _, c := range []struct {
		x, y, f float64
		want    bool
	}{{0, 7, 4, true}, {2, 0, 4, false}, {2, 0, 6, true}, {1.0001, 0, 4, true}} {
		s := &sampler{centre: make([]float64, 2), half: []float64{1, 1}, seen: []float64{c.x, c.y}, values: []float64{c.f}}
		if got := (Next{search: &search{belief: &belief{s: s}}}).Alone(at); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
