package problem_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// eachBBOB calls f for every BBOB function in the given dimensions. 90 stands for the block
// variant in 90.
func eachBBOB(t *testing.T, dims []int, f func(t *testing.T, s problem.Spec)) {
	names, err := problem.Suite("bbob")
	if err != nil || len(names) != 24 {
		t.Fatal(names, err)
	}
	for k, name := range names {
		for _, d := range dims {
			s := problem.Spec{Name: name, Dim: d, Seed: uint64(k)}
			if d == 90 {
				s.Mix = "block"
			}
			t.Run(fmt.Sprintf("%s/%d", name, d), func(t *testing.T) { f(t, s) })
		}
	}
}

func evaluate(t testing.TB, p *problem.Problem, points *mat.Dense) []float64 {
	t.Helper()
	n, _ := points.Dims()
	values := make([]float64, n)
	if err := p.Evaluate(context.Background(), points, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// f(x*) is the minimum, a number with two decimals. Random steps of all sizes, a pattern search
// along the axes, and random points of the domain find nothing lower.
func TestBBOBMinimum(t *testing.T) {
	eachBBOB(t, flags.Sample([]int{2, 5, 20, 40, 90}, 3), func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		best, least, d := p.Minimiser(), p.Minimum(), s.Dim
		rounding := 1e-12 * math.Max(1, math.Abs(least))
		if !(math.Abs(least*100-math.Round(least*100)) <= 1e-9) || math.Abs(least) > 1000 || !p.Domain().Contains(best) {
			t.Errorf("minimum %v at %v", least, best)
		}
		r := rng.Seed(1).Stream("test")
		points := mat.NewDense(1+300+300+2*27*d, d, nil)
		step := make([]float64, d)
		for i := range points.RawMatrix().Rows {
			x := points.RawRowView(i)
			copy(x, best)
			switch {
			case i == 0:
			case i <= 300:
				r.Norm(step)
				floats.AddScaled(x, math.Pow(10, float64(i%9)-8)/math.Sqrt(float64(d)), step)
			case i <= 600:
				box := p.Domain()
				box.Draw(x, r)
			default: // ±2^−k along axis j
				k, j, sign := (i-601)/(2*d), (i-601)/2%d, float64(2*(i%2)-1)
				x[j] += sign * math.Ldexp(1, -k)
			}
		}
		values := evaluate(t, p, points)
		if values[0] != least {
			t.Errorf("f(x*) = %v, minimum %v", values[0], least)
		}
		above := 0
		for i, v := range values {
			if !(v >= least-rounding) {
				t.Fatalf("point %d: %v, below the minimum %v", i, v, least)
			}
			if v > least {
				above++
			}
		}
		if above < len(values)/3 { // the smallest steps are lost in rounding
			t.Errorf("only %d of %d points are above the minimum", above, len(values))
		}
	})
}

// mixedDifferences returns |f(x+a+b) − f(x+a) − f(x+b) + f(x)| for all pairs of directions,
// as a multiple of what rounding may leave.
func mixedDifferences(t *testing.T, p *problem.Problem, value func(f float64) float64, x []float64, h float64, direction func(u []float64, j int)) *mat.Dense {
	d := p.Dim()
	points := mat.NewDense(1+d+d*d, d, nil)
	u := make([]float64, d)
	for i := range points.RawMatrix().Rows {
		y := points.RawRowView(i)
		copy(y, x)
		if i == 0 {
			continue
		}
		for _, j := range [2]int{(i - 1) % d, (i-1)/d - 1} {
			if j >= 0 {
				direction(u, j)
				floats.AddScaled(y, h*(1+0.3*float64(j%3)), u)
			}
		}
	}
	f := evaluate(t, p, points)
	size := 0.0
	for i := range f {
		f[i] = value(f[i])
		size = max(size, math.Abs(f[i]))
	}
	m := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range i {
			mixed := math.Abs(f[1+d+i*d+j]-f[1+i]-f[1+j]+f[0]) / (1e-10 * size)
			m.Set(i, j, mixed)
			m.Set(j, i, mixed)
		}
	}
	return m
}

