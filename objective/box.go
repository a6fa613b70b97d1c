package objective

import (
	"errors"
	"fmt"
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
// Infinite sides pass; see CheckFinite.
func (b Box) Check(dim int) error {
	if len(b.Lo) != dim || len(b.Hi) != dim {
		return fmt.Errorf("%d lower and %d upper limits for %d coordinates", len(b.Lo), len(b.Hi), dim)
	}
	for i := range dim {
		if !(b.Lo[i] < b.Hi[i]) { // NaN fails too
			return fmt.Errorf("x[%d]: %v:%v, need numbers with LO < HI", i, b.Lo[i], b.Hi[i])
		}
	}
	return nil
}

// The widths that a side of a finite box may have. Half of the smallest is not 0,
// and 1e8 times the largest is not infinite.
const minWidth, maxWidth = 1e-300, 1e290

// ErrNarrow says that a side of a box is too narrow to compute with, so that no box within it
// would do either.
var ErrNarrow = errors.New("too narrow")

var errWide = errors.New("too wide")

// CheckFinite returns an error that names the coordinate if a side of b is infinite,
// or too narrow (ErrNarrow) or too wide to compute with. b must have passed Check.
func (b Box) CheckFinite() error {
	for i := range b.Lo {
		what, width := errWide, b.Hi[i]-b.Lo[i]
		if width < minWidth {
			what = ErrNarrow
		}
		if !(width >= minWidth && width <= maxWidth) {
			return fmt.Errorf("x[%d]: %v:%v is %w, need a width from %v to %v", i, b.Lo[i], b.Hi[i], what, minWidth, maxWidth)
		}
	}
	return nil
}

// Contains reports whether x lies in b.
func (b Box) Contains(x []float64) bool { return b.Outside(x) < 0 }

// Outside returns the first coordinate of x that is outside b, or -1.
func (b Box) Outside(x []float64) int {
	for i, v := range x {
		if !(b.Lo[i] <= v && v <= b.Hi[i]) {
			return i
		}
	}
	return -1
}
