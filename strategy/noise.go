package strategy

// A Noise says how exact the values of f are.
type Noise struct {
	// Kind is one of the kinds below.
	Kind NoiseKind `json:"kind"`
	// Sigma is the standard deviation of a value, in the unit of f; of a raster half of the
	// distance between two values. 0 if the kind is NoNoise.
	Sigma float64 `json:"sigma"`
}

// A NoiseKind is a kind of noise.
type NoiseKind string

// The kinds of noise.
const (
	// NoNoise: values are exact but for rounding.
	NoNoise NoiseKind = "none"
	// Random: the same point asked twice has two values.
	Random NoiseKind = "random"
	// Deterministic: the same point has the same value, but values next to each other
	// differ as if by chance.
	Deterministic NoiseKind = "deterministic"
	// Raster: values are rounded to few digits.
	Raster NoiseKind = "raster"
)

// A Chosen point is one that was chosen as the best by repeated queries, and not by its
// value: the least of many noisy values is too low.
type Chosen struct {
	// Point is the point, in scaled coordinates.
	Point []float64
	// Value is what f was there at query number Query, counted from 1: the first of those
	// from which Mean is made.
	Value float64
	Query int
	// Mean is the mean of f there, and Error its error, a 95 % half-width. They are made
	// from queries that had no part in the choice.
	Mean, Error float64
}
