package descent

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// naiveBFGS is the formula, written with matrices.
func naiveBFGS(pairs []Pair) *mat.Dense {
	d, last := len(pairs[0].S), pairs[len(pairs)-1]
	b := mat.NewDense(d, d, nil)
	for i := range d {
		b.Set(i, i, float64(d)/float64(d+len(pairs))*last.sy/last.ss)
	}
	for _, p := range pairs {
		s, y := mat.NewVecDense(d, p.S), mat.NewVecDense(d, p.Y)
		var bs mat.VecDense
		bs.MulVec(b, s)
		var less, more mat.Dense
		less.Outer(1/mat.Dot(s, &bs), &bs, &bs)
		more.Outer(1/mat.Dot(s, y), y, y)
		b.Sub(b, &less)
		b.Add(b, &more)
	}
	return b
}

// B is the formula, and maps the last step to the difference of its slopes; a step is −B⁻¹g.
func TestCurvature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		number := rapid.Float64Range(-1, 1)
		vector := func(name string) []float64 {
			v := make([]float64, d)
			for i := range v {
				v[i] = number.Draw(t, name)
			}
			return v
		}
		b := newBowl(d, 10, uint64(d))
		s := &search{Config: Config{Bounds: free(d)}, x: make([]float64, d), g: make([]float64, d)}
		for range rapid.IntRange(1, 8).Draw(t, "pairs") {
			s.from = vector("from")
			slope := mat.NewVecDense(d, nil)
			step := make([]float64, d)
			for i := range step {
				step[i] = -s.from[i]
			}
			slope.MulVec(b.h, mat.NewVecDense(d, step))
			s.learn(slope.RawVector().Data)
		}
		if len(s.pairs) == 0 {
			return
		}
		s.g = vector("slope")
		p := s.newton()
		want := naiveBFGS(s.pairs)
		if diff := mat.Norm(sub(s.b, want), 2); diff > 1e-9*mat.Norm(want, 2) {
			t.Fatalf("B differs by %g from the formula", diff)
		}
		last := s.pairs[len(s.pairs)-1]
		var y mat.VecDense
		y.MulVec(s.b, mat.NewVecDense(d, last.S))
		y.SubVec(&y, mat.NewVecDense(d, last.Y))
		if mat.Norm(&y, 2) > 1e-9*mat.Norm(want, 2) {
			t.Fatalf("the last step is mapped %g beside the difference of its slopes", mat.Norm(&y, 2))
		}
		var bp mat.VecDense
		bp.MulVec(s.b, mat.NewVecDense(d, p))
		scale := 0.0 // p may be a part of −B⁻¹g
		for i := range s.g {
			scale = max(scale, math.Abs(bp.AtVec(i)))
		}
		for i := range s.g {
			for j := range s.g {
				if math.Abs(bp.AtVec(i)*s.g[j]-bp.AtVec(j)*s.g[i]) > 1e-8*scale {
					t.Fatalf("Bp = %v, g = %v", bp.RawVector().Data, s.g)
				}
			}
		}
	})
}

