package strategy

import (
	"slices"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Several says what an evaluation answers besides a value, and what is limited.
type Several struct {
	// Residuals is how many residuals an answer has, whose squares are summed; 0: it has a value.
	// Maximize says that f is the negative of that value.
	Residuals int
	Maximize  bool
	// Outputs are the numbers that follow, and Within is by how much a limit of one may be exceeded.
	Outputs []objective.Output
	Within  func(output int, limit float64) float64
	// Limits are linear in the scaled coordinates. No query may violate them.
	Limits []Limit
	// Recent returns the numbers of the queries since it was last called, a row for each; nil
	// where one has failed.
	Recent func() [][]float64
}

// Limited reports whether there is any limit, of an output or a linear one.
func (s *Several) Limited() bool {
	return s != nil && (len(s.Limits) > 0 || slices.ContainsFunc(s.Outputs, objective.Output.Limited))
}

// A Limit is Lo ≤ Σ Coefficients[i]·z_i ≤ Hi; Lo may be −Inf and Hi +Inf. If they are equal, the sum
// has this value.
type Limit struct {
	Coefficients []float64
	Lo, Hi       float64
}

// A Fit is a least-squares fit, by the last Jacobian of its residuals.
type Fit struct {
	Point     []float64  // in scaled coordinates
	Residuals []float64  // there
	Jacobian  *mat.Dense // likewise, of the residuals by the scaled coordinates
	// Coordinates are those of its columns; nil: all.
	Coordinates []int
}

// A Multiplier says what a limit costs: by how much f falls for a limit that is wider by one unit.
type Multiplier struct {
	Output int // whose limit it is; −1: that of a linear limit
	Limit  int // the linear limit; −1: that of an output
	Value  float64
}
