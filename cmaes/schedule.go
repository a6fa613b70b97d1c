package cmaes

import (
	"cmp"
	"math"

	"github.com/untwist/untwist/objective"
)

// A Plan has the settings of one run of a series.
type Plan struct {
	Regime     string  // a name: "first", "large" or "small" in the schedules here
	Population int     // λ; 0: that of the first run
	Sigma      float64 // σ₀, as a fraction of the first run's; 0: 1
	Queries    int     // the most queries of the run; 0: no limit
}

// A Past is a run that has ended.
type Past struct {
	Plan   Plan
	Result Result
}

// A Schedule plans the next run of a series, given the runs that have ended and the
// population of the first. It returns false when the series is over. u returns random
// numbers, uniform on [0, 1).
//
// The interface is open: any type with this method is a Schedule.
type Schedule interface {
	Next(past []Past, population int, u func() float64) (Plan, bool)
}

// IPOP doubles the population with each restart (A. Auger, N. Hansen, "A restart
// CMA evolution strategy with increasing population size", 2005).
type IPOP struct {
	Restarts int // 0: 9
}

// Next doubles the population.
func (s IPOP) Next(past []Past, population int, _ func() float64) (Plan, bool) {
	if len(past) == 0 {
		return Plan{"first", population, 1, 0}, true
	}
	if len(past) > usual(s.Restarts) {
		return Plan{}, false
	}
	return Plan{"large", 2 * past[len(past)-1].Plan.Population, 1, 0}, true
}

// BIPOP restarts in two regimes and gives each the same number of queries (N. Hansen,
// "Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed", 2009). The
// large regime doubles its population λ_l with each run. The small regime has
//
//	λ_s = ⌊λ (½λ_l/λ)^(u²)⌋,   σ = σ₀·10^(−2u'),
//
// with u and u' uniform on [0, 1). A small run has at most half of the queries of the last
// large run.
type BIPOP struct {
	Restarts int // restarts of the large regime; 0: 9
	Small    int // λ of the small regime; 0: that of the first run
}

// Next plans a run of the regime that has spent fewer queries.
func (s BIPOP) Next(past []Past, population int, u func() float64) (Plan, bool) {
	if len(past) == 0 {
		return Plan{"first", population, 1, 0}, true
	}
	large, small, restarts := 0, 0, 0 // queries of each regime, and restarts of the large one
	var last Past                     // the last run of the large regime
	for _, p := range past {
		if p.Plan.Regime == "small" {
			small += p.Result.Queries
			continue
		}
		large += p.Result.Queries
		if last = p; p.Plan.Regime == "large" {
			restarts++
		}
	}
	if small < large && restarts > 0 {
		a, b := u(), u()
		population = cmp.Or(s.Small, population)
		ratio := float64(last.Plan.Population) / float64(2*population)
		return Plan{
			Regime:     "small",
			Population: max(2, int(float64(population)*math.Pow(ratio, a*a))),
			Sigma:      math.Pow(10, -2*b),
			Queries:    max(1, last.Result.Queries/2),
		}, true
	}
	if restarts >= usual(s.Restarts) {
		return Plan{}, false
	}
	return Plan{"large", 2 * last.Plan.Population, 1, 0}, true
}

// Once makes a single run.
type Once struct{}

// Next plans the first run.
func (Once) Next(past []Past, population int, _ func() float64) (Plan, bool) {
	return Plan{"first", population, 1, 0}, len(past) == 0
}

// Confirmed follows another schedule, but ends as soon as two runs have come to the best
// value: to Tolerance, which is in the unit of f, or to sameValue of what their last values
// differed by. A run that was cut off does not count.
type Confirmed struct {
	Schedule  // nil: BIPOP
	Tolerance float64
}

// sameValue is how many of its last spreads the end of a run may be above the minimum it has
// come to. It was 1 to 100 mostly. Other minima are millions of spreads away.
const sameValue = 1e4

// Next plans as the schedule does until the best value is confirmed.
func (s Confirmed) Next(past []Past, population int, u func() float64) (Plan, bool) {
	least, times := math.Inf(1), 0
	for _, p := range past {
		least = min(least, p.Result.Value)
	}
	for _, p := range past {
		cut := p.Result.Status == objective.StepLimit
		spread := p.Result.Spread
		if math.IsInf(spread, 1) { // not known
			spread = 0
		}
		if !cut && (p.Result.Value == least || p.Result.Value-least <= max(s.Tolerance, sameValue*spread)) {
			times++
		}
	}
	if times > 1 {
		return Plan{}, false
	}
	if s.Schedule == nil {
		s.Schedule = BIPOP{}
	}
	return s.Schedule.Next(past, population, u)
}

// usualRestarts is how often the population is doubled by default: as often as on the BBOB
// testbed. Then it is 512 times as large.
const usualRestarts = 9

func usual(restarts int) int { return cmp.Or(restarts, usualRestarts) }