func sub(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// σ is right to a factor of three in 45 of 50 seeds, from 1e-2 to 1e-9; a smooth function has none.
func TestExactness(t *testing.T) {
	const d = 5
	b := newBowl(d, 1e4, 1)
	for _, sigma := range []float64{0, 1e-9, 1e-5, 1e-2} {
		right := 0
		for seed := range uint64(50) {
			random := rng.Seed(seed).Stream("noise")
			f := objective.Func(d, func(x []float64) float64 { return 3 + b.at(x) + sigma*random.NormFloat64() })
			x := somewhere(d, seed)
			v := 3 + b.at(x) + sigma*random.NormFloat64()
			g, err := Exactness(ctx, f, x, v, free(d), random)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Absolute; sigma == 0 && g.Kind == objective.NoNoise || got > sigma/3 && got < 3*sigma {
				right++
			}
		}
		if right < 45 {
			t.Errorf("σ = %g: right in %d of 50", sigma, right)
		}
	}
}

// Where f fails values have no neighbours: those of a line are no noise.
func TestExactnessPastFailures(t *testing.T) {
	inf := math.Inf(1)
	for _, values := range [][]float64{{1, 2, inf, 4, 5, 6, 7}, {inf, 2, 3, inf, 5, 6, 7}, {1, inf, 3, inf, 5, inf, 7}} {
		if sigma, size := noise(values); sigma != 0 || size != 7 {
			t.Errorf("%v: noise of %g, size %g", values, sigma, size)
		}
	}
	if sigma, _ := noise([]float64{1, 2, 1, inf, 1, 2, 1}); !(sigma > 0.5 && sigma < 1.5) {
		t.Errorf("noise of %g, values are 1 and 2", sigma)
	}
}

func TestSum(t *testing.T) {
	random := rng.Seed(1).Stream("sum")
	for name, c := range map[string]struct {
		f   func(x []float64) float64
		sum bool
	}{
		"sum": {func(x []float64) float64 { return x[0]*x[0] + math.Exp(x[1]) + math.Cos(9*x[2]) + math.Abs(x[3]) }, true},
		"coupled": {func(x []float64) float64 {
			return x[0]*x[0] + math.Exp(x[1]) + math.Cos(9*x[2]) + math.Abs(x[3]) + 0.01*x[0]*x[1]
		}, false},
		"product": {func(x []float64) float64 { return x[0] * x[1] * x[2] * x[3] }, false},
		"same":    {func([]float64) float64 { return 1 }, false},
		"failing": {func([]float64) float64 { return math.Inf(1) }, false},
	} {
		x, y := somewhere(4, 1), somewhere(4, 2)
		sum, _, err := Sum(ctx, objective.Func(4, c.f), x, c.f(x), y, c.f(y), 8, random)
		if err != nil || sum != c.sum {
			t.Errorf("%s: %v, error %v", name, sum, err)
		}
	}
}

// naiveLine is the least value on a grid of a hundred thousand points.
func naiveLine(f func(float64) float64) float64 {
	least := math.Inf(1)
	for k := range 100_001 {
		least = min(least, f(-1+2*float64(k)/100_000))
	}
	return least
}

// Lines find what a fine grid finds, along ten axes with twenty wells each, within 120 rounds of 11 queries.
func TestAxes(t *testing.T) {
	const d = 10
	for seed := range uint64(5) {
		random := rng.Seed(seed).Stream("wells")
		var parts [d]func(float64) float64
		want := 0.0
		for i := range parts {
			at, turn, scale := 1.6*random.Float64()-0.8, 6*random.Float64(), 1+random.Float64()
			parts[i] = func(v float64) float64 {
				return scale*math.Pow(5*(v-at), 2) + 10*(1-math.Cos(10*math.Pi*(v-at))) + math.Sin(3*v+turn)
			}
			want += naiveLine(parts[i])
		}
		n := 0
		f := objective.Func(d, func(x []float64) float64 {
			n++
			sum := 0.0
			for i, v := range x {
				sum += parts[i](v)
			}
			return sum
		})
		x := make([]float64, d)
		v := []float64{0}
		if err := f.Evaluate(ctx, mat.NewDense(1, d, x), v); err != nil {
			t.Fatal(err)
		}
		a := NewAxes(f, x, v[0], objective.Cube(d, -1, 1))
		for a.rounds < 60 { // the next Search goes on for as many
			if err := a.Search(ctx, objective.Cube(d, -1, 1)); err != nil {
				t.Fatal(err)
			}
		}
		best := a.Best()
		if err := f.Evaluate(ctx, mat.NewDense(1, d, slices.Clone(best)), v); err != nil || v[0]-want > 1e-7 {
			t.Errorf("seed %d: %v, a grid finds %v, error %v", seed, v[0], want, err)
		}
		if want := 2 + gridSize*d + a.rounds*(d+1); n != want || a.rounds > 120 {
			t.Errorf("%d queries in %d rounds, not %d", n, a.rounds, want)
		}
	}
}

// naiveLeastInBox tries all faces of the box: on each, the free coordinates are where the
// slope along them vanishes.
func naiveLeastInBox(q parabola, box objective.Box) float64 {
	d := len(q.g)
	least := math.Inf(1)
	s := make([]float64, d)
	for face := range int(math.Pow(3, float64(d))) {
		var free []int
		for k, rest := 0, face; k < d; k, rest = k+1, rest/3 {
			s[k] = []float64{box.Lo[k], box.Hi[k], 0}[rest%3]
			if rest%3 == 2 {
				free = append(free, k)
			}
		}
		if n := len(free); n > 0 {
			slope, _ := q.at(s)
			a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
			for i, k := range free {
				b.SetVec(i, -slope[k])
				for j, l := range free {
					a.Set(i, j, q.b.At(k, l))
				}
			}
			var x mat.VecDense
			if x.SolveVec(a, b) != nil {
				continue
			}
			for i, k := range free {
				s[k] = x.AtVec(i)
			}
		}
		if box.Contains(s) {
			_, v := q.at(s)
			least = min(least, v)
		}
	}
	return least
}

// A parabola that has a minimum is least in a box where one of the faces has its minimum.
func TestLeastInBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "d")
		root := mat.NewDense(d, d, nil)
		h, box := mat.NewSymDense(d, nil), objective.Cube(d, 0, 0)
		q := parabola{g: make([]float64, d), lo: box.Lo, hi: box.Hi}
		for k := range d {
			for i := range d {
				root.Set(k, i, rapid.Float64Range(-1, 1).Draw(t, "root"))
			}
			root.Set(k, k, root.At(k, k)+0.1)
			q.g[k] = rapid.Float64Range(-3, 3).Draw(t, "g")
			box.Lo[k], box.Hi[k] = -rapid.Float64Range(0, 2).Draw(t, "lo"), rapid.Float64Range(0, 2).Draw(t, "hi")
		}
		h.SymOuterK(1, root)
		for k := range d {
			h.SetSym(k, k, h.At(k, k)+1e-3)
		}
		q.b = mat.DenseCopyOf(h)
		s, ok := q.least()
		if !ok || !box.Contains(s) {
			t.Fatalf("%v is outside %v", s, box)
		}
		_, got := q.at(s)
		want := naiveLeastInBox(q, box)
		if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Fatalf("%v at %v, naive %v", got, s, want)
		}
	})
}

