package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// The eigenvalues of a 2×2 matrix are those that a library finds, and make the matrix again.
func TestAxesOfAGram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) float64 { return rapid.Float64Range(-5, 5).Draw(t, name) }
		g := gramOf(draw("v"), draw("w")).plus(gramOf(draw("x"), draw("y"))).scaled(2)
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(2, []float64{g.a, g.b, g.b, g.c}), false) {
			t.Fatal("no eigenvalues")
		}
		x, want := g.axes(), eigen.Values(nil)
		if math.Abs(x.first-want[1]) > 1e-9 || math.Abs(x.second-want[0]) > 1e-9 {
			t.Fatalf("%+v of %+v, want %v", x, g, want)
		}
		v, w := draw("p"), draw("q")
		if got, want := x.of(v, w), g.a*v*v+2*g.b*v*w+g.c*w*w; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("%v, want %v", got, want)
		}
		if got, want := x.dot(g), g.a*g.a+2*g.b*g.b+g.c*g.c; math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("trace %v, want %v", got, want)
		}
		p, q := x.along(v, w)
		if a, b := x.back(p, q); math.Abs(a-v)+math.Abs(b-w) > 1e-12 {
			t.Fatalf("(%v, %v) became (%v, %v)", v, w, a, b)
		}
	})
}

// believing returns the belief of two components of curvatures 3 and 12.
func believing() *belief {
	return &belief{
		unit: []float64{3, 12}, scale: []float64{1, 1}, pairs: [][2]int{{0, 1}},
		info: make([]gram, 1), spurious: make([]float64, 1), last: make([]gram, 1),
	}
}

// Error propagation against Monte Carlo: every pair of components has errors E′ and, in two
// rounds, equations with errors of standard deviation 1. What is left of E′ scatters as the
// belief says, and surprises are 1.
func TestErrorsOfABelief(t *testing.T) {
	const m, tries = 12, 60
	r := rng.Seed(1).Stream("test")
	c := &candidate{curvature: make([]float64, m), h: make([]float64, m), blocks: certify.Singles(m)}
	for i := range m {
		c.curvature[i] = 1 + float64(i)
	}
	rounds := [][][2]float64{{{30, 10}, {10, 80}}, {{200, -50}, {20, 300}, {110, 100}}}
	var left [2]gram
	var covariance [2]axes
	var surprise [2]float64
	n := 0.0
	for range tries {
		b := newBelief(c)
		e := make([][2]float64, len(b.pairs))
		for k := range e {
			e[k] = [2]float64{0.05 * r.NormFloat64(), 0.05 * r.NormFloat64()}
		}
		n += float64(len(e))
		for round, rows := range rounds {
			errors := mat.NewDense(len(e), len(rows), nil)
			r.Norm(errors.RawMatrix().Data)
			got := b.learn(func(k int, _ *mat.Dense) []equation {
				var all []equation
				for i, q := range rows {
					all = append(all, equation{v: q[0], w: q[1], m: q[0]*e[k][0] + q[1]*e[k][1] + errors.At(k, i)})
				}
				return all
			})
			for k, p := range b.pairs {
				e[k][0] -= got.At(p[0], p[1]) / b.ratio(k)
				e[k][1] -= got.At(p[1], p[0]) * b.ratio(k)
				left[round] = left[round].plus(gramOf(e[k][0], e[k][1]))
			}
			covariance[round] = b.covariance(0)
			surprise[round] += b.surprise[0] / tries
		}
	}
	for round := range rounds {
		got := left[round].scaled(1 / n).axes()
		for _, v := range [][2]float64{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
			if got, want := got.of(v[0], v[1]), covariance[round].of(v[0], v[1]); math.Abs(got/want-1) > 0.3 {
				t.Errorf("round %d: variance along %v is %v, believed %v", round, v, got, want)
			}
		}
	}
	if math.Abs(surprise[1]-1) > 0.15 { // the first is less: E′ was smaller than the prior
		t.Errorf("surprise %v", surprise)
	}
}

