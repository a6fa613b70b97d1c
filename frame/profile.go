package frame

// A Profile is what f looks like along a component of a frame.
type Profile struct {
	// Component is which it is, from 0.
	Component int
	// Y is how far along the line f was asked, ascending, and Value f there.
	Y, Value []float64
	// Wells are the local minima, the deepest first. The deepest are as exact as
	// a search refines them, the others as parabolas through their points have them.
	Wells []Well
	// Open says that f still falls at an end of the range.
	Open bool
}

// A Well is a local minimum along a line.
type Well struct{ Y, Value float64 }
