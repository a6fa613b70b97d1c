package objective

// Random is where an algorithm gets its random numbers from. The type *rand.Rand of
// math/rand/v2 implements it.
type Random interface {
	Float64() float64     // uniform on [0, 1)
	NormFloat64() float64 // N(0, 1)
	IntN(n int) int       // uniform on 0, …, n−1
}

// Draw sets x to a uniformly random point of a finite box. Rounding never puts x
// outside the box: u ≤ 1 − 2⁻⁵³, so the product is at most the float below
// fl(Hi − Lo), which is at most Hi − Lo.
func (b Box) Draw(x []float64, random Random) {
	for i := range x {
		x[i] = b.Lo[i] + float64((b.Hi[i]-b.Lo[i])*random.Float64())
	}
}

// IsZero reports whether no box was given.
func (b Box) IsZero() bool { return b.Lo == nil && b.Hi == nil }
