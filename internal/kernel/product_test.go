package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, s := range []struct{ n, k, m int }{{50, 10, 10}, {50, 100, 100}, {500, 500, 500}, {1000, 1000, 1000}, {1, 100, 100}, {1, 1000, 1000}} {
		x, w, y := draw(r, s.n, s.k, 0), draw(r, s.k, s.m, 0), draw(r, s.n, s.m, 0)
		wt := draw(r, s.m, s.k, 0)
		flop := 2 * float64(s.n*s.k*s.m)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", name, s.n, s.k, s.m), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
		for _, p := range available() {
			active = p
			run("Mul/"+p.String(), func() { Mul(y, 1, x, w, 0) })
			run("MulT/"+p.String(), func() { MulT(y, 1, x, wt, 0) })
		}
		run("gonum", func() { blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, w, 0, y) })
		run("gonumT", func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, wt, 0, y) })
	}
}

func BenchmarkGram(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	x, y := draw(r, 150, 10000, 0), draw(r, 150, 150, 0)
	flop := 2 * 150 * 150 * 10000.0
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	for _, p := range available() {
		active = p
		run("MulT/"+p.String(), func() { MulT(y, 1, x, x, 0) })
	}
	run("gonumT", func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, y) })
}
