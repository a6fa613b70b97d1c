package cmaes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

var (
	ctx = context.Background()
)

func sphere(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum
}

func ellipsoid(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += math.Pow(10, 6*float64(i)/float64(len(x)-1)) * v * v
	}
	return sum
}

func rosenbrock(x []float64) float64 {
	sum := 0.0
	for i := range len(x) - 1 {
		sum += 100*math.Pow(x[i]*x[i]-x[i+1], 2) + math.Pow(1-x[i], 2)
	}
	return sum
}

// The formulas of the tutorial's appendix A.
func TestParameters(t *testing.T) {
	if got := []int{DefaultPopulation(1), DefaultPopulation(10), DefaultPopulation(40), DefaultPopulation(100)}; !slices.Equal(got, []int{4, 10, 15, 17}) {
		t.Errorf("default populations %v", got)
	}
	for _, n := range []int{1, 2, 10, 100} {
		for _, lambda := range []int{2, 3, 4, 10, 17, 200} {
			p := NewParameters(n, lambda)
			var positive, squares, negative float64
			for i, w := range p.Weights {
				if i > 0 && w > p.Weights[i-1] {
					t.Errorf("n = %d, λ = %d: weights grow: %v", n, lambda, p.Weights)
				}
				if i < p.Mu {
					positive += w
					squares += w * w
				} else {
					negative += w
				}
			}
			d, mu := float64(n), p.MuEff
			for name, pair := range map[string][2]float64{
				"Σ w of the parents": {positive, 1},
				"μ_eff":              {mu, 1 / squares},
				"c_σ":                {p.CSigma, (mu + 2) / (d + mu + 5)},
				"c_c":                {p.Cc, (4 + mu/d) / (d + 4 + 2*mu/d)},
				"c_1":                {p.C1, 2 / (math.Pow(d+1.3, 2) + mu)},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) {
					t.Errorf("n = %d, λ = %d: %s = %v, want %v", n, lambda, name, pair[0], pair[1])
				}
			}
			if !(p.C1 > 0 && p.CMu > 0 && p.C1+p.CMu <= 1 && negative <= 0 && p.DSigma >= 1) {
				t.Errorf("n = %d, λ = %d: %+v", n, lambda, p)
			}
			// (53): c_μ times all negative weights leaves C positive definite.
			if decay := 1 - p.C1 - p.CMu*(1+negative); decay+p.CMu*d*negative < -1e-12 {
				t.Errorf("n = %d, λ = %d: negative weights may take more than there is: %v", n, lambda, decay+p.CMu*d*negative)
			}
		}
	}
}

// naive is the tutorial's algorithm with dense matrices and an explicit C^-½.
type naive struct {
	p      Parameters
	m      *mat.VecDense
	ps, pc *mat.VecDense
	c      *mat.SymDense
	sigma  float64
	gen    int
}

func (a *naive) root(power float64) *mat.Dense {
	var eigen mat.EigenSym
	eigen.Factorize(a.c, true)
	var b, bd, out mat.Dense
	eigen.VectorsTo(&b)
	bd.CloneFrom(&b)
	for j, v := range eigen.Values(nil) {
		for i := range a.p.N {
			bd.Set(i, j, b.At(i, j)*math.Pow(v, power))
		}
	}
	out.Mul(&bd, b.T())
	return &out
}

// step takes the z of a generation and returns its points.
func (a *naive) step(z [][]float64, f func([]float64) float64) [][]float64 {
	a.gen++
	n := a.p.N
	half, inverse := a.root(0.5), a.root(-0.5)
	var points [][]float64
	var ys []*mat.VecDense
	order := make([]int, len(z))
	for i := range z {
		y := mat.NewVecDense(n, nil)
		y.MulVec(half, mat.NewVecDense(n, z[i]))
		x := mat.NewVecDense(n, nil)
		x.AddScaledVec(a.m, a.sigma, y)
		ys, points = append(ys, y), append(points, x.RawVector().Data)
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if f(points[i]) < f(points[j]) {
			return -1
		}
		return 1
	})
	mean := mat.NewVecDense(n, nil)
	for rank := range a.p.Mu {
		mean.AddScaledVec(mean, a.p.Weights[rank], ys[order[rank]])
	}
	a.m.AddScaledVec(a.m, a.sigma, mean)
	white := mat.NewVecDense(n, nil)
	white.MulVec(inverse, mean)
	a.ps.ScaleVec(1-a.p.CSigma, a.ps)
	a.ps.AddScaledVec(a.ps, math.Sqrt(a.p.CSigma*(2-a.p.CSigma)*a.p.MuEff), white)
	length := mat.Norm(a.ps, 2)
	h := 0.0
	if length/math.Sqrt(1-math.Pow(1-a.p.CSigma, 2*float64(a.gen))) < math.Sqrt((2+4/float64(n+1))*float64(n)) {
		h = 1
	}
	a.pc.ScaleVec(1-a.p.Cc, a.pc)
	a.pc.AddScaledVec(a.pc, h*math.Sqrt(a.p.Cc*(2-a.p.Cc)*a.p.MuEff), mean)
	sum := 0.0
	for _, w := range a.p.Weights {
		sum += w
	}
	var next mat.SymDense
	next.ScaleSym(1+a.p.C1*(1-h)*a.p.Cc*(2-a.p.Cc)-a.p.C1-a.p.CMu*sum, a.c)
	next.SymRankOne(&next, a.p.C1, a.pc)
	for rank, i := range order {
		w := a.p.Weights[rank]
		if w < 0 {
			whitened := mat.NewVecDense(n, nil)
			whitened.MulVec(inverse, ys[i])
			w *= float64(n) / mat.Dot(whitened, whitened)
		}
		next.SymRankOne(&next, a.p.CMu*w, ys[i])
	}
	a.c = &next
	a.sigma *= math.Exp(min(1, a.p.CSigma/a.p.DSigma*(length/a.p.ChiN-1)))
	return points
}