// Of a pair whose curvatures are in the same proportion everywhere one combination is known,
// though errors of the coefficients make the equations differ: the frame does not move in the
// other.
func TestSpuriousInformation(t *testing.T) {
	r := rng.Seed(2).Stream("test")
	b := believing()
	for range 10 {
		var all []equation
		for range 3 {
			all = append(all, equation{v: 100 + r.NormFloat64(), w: 100 + r.NormFloat64(), m: r.NormFloat64(), vv: 1, ww: 1})
		}
		e := b.learn(func(int, *mat.Dense) []equation { return all })
		if x, y := e.At(0, 1)/b.ratio(0), e.At(1, 0)*b.ratio(0); math.Abs(x-y) > 1e-3 || math.Abs(x+y) > 0.1 {
			t.Fatalf("E′ moves by (%v, %v)", x, y)
		}
	}
	if cov := b.covariance(0); cov.of(1, -1) < square(prior) || cov.of(1, 1) > 1e-3 {
		t.Errorf("%+v", cov)
	}
}

// Noise in the entries of a Hessian, and in the frame's coordinates, has the variance that the
// formulas say.
func TestNoiseOfHessians(t *testing.T) {
	const d, sigma, step, tries = 4, 0.5, 0.3, 3000
	r := rng.Seed(3).Stream("test")
	f := objective.Func(d, func([]float64) float64 { return sigma * r.NormFloat64() })
	a := mat.NewDense(d, d, nil)
	r.Norm(a.RawMatrix().Data)
	var aa mat.Dense
	aa.Mul(a.T(), a)
	var entry, turned float64
	for range tries {
		e, err := spreadOut.At(t.Context(), f, make([]float64, d), nil, step)
		if err != nil {
			t.Fatal(err)
		}
		var h mat.Dense
		h.Product(a.T(), e.Hessian, a)
		entry += square(e.Hessian.At(0, 1)) / tries
		turned += square(h.At(0, 1)) / tries
	}
	s := entryNoise(&ground{grain: objective.Grain{Absolute: sigma}}, hessian.Chain{Step: step, Values: []float64{0}})[0]
	if math.Abs(math.Sqrt(entry)/s-1) > 0.1 {
		t.Errorf("an entry has %v, want %v", math.Sqrt(entry), s)
	}
	if want := s * math.Sqrt(aa.At(0, 0)*aa.At(1, 1)+square(aa.At(0, 1))); math.Abs(math.Sqrt(turned)/want-1) > 0.15 {
		t.Errorf("in other coordinates %v, want %v", math.Sqrt(turned), want)
	}
}

// waves is a sum of waves along the rows of w.
func waves(w *mat.Dense) func(x []float64) float64 {
	return func(x []float64) float64 {
		y := make([]float64, w.RawMatrix().Rows)
		kernel.MulVec(y, w.RawMatrix(), x)
		sum := 0.0
		for i, v := range y {
			sum += math.Cos(float64(5+i%3)*v+float64(i)) + v*v
		}
		return sum
	}
}

// grounded is the ground of f with noise of standard deviation sigma.
func grounded(t *testing.T, d int, f func(x []float64) float64, sigma float64, seed uint64) *ground {
	t.Helper()
	noise := rng.Seed(seed).Stream("noise")
	noisy := objective.Func(d, func(x []float64) float64 { return f(x) + sigma*noise.NormFloat64() })
	r := Request{Seed: seed, Grain: objective.Grain{Absolute: sigma, Kind: objective.RandomNoise}}
	if err := r.complete(d); err != nil {
		t.Fatal(err)
	}
	return newGround(t.Context(), noisy, r)
}

// Designs in a frame that is wrong by E find E, to the error that they believe to have: against
// Monte Carlo over errors and noise.
func TestDesignsFindTheError(t *testing.T) {
	const d, sigma, size, tries = 4, 1e-4, 1e-3, 20
	sum, n := 0.0, 0.0
	for seed := range uint64(tries) {
		r := rng.Seed(seed).Stream("test")
		truth := mat.NewDense(d, d, nil)
		r.Norm(truth.RawMatrix().Data)
		kernel.Orthonormalise(truth.RawMatrix())
		e := mat.NewDense(d, d, nil) // truth = (I+E)W̃
		r.Norm(e.RawMatrix().Data)
		e.Scale(size, e)
		for i := range d {
			e.Set(i, i, 1)
		}
		var rows mat.Dense
		if err := rows.Solve(e, truth); err != nil {
			t.Fatal(err)
		}
		w, err := frame.New(&rows)
		if err != nil {
			t.Fatal(err)
		}
		g := grounded(t, d, waves(truth), sigma, seed)
		c, err := noisySteps(g, newCandidate(g, w, certify.Singles(d)), looks)
		if err != nil {
			t.Fatal(err)
		}
		b := newBelief(c)
		got, err := refiner{g: g, b: b, tolerance: 1e-7}.ask(c, c.h)
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range b.pairs {
			cov, ratio := b.covariance(k), b.ratio(k)
			for side, v := range [2][2]float64{{1, 0}, {0, 1}} {
				i, j := p[side], p[1-side]
				scale := [2]float64{ratio, 1 / ratio}[side]
				sum += square((got.At(i, j)-e.At(i, j))/scale) / cov.of(v[0], v[1])
				n++
			}
		}
	}
	if z := sum / n; !(z > 0.4 && z < 2) {
		t.Errorf("the mean square of errors is %v of what is believed", z)
	}
}

