package experiment

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
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

// Table says for each panel how far from the minimiser the consensus ended, what the
// least value was, and at how many of the counted seeds the consensus arrives.
func (f Figure1) Table(journeys []Journey) string {
	lines := [][]string{{"panel", "method", "distance", "best value", "arrives"}}
	for i, j := range journeys {
		lines = append(lines, []string{string(rune('a' + i)), j.Title, fmt.Sprintf("%.3g", j.Distance()), fmt.Sprintf("%.3g", j.Best), fmt.Sprintf("%d of %d seeds", j.Arrivals, Figure1Seeds)})
	}
	return sheet{lines: lines}.text()
}

// Draw draws figure1.svg into a folder.
func (f Figure1) Draw(ctx context.Context, dir string, journeys []Journey) error {
	var panels []chart.Landscape
	half := window(journeys)
	for i, j := range journeys {
		p := chart.Landscape{
			Title: fmt.Sprintf("(%c) %s", 'a'+i, j.Title), Letter: "y", Name: "g", Lo: -half, Hi: half,
			Note:  fmt.Sprintf("final distance %s, best value %s", words.Number(j.Distance(), 3), words.Number(j.Best, 3)),
			Value: func(points *mat.Dense, values []float64) error { return j.Problem.Evaluate(ctx, points, values) },
			Paths: j.Paths, Consensus: j.Consensus, Minimiser: [2]float64(j.Problem.Minimiser()),
		}
		if j.Mixed {
			p.Letter, p.Name = "x", "f"
		}
		if math.Abs(p.Minimiser[0]) > half || math.Abs(p.Minimiser[1]) > half {
			p.Note += ", minimiser outside"
		}
		panels = append(panels, p)
	}
	picture, err := chart.Landscapes(panels, f.caption(journeys))
	if err != nil {
		return err
	}
	return picture.Save(filepath.Join(dir, "figure1.svg"))
}

// window returns half the width of what is shown: the domain and the minimisers with
// some room around them, but at most twice the domain. In a wider window the wells would
// be too small to see.
func window(journeys []Journey) float64 {
	domain := journeys[0].Problem.Domain().Hi[0]
	half := domain
	for _, j := range journeys {
		for _, x := range j.Problem.Minimiser() {
			half = max(half, math.Abs(x))
		}
	}
	return 1.1 * min(half, 2*domain)
}

// caption says what the figure shows, how it was chosen, and how to make it again.
func (f Figure1) caption(journeys []Journey) []string {
	number := func(v float64) string { return words.Number(v, 3) }
	w, b := journeys[1].Problem.Frame().Matrix(), journeys[0].Problem.Minimiser()
	chosen := ""
	if f.Seed == Figure1Seed {
		chosen = ", chosen because it shows the difference"
	}
	var counts []string
	for i, j := range journeys {
		counts = append(counts, fmt.Sprintf("(%c) %d", 'a'+i, j.Arrivals))
	}
	return []string{
		fmt.Sprintf("Rastrigin, f(x) = g(Wx) with W = (%s, %s; %s, %s) and b = (%s, %s).",
			number(w.At(0, 0)), number(w.At(0, 1)), number(w.At(1, 0)), number(w.At(1, 1)), number(b[0]), number(b[1])),
		fmt.Sprintf("%d particles, the same start, %d steps, τ = %g, α = %g, σ = %g (isotropic: %g).",
			figureParticles, figureSteps, figureTau, figureAlpha, figureSigma, figureSigmaIso),
		fmt.Sprintf("One run each, seed %d%s.", f.Seed, chosen),
		fmt.Sprintf("Of seeds 0 to %d the consensus ends within %g of the minimiser at %s.",
			Figure1Seeds-1, Arrival, strings.Join(counts, ", ")),
		fmt.Sprintf("untwist reproduce figure1 --seed %d", f.Seed),
	}
}
