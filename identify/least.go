package identify

import "github.com/untwist/untwist/internal/model"

// Least is how many queries it takes at least to find d coordinates and to use them: about as many as rastrigin
// takes in all, more than half of them for three Hessians by forward differences, their steps, and a certificate.
// Where a survey finds nothing that is known after some three fifths of what it would have taken.
func Least(d int) int { return 7*d*d/4 + 120*d + 200 }

// leastQuadratic is how many it takes at least to find out that f is quadratic and to use
// that: d²/2 for a Hessian by forward differences, and the rest for its step and a check.
// Where f is not quadratic that is a quarter of the budget, or less.
func leastQuadratic(d int) int { return d*d/2 + 110*d }

// leastAsGiven is how many it takes at least to measure the scales of coordinates that
// separate f as they are, 28 for each at two points, and to search along them.
func leastAsGiven(d int) int { return min(160*d, Least(d)) }

// MostNoisy is how many queries it takes at most to find d coordinates where f has noise, with a certificate
// and scales.
func MostNoisy(d int) int { return model.Most(d) + 120*d }