// What BBOB.md promises: 1–5, 10, 11 and 20 separate in their frame, 13 into two
// blocks, 6, 14 and 23 after their outer map is undone, and everything else couples, also in
// the given coordinates.
func TestBBOBStructure(t *testing.T) {
	want := map[string]problem.Structure{"bbob-13": problem.Blocks}
	for _, k := range []int{1, 2, 3, 4, 5, 10, 11, 20} {
		want[fmt.Sprintf("bbob-%d", k)] = problem.Separable
	}
	undo := map[string]func(v, d float64) float64{
		"bbob-6":  func(v, _ float64) float64 { return unoscillate(math.Pow(v, 1/0.9)) },
		"bbob-14": func(v, _ float64) float64 { return v * v },
		"bbob-23": func(v, d float64) float64 { return math.Log1p(v * d * d / 10) },
	}
	maps := map[string]string{}
	for _, e := range problem.Catalogue() {
		maps[e.Name] = e.Map
	}
	eachBBOB(t, []int{2, 5, 20, 40}, func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		structure, ok := want[s.Name]
		if !ok {
			structure = problem.NotSeparable
		}
		if p.Structure() != structure || (maps[s.Name] != "") != (undo[s.Name] != nil) {
			t.Fatalf("%s, map %q", p.Structure(), maps[s.Name])
		}
		blockOf := make([]int, s.Dim)
		for b, block := range p.Blocks() {
			for _, j := range block {
				blockOf[j] = b
			}
		}
		plain := func(f float64) float64 { return f }
		axes := func(u []float64, j int) { clear(u); u[j] = 1 }
		within, given := 0.0, 0.0
		r := rng.Seed(2).Stream("test")
		for range max(1, 20/s.Dim) { // steps are flat in most places where there are two dimensions
			x := make([]float64, s.Dim)
			for i := range x {
				x[i] = 4*r.Float64() - 2
			}
			m := mixedDifferences(t, p, plain, x, 0.2, p.Frame().Direction)
			for i := range s.Dim {
				for j := range i {
					if blockOf[i] == blockOf[j] {
						within = max(within, m.At(i, j))
					} else if m.At(i, j) > 1 {
						t.Fatalf("components %d and %d of different blocks: %g times the rounding", i, j, m.At(i, j))
					}
				}
			}
			if structure == problem.NotSeparable {
				given = max(given, mat.Max(mixedDifferences(t, p, plain, x, 0.2, axes)))
			}
			if inverse := undo[s.Name]; inverse != nil {
				value := func(f float64) float64 { return inverse(f-p.Minimum(), float64(s.Dim)) }
				if c := mat.Max(mixedDifferences(t, p, value, x, 0.2, p.Frame().Direction)); c > 1 {
					t.Errorf("after the outer map: %g times the rounding", c)
				}
			}
		}
		if len(p.Blocks()) < s.Dim && within < 100 || structure == problem.NotSeparable && given < 100 {
			t.Errorf("nothing couples: %g, in the given coordinates %g", within, given)
		}
	})
}

// unoscillate is the inverse of T_osc for positive numbers, by bisection.
func unoscillate(y float64) float64 {
	lo, hi := math.Log(y)-0.1, math.Log(y)+0.1
	for range 100 {
		mid := (lo + hi) / 2
		if mid+0.049*(math.Sin(10*mid)+math.Sin(7.9*mid)) < math.Log(y) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}

// A value depends on its point alone: not on the batch, on who else evaluates, or on the
// stride of the matrix. Nothing is allocated.
func TestBBOBBatches(t *testing.T) {
	eachBBOB(t, []int{7, 40, 90}, func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		const n = 100
		wide := mat.NewDense(n, s.Dim+3, nil)
		rng.Seed(5).Stream("test").Norm(wide.RawMatrix().Data)
		wide.Scale(3, wide)
		points := wide.Slice(0, n, 2, 2+s.Dim).(*mat.Dense)
		want := evaluate(t, p, points)
		narrow := mat.DenseCopyOf(points)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for i, v := range evaluate(t, p, narrow) {
					if v != want[i] {
						t.Errorf("point %d: %v among others, %v before", i, v, want[i])
					}
				}
			})
		}
		wait.Wait()
		for _, i := range []int{0, 31, 63, 64, 99} {
			if v := value(t, p, points.RawRowView(i)); v != want[i] {
				t.Errorf("point %d: %v alone, %v in a batch", i, v, want[i])
			}
		}
		values := make([]float64, n)
		if a := testing.AllocsPerRun(5, func() { p.Evaluate(context.Background(), narrow, values) }); a > 0 {
			t.Errorf("%v allocations", a)
		}
	})
}

