package cbo

import (
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Domain keeps particles where they may be.
type Domain interface {
	// Confine moves every row of points that is outside to the inside.
	Confine(points *mat.Dense)
}

// Free lets particles go anywhere.
type Free struct{}

// Confine does nothing.
func (Free) Confine(*mat.Dense) {}

// Clip sets coordinates beyond ±Radius back to it. With the strong noise that
// the paper uses a particle is now and then thrown very far; this is the
// safety that its experiment has.
type Clip struct{ Radius float64 }

// Confine clips the coordinates of x.
func (c Clip) Confine(points *mat.Dense) {
	n, _ := points.Dims()
	for i := range n {
		row := points.RawRowView(i)
		for j, v := range row {
			row[j] = clip(v, c.Radius)
		}
	}
}

// ClipIn clips at ±Radius in the coordinates y = W̃x of a frame,
//
//	x ← x + W̃†(clip(y) − y),
//
// as Transformed noise needs: clipping in x pushes particles off the
// directions in which f separates, and the method fails.
type ClipIn struct {
	Frame  *frame.Frame
	Radius float64
}

// Confine clips the coordinates W̃x. A particle with ‖x‖ ≤ Radius is inside,
// because the rows of W̃ have length 1; the others, which are rare, are looked
// at one by one.
func (c ClipIn) Confine(points *mat.Dense) {
	n, _ := points.Dims()
	w, u := c.Frame.Matrix(), c.Frame.Inverse()
	for i := range n {
		x := points.RawRowView(i)
		if kernel.Dot(x, x) <= c.Radius*c.Radius {
			continue
		}
		for k, v := range x {
			x[k] = clip(v, 1e150) // no overflow in what follows
		}
		excess := make([]float64, c.Frame.Components())
		for j := range excess {
			y := kernel.Dot(w.RawRowView(j), x)
			excess[j] = clip(y, c.Radius) - y
		}
		for k := range x {
			x[k] += kernel.Dot(u.RawRowView(k), excess)
		}
	}
}

// clip returns v, or ±r beyond it; a NaN becomes r.
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
// often as it takes.
type Reflect struct{ Box objective.Box }

// Confine reflects the coordinates of x.
func (r Reflect) Confine(points *mat.Dense) {
	n, _ := points.Dims()
	for i := range n {
		row := points.RawRowView(i)
		for j, v := range row {
			row[j] = reflect(v, r.Box.Lo[j], r.Box.Hi[j])
		}
	}
}

// reflect folds v into [lo, hi]: with period 2(hi − lo), up and down again.
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
