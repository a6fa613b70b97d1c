package problem_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func must(t testing.TB, s problem.Spec) *problem.Problem {
	t.Helper()
	p, err := problem.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func value(t testing.TB, p *problem.Problem, x []float64) float64 {
	t.Helper()
	v := make([]float64, 1)
	if err := p.Evaluate(context.Background(), mat.NewDense(1, len(x), append([]float64(nil), x...)), v); err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// each calls f for every problem with a mixing matrix, every matrix and a few shapes.
func each(t *testing.T, f func(t *testing.T, s problem.Spec)) {
	for _, name := range mixed(t) {
		for _, mix := range flags.Sample([]string{"banded", "none", "orthogonal", "paper", "sparse"}, 3) {
			for _, shape := range flags.Sample([][2]int{{1, 1}, {2, 2}, {7, 7}, {20, 20}, {9, 4}, {5, 1}}, 3) {
				s := problem.Spec{Name: name, Mix: mix, Dim: shape[0], Components: shape[1], Seed: 3}
				t.Run(fmt.Sprintf("%s/%s/%dx%d", name, mix, s.Components, s.Dim), func(t *testing.T) { f(t, s) })
			}
		}
	}
}

// mixed returns the names of the problems that have a mixing matrix.
func mixed(t *testing.T) (names []string) {
	for _, suite := range []string{"paper", "classic"} {
		some, err := problem.Suite(suite)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	return names
}

// f(x*) is the minimum, and no point near x* or far away is lower.
func TestTheMinimumIsTheMinimum(t *testing.T) {
	each(t, func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		best := p.Minimiser()
		scale := math.Max(1, math.Abs(p.Minimum()))
		if v := value(t, p, best); !(math.Abs(v-p.Minimum()) <= 1e-10*scale) {
			t.Errorf("f(x*) = %v, minimum %v", v, p.Minimum())
		}
		r := rng.Seed(1).Stream("test")
		step := make([]float64, s.Dim)
		for k := range 300 {
			r.Norm(step)
			x := append([]float64(nil), best...)
			floats.AddScaled(x, math.Pow(10, float64(k%8)-5), step)
			if v := value(t, p, x); !(v >= p.Minimum()-1e-10*scale) {
				t.Fatalf("f = %v at distance %g from x*, below the minimum %v", v, floats.Distance(x, best, 2), p.Minimum())
			}
			for i := range x {
				x[i] = p.Domain().Lo[i] + r.Float64()*(p.Domain().Hi[i]-p.Domain().Lo[i])
			}
			if v := value(t, p, x); !(v >= p.Minimum()-1e-10*scale) {
				t.Fatalf("f = %v in the domain, below the minimum %v", v, p.Minimum())
			}
		}
	})
}

// Mixed differences along the true directions u_j vanish between components
// of different blocks, and do not all vanish within a block.
func TestTheBlocksAreTheBlocks(t *testing.T) {
	each(t, func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		blockOf := map[int]int{}
		covered := 0
		for b, block := range p.Blocks() {
			for _, j := range block {
				blockOf[j] = b
				covered++
			}
		}
		if covered != p.Frame().Components() || len(blockOf) != covered {
			t.Fatalf("blocks %v of %d components", p.Blocks(), p.Frame().Components())
		}
		r := rng.Seed(2).Stream("test")
		x := p.Minimiser()
		u := make([]float64, s.Dim)
		for i := range x {
			x[i] += 0.3 * r.NormFloat64()
		}
		at := func(steps map[int]float64) float64 {
			y := append([]float64(nil), x...)
			for j, h := range steps {
				p.Frame().Direction(u, j)
				floats.AddScaled(y, h, u)
			}
			return value(t, p, y)
		}
		coupled := map[int]float64{}
		f0 := at(nil)
		for i := range covered {
			for j := range i {
				fi, fj, fij := at(map[int]float64{i: 0.3}), at(map[int]float64{j: 0.4}), at(map[int]float64{i: 0.3, j: 0.4})
				mixed := math.Abs(fij - fi - fj + f0)
				rounding := 1e-9 * (math.Abs(f0) + math.Abs(fi) + math.Abs(fj) + math.Abs(fij))
				if blockOf[i] == blockOf[j] {
					coupled[blockOf[i]] = max(coupled[blockOf[i]], mixed/rounding)
				} else if !(mixed <= rounding) {
					t.Fatalf("components %d and %d of different blocks: mixed difference %g", i, j, mixed)
				}
			}
		}
		for b, block := range p.Blocks() {
			if len(block) > 1 && !(coupled[b] >= 100) {
				t.Errorf("block %v does not couple", block)
			}
		}
	})
}

// The textbook formulas, with W and the minimiser taken from the problem.
func TestFormulas(t *testing.T) {
	sum := func(z []float64, f func(j int, z float64) float64) float64 {
		total := 0.0
		for j, v := range z {
			total += f(j, v)
		}
		return total
	}
	const m = 6
	naive := map[string]func(y, b []float64) float64{
		"rastrigin": func(y, b []float64) float64 {
			return 10*m + sum(y, func(j int, y float64) float64 {
				return (y-b[j])*(y-b[j]) - 10*math.Cos(2*math.Pi*(y-b[j]))
			})
		},
		"squared-norm": func(y, _ []float64) float64 { return floats.Dot(y, y) },
		"different-powers": func(y, _ []float64) float64 {
			return sum(y, func(j int, y float64) float64 { return math.Pow(math.Abs(y), 2+4*float64(j)/(m-1)) })
		},
		"microring": func(y, b []float64) float64 {
			const a, r = 0.95, 0.85
			return sum(y, func(j int, y float64) float64 {
				c := math.Cos(y - b[j])
				return (a*a - 2*a*r*c + r*r) / (1 - 2*a*r*c + (a*r)*(a*r))
			})
		},
		"ackley": func(y, b []float64) float64 {
			square := sum(y, func(j int, y float64) float64 { return (y - b[j]) * (y - b[j]) })
			wave := sum(y, func(j int, y float64) float64 { return math.Cos(2 * math.Pi * (y - b[j])) })
			return 20 + math.E - 20*math.Exp(-0.2*math.Sqrt(square/m)) - math.Exp(wave/m)
		},
		"levy": func(y, b []float64) float64 {
			v := func(j int) float64 { return 1 + (y[j]-b[j])/4 }
			s := func(t float64) float64 { return math.Sin(t) * math.Sin(t) }
			total := s(math.Pi*v(0)) + (v(m-1)-1)*(v(m-1)-1)*(1+s(2*math.Pi*v(m-1)))
			for j := range m - 1 {
				total += (v(j) - 1) * (v(j) - 1) * (1 + 10*s(math.Pi*v(j)+1))
			}
			return total
		},
		"styblinski-tang": func(y, b []float64) float64 {
			const bottom = -2.903534027771177 // the literature's minimiser
			return sum(y, func(j int, y float64) float64 {
				z := y - b[j] + bottom
				return (math.Pow(z, 4) - 16*z*z + 5*z) / 2
			})
		},
		"griewank": func(y, b []float64) float64 {
			product := 1.0
			for j := range y {
				product *= math.Cos((y[j] - b[j]) / math.Sqrt(float64(j+1)))
			}
			return 1 + sum(y, func(j int, y float64) float64 { return (y - b[j]) * (y - b[j]) / 4000 }) - product
		},
		"rosenbrock": func(y, b []float64) float64 {
			total := 0.0
			for j := range m - 1 {
				z, next := y[j]-b[j]+1, y[j+1]-b[j+1]+1
				total += 100*math.Pow(next-z*z, 2) + (1-z)*(1-z)
			}
			return total
		},
		"rosenbrock-pairs": func(y, b []float64) float64 {
			total := 0.0
			for j := 0; j < m; j += 2 {
				z, next := y[j]-b[j]+1, y[j+1]-b[j+1]+1
				total += 100*math.Pow(next-z*z, 2) + (1-z)*(1-z)
			}
			return total
		},
		"ellipsoid": func(y, b []float64) float64 {
			return sum(y, func(j int, y float64) float64 {
				return math.Pow(10, 6*float64(j)/(m-1)) * (y - b[j]) * (y - b[j])
			})
		},
		"discus": func(y, b []float64) float64 {
			return sum(y, func(j int, y float64) float64 { return (y - b[j]) * (y - b[j]) }) + (1e6-1)*(y[0]-b[0])*(y[0]-b[0])
		},
		"step": func(y, b []float64) float64 {
			return sum(y, func(j int, y float64) float64 { return math.Pow(math.Floor(math.Abs(2*(y-b[j]))+0.5), 2) })
		},
	}
	r := rng.Seed(4).Stream("test")
	for name, formula := range naive {
		p := must(t, problem.Spec{Name: name, Dim: m, Mix: "none", Seed: 5})
		x := make([]float64, m)
		for range 50 {
			r.Norm(x)
			want := formula(x, p.Minimiser())
			if got := value(t, p, x); !(math.Abs(got-want) <= 1e-11*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: f = %v, the formula %v", name, got, want)
			}
		}
	}
}

// Rastrigin-like has two wells in each component. The minimum is the sum of the
// deeper ones, found here by brute force as in the paper's experiment.
func TestRastriginLikeMinimum(t *testing.T) {
	m := flags.Usually(12, 5)
	p := must(t, problem.Spec{Name: "rastrigin-like", Dim: m, Mix: "none", Seed: 6})
	y := p.Minimiser()
	far := make([]float64, m)
	copy(far, y)
	f0 := value(t, p, y)
	for j := range m {
		lowest := math.Inf(1)
		for k := range 20001 {
			far[j] = -5.12 + 10.24*float64(k)/20000
			lowest = min(lowest, value(t, p, far)-f0)
		}
		far[j] = y[j]
		if lowest < -1e-9 || lowest > 1e-4 {
			t.Errorf("component %d: the grid finds a value %g from the minimiser's", j, lowest)
		}
	}
	if !(math.Abs(f0-p.Minimum()) <= 1e-12*math.Abs(f0)) {
		t.Errorf("f(x*) = %v, minimum %v", f0, p.Minimum())
	}
}

func TestMixingMatrices(t *testing.T) {
	rows := func(mix string, m, d int) *mat.Dense {
		return must(t, problem.Spec{Name: "squared-norm", Mix: mix, Dim: d, Components: m, Seed: 8}).Frame().Matrix()
	}
	for _, shape := range [][2]int{{40, 40}, {10, 40}} {
		m, d := shape[0], shape[1]
		q := rows("orthogonal", m, d)
		var gram mat.Dense
		gram.Mul(q, q.T())
		for i := range m {
			gram.Set(i, i, gram.At(i, i)-1)
		}
		if off := mat.Norm(&gram, 2); off > 1e-14 {
			t.Errorf("orthogonal %d×%d: ‖QQᵀ − I‖ = %g", m, d, off)
		}
		if c := mat.Cond(rows("paper", m, d), 2); m < d && c > 10 || m == d && c < 10 {
			t.Errorf("paper %d×%d: condition number %g", m, d, c)
		}
	}
	band := must(t, problem.Spec{Name: "microring", Dim: 12, Seed: 8}).Frame().Matrix()
	for i := range 12 {
		beside := 0.0
		for j := range 12 {
			if v := band.At(i, j) / band.At(i, i); j != i {
				beside += v
				if far := max(i-j, j-i) > 3; far != (v == 0) {
					t.Errorf("banded: entry %d, %d is %g", i, j, v)
				}
			}
		}
		if !(math.Abs(beside-0.3) <= 1e-12) {
			t.Errorf("banded: row %d has %g beside the diagonal, want 0.3", i, beside)
		}
	}
}

// The condition number of the paper's W at d = 100 is usually 100 to 1,000. That
// holds for at least half of these 40 listed seeds.
func TestConditionOfThePapersMatrix(t *testing.T) {
	usual := 0
	for seed := range uint64(40) {
		p := must(t, problem.Spec{Name: "squared-norm", Dim: 100, Seed: seed})
		if c := mat.Cond(p.Frame().Matrix(), 2); c >= 100 && c <= 1000 {
			usual++
		}
	}
	if usual < 20 {
		t.Errorf("%d of 40 condition numbers between 100 and 1,000", usual)
	}
}

func TestTheSeedDeterminesTheProblem(t *testing.T) {
	for _, name := range problem.Names() {
		s := problem.Spec{Name: name, Dim: 8, Seed: 1}
		a, b := must(t, s), must(t, s)
		s.Seed = 2
		c := must(t, s)
		x := []float64{.1, .2, .3, .4, .5, .6, .7, .8}
		if value(t, a, x) != value(t, b, x) {
			t.Errorf("%s: the same seed gives two problems", name)
		}
		if value(t, a, x) == value(t, c, x) {
			t.Errorf("%s: two seeds give the same problem", name)
		}
	}
	// All problems at one seed share W, so that methods can be compared.
	a := must(t, problem.Spec{Name: "rastrigin", Dim: 8, Seed: 1})
	b := must(t, problem.Spec{Name: "different-powers", Dim: 8, Seed: 1})
	if !mat.Equal(a.Frame().Matrix(), b.Frame().Matrix()) {
		t.Error("two problems of one seed have different W")
	}
}

func TestMicroringPutsItsMinimiserInsideTheBounds(t *testing.T) {
	for seed := range uint64(20) {
		bounds := objective.Cube(64, 0, 8)
		if p := must(t, problem.Spec{Name: "microring", Dim: 64, Seed: seed, Bounds: &bounds}); !bounds.Contains(p.Minimiser()) {
			t.Errorf("seed %d: the minimiser lies outside [0, 8]", seed)
		}
		// Also where there are fewer components than dimensions, or a side is
		// infinite.
		for _, b := range []objective.Box{objective.Cube(8, 4, 8), objective.Cube(8, 20, math.Inf(1)), objective.Cube(8, math.Inf(-1), -20)} {
			p := must(t, problem.Spec{Name: "microring", Dim: 8, Components: 3, Seed: seed, Bounds: &b})
			if x := p.Minimiser(); !b.Contains(x) || !(math.Abs(value(t, p, x)-p.Minimum()) <= 1e-12) {
				t.Errorf("seed %d: minimiser %v in bounds %v", seed, x, b)
			}
		}
		narrow := objective.Cube(64, 2, 3)
		if p := must(t, problem.Spec{Name: "microring", Dim: 64, Seed: seed, Bounds: &narrow}); !narrow.Contains(p.Minimiser()) {
			t.Errorf("seed %d: the minimiser lies outside [2, 3]", seed)
		}
	}
}

// Griewank's product term is a large part of its value in the domain.
func TestGriewanksProductMatters(t *testing.T) {
	for _, m := range []int{10, 40, 100} {
		p := must(t, problem.Spec{Name: "griewank", Dim: m, Mix: "none", Seed: 1})
		r := rng.Seed(9).Stream("test")
		x := make([]float64, m)
		matters := 0
		for range 100 {
			p.Domain().Draw(x, r)
			norm := floats.Distance(x, p.Minimiser(), 2)
			if product := 1 + norm*norm/4000 - value(t, p, x); !(math.Abs(product) <= norm*norm/4000/10) {
				matters++
			}
		}
		if matters < 50 {
			t.Errorf("m = %d: the product matters at %d of 100 points", m, matters)
		}
	}
}

func TestAValueDoesNotDependOnItsBatch(t *testing.T) {
	p := must(t, problem.Spec{Name: "rastrigin", Dim: 30, Seed: 1})
	r := rng.Seed(1).Stream("test")
	batch := mat.NewDense(150, 30, nil)
	r.Norm(batch.RawMatrix().Data)
	values := make([]float64, 150)
	if err := p.Evaluate(context.Background(), batch, values); err != nil {
		t.Fatal(err)
	}
	for i := range values {
		if v := value(t, p, batch.RawRowView(i)); v != values[i] {
			t.Fatalf("point %d is %v alone and %v in a batch", i, v, values[i])
		}
	}
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	p := must(t, problem.Spec{Name: "rastrigin", Dim: 20, Seed: 1})
	batch, values := mat.NewDense(150, 20, nil), make([]float64, 150)
	if n := testing.AllocsPerRun(100, func() { p.Evaluate(context.Background(), batch, values) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEvaluateStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := must(t, problem.Spec{Name: "rastrigin", Dim: 2})
	if err := p.Evaluate(ctx, mat.NewDense(1, 2, nil), make([]float64, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	// The same in the middle of a large batch.
	values := make([]float64, 1000)
	err := p.Evaluate(&ending{Context: context.Background(), left: 3}, mat.NewDense(1000, 2, nil), values)
	if n := query.Evaluated(values, err); !errors.Is(err, context.Canceled) || n == 0 || n >= 1000 {
		t.Errorf("error %v after %d points", err, n)
	}
}

// ending is a context that ends after it has been asked a few times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// The value is the sum over all components, however many.
func TestManyComponents(t *testing.T) {
	p := must(t, problem.Spec{Name: "squared-norm", Dim: 700, Mix: "none"})
	x, want := mat.NewDense(1, 700, nil), 0.0
	for i := range 700 {
		x.Set(0, i, float64(i))
		want += float64(i * i)
	}
	var value [1]float64
	if err := p.Evaluate(context.Background(), x, value[:]); err != nil || value[0] != want {
		t.Errorf("f = %v, error %v, want %v", value[0], err, want)
	}
}

// The problem that a seed gives is part of the contract, also at the paper's size.
// A change here belongs under "Numerics" in CHANGELOG.
func TestGoldenProblems(t *testing.T) {
	for _, c := range []struct {
		name, mix string
		want      uint64
	}{
		{"rastrigin", "paper", 0xe06d24659d6481f6}, {"rastrigin-like", "orthogonal", 0xbc496683e4868dec},
		{"different-powers", "paper", 0xcaa3793f56364df7}, {"microring", "banded", 0x957c61e14bf25d0a},
	} {
		p := must(t, problem.Spec{Name: c.name, Dim: 100, Mix: c.mix, Seed: 1})
		x, values := mat.NewDense(100, 100, nil), make([]float64, 100)
		rng.Seed(1).Stream("golden").Norm(x.RawMatrix().Data)
		if err := p.Evaluate(context.Background(), x, values); err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, v := range append(values, p.Frame().Matrix().RawMatrix().Data...) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s, %s: digest %#x, want %#x", c.name, c.mix, got, c.want)
		}
	}
}

func TestBadSpecs(t *testing.T) {
	upside := objective.Cube(5, 1, 0)
	for _, c := range []struct {
		spec         problem.Spec
		option, want string
	}{
		{problem.Spec{Name: "nonsense", Dim: 5}, "Name", `unknown problem "nonsense": must be one of rastrigin, `},
		{problem.Spec{Name: "levy"}, "Dim", "0, must be at least 1"},
		{problem.Spec{Name: "levy", Dim: -1}, "Dim", "-1, must be at least 1"},
		{problem.Spec{Name: "levy", Dim: 5, Components: 6}, "Components", "6, must be from 1 to the dimension, 5"},
		{problem.Spec{Name: "levy", Dim: 5, Components: -1}, "Components", "-1, must be from 1"},
		{problem.Spec{Name: "levy", Dim: 100_000}, "Dim", "100000, must be at most 10000 unless there are fewer components than dimensions"},
		{problem.Spec{Name: "levy", Dim: 5, Mix: "shaken"}, "Mix", `unknown mixing matrix "shaken": must be one of banded, none, orthogonal, paper`},
		{problem.Spec{Name: "levy", Dim: 5, Mix: "block"}, "Mix", "block is for the bbob functions: must be one of banded, none, orthogonal, paper"},
		{problem.Spec{Name: "bbob-3", Dim: 1}, "Dim", "1, must be at least 2 for bbob-3"},
		{problem.Spec{Name: "bbob-3", Dim: 5, Components: 4}, "Components", "4, must be the dimension, 5, for bbob-3"},
		{problem.Spec{Name: "bbob-3", Dim: 5, Mix: "paper"}, "Mix", `"paper" with bbob-3, which has rotations of its own: leave it out, or take block`},
		{problem.Spec{Name: "bbob-25", Dim: 5}, "Name", `unknown problem "bbob-25"`},
		{problem.Spec{Name: "levy", Dim: 5, Block: -1}, "Block", "-1, must be at least 1"},
		{problem.Spec{Name: "levy", Dim: 5, Bounds: &upside}, "Bounds", "1:0, need numbers with LO < HI"},
	} {
		_, err := problem.New(c.spec)
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || !strings.Contains(bad.Reason, c.want) {
			t.Errorf("%+v: error %v, want %s: %s", c.spec, err, c.option, c.want)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"rastrigin", "squared-norm", "different-powers"} {
		p := must(b, problem.Spec{Name: name, Dim: 100, Seed: 1})
		batch, values := mat.NewDense(50, 100, nil), make([]float64, 50)
		box := p.Domain()
		for i := range 50 {
			box.Draw(batch.RawRowView(i), rng.Seed(0).Stream("benchmark", i))
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Evaluate(context.Background(), batch, values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/query")
		})
	}
}
