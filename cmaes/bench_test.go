package cmaes_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// The time that CMA-ES itself takes for each query. The objective costs nothing and has
// no minimum to converge to.
func BenchmarkQuery(b *testing.B) {
	for _, d := range []int{10, 40, 100} {
		for _, c := range []cmaes.Covariance{cmaes.Cholesky{}, cmaes.Root{}, cmaes.Diagonal{}} {
			b.Run(fmt.Sprintf("d=%d/%T", d, c), func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				f := objective.Batch(d, func(points *mat.Dense, values []float64) {
					for i := range values {
						values[i] = math.Mod(1e5*points.At(i, 0), 1)
					}
					n += len(values)
				})
				cfg := cmaes.Config{Covariance: c, Stop: cmaes.Stop{Queries: b.N, Fun: -1, X: -1, Condition: -1, Up: -1, Stagnation: -1}}
				b.ResetTimer()
				if _, err := cmaes.Run(b.Context(), f, cfg); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/query")
			})
		}
	}
}
