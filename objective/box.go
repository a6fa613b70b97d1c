package objective

import (
	"errors"
	"fmt"
	"math"
)

// A Box is the set of x with Lo[i] ≤ x[i] ≤ Hi[i].
type Box struct {
	Lo, Hi []float64
}

// Cube returns the box [lo, hi]^dim.
func Cube(dim int, lo, hi float64) Box {
	b := Box{make([]float64, dim), make([]float64, dim)}
	for i := range dim {
		b.Lo[i], b.Hi[i] = lo, hi
	}
	return b
}

// Check returns an error unless b has dim coordinates and Lo < Hi in each.
// Infinite sides pass; see Finite.
func (b Box) Check(dim int) error {
	if len(b.Lo) != dim || len(b.Hi) != dim {
		return fmt.Errorf("%d lower and %d upper limits for %d coordinates", len(b.Lo), len(b.Hi), dim)
	}
	for i := range dim {
		if !(b.Lo[i] < b.Hi[i]) { // NaN fails too
			return fmt.Errorf("coordinate %d: %v:%v, need numbers with LO < HI", i+1, b.Lo[i], b.Hi[i])
		}
	}
	return nil
}

// ErrInfinite says that a box has an infinite side where none may be.
var ErrInfinite = errors.New("an infinite side")

// Finite returns ErrInfinite, with the coordinate, if b is unbounded or wider
// than the largest number.
func (b Box) Finite() error {
	for i := range b.Lo {
		if math.IsInf(b.Hi[i]-b.Lo[i], 0) {
			return fmt.Errorf("coordinate %d: %v:%v: %w", i+1, b.Lo[i], b.Hi[i], ErrInfinite)
		}
	}
	return nil
}

// Contains reports whether x lies in b.
func (b Box) Contains(x []float64) bool {
	for i, v := range x {
		if !(b.Lo[i] <= v && v <= b.Hi[i]) {
			return false
		}
	}
	return true
}

// Within reports whether b lies in outer.
func (b Box) Within(outer Box) bool {
	return outer.Contains(b.Lo) && outer.Contains(b.Hi)
}
