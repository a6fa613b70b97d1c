package outer

import (
	"math"
	"testing"
)

// The exponent of φ is that of ψ turned over.
func TestExponents(t *testing.T) {
	for p, want := range map[float64]float64{2: 0.5, 0.5: 2, 0.01: 100, 0: math.Inf(1)} {
		if got := fromPole(10, 5, 1, p).Exponent(); got != want && !(math.Abs(got/want-1) < 1e-9) {
			t.Errorf("the power %g has the exponent %g, want %g", p, got, want)
		}
	}
	if got := Power(10, 5, 1, 0).Exponent(); got != 0 {
		t.Errorf("a logarithm has the exponent %g", got)
	}
}
