package identify

import "math"

// harmless reports whether E, of all components together, moves none by more than a little of its
// scale over steps as long as the spread: longer ones would show nothing new.
func (r refiner) harmless(c *candidate) bool {
	far := 0.0
	for i, s := range c.spread {
		far = max(far, s/r.b.scale[i])
	}
	return max(r.b.error(), r.rest())*far*math.Sqrt(float64(len(c.spread))) <= littleMoved
}

// rest returns what the last designs have left of the error that they have corrected: slopes
// are known to a tenth or so.
func (r refiner) rest() float64 { return slopesKnown * r.b.moved }

// slopesKnown is the part of itself to which a slope is known at least.
const slopesKnown = 0.1
