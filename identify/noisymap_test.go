package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// turnedSum is a sum of d terms along the rows of a random rotation, and the rotation.
func turnedSum(d int, seed uint64) (func(x []float64) float64, *mat.Dense) {
	w := mat.NewDense(d, d, nil)
	rng.Seed(seed).Stream("rotation").Norm(w.RawMatrix().Data)
	kernel.Orthonormalise(w.RawMatrix())
	return func(x []float64) float64 {
		y := make([]float64, d)
		kernel.MulVec(y, w.RawMatrix(), x)
		sum := 0.0
		for i, v := range y {
			sum += 4 + v*v - 2*math.Cos((2+float64(i%3))*v+float64(i))
		}
		return sum
	}, w
}

// A map is found where there is noise, and with it the frame; and none where there is none.
func TestMapsUnderNoise(t *testing.T) {
	d := flags.Usually(10, 6)
	for name, m := range map[string]struct {
		phi      func(v float64) float64
		exponent float64
		mapped   bool
	}{
		"none":      {func(v float64) float64 { return v }, 1, false},
		"root":      {math.Sqrt, 0.5, true},
		"logarithm": {math.Log, 0, true},
		"square":    {func(v float64) float64 { return v * v }, 2, true},
	} {
		seeds := uint64(1)
		if *flags.Whole {
			seeds = 2
		}
		for seed := range seeds {
			v, w := turnedSum(d, seed)
			x := make([]float64, d)
			x[0] = 0.7
			size := m.phi(v(x))
			found, err := surveyed(t, d, func(x []float64) float64 { return m.phi(v(x)) }, 1e-6*size, Survey{Measures: 1}, seed)
			if err != nil || found.Certificate.Verdict != certify.Separable || (found.Map != nil) != m.mapped {
				t.Errorf("%s, seed %d: %v, map %v, error %v", name, seed, found.Certificate, found.Map, err)
				continue
			}
			if got := kernel.Times(found.Frame.Matrix(), mat.DenseCopyOf(w.T())); !permutation(got, 0.01) {
				t.Errorf("%s, seed %d: another frame", name, seed)
			}
			if m.mapped && math.Abs(found.Map.Exponent()-m.exponent) > 0.2 {
				t.Errorf("%s, seed %d: exponent %g", name, seed, found.Map.Exponent())
			}
		}
	}
}

// permutation reports whether each row of a matrix has one element of size 1 and others of 0,
// up to an error.
func permutation(m *mat.Dense, most float64) bool {
	n, _ := m.Dims()
	for i := range n {
		ones := 0
		for _, v := range m.RawRowView(i) {
			if math.Abs(math.Abs(v)-1) <= most {
				ones++
			} else if math.Abs(v) > most {
				return false
			}
		}
		if ones != 1 {
			return false
		}
	}
	return true
}
