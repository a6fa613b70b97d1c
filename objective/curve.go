package objective

// A Sample is a point of a convergence curve: the best value after Queries queries.
type Sample struct {
	Queries int
	Value   float64
}

// An Improvement is a point of a run that was better than all before it.
type Improvement struct {
	Query int // the number of the query that found it, from 1
	Value float64
	Point []float64
}
