package cbo_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkCBO reports the time of a whole CBO step divided by its 50 queries,
// on an objective that costs nothing, which leaves only the time of CBO itself,
// and on the mixed Rastrigin problem. A run has 200 steps, few enough that
// particles do not become subnormal numbers. The floor is the time that cannot
// be avoided: for the Gaussian numbers, and for the matrix products at the
// kernel's own speed, one for f and two more for transformed noise.
func BenchmarkCBO(b *testing.B) {
	const n, steps = 50, 200
	for _, d := range []int{10, 100, 1000} {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: d, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		free := objective.Batch(d, func(points *mat.Dense, values []float64) {
			for i := range values {
				values[i] = points.At(i, 0) * points.At(i, 0)
			}
		})
		for _, cfg := range []struct {
			name string
			cbo.Config
		}{
			{"plain", cbo.Config{}},
			{"transformed", cbo.Config{Noise: cbo.Transformed{Frame: p.Frame()}, Domain: cbo.ClipIn{Frame: p.Frame(), Radius: 1e8}}},
		} {
			b.Run(fmt.Sprintf("%s/floor/d=%d", cfg.name, d), func(b *testing.B) {
				x, y, stream := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), rng.Seed(0).Stream("floor")
				for b.Loop() {
					stream.Norm(x.RawMatrix().Data)
					p.Frame().Coordinates(y, x)
					if cfg.Noise != nil {
						p.Frame().Points(x, y)
						p.Frame().Coordinates(y, x)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/query")
			})
			for _, f := range []struct {
				name string
				objective.Objective
			}{{"free", free}, {"rastrigin", p}} {
				b.Run(fmt.Sprintf("%s/%s/d=%d", cfg.name, f.name, d), func(b *testing.B) {
					run := cfg.Config
					run.Particles, run.Stop.Spread, run.Stop.Steps = n, -1, steps
					for b.Loop() {
						if _, err := cbo.Run(context.Background(), f.Objective, run); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(1+steps)), "ns/query")
				})
			}
		}
	}
}

// BenchmarkVariants reports the time of a query of every variant, on an objective that costs
// nothing, and how many times that of plain CBO it is. Runs of both take turns, and the least times
// of each count. Those that only change a schedule, the noise or a correction should take at most
// 1.3 times as long.
func BenchmarkVariants(b *testing.B) {
	const n, steps = 50, 200
	for _, d := range []int{10, 100} {
		queries := 0
		f := objective.Batch(d, func(points *mat.Dense, values []float64) {
			queries += len(values)
			for i := range values {
				values[i] = points.At(i, 0) * points.At(i, 0)
			}
		})
		perQuery := func(b *testing.B, cfg cbo.Config) float64 {
			cfg.Particles, cfg.Stop.Spread, cfg.Stop.Steps = n, -1, steps
			queries = 0
			began := time.Now()
			if _, err := cbo.Run(context.Background(), f, cfg); err != nil {
				b.Fatal(err)
			}
			return float64(time.Since(began).Nanoseconds()) / float64(queries)
		}
		for _, v := range []struct {
			name string
			cbo.Config
		}{
			{"plain", cbo.Config{}},
			{"effective size", cbo.Config{Alpha: cbo.EffectiveSize{Share: 0.2}}},
			{"isotropic", cbo.Config{Noise: cbo.Isotropic{}}},
			{"truncated", cbo.Config{Noise: cbo.Truncated{Most: 0.5}}},
			{"additive", cbo.Config{}.Hopping(0.1)},
			{"covariance", cbo.Config{Noise: cbo.Covariance{}}},
			{"sampling", cbo.Config{}.Sampling(1)},
			{"heaviside", cbo.Config{Correction: cbo.Heaviside{}}},
			{"regularised", cbo.Config{Correction: cbo.Regularised{}}},
			{"memory", cbo.Config{Memory: cbo.Remember{Lambda: 0.4}}},
			{"inertia", cbo.Config{Momentum: cbo.Inertia{Mass: 0.02}}},
			{"adam", cbo.Config{Momentum: cbo.Adam{}}},
			{"batches", cbo.Config{Batch: n / 2}},
			{"resampling", cbo.Config{Resample: cbo.Resample{Wait: 30}}},
			{"polarised", cbo.Config{Sight: cbo.Polarised{Kappa: 0.5}}},
			{"simplex", cbo.Config{Mirror: cbo.Onto{Set: cbo.Simplex{}}}},
			{"sphere", cbo.Config{Domain: cbo.Sphere{Radius: 1}}},
			{"entropy", cbo.Config{Mirror: cbo.Entropy{}}},
			{"barrier", cbo.Config{Mirror: cbo.Barrier{Box: objective.Cube(d, -1, 1)}}},
		} {
			b.Run(fmt.Sprintf("%s/d=%d", v.name, d), func(b *testing.B) {
				own, plain := math.Inf(1), math.Inf(1)
				for b.Loop() {
					own, plain = min(own, perQuery(b, v.Config)), min(plain, perQuery(b, cbo.Config{}))
				}
				b.ReportMetric(own, "ns/query")
				b.ReportMetric(own/plain, "×plain")
			})
		}
	}
}
