package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	looks "github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// spentOn runs auto and returns how many queries went to coordinates and to CMA-ES before a
// value below target.
func spentOn(t *testing.T, d, budget int, target float64, f func(x []float64) float64) (survey, search int) {
	t.Helper()
	var now objective.Stage
	reached := false
	counting := objective.Func(d, func(x []float64) float64 {
		v := f(x)
		if reached = reached || v < target; reached {
			return v
		}
		switch now.Purpose {
		case objective.ToFind, objective.ToCheck:
			survey++
		case objective.ToSearch:
			search++
		}
		return v
	})
	task := strategy.Task{Seed: 1, Budget: budget, Stage: func(s objective.Stage) { now = s }}
	if _, err := (Auto{}).Minimize(ctx, query.NewMeter(counting, budget), task); err != nil {
		t.Fatal(err)
	}
	return survey, search
}

// rosenbrockOf is Rosenbrock's function.
func rosenbrockOf(x []float64) float64 {
	sum := 0.0
	for i := range len(x) - 1 {
		u, v := 2*x[i], 2*x[i+1]
		sum += 100*(v-u*u)*(v-u*u) + (1-u)*(1-u)
	}
	return sum
}

// Where f does not separate, a survey under noise takes less than a third of the budget.
func TestNoisySurveyInVain(t *testing.T) {
	d, budget := flags.Usually(10, 6), 20_000
	for _, sigma := range flags.Sample([]float64{1e-6, 1e-3, 0.1}, 1) {
		var surveys []int
		for seed := range flags.Usually(3, 1) {
			noise := rng.Seed(seed).Stream("test")
			survey, search := spentOn(t, d, budget, math.Inf(-1), func(x []float64) float64 { return rosenbrockOf(x) + sigma*noise.NormFloat64() })
			if surveys = append(surveys, survey); survey > budget/3 || search < budget/2 {
				t.Errorf("σ = %v, seed %d: %d queries to find coordinates, %d for CMA-ES", sigma, seed, survey, search)
			}
		}
		if slices.Sort(surveys); surveys[len(surveys)/2] > 3*budget/10 {
			t.Errorf("σ = %v: %v queries to find coordinates", sigma, surveys)
		}
	}
}

// Relative noise vanishes towards the minimum. Long before a survey is at its end CMA-ES is
// there, for it gets as many queries as the survey takes beyond its forecast.
func TestNoisyRaceByForecast(t *testing.T) {
	d, budget := flags.Usually(10, 5), 20_000
	noise := rng.Seed(1).Stream("test")
	survey, search := spentOn(t, d, budget, 1e-9, func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			w := v - 0.2 + 0.5*x[(i+1)%d]
			sum += w*w + 0.3*math.Abs(w*w*w)
		}
		return sum * (1 + 0.1*noise.NormFloat64())
	})
	if search == 0 || survey > search+search/2+looks.Forecast(d, 0.1) {
		t.Errorf("%d queries to find coordinates, %d for CMA-ES before it was at the minimum", survey, search)
	}
}

// Noise that was told, and does not change when a point is asked again, has an error all the
// same.
func TestNoiseThatWasTold(t *testing.T) {
	const d, told = 4, 1e-3
	f := func(x []float64) float64 {
		sum := 3.0
		for i, v := range x {
			sum += float64(i+1)*(v-0.2)*(v-0.2) + told*math.Sin(1e9*v*float64(i+1))
		}
		return sum
	}
	out, err := Auto{}.Minimize(ctx, query.NewMeter(objective.Func(d, f), 5000), strategy.Task{Budget: 5000, NoiseLevel: told})
	if err != nil || out.Chosen == nil || out.Noise == nil {
		t.Fatalf("chosen %v, noise %v, error %v", out.Chosen, out.Noise, err)
	}
	if out.Noise.Sigma != told || out.Chosen.Error != student(math.MaxInt16)*told {
		t.Errorf("noise %v, error %v, want %v and %v", out.Noise.Sigma, out.Chosen.Error, told, student(math.MaxInt16)*told)
	}
}
