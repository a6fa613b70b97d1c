package problem

// Blemishes make a problem more like those that people have. They are applied in the order
// of the fields. With v = f − min f, s the standard deviation of f over the domain (after the
// map, if there is one) and m components:
type Blemishes struct {
	Coupling     float64 // D: plus D·s times a coupling of standard deviation 1; not with Map
	CouplingKind string  // "sines" or "products"; "": sines

	Map string // "sqrt", "log", "square", "exp" or "rms": √(1+v/s), log(1+v/s), (v/s)², exp(v/s), √(v/m)

	Noise         float64 // S: plus S·s·ξ, where ξ is Gaussian and depends on the seed and the number of the query alone
	NoiseRelative float64 // S: times 1+S·ξ

	ScaleValue float64 // A: times A; 0: times 1
	Offset     float64 // B: plus B

	Digits int // N: rounded to N significant digits; 0: not rounded

	Failing       float64  // P: NaN at a share P of points, by a hash of the point
	FailingBeyond *float64 // T: NaN where ⟨n, x−x*⟩ > T widths of the domain, n a random direction
}

// Blemished says whether the values differ from those of the clean function.
func (p *Problem) Blemished() bool { return p.spec.Blemishes != Blemishes{} }
