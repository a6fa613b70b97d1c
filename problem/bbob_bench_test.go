package problem

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// bbobProducts has, for each function, how many products with a d×d matrix a point takes as
// its definition is written, and as we make them: matrices that stand beside one another are
// multiplied beforehand. The functions without a rotation are compared with one product.
var bbobProducts = [24]struct{ published, made int }{
	{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
	{2, 1}, {2, 2}, {0, 0}, {1, 1},
	{1, 1}, {1, 1}, {2, 2}, {2, 1}, {1, 1},
	{3, 2}, {3, 2}, {2, 2}, {2, 2}, {1, 1},
	{0, 0}, {1, 1}, {1, 1}, {2, 1}, {2, 1},
}

// BenchmarkBBOB compares a batch of 64 points with the matrix products of its function: the
// shortest times of both, measured in turns. Gallagher's functions also multiply by the
// 2d×peaks matrix of their peaks. ×made counts the products that we make, ×published those of
// the definition, ×gonum the latter as gonum's Gemm makes them.
func BenchmarkBBOB(b *testing.B) {
	for k, products := range bbobProducts {
		for _, d := range []int{20, 40, 100} {
			b.Run(fmt.Sprintf("%d/d=%d", k+1, d), func(b *testing.B) {
				p := drawn(b, Spec{Name: fmt.Sprintf("bbob-%d", k+1), Dim: d, Seed: 1})
				x, values := mat.NewDense(rowsAtOnce, d, nil), make([]float64, rowsAtOnce)
				box := p.Domain()
				for i := range rowsAtOnce {
					box.Draw(x.RawRowView(i), rng.Seed(0).Stream("benchmark", i))
				}
				one := product(x, kernel.Identity(d))
				peaks := func() {}
				if n := map[int]int{21: 101, 22: 21}[k+1]; n > 0 {
					peaks = product(mat.NewDense(rowsAtOnce, 2*d, nil), mat.NewDense(2*d, n, nil))
				}
				whole, single, rest, gonum := time.Hour, time.Hour, time.Hour, time.Hour
				other, c := kernel.Identity(d), mat.NewDense(rowsAtOnce, d, nil)
				for b.Loop() {
					whole = min(whole, timed(func() {
						if err := p.Evaluate(context.Background(), x, values); err != nil {
							b.Fatal(err)
						}
					}))
					single, rest = min(single, timed(one)), min(rest, timed(peaks))
					gonum = min(gonum, timed(func() {
						blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x.RawMatrix(), other.RawMatrix(), 0, c.RawMatrix())
					}))
				}
				ratio := func(n int, one time.Duration) float64 {
					return float64(whole) / float64(time.Duration(max(1, n))*one+rest)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(whole)/rowsAtOnce, "ns/query")
				b.ReportMetric(ratio(products.made, single), "×made")
				b.ReportMetric(ratio(products.published, single), "×published")
				b.ReportMetric(ratio(products.published, gonum), "×gonum")
			})
		}
	}
}

// product returns what multiplies two matrices.
func product(a, m *mat.Dense) func() {
	_, cols := m.Dims()
	c := blas64.General{Rows: rowsAtOnce, Cols: cols, Stride: cols, Data: make([]float64, rowsAtOnce*cols)}
	return func() { kernel.Mul(c, 1, a.RawMatrix(), m.RawMatrix(), 0) }
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}
