package cbo

import (
	"cmp"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Domain limits where particles may be.
//
// The interface is open: any type with this method is a Domain.
type Domain interface {
	// Confine moves every row of points that is outside the domain into it.
	// scratch has room for one point.
	Confine(points *mat.Dense, scratch []float64)
}

// Free lets particles go anywhere.
type Free struct{}

// Confine does nothing.
func (Free) Confine(*mat.Dense, []float64) {}

// Clip sets coordinates beyond ±Radius to ±Radius. The strong noise that the
// paper uses occasionally throws a particle very far. The paper's experiment
// has the same safeguard.
type Clip struct{ Radius float64 }

// Check returns an error if Radius is bad.
func (c Clip) Check(int) error { return checkRadius(c.Radius) }

// checkRadius returns an error unless r is a number above 0.
func checkRadius(r float64) error {
	if !(r > 0) {
		return fmt.Errorf("a domain with Radius %v, which must be above 0", r)
	}
	return nil
}

// Confine clips the coordinates of x.
func (c Clip) Confine(points *mat.Dense, _ []float64) {
	n, _ := points.Dims()
	for i := range n {
		row := points.RawRowView(i)
		for j, v := range row {
			if !(math.Abs(v) <= c.Radius) {
				row[j] = clip(v, c.Radius)
			}
		}
	}
}

// ClipIn clips at ±Radius in the coordinates y = W̃x of a frame,
//
//	x ← (x − W̃†y) + W̃†clip(y),
//
// as Transformed noise requires: clipping in x pushes particles off the
// directions in which f separates, and the method fails. The bracket is the part
// of x that the frame does not see. It is 0 where W̃ is square, and is taken to
// be 0 where it would be lost in rounding.
type ClipIn struct {
	Frame  *frame.Frame
	Radius float64
}

// Check returns an error if there is no frame of d dimensions, or Radius is bad.
func (c ClipIn) Check(d int) error {
	return cmp.Or(checkFrame(c.Frame, d), checkRadius(c.Radius))
}

const (
	// huge is a size whose square does not overflow. The square of 1/huge does not
	// underflow.
	huge = 1e150
	// surely·Radius² is the largest ‖x‖² at which x counts as inside without a closer
	// look. The difference from Radius² is far more than rounding.
	surely = 0.99
	// lost is how many times Radius the coordinates may be before the part of x that
	// the frame does not see is only rounding: 1e8 of the 1e16 that a float64 resolves.
	lost = 1e8
)

// Confine clips the coordinates W̃x. A particle with ‖x‖ ≤ Radius is inside,
// because the rows of W̃ have length 1. All others are rare. They are treated
// one by one, together with those whose ‖x‖ is nearly Radius.
func (c ClipIn) Confine(points *mat.Dense, scratch []float64) {
	safe := -1.0 // the square of a radius that is surely inside
	if c.Radius > 1/huge && c.Radius < huge {
		safe = surely * c.Radius * c.Radius
	}
	n, _ := points.Dims()
	for i := range n {
		x := points.RawRowView(i)
		if !(floats.Dot(x, x) <= safe) {
			c.confine(x, scratch[:c.Frame.Components()])
		}
	}
}

// confine clips one particle; y is scratch.
func (c ClipIn) confine(x, y []float64) {
	for k, v := range x {
		x[k] = clip(v, huge) // so that nothing below overflows
	}
	var point, coordinates mat.Dense
	point.SetRawMatrix(blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x})
	coordinates.SetRawMatrix(blas64.General{Rows: 1, Cols: len(y), Stride: len(y), Data: y})
	c.Frame.Coordinates(&coordinates, &point)
	largest := 0.0
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	if largest <= c.Radius {
		return
	}
	if len(y) < len(x) && largest <= lost*c.Radius {
		c.Frame.Move(&point, -1, &coordinates)
	} else {
		clear(x)
	}
	for j, v := range y {
		y[j] = clip(v, c.Radius)
	}
	c.Frame.Move(&point, 1, &coordinates)
}

// clip returns v limited to [−r, r]; a NaN becomes r.
func clip(v, r float64) float64 {
	if v < -r {
		return -r
	}
	if v <= r {
		return v
	}
	return r
}

// Reflect keeps particles in a finite box by reflecting them at its faces, as
// often as necessary.
type Reflect struct{ Box objective.Box }

// Check returns an error unless Box is finite and has d dimensions.
func (r Reflect) Check(d int) error {
	if err := r.Box.Check(d); err != nil {
		return err
	}
	return r.Box.CheckFinite()
}

// Confine reflects the coordinates of x.
func (r Reflect) Confine(points *mat.Dense, _ []float64) {
	n, _ := points.Dims()
	for i := range n {
		row := points.RawRowView(i)
		for j, v := range row {
			row[j] = reflect(v, r.Box.Lo[j], r.Box.Hi[j])
		}
	}
}

// reflect folds v into [lo, hi] by a triangle wave of period 2(hi − lo).
func reflect(v, lo, hi float64) float64 {
	if lo <= v && v <= hi {
		return v
	}
	width := hi - lo
	t := math.Abs(math.Mod(v-lo, 2*width))
	if t > width {
		t = 2*width - t
	}
	if math.IsNaN(t) {
		t = 0 // v was not a number, or infinite
	}
	return min(max(lo+t, lo), hi)
}
