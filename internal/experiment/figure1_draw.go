package experiment

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
)

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