// The mixed differences that a belief expects over the box are those that a frame with such
// errors makes, to a factor of two.
func TestMixedDifferencesOfABelief(t *testing.T) {
	const d, size = 5, 3e-3
	r := rng.Seed(5).Stream("test")
	truth := mat.NewDense(d, d, nil)
	r.Norm(truth.RawMatrix().Data)
	kernel.Orthonormalise(truth.RawMatrix())
	f := waves(truth)
	g := grounded(t, d, f, 1e-9, 5)
	w, err := frame.New(truth)
	if err != nil {
		t.Fatal(err)
	}
	c, err := noisySteps(g, newCandidate(g, w, certify.Singles(d)), looks)
	if err != nil {
		t.Fatal(err)
	}
	b := newBelief(c)
	for k := range b.info {
		b.info[k] = gram{1 / square(size), 0, 1 / square(size)}
	}
	want, err := refiner{g: g, b: b, tolerance: 1e-7}.mixed(c)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for range 300 {
		e := kernel.Identity(d)
		for k, p := range b.pairs {
			e.Set(p[0], p[1], size*r.NormFloat64()*b.ratio(k))
			e.Set(p[1], p[0], size*r.NormFloat64()/b.ratio(k))
		}
		var rows, u mat.Dense
		if err := rows.Solve(e, truth); err != nil {
			t.Fatal(err)
		}
		if err := u.Inverse(&rows); err != nil {
			t.Fatal(err)
		}
		x, z := g.anywhere(), g.anywhere()
		way := make([]float64, d)
		copy(way, z)
		kernel.AddScaled(way, -1, x)
		h := make([]float64, d)
		kernel.MulVec(h, rows.RawMatrix(), way)
		at := func(a, b bool) float64 {
			y := append([]float64(nil), x...)
			for j := range d {
				if j%2 == 0 && a || j%2 == 1 && b {
					for k := range y {
						y[k] += h[j] * u.At(k, j)
					}
				}
			}
			return f(y)
		}
		sum += square(at(true, true) - at(true, false) - at(false, true) + at(false, false))
		n++
	}
	// Six of the ten pairs are on different sides, not every other one.
	if got := math.Sqrt(sum / n * (5. / 6)); !(got > want/2 && got < 2*want) {
		t.Errorf("mixed differences of %v, expected %v", got, want)
	}
}

// Steps are numbers where noise hides all curvature of a component: then its curvature is taken
// to be next to none, and what is known of pairs must not overflow.
func TestStepsWhereAComponentIsFlat(t *testing.T) {
	const d = 3
	for seed := range uint64(5) {
		g := grounded(t, d, func(x []float64) float64 { return x[0]*x[0] + math.Cos(3*x[1]) }, 1e-6, seed)
		w, err := frame.New(kernel.Identity(d))
		if err != nil {
			t.Fatal(err)
		}
		c, err := noisySteps(g, newCandidate(g, w, certify.Singles(d)), looks)
		if err != nil {
			t.Fatal(err)
		}
		r := refiner{g: g, b: newBelief(c), tolerance: 1e-7}
		for range 3 {
			if _, err := r.ask(c, c.h); err != nil {
				t.Fatal(err)
			}
			if h := r.steps(c, c.spread); floats.HasNaN(h) {
				t.Fatalf("seed %d: steps %v of components with curvatures %v", seed, h, c.curvature)
			}
		}
	}
}
