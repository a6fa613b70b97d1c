package cmaes

import (
	"fmt"
	"os"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/problem"
)

func TestLab2(t *testing.T) {
	if os.Getenv("X_C") == "" {
		t.Skip()
	}
	for _, name := range []string{"different-powers"} {
		for _, cov := range []string{"chol", "root"} {
			var q []int
			for seed := range uint64(5) {
				p, _ := problem.New(problem.Spec{Name: name, Dim: 100, Seed: seed})
				mean := make([]float64, 100)
				r := rng.Seed(seed).Stream("m")
				r.Uniform(mean, p.Domain().Lo, p.Domain().Hi)
				var cv Covariance = &Cholesky{}
				if cov == "root" {
					cv = &Root{}
				}
				q = append(q, queriesTo(t, p, p.Minimum()+0.005, Config{Mean: mean, Sigma: 3.07, Covariance: cv, Stream: r}, 1_000_000))
			}
			fmt.Println(name, cov, q)
		}
	}
}
