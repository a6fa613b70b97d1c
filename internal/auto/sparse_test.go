package auto

import (
	"testing"
	"time"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

func TestTry(t *testing.T) {
	for _, spec := range []problem.Spec{{Name: "microring", Dim: 300, Seed: 1}, {Name: "rastrigin", Dim: 300, Mix: "banded", Seed: 1}, {Name: "levy", Dim: 300, Mix: "sparse", Seed: 1}} {
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		f := watch(query.NewScale(query.NewMeter(p, math.MaxInt), p.Domain(), objective.Cube(spec.Dim, math.Inf(-1), math.Inf(1))), func(objective.Stage) {})
		box := objective.Cube(spec.Dim, -1, 1)
		found, err := interact.Find(t.Context(), f, interact.Search{Box: box, Grain: objective.Rounding, Random: rng.Seed(1).Stream("x")})
		if err != nil {
			t.Fatal(err)
		}
		s := &sparse{f: f, pairs: found.Pairs, box: box, random: rng.Seed(1).Stream("y")}
		h, _ := s.step(t.Context())
		before := f.queries
		t0 := time.Now()
		for _, h := range []float64{} {
			var hs []*mat.Dense
			for range 4 {
				m, _ := s.hessian(t.Context(), s.point(), h)
				hs = append(hs, m)
			}
			joint, err := jointdiag.Diagonalise(hs, s.random)
			if err != nil {
				t.Fatal(err)
			}
			w, err := frame.New(joint.W)
			c := frame.Compare(p.Frame(), w)
			t.Logf("h %.1e: error %.1e, to 1e-2 %d, 1e-3 %d, 1e-4 %d 1e-5 %d", h, c.Error(), c.Recovered(1e-2), c.Recovered(1e-3), c.Recovered(1e-4), c.Recovered(1e-5))
		}
		hs, err := s.hessians(t.Context())
		t1 := time.Now()
		joint, err := jointdiag.Diagonalise(hs, s.random)
		if err != nil {
			t.Fatal(err)
		}
		w, err := frame.New(joint.W)
		c := frame.Compare(p.Frame(), w)
		t.Logf("%v: %s %d pairs, h %.1e, %d queries, %v + %v, sweeps %d, error %.1e, to 1e-2 %d, 1e-3 %d, 1e-4 %d", p, found.Kind, len(found.Pairs), h, f.queries-before, t1.Sub(t0), time.Since(t1), joint.Sweeps, c.Error(), c.Recovered(1e-2), c.Recovered(1e-3), c.Recovered(1e-4))
	}
}
