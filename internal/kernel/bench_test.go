package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A contest is one computation, done on every path and by another library.
type contest struct {
	name    string
	work    float64 // in millions of unit
	unit    string
	runners []runner // the paths, then the other library
}

type runner struct {
	name string
	run  func()
}

// onEachPath returns runners for f on every path, and for g.
func onEachPath(f func(), other string, g func()) []runner {
	var all []runner
	for _, p := range available() {
		all = append(all, runner{p.String(), func() { active = p; f() }})
	}
	return append(all, runner{other, g})
}

// products are matrix products of the shapes that this project uses.
func products() []contest {
	var all []contest
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		n, k, m int
		turned  bool
	}{
		{50, 10, 10, false}, {50, 100, 100, false}, {50, 100, 100, true}, {500, 500, 500, false}, {500, 500, 500, true},
		{1000, 1000, 1000, false}, {150, 10000, 150, true}, {1, 100, 100, false}, {1, 1000, 1000, false}, {1, 1000, 1000, true},
	} {
		a, c := draw(r, s.n, s.k, 0, false), draw(r, s.n, s.m, 0, false)
		b, multiply, transpose := draw(r, s.k, s.m, 0, false), Mul, blas.NoTrans
		name := fmt.Sprintf("%d×%d · %d×%d", s.n, s.k, s.k, s.m)
		if s.turned {
			b, multiply, transpose = draw(r, s.m, s.k, 0, false), MulT, blas.Trans
			name = fmt.Sprintf("%d×%d · (%d×%d)ᵀ", s.n, s.k, s.m, s.k)
		}
		all = append(all, contest{name, 2e-6 * float64(s.n*s.k*s.m), "flop", onEachPath(
			func() { multiply(c, 1, a, b, 0) },
			"gonum", func() { blas64.Gemm(blas.NoTrans, transpose, 1, a, b, 0, c) })})
	}
	return all
}

// ofSlices are functions of slices, and Gaussian numbers.
func ofSlices() []contest {
	var all []contest
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{100, 1000} {
		x, p, dst := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], p[i] = 30*r.Float64(), 2+4*r.Float64()
		}
		loops := map[string]func(){
			"exp": func() {
				for i, v := range x {
					dst[i] = math.Exp(v)
				}
			},
			"log": func() {
				for i, v := range x {
					dst[i] = math.Log(v)
				}
			},
			"cos": func() {
				for i, v := range x {
					dst[i] = math.Cos(v)
				}
			},
			"sin": func() {
				for i, v := range x {
					dst[i] = math.Sin(v)
				}
			},
			"pow": func() {
				for i, v := range x {
					dst[i] = math.Pow(v, p[i])
				}
			},
		}
		for _, f := range functions[:5] { // the others have nothing to compare with
			all = append(all, contest{fmt.Sprintf("%s of %d", f.name, n), float64(n) / 1e6, "number",
				onEachPath(func() { f.slice(dst, x, p) }, "math", loops[f.name])})
		}
	}
	var state Chance
	for w := range state {
		for i := range state[w] {
			state[w][i] = r.Uint64()
		}
	}
	gauss := make([]float64, 32*GaussBlock)
	return append(all, contest{"Gaussian, 512", float64(len(gauss)) / 1e6, "number",
		onEachPath(func() { Gauss(gauss, &state) }, "math/rand/v2", func() {
			for i := range gauss {
				gauss[i] = r.NormFloat64()
			}
		})})
}

func BenchmarkKernel(b *testing.B) {
	defer func(before path) { active = before }(active)
	for _, c := range append(products(), ofSlices()...) {
		for _, r := range c.runners {
			b.Run(c.name+"/"+r.name, func(b *testing.B) {
				for b.Loop() {
					r.run()
				}
				b.ReportMetric(1e6*c.work*float64(b.N)/b.Elapsed().Seconds()/1e9, "G"+c.unit+"/s")
			})
		}
	}
}

// BenchmarkTable prints the table of docs/data/kernels.md:
//
//	GOMAXPROCS=1 go test ./internal/kernel -run '^$' -bench Table
//
// The machine may be busy with other work. So the runners of a contest take turns,
// and the shortest of many times counts for each.
func BenchmarkTable(b *testing.B) {
	defer func(before path) { active = before }(active)
	for b.Loop() {
		fmt.Printf("\n%s, GOMAXPROCS=%d: time, and how many times faster than gonum, math or math/rand/v2\n\n", runtime.Version(), runtime.GOMAXPROCS(0))
		fmt.Println("| | other |", strings.Join(pathNames[:len(available())], " | "), "|")
		fmt.Println("|---|---|" + strings.Repeat("---|", len(available())))
		for _, c := range append(products(), ofSlices()...) {
			best := compete(c.runners)
			other := best[len(best)-1]
			line := fmt.Sprintf("| %s | %v |", c.name, other)
			for _, t := range best[:len(best)-1] {
				line += fmt.Sprintf(" %v, %.1f× |", t, float64(other)/float64(t))
			}
			fmt.Println(line)
		}
	}
}

// compete returns the shortest time of each runner.
func compete(runners []runner) []time.Duration {
	const least, enough = time.Millisecond, time.Second
	best := make([]time.Duration, len(runners))
	begin := time.Now()
	for turn := 0; turn < 3 || time.Since(begin) < enough; turn++ {
		for i, r := range runners {
			n := 0
			start := time.Now()
			for n == 0 || time.Since(start) < least {
				for range 1 + n/4 {
					r.run()
					n++
				}
			}
			if t := time.Since(start) / time.Duration(n); turn == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	return best
}
