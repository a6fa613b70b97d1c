package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkProduct multiplies matrices of the shapes that this project has, on
// every path and by gonum. For the table in docs/kernels.md it has to run with
// GOMAXPROCS=1.
func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		n, k, m int
		turned  bool
	}{
		{50, 10, 10, false}, {50, 100, 100, false}, {50, 100, 100, true}, {500, 500, 500, false}, {500, 500, 500, true},
		{1000, 1000, 1000, false}, {150, 10000, 150, true}, {1, 100, 100, false}, {1, 1000, 1000, false}, {1, 1000, 1000, true},
	} {
		x, y := draw(r, s.n, s.k, 0, false), draw(r, s.n, s.m, 0, false)
		w, multiply, transpose := draw(r, s.k, s.m, 0, false), Mul, blas.NoTrans
		shape := fmt.Sprintf("%dx%d·%dx%d", s.n, s.k, s.k, s.m)
		if s.turned {
			w, multiply, transpose = draw(r, s.m, s.k, 0, false), MulT, blas.Trans
			shape = fmt.Sprintf("%dx%d·(%dx%d)T", s.n, s.k, s.m, s.k)
		}
		if s.k == 10000 { // the Gram matrix
			w = x
		}
		run := func(name string, f func()) {
			b.Run(shape+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(2*float64(s.n*s.k*s.m)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
		eachPath(func(p path) { run(p.String(), func() { multiply(y, 1, x, w, 0) }) })
		run("gonum", func() { blas64.Gemm(blas.NoTrans, transpose, 1, x, w, 0, y) })
	}
}

// BenchmarkFunction takes functions of slices of 100 numbers, and makes
// Gaussian ones.
func BenchmarkFunction(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 100
	x, p, dst := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], p[i] = 30*r.Float64(), 2+4*r.Float64()
	}
	run := func(name string, n int, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/number")
		})
	}
	mathematics := map[string]func(){
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
	for _, f := range functions {
		eachPath(func(path path) { run(f.name+"/"+path.String(), n, func() { f.slice(dst, x, p) }) })
		run(f.name+"/math", n, mathematics[f.name])
	}
	var state Chance
	for w := range state {
		for i := range state[w] {
			state[w][i] = r.Uint64()
		}
	}
	gauss := make([]float64, 32*GaussBlock)
	eachPath(func(p path) { run("gauss/"+p.String(), len(gauss), func() { Gauss(gauss, &state) }) })
	run("gauss/rand.NormFloat64", len(gauss), func() {
		for i := range gauss {
			gauss[i] = r.NormFloat64()
		}
	})
}
