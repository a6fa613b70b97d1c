package rng

import (
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Sphere returns n points, uniform on the unit sphere of d dimensions.
func Sphere(n, d int, random interface{ NormFloat64() float64 }) *mat.Dense {
	v := mat.NewDense(n, d, nil)
	for i := range n {
		row := v.RawRowView(i)
		for k := range row {
			row[k] = random.NormFloat64()
		}
		kernel.Normalise(row)
	}
	return v
}