// Run with the symmetric root is the tutorial's algorithm. Given the same z, the naive
// version asks for the same points over 60 generations.
func TestRunIsTheTutorials(t *testing.T) {
	const n = 5
	mean := []float64{3, 1, -2, 0.5, 1}
	a := &naive{
		p: NewParameters(n, 8), sigma: 0.7, m: mat.NewVecDense(n, slices.Clone(mean)),
		ps: mat.NewVecDense(n, nil), pc: mat.NewVecDense(n, nil), c: mat.NewSymDense(n, nil),
	}
	for i := range n {
		a.c.SetSym(i, i, 1)
	}
	worst := 0.0
	_, err := Run(ctx, objective.Func(n, rosenbrock), Config{
		Mean: mean, Sigma: 0.7, Population: 8, Covariance: Root{}, Stop: Stop{Queries: 8 * 60},
		Observe: func(s State) {
			want := a.step(s.Coordinates, rosenbrock)
			for i, x := range s.Points {
				for k := range x {
					worst = max(worst, math.Abs(x[k]-want[i][k]))
				}
			}
			worst = max(worst, math.Abs(s.Sigma/a.sigma-1))
		},
	})
	if err != nil || worst > 1e-7 {
		t.Errorf("they part by %g, error %v", worst, err)
	}
}

// queriesTo returns the number of the query that first reaches target, or the largest int
// if none does.
func queriesTo(t testing.TB, f objective.Objective, target float64, cfg Config, most int) int {
	t.Helper()
	record := query.NewRecord(query.NewMeter(f, most), query.Rules{Target: &target}, nil)
	if _, err := Run(ctx, record, cfg); err != nil {
		t.Fatal(err)
	}
	if record.TargetAt() == 0 {
		return math.MaxInt
	}
	return record.TargetAt()
}

// As few queries as pycma 4.4. The median number of queries to 1e-10 from (3, …, 3) with
// σ₀ = 1 is within 10 % of pycma's, over 25 seeds at d = 10 (9 where tests are quick) and, with -whole, 9 at d = 40.
func TestAsFewQueriesAsPycma(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func([]float64) float64
		pycma map[int]int
	}{
		{"sphere", sphere, map[int]int{10: 1780, 40: 6225}},
		{"ellipsoid", ellipsoid, map[int]int{10: 4320, 40: 49545}},
		{"rosenbrock", rosenbrock, map[int]int{10: 5770, 40: 64410}},
	} {
		for d, seeds := range map[int]int{10: flags.Usually(25, 9), 40: 9} {
			if d == 40 && !*flags.Whole {
				continue
			}
			var queries []int
			for seed := range seeds {
				mean := make([]float64, d)
				for i := range mean {
					mean[i] = 3
				}
				queries = append(queries, queriesTo(t, objective.Func(d, c.f), 1e-10,
					Config{Mean: mean, Sigma: 1, Normal: rng.Seed(seed).Stream("test").Norm}, 1_000_000))
			}
			slices.Sort(queries)
			ratio := float64(queries[seeds/2]) / float64(c.pycma[d])
			t.Logf("%s, d = %d: median %d, %.3f of pycma's", c.name, d, queries[seeds/2], ratio)
			if ratio > 1.1 {
				t.Errorf("%s, d = %d: median %d, pycma's is %d", c.name, d, queries[seeds/2], c.pycma[d])
			}
		}
	}
}

