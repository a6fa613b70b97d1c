package cmaes

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

var ctx = context.Background()

func sphere(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

func elli(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Pow(10, 6*float64(i)/float64(len(x)-1)) * v * v
	}
	return s
}

func rosen(x []float64) float64 {
	s := 0.0
	for i := range len(x) - 1 {
		s += 100*math.Pow(x[i]*x[i]-x[i+1], 2) + math.Pow(1-x[i], 2)
	}
	return s
}

// queriesTo returns the number of the query that first reaches target.
func queriesTo(t testing.TB, f objective.Objective, target float64, cfg Config, most int) int {
	rec := objective.NewRecord(objective.NewMeter(f, most), target, nil)
	if _, err := Run(ctx, rec, cfg); err != nil {
		t.Fatal(err)
	}
	if rec.TargetAt() == 0 {
		return math.MaxInt
	}
	return rec.TargetAt()
}

func TestLab(t *testing.T) {
	if os.Getenv("X_C") == "" {
		t.Skip()
	}
	for _, c := range []struct {
		name  string
		f     func([]float64) float64
		pycma map[int]int
	}{{"sphere", sphere, map[int]int{10: 1780, 40: 6225}}, {"elli", elli, map[int]int{10: 4320, 40: 49545}}, {"rosen", rosen, map[int]int{10: 5770, 40: 64410}}} {
		for _, d := range []int{10, 40} {
			for _, cov := range []string{"chol", "root"} {
				if cov == "root" && d == 40 {
					continue
				}
				var q []int
				for seed := range map[int]int{10: 25, 40: 9}[d] {
					mean := make([]float64, d)
					for i := range mean {
						mean[i] = 3
					}
					var cv Covariance = &Cholesky{}
					if cov == "root" {
						cv = &Root{}
					}
					q = append(q, queriesTo(t, objective.Func(d, c.f), 1e-10, Config{Mean: mean, Sigma: 1, Covariance: cv, Stream: rng.Seed(seed).Stream("x")}, 1_000_000))
				}
				slices.Sort(q)
				fmt.Println(c.name, d, cov, "median", q[len(q)/2], "pycma", c.pycma[d], "ratio", float64(q[len(q)/2])/float64(c.pycma[d]), q[0], q[len(q)-1])
			}
		}
	}
	for _, name := range []string{"different-powers", "squared-norm"} {
		var q []int
		for seed := range uint64(8) {
			p, _ := problem.New(problem.Spec{Name: name, Dim: 100, Seed: seed})
			mean := make([]float64, 100)
			r := rng.Seed(seed).Stream("m")
			r.Uniform(mean, p.Domain().Lo, p.Domain().Hi)
			q = append(q, queriesTo(t, p, p.Minimum()+0.005, Config{Mean: mean, Sigma: 3.07, Stream: r}, 1_000_000))
		}
		fmt.Println(name, q)
	}
}
