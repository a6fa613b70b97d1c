package hessian

import (
	"math"

	"github.com/untwist/untwist/objective"
)

// A Region is where points are sampled. An objective.Box is one, the uniform
// distribution on it, and so is a Ball.
type Region interface {
	// Draw sets x to a random point of the region.
	Draw(x []float64, random objective.Random)
}

// Ball is the uniform distribution on a ball, the μ of the paper's experiment.
type Ball struct{ Radius float64 }

// Draw sets x to Radius·u^(1/d)·v, u uniform on [0, 1] and v on the unit sphere.
func (b Ball) Draw(x []float64, random objective.Random) {
	sum := 0.0
	for i := range x {
		x[i] = random.NormFloat64()
		sum += float64(x[i] * x[i])
	}
	length := b.Radius * math.Pow(random.Float64(), 1/float64(len(x))) / math.Sqrt(sum)
	for i := range x {
		x[i] *= length
	}
}
