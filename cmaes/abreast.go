package cmaes

// Abreast returns a series in n dimensions that makes use of many evaluations at the same
// time: parallel of them cost no more than one. queries is how many there may be in all.
// With parallel ≤ 1, or few queries, it is the zero Series.
//
// The population of the first run is as large as evaluations are free,
//
//	λ = min(parallel, queries/(100 + 20n)), at least the default,
//
// so that a run has time for 100 + 20n generations, as many as Rosenbrock's function takes.
// And as a large population knows more of C, C is learnt faster:
//
//	Rate = 1 + min(1, λ/5n).
//
// Fewer generations cost more queries. Rosenbrock's function in 40 dimensions with λ = 1000
// takes a sixth of the generations and ten times the queries. A large population always
// comes to the same of its two minima; so the small regime of BIPOP stays small.
func Abreast(n, parallel, queries int) Series {
	lambda := min(parallel, queries/(fewGenerations+usualGenerations*n))
	least := DefaultPopulation(n)
	if lambda <= least {
		return Series{}
	}
	rate := 1 + min(1, float64(lambda)/float64(enough*n))
	return Series{Run: Config{Population: lambda, Rate: rate}, Schedule: BIPOP{Small: least}}
}

// A run takes about fewGenerations, and usualGenerations for each dimension. And enough points
// for each dimension are enough to learn C twice as fast: on Rosenbrock's function and
// rotated ellipsoids, d = 20 and 40, that took 5 to 30 % fewer generations, and three times
// as fast ended some runs too early.
const (
	fewGenerations   = 100
	usualGenerations = 20
	enough           = 5
)