// With pairs that say what the Hessian does a quadratic takes two steps, the second because of rounding, and what slopes that were not exact have taught
// is forgotten, but not what was told.
func TestPairsThatAreTold(t *testing.T) {
	b := newBowl(6, 1e4, 1)
	var pairs []Pair
	var eigen mat.EigenSym
	eigen.Factorize(kernel.Symmetrised(mat.DenseCopyOf(b.h), 1), true)
	var q mat.Dense
	eigen.VectorsTo(&q)
	for k, lambda := range eigen.Values(nil) {
		p := Pair{S: mat.Col(nil, k, &q), Y: mat.Col(nil, k, &q)}
		for i := range p.Y {
			p.Y[i] *= lambda
		}
		pairs = append(pairs, p)
	}
	asked := func(pairs []Pair) int {
		n, done := 0, 0
		_, err := Minimize(ctx, objective.Func(6, func(x []float64) float64 {
			v := b.at(x)
			if n++; v < 1e-12 && done == 0 {
				done = n
			}
			return v
		}), Config{Start: somewhere(6, 1), Value: math.NaN(), Bounds: free(6), Random: rng.Seed(1).Stream("exactness"), Pairs: pairs})
		if err != nil || done == 0 {
			t.Errorf("the minimum was not found, error %v", err)
		}
		return done
	}
	if told, not := asked(pairs), asked(nil); told > 1+2*(6+2) || not < 2*told {
		t.Errorf("%d queries with pairs, %d without", told, not)
	}
	s := &search{Config: Config{Pairs: pairs, Bounds: free(6)}, x: make([]float64, 6), g: make([]float64, 6)}
	s.know(pairs...)
	if !mat.EqualApprox(s.b, b.h, 1e-8) {
		t.Errorf("B = %v, the Hessian is %v", mat.Formatted(s.b), mat.Formatted(b.h))
	}
}