// The functions that a seed gives are part of the contract, whatever the kernel. A change here
// belongs under "Numerics" in CHANGELOG.
func TestGoldenBBOB(t *testing.T) {
	h := fnv.New64a()
	eachBBOB(t, []int{2, 20, 90}, func(t *testing.T, s problem.Spec) {
		p := must(t, s)
		x := mat.NewDense(10, s.Dim, nil)
		rng.Seed(1).Stream("golden").Norm(x.RawMatrix().Data)
		for _, v := range append(evaluate(t, p, x), p.Minimum()) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	})
	if got, want := h.Sum64(), uint64(0xd8a046749bdf4eae); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}

// New is quick in many dimensions with blocks, and its rotations have few entries.
func TestBBOBOfManyDimensions(t *testing.T) {
	p := must(t, problem.Spec{Name: "bbob-10", Dim: 300, Mix: "block", Seed: 1})
	if got := p.String(); got != "bbob-10, 300 dimensions, 300 components, mix block, seed 1" {
		t.Error(got)
	}
	entries := 0
	for _, v := range p.Frame().Matrix().RawMatrix().Data {
		if v != 0 {
			entries++
		}
	}
	if entries > 300*40 {
		t.Errorf("%d entries", entries)
	}
	plain := must(t, problem.Spec{Name: "bbob-10", Dim: 3, Seed: 1})
	if got := plain.String(); got != "bbob-10, 3 dimensions, 3 components, seed 1" {
		t.Error(got)
	}
	if again := must(t, plain.Spec()); value(t, again, plain.Domain().Lo) != value(t, plain, plain.Domain().Lo) {
		t.Error("the completed Spec gives another problem")
	}
}

func TestSuites(t *testing.T) {
	seen := 0
	for _, suite := range problem.Suites() {
		names, err := problem.Suite(suite)
		if err != nil || len(names) == 0 {
			t.Errorf("%s: %v, %v", suite, names, err)
		}
		seen += len(names)
	}
	if all := problem.Names(); seen != len(all) || all[len(all)-1] != "bbob-24" {
		t.Errorf("%d problems in suites, all are %v", seen, all)
	}
	if paper, _ := problem.Suite("paper"); strings.Join(paper, " ") != "rastrigin rastrigin-like squared-norm different-powers" {
		t.Errorf("paper: %v", paper)
	}
	if _, err := problem.Suite("cec"); err == nil || !strings.Contains(err.Error(), `unknown suite "cec": must be one of paper, classic, large, bbob`) {
		t.Errorf("error %v", err)
	}
}

// A block problem of many dimensions is drawn without a matrix of d² numbers: its frame, which
// takes d³ steps, is made when somebody asks for it. 9 and 19 need such a matrix for x_opt.
func TestBlockProblemsAreDrawnWithoutAFrame(t *testing.T) {
	const d = 1500
	for k := 1; k <= 24; k += flags.Usually(1, 3) {
		if k == 9 || k == 19 {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := problem.New(problem.Spec{Name: fmt.Sprintf("bbob-%d", k), Dim: d, Mix: "block"})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 8*d*d {
			t.Errorf("bbob-%d: %d bytes", k, got)
		}
		runtime.KeepAlive(p)
	}
}
