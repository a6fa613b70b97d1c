package strategy

import "github.com/untwist/untwist/objective"

// A Noise says how exact the values of f are.
type Noise struct {
	Kind objective.Kind
	// Sigma is the standard deviation of f's values at the point found, in the unit of f;
	// of a raster, that of what is rounded off. 0 if there is no noise.
	Sigma float64
}

// A Chosen point is one that was chosen as the best by repeated queries, and not by its
// value: the least of many noisy values is too low.
type Chosen struct {
	// Point is the point, in scaled coordinates; nil: it is the one with the lowest value
	// after all, since asking again says nothing.
	Point []float64
	// Value is what f was there at query number Query, counted from 1: the first of those
	// from which Mean is made.
	Value float64
	Query int
	// Mean is the mean of f there, and Error its error, a 95 % half-width. They are made
	// from queries that had no part in the choice.
	Mean, Error float64
}