// The paper's W at d = 100, from a random point of the domain, σ₀ = 3.07, to a
// gap of 0.005. pycma takes 17,000 to 25,600 queries for different powers (median
// 21,700) and 51,000 to 92,000 for the squared norm (median 54,000), on five other
// matrices. Over 15 seeds (-whole) our median is within 10 % of pycma's. Without -whole
// one seed of different powers is within 30 %.
func TestAsFewQueriesAsPycmaWithThePapersW(t *testing.T) {
	seeds, slack := uint64(1), 1.3
	if *flags.Whole {
		seeds, slack = 15, 1.1
	}
	problems := map[string]int{"different-powers": 21_700, "squared-norm": 54_000}
	if !*flags.Whole {
		delete(problems, "squared-norm")
	}
	for name, pycma := range problems {
		var queries []int
		for seed := range seeds {
			p, err := problem.New(problem.Spec{Name: name, Dim: 100, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			mean, stream := make([]float64, 100), rng.Seed(seed).Stream("test")
			p.Domain().Draw(mean, stream)
			queries = append(queries, queriesTo(t, p, p.Minimum()+0.005, Config{Mean: mean, Sigma: 3.07, Normal: stream.Norm}, 1_000_000))
		}
		slices.Sort(queries)
		t.Logf("%s: %v", name, queries)
		if median := queries[seeds/2]; float64(median) > slack*float64(pycma) {
			t.Errorf("%s: median %d, pycma's is %d", name, median, pycma)
		}
	}
}

// BIPOP solves rotated Rastrigin at d = 10 to 1e-8 within a million queries, at no fewer
// than 20 of 25 seeds (4 of 5 without -whole).
func TestBIPOPOnRotatedRastrigin(t *testing.T) {
	seeds, want := uint64(5), 4
	if *flags.Whole {
		seeds, want = 25, 20
	}
	solved, most := 0, 0
	for seed := range seeds {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 10, Mix: "orthogonal", Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		record := query.NewRecord(query.NewMeter(p, 1_000_000), query.Rules{Target: new(p.Minimum() + 1e-8)}, nil)
		if _, err := (Series{Run: Config{Sigma: 3.07}, Box: p.Domain(), Seed: seed}).Minimize(ctx, record); err != nil {
			t.Fatal(err)
		}
		if record.TargetAt() > 0 {
			solved++
			most = max(most, record.TargetAt())
		}
	}
	t.Logf("solved %d of %d, in at most %d queries", solved, seeds, most)
	if solved < want {
		t.Errorf("solved %d of %d", solved, seeds)
	}
}

// The schedule of BIPOP, with runs that all take 100 queries per member of the
// population and u = ½, ¼, ½, …
func TestBIPOPSchedule(t *testing.T) {
	var past []Past
	k := 0
	u := func() float64 { k++; return 0.5 / float64(1+(k+1)%2) }
	var got []string
	for len(past) < 14 {
		plan, more := BIPOP{Restarts: 4}.Next(past, 10, u)
		if !more {
			break
		}
		got = append(got, fmt.Sprintf("%s λ=%d σ=%.3f ≤%d", plan.Regime, plan.Population, plan.Sigma, plan.Queries))
		queries := 100 * plan.Population
		if plan.Queries > 0 {
			queries = min(queries, plan.Queries)
		}
		past = append(past, Past{Plan: plan, Result: Result{Queries: queries}})
	}
	want := []string{
		"first λ=10 σ=1.000 ≤0",
		"large λ=20 σ=1.000 ≤0",
		"small λ=10 σ=0.316 ≤1000",
		"small λ=10 σ=0.316 ≤1000",
		"small λ=10 σ=0.316 ≤1000",
		"large λ=40 σ=1.000 ≤0",
		"small λ=11 σ=0.316 ≤2000",
		"small λ=11 σ=0.316 ≤2000",
		"small λ=11 σ=0.316 ≤2000",
		"small λ=11 σ=0.316 ≤2000",
		"large λ=80 σ=1.000 ≤0",
		"small λ=14 σ=0.316 ≤4000",
		"small λ=14 σ=0.316 ≤4000",
		"small λ=14 σ=0.316 ≤4000",
	}
	if !slices.Equal(got, want) {
		t.Errorf("schedule\n%q", got)
	}
	past = nil
	var sizes []int
	for {
		plan, more := IPOP{Restarts: 3}.Next(past, 7, u)
		if !more {
			break
		}
		sizes, past = append(sizes, plan.Population), append(past, Past{Plan: plan})
	}
	if !slices.Equal(sizes, []int{7, 14, 28, 56}) {
		t.Errorf("IPOP's populations %v", sizes)
	}
}
